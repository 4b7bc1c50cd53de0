"""A release, step by step: check, compare, upload in one commit, read back, tag.

Whatever has been done already is found done, so the same call completes a release that was cut off
anywhere: before the upload, after it, or before the tag.
"""

import glob
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from huggingface_hub import HfApi, get_token
from huggingface_hub.errors import HfHubHTTPError

from personamem.cards import Score
from personamem.dataset_builder.publish.hub_errors import (
    AGAIN,
    HINT,
    PublishError,
    redact,
    translate_errors,
)
from personamem.dataset_builder.publish.loads import check_loads
from personamem.dataset_builder.publish.local import LocalDataset, LocalFile, read_local
from personamem.dataset_builder.publish.names import check_branch, check_repo_id, check_tag
from personamem.dataset_builder.publish.plan import Plan, make_plan
from personamem.dataset_builder.publish.remote import (
    KIND,
    ContentError,
    RemoteState,
    check_content,
    find_commit,
    find_differences,
    list_files,
    read_remote,
)
from personamem.dataset_builder.publish.verdict import Tell, settle_audit, settle_card
from personamem.loaders.formats.errors import InvalidInputError

MAIN = "main"


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be published, and where to."""

    folder: Path
    repo_id: str
    tag: str
    branch: str = MAIN
    private: bool = False
    create_pr: bool = False
    replace: bool = False
    dry_run: bool = False
    workers: int = 1
    scores: Sequence[Score] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a release ended: the commit that holds it, and what is new at the Hub.

    ``commit`` is None after a dry run. ``pull_request`` is the address of the one that was opened;
    nothing is tagged then.
    """

    plan: Plan
    commit: str | None = None
    uploaded: bool = False
    tagged: bool = False
    pull_request: str | None = None


def publish(request: Request, tell: Tell, show: Callable[[Plan], None]) -> Outcome:
    """Publish a dataset; ``tell`` hears of the steps, ``show`` gets the plan before it is done.

    Raises:
        DatasetError: the dataset is incomplete, changed, or does not load.
        InvalidInputError: a name, a version, a token, a repository or a tag that cannot be used.
        VerdictError: the dataset fails its audit.
        PublishError: the Hub cannot be reached, or fails.
    """
    check_repo_id(request.repo_id)
    check_branch(request.branch)
    if request.create_pr and request.branch != MAIN:
        raise InvalidInputError("--create-pr asks for a request to main; leave out --revision.")
    tell("checking files against the manifest")
    local = read_local(request.folder)
    check_tag(request.tag, local.manifest.version)
    api = HfApi()
    remote, not_compared = _look(api, request)
    audit = settle_audit(local, request.workers, tell)
    settle_card(local, audit, request.repo_id, request.scores, tell)
    tell("loading every config and split")
    check_loads(local)
    plan = make_plan(
        local, remote, request.repo_id, request.branch, request.tag, redact(not_compared or "")
    )
    show(plan)
    if request.dry_run:
        return Outcome(plan)
    release = local.list_release()
    if remote and request.tag in remote.tags:
        return Outcome(plan, _check_tagged(api, request, release))
    if remote and remote.head and plan.is_done:
        commit, opened = remote.head, None
    else:
        commit, opened = _upload(api, request, local, remote, plan, tell)
    tell(f"reading back {commit[:12]}")
    _read_back(api, request, release, commit)
    if not opened:
        _tag(api, request, commit)
    return Outcome(plan, commit, not plan.is_done, tagged=not opened, pull_request=opened)


def _look(api: HfApi, request: Request) -> tuple[RemoteState | None, str | None]:
    """Return the repository's state; in a dry run, or why it is not known."""
    if not request.dry_run and not get_token():
        raise InvalidInputError(f"There is no token for {api.endpoint}. {HINT}.")
    try:
        with translate_errors(request.repo_id, f"Looking at {request.repo_id}"):
            remote = read_remote(api, request.repo_id, request.branch)
            if remote and not request.replace:
                check_content(api, request.repo_id, remote)
    except (PublishError, InvalidInputError) as error:
        if request.dry_run and not isinstance(error, ContentError):
            return None, str(error).removesuffix(AGAIN).strip()
        raise
    if remote and request.private and not remote.private:
        raise InvalidInputError(
            f"{request.repo_id} exists and is public; --private is for new repositories. Make it "
            "private in its settings, or leave out --private."
        )
    if remote and request.branch in remote.tags:
        raise InvalidInputError(f"--revision {request.branch} is a tag; accepted: a branch.")
    return remote, None


def _check_tagged(api: HfApi, request: Request, release: dict[str, LocalFile]) -> str:
    """Return the tag's commit if it holds the release; a tag is never moved."""
    with translate_errors(request.repo_id, f"Reading {request.tag}"):
        commit = find_commit(api, request.repo_id, request.tag)
        others = find_differences(release, list_files(api, request.repo_id, commit))
    if others:
        raise InvalidInputError(
            f"{request.repo_id} has a tag {request.tag} on other content ({_name(others)}), and a "
            "tag is never moved. Build the dataset with a new --version."
        )
    return commit


def _upload(
    api: HfApi,
    request: Request,
    local: LocalDataset,
    remote: RemoteState | None,
    plan: Plan,
    tell: Tell,
) -> tuple[str, str | None]:
    """Upload the release; return its commit, and the pull request's address if there is one."""
    repo_id = request.repo_id
    if remote is None:
        tell(f"creating {repo_id}")
        with translate_errors(repo_id, f"Creating {repo_id}"):
            api.create_repo(repo_id, repo_type=KIND, private=request.private or None)
            remote = read_remote(api, repo_id, MAIN)
    head = remote.head if remote else None
    if remote and request.branch not in remote.branches and request.branch != MAIN:
        with translate_errors(repo_id, f"Creating branch {request.branch}"):
            api.create_branch(repo_id, branch=request.branch, revision=head, repo_type=KIND)
    tell("uploading")
    with translate_errors(repo_id, f"Uploading to {repo_id}"):
        done = api.upload_folder(
            repo_id=repo_id,
            repo_type=KIND,
            folder_path=local.folder,
            revision=None if request.create_pr else request.branch,
            create_pr=request.create_pr,
            commit_message=f"Release {request.tag}",
            commit_description=f"{plan.dataset}, manifest {local.manifest_sha256}",
            # Nobody else's commit is overwritten: the branch must be where it was compared.
            parent_commit=head,
            allow_patterns=[glob.escape(name) for name in local.list_release()],
            delete_patterns=[glob.escape(name) for name in plan.deleted],
        )
    return done.oid, done.pr_url


def _read_back(api: HfApi, request: Request, release: dict[str, LocalFile], commit: str) -> None:
    """Check that a commit holds the release: sizes and hashes of all, contents of small files."""
    with translate_errors(request.repo_id, "Reading back"):
        there = list_files(api, request.repo_id, commit)
        others = find_differences(release, there)
        with tempfile.TemporaryDirectory() as folder:
            for name in sorted(release.keys() & there.keys()):
                if there[name].sha256 is None and name not in others:
                    path = api.hf_hub_download(
                        request.repo_id, name, repo_type=KIND, revision=commit, local_dir=folder
                    )
                    if Path(path).read_bytes() != release[name].path.read_bytes():
                        others.append(name)
    if others:
        raise PublishError(
            f"{request.repo_id} at {commit} is not what was uploaded: {_name(others)} differ. It "
            "was not tagged. Were the files changed during the upload? Run the command again."
        )


def _tag(api: HfApi, request: Request, commit: str) -> None:
    with translate_errors(request.repo_id, f"Tagging {request.tag}"):
        try:
            api.create_tag(request.repo_id, tag=request.tag, revision=commit, repo_type=KIND)
        except HfHubHTTPError as error:
            # Somebody was faster; that is no harm if they tagged the same.
            exists = error.response.status_code == 409
            if not exists or find_commit(api, request.repo_id, request.tag) != commit:
                raise


def _name(names: Sequence[str]) -> str:
    return f"{', '.join(names[:3])}{' and more' * (len(names) > 3)}"
