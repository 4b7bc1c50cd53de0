"""Names of a release: the repository, the tag, and the version that both tag and manifest say."""

import re

from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

from personamem.loaders.formats.errors import InvalidInputError

_NUMBER = r"(?:0|[1-9]\d*)"
_WORD = r"(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)"
SEMANTIC_VERSION = re.compile(
    rf"{_NUMBER}\.{_NUMBER}\.{_NUMBER}(?:-{_WORD}(?:\.{_WORD})*)?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?"
)
"""A version as https://semver.org writes it: 1.0.0, 2.1.0-rc.1."""

_COMMIT = re.compile(r"[0-9a-f]{40}")


def check_repo_id(repo_id: str) -> None:
    """Raise InvalidInputError unless ``repo_id`` is "owner/name" as the Hub accepts it."""
    try:
        validate_repo_id(repo_id)
    except HFValidationError as error:
        raise InvalidInputError(f"Repository {repo_id!r} cannot be used: {error}") from error
    if repo_id.count("/") != 1:
        raise InvalidInputError(f"Repository {repo_id!r} cannot be used; accepted: owner/name.")


def check_tag(tag: str, version: str) -> None:
    """Raise InvalidInputError unless ``tag`` is "v" and ``version``, and that is semantic."""
    if not SEMANTIC_VERSION.fullmatch(version):
        raise InvalidInputError(
            f"The manifest's version {version!r} is not semantic; accepted: MAJOR.MINOR.PATCH, "
            "such as 1.0.0 (https://semver.org)."
        )
    if tag != f"v{version}":
        raise InvalidInputError(
            f"Tag {tag!r} does not name the dataset's version; accepted: v{version}. "
            "For another version, build the dataset with --version."
        )


def check_branch(branch: str) -> None:
    """Raise InvalidInputError unless ``branch`` may be a branch: no commit, no other reference."""
    if not branch or branch.startswith("refs/") or _COMMIT.fullmatch(branch):
        raise InvalidInputError(f"--revision {branch!r} is no branch; accepted: a branch's name.")
