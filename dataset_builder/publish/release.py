"""A release, step by step: check, compare, upload, read back, tag.

Each step first looks at what is there, so the same call completes a release that was interrupted
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
from personamem.dataset_builder.publish.pull_requests import (
    PullRequest,
    find_pull_request,
    mark_as_ready,
    open_pull_request,
    read_pull_request,
)
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
from personamem.dataset_builder.publish.verdict import Log, settle_audit, settle_card
from personamem.loaders.formats.errors import InvalidInputError

MAIN = "main"


@dataclass(frozen=True, slots=True)
class ReleaseRequest:
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

    ``commit`` is None after a dry run. ``pull_request`` is the address of the one that holds the
    release; nothing is tagged then.
    """

    plan: Plan
    commit: str | None = None
    uploaded: bool = False
    tagged: bool = False
    pull_request: str | None = None


def publish(request: ReleaseRequest, log: Log, on_plan: Callable[[Plan], None]) -> Outcome:
    """Publish a dataset; ``log`` receives the steps, ``on_plan`` the plan before it is carried out.

    Raises:
        DatasetError: the dataset is incomplete, changed, or does not load.
        InvalidInputError: a name, a version, a token, a repository or a tag that cannot be used.
        VerdictError: the dataset fails its audit.
        PublishError: the Hub cannot be reached, or fails.
    """
    check_repo_id(request.repo_id)
    check_branch(request.branch)
    if request.create_pr and request.branch != MAIN:
        raise InvalidInputError(
            "--create-pr opens a pull request to main. Leave out --revision, or --create-pr."
        )
    log("checking files against the manifest")
    local = read_local(request.folder)
    check_tag(request.tag, local.manifest.version)
    api = HfApi()
    remote, not_compared = _look(api, request)
    audit = settle_audit(local, request.workers, log)
    settle_card(local, audit, request.repo_id, request.scores, log)
    log("loading every config and split")
    check_loads(local)
    plan = make_plan(
        local, remote, request.repo_id, request.branch, request.tag, redact(not_compared or "")
    )
    on_plan(plan)
    if request.dry_run:
        return Outcome(plan)
    release = local.list_release()
    if remote and request.tag in remote.tags:
        return Outcome(plan, _check_tagged(api, request, release))
    if remote and remote.head and plan.is_done:
        _read_back(api, request, release, remote.head, log)
        _tag(api, request, remote.head)
        return Outcome(plan, remote.head, tagged=True)
    remote = remote or _create_repository(api, request, log)
    if request.create_pr:
        return _send_as_request(api, request, local, remote, plan, log)
    _ensure_branch(api, request, remote)
    commit = _upload(api, request, local, remote, request.branch, log)
    _read_back(api, request, release, commit, log)
    _tag(api, request, commit)
    return Outcome(plan, commit, uploaded=True, tagged=True)


def _look(api: HfApi, request: ReleaseRequest) -> tuple[RemoteState | None, str | None]:
    """Return the repository's state; in a dry run, or why it is not known."""
    token = get_token()
    if not request.dry_run and not token:
        raise InvalidInputError(f"There is no token for {api.endpoint}. {HINT}.")
    if token and not (token.isascii() and token.isprintable()):
        raise InvalidInputError(
            f"The token has characters that no token has, so it cannot be sent. {HINT}."
        )
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


def _check_tagged(api: HfApi, request: ReleaseRequest, release: dict[str, LocalFile]) -> str:
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


def _create_repository(api: HfApi, request: ReleaseRequest, log: Log) -> RemoteState:
    log(f"creating {request.repo_id}")
    with translate_errors(request.repo_id, f"Creating {request.repo_id}"):
        api.create_repo(request.repo_id, repo_type=KIND, private=request.private or None)
        made = read_remote(api, request.repo_id, MAIN)
    if made is None:
        raise PublishError(f"{request.repo_id} was created, but the Hub does not show it. {AGAIN}")
    return made


def _ensure_branch(api: HfApi, request: ReleaseRequest, remote: RemoteState) -> None:
    if request.branch not in remote.branches and request.branch != MAIN:
        with translate_errors(request.repo_id, f"Creating branch {request.branch}"):
            api.create_branch(
                request.repo_id, branch=request.branch, revision=remote.head, repo_type=KIND
            )


def _send_as_request(
    api: HfApi,
    request: ReleaseRequest,
    local: LocalDataset,
    remote: RemoteState,
    plan: Plan,
    log: Log,
) -> Outcome:
    """Have a pull request hold the release: one that is open already, or a new one."""
    pull, state = _open_request(api, request, local, remote, log)
    release = local.list_release()
    commit = state.head
    uploaded = bool(find_differences(release, state.files))
    if uploaded or commit is None:
        commit = _upload(api, request, local, state, pull.reference, log)
    _read_back(api, request, release, commit, log)
    with translate_errors(request.repo_id, f"Marking {pull.address} as ready"):
        mark_as_ready(api, request.repo_id, pull)
    return Outcome(plan, commit, uploaded=uploaded, pull_request=pull.address)


def _open_request(
    api: HfApi, request: ReleaseRequest, local: LocalDataset, remote: RemoteState, log: Log
) -> tuple[PullRequest, RemoteState]:
    """Return the pull request of the release, found or opened now, and what it holds."""
    repo_id, title = request.repo_id, _name_release(request)
    with translate_errors(repo_id, f"Looking for a pull request of {request.tag}"):
        pull = find_pull_request(api, repo_id, title)
    if pull:
        log(f"continuing {pull.address}")
    else:
        with translate_errors(repo_id, "Opening a pull request"):
            pull = open_pull_request(api, repo_id, title, _describe_release(local))
        log(f"opened {pull.address}")
    with translate_errors(repo_id, f"Reading {pull.address}"):
        return pull, read_pull_request(api, repo_id, pull, remote.private)


def _upload(
    api: HfApi,
    request: ReleaseRequest,
    local: LocalDataset,
    there: RemoteState,
    revision: str,
    log: Log,
) -> str:
    """Make ``revision``, which holds ``there``, hold the release; return its commit."""
    release = local.list_release()
    log("uploading")
    with translate_errors(request.repo_id, f"Uploading to {request.repo_id}"):
        done = api.upload_folder(
            repo_id=request.repo_id,
            repo_type=KIND,
            folder_path=local.folder,
            revision=revision,
            commit_message=_name_release(request),
            commit_description=_describe_release(local),
            # Nobody else's commit is overwritten: the revision must be where it was compared.
            parent_commit=there.head,
            allow_patterns=[glob.escape(name) for name in release],
            delete_patterns=[glob.escape(name) for name in there.files.keys() - release.keys()],
        )
    return str(done.oid)


def _name_release(request: ReleaseRequest) -> str:
    return f"Release {request.tag}"


def _describe_release(local: LocalDataset) -> str:
    return f"{local.name}, manifest {local.manifest_sha256}"


def _read_back(
    api: HfApi, request: ReleaseRequest, release: dict[str, LocalFile], commit: str, log: Log
) -> None:
    """Check that a commit holds the release: sizes and hashes of all, contents of small files."""
    log(f"reading back {commit[:12]}")
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


def _tag(api: HfApi, request: ReleaseRequest, commit: str) -> None:
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
