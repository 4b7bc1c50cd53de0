"""The repository on the Hub as it is: its branch's head, its files, its tags."""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from huggingface_hub import HfApi
from huggingface_hub.errors import RepositoryNotFoundError
from huggingface_hub.hf_api import RepoFile

from personamem.dataset_builder.publish.local import CARD, LocalFile
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.manifest import MANIFEST, read_manifest

KIND = "dataset"


class ContentError(InvalidInputError):
    """A repository with content that a release would destroy."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a commit: bytes, and the sha256 in hex if it is in large storage, git's id else."""

    size: int
    sha256: str | None
    git_oid: str

    def equals(self, local: LocalFile) -> bool:
        """Say whether the content is that of a local file."""
        if self.size != local.size:
            return False
        return self.sha256 == local.sha256 if self.sha256 else self.git_oid == local.git_oid()


@dataclass(frozen=True, slots=True)
class RemoteState:
    """A repository: commits by branch, its tags, and the files at the head of one branch.

    ``head`` is None where there is no commit yet. A branch that does not exist yet will start from
    the head of main, so these are its files. Hidden files, the Hub's own, are left out.
    """

    private: bool
    head: str | None
    branches: Mapping[str, str] = field(default_factory=dict)
    tags: frozenset[str] = frozenset()
    files: Mapping[str, RemoteFile] = field(default_factory=dict)


def read_remote(api: HfApi, repo_id: str, branch: str) -> RemoteState | None:
    """Return the state of a dataset repository; None if there is none, or none to be seen."""
    try:
        info = api.repo_info(repo_id, repo_type=KIND)
    except RepositoryNotFoundError:
        return None
    refs = api.list_repo_refs(repo_id, repo_type=KIND)
    branches = {ref.name: ref.target_commit for ref in refs.branches}
    head = branches.get(branch) or branches.get("main")
    return RemoteState(
        private=bool(info.private),
        head=head,
        branches=branches,
        tags=frozenset(ref.name for ref in refs.tags),
        files=list_files(api, repo_id, head) if head else {},
    )


def list_files(api: HfApi, repo_id: str, revision: str) -> dict[str, RemoteFile]:
    """Return the files of a commit by path, without hidden ones."""
    tree = api.list_repo_tree(repo_id, revision=revision, repo_type=KIND, recursive=True)
    return {
        entry.path: RemoteFile(entry.size, entry.lfs.sha256 if entry.lfs else None, entry.blob_id)
        for entry in tree
        if isinstance(entry, RepoFile)
        and not any(part.startswith(".") for part in PurePosixPath(entry.path).parts)
    }


def find_commit(api: HfApi, repo_id: str, revision: str) -> str:
    """Return the commit that a tag or a branch stands for."""
    return str(api.repo_info(repo_id, repo_type=KIND, revision=revision).sha)


def find_differences(local: Mapping[str, LocalFile], remote: Mapping[str, RemoteFile]) -> list[str]:
    """Return the paths that only one side has, or that have another content."""
    return sorted(
        name
        for name in {*local, *remote}
        if name not in local or name not in remote or not remote[name].equals(local[name])
    )


def check_content(api: HfApi, repo_id: str, state: RemoteState) -> None:
    """Raise ContentError if the repository holds something other than a dataset of ours."""
    others = [name for name in state.files if name != CARD]
    if not others or _is_ours(api, repo_id, state):
        return
    raise ContentError(
        f"{repo_id} holds other content: {', '.join(others[:3])}"
        f"{' and more' * (len(others) > 3)}, and no {MANIFEST} of a dataset of ours. Accepted: a "
        "new or empty repository, or one with an earlier version. --replace deletes what is there."
    )


def _is_ours(api: HfApi, repo_id: str, state: RemoteState) -> bool:
    if MANIFEST not in state.files:
        return False
    with tempfile.TemporaryDirectory() as folder:
        path = api.hf_hub_download(
            repo_id, MANIFEST, repo_type=KIND, revision=state.head, local_dir=folder
        )
        try:
            read_manifest(Path(path))
        except DatasetError:
            return False
    return True
