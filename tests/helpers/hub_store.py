"""What a stand-in of the Hub keeps: dataset repositories with commits, branches, tags and requests.

Every commit is a real folder of real files (hard links to one copy of each content), so a test may
read a revision from disk as well as over HTTP.
"""

import base64
import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

LFS_NAMES = ("*.parquet", "*.jsonl")
LFS_BYTES = 10_000_000
ATTRIBUTES = "".join(f"{name} filter=lfs diff=lfs merge=lfs -text\n" for name in LFS_NAMES)


class Refusal(Exception):
    """An answer that is no success: status, the Hub's error code and its message."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


@dataclass(frozen=True, slots=True)
class Blob:
    """One file of a commit. ``oid`` is git's; of LFS files that of the pointer."""

    size: int
    sha256: str
    oid: str
    lfs: bool


@dataclass(slots=True)
class Discussion:
    """A discussion or a pull request, as far as it is listed."""

    title: str
    author: str
    status: str
    is_pull_request: bool


@dataclass(slots=True)
class Repo:
    """A dataset repository. ``pull_requests`` has the commit of each discussion that is one."""

    private: bool
    branches: dict[str, str] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    pull_requests: dict[int, str] = field(default_factory=dict)
    discussions: dict[int, Discussion] = field(default_factory=dict)
    commits: dict[str, dict[str, Blob]] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)

    def resolve(self, revision: str) -> str:
        """Return the commit that a branch, a tag, a request or a commit id names."""
        requests = {f"refs/pr/{number}": oid for number, oid in self.pull_requests.items()}
        for names in (self.branches, self.tags, requests):
            if revision in names:
                return names[revision]
        if revision in self.commits:
            return revision
        raise Refusal(404, f"Invalid rev id: {revision}", "RevisionNotFound")


class Store:
    """All repositories, and the contents they share, under one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.repos: dict[str, Repo] = {}
        (folder / "objects").mkdir(parents=True)

    def create(self, name: str, private: bool = False) -> Repo:
        """Make a repository as the Hub does: with one commit that holds .gitattributes."""
        if name in self.repos:
            raise Refusal(409, "You already created this dataset repo")
        self.repos[name] = Repo(private)
        self.commit(name, "main", [file_line(".gitattributes", ATTRIBUTES.encode())], "initial")
        return self.repos[name]

    def put(self, body: bytes) -> str:
        """Keep a content; return its sha256."""
        sha256 = hashlib.sha256(body).hexdigest()
        self.object(sha256).write_bytes(body)
        return sha256

    def object(self, sha256: str) -> Path:
        return self.folder / "objects" / sha256

    def folder_of(self, name: str, revision: str) -> Path:
        """Return the folder with the files of a revision."""
        return self.folder / "commits" / self.repos[name].resolve(revision)

    def commit(
        self,
        name: str,
        branch: str,
        operations: Iterable[Mapping[str, Any]],
        message: str,
        parent: str | None = None,
        into: int | None = None,
    ) -> str:
        """Apply operations, in the form of the commit route, to a branch or into a request."""
        repo = self.repos[name]
        head = repo.pull_requests.get(into) if into else repo.branches.get(branch)
        if parent is not None and parent != head:
            raise Refusal(412, "A commit has happened since. Please refresh and try again.")
        files = dict(repo.commits[head]) if head else {}
        for operation in operations:
            self._apply(files, operation["key"], operation["value"])
        listing = json.dumps([head, message, sorted((p, b.oid) for p, b in files.items())])
        oid = hashlib.sha1(listing.encode()).hexdigest()
        repo.commits[oid] = files
        repo.messages.append(message)
        if into:
            repo.pull_requests[into] = oid
        else:
            repo.branches[branch] = oid
        for path, blob in files.items():
            target = self.folder / "commits" / oid / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                os.link(self.object(blob.sha256), target)
        return oid

    def _apply(self, files: dict[str, Blob], key: str, value: Mapping[str, Any]) -> None:
        path = value["path"]
        if key == "file":
            body = base64.b64decode(value["content"])
            files[path] = Blob(len(body), self.put(body), git_oid(body), lfs=False)
        elif key == "lfsFile":
            kept = self.object(value["oid"])
            if not kept.exists():
                raise Refusal(400, f"LFS pointer of {path} points to a file that does not exist")
            size = kept.stat().st_size
            pointer = (
                "version https://git-lfs.github.com/spec/v1\n"
                f"oid sha256:{value['oid']}\nsize {size}\n"
            )
            files[path] = Blob(size, value["oid"], git_oid(pointer.encode()), lfs=True)
        elif key == "deletedFile":
            if files.pop(path, None) is None:
                raise Refusal(404, "A file with this name doesn't exist", "EntryNotFound")
        else:
            raise Refusal(400, f"Unknown operation {key}")


def file_line(path: str, body: bytes) -> dict[str, Any]:
    """Return the operation that adds a regular file."""
    return {"key": "file", "value": {"path": path, "content": base64.b64encode(body).decode()}}


def git_oid(body: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(body) + body).hexdigest()


def is_lfs(path: str, size: int) -> bool:
    """Say whether the Hub would want the file in large file storage."""
    return size > LFS_BYTES or any(fnmatch(path, name) for name in LFS_NAMES)


def as_entries(files: Mapping[str, Blob], under: str, recursive: bool) -> list[dict[str, Any]]:
    """Return the entries of the tree route: files, and the folders that hold some."""
    prefix = f"{under}/" if under else ""
    entries: dict[str, dict[str, Any]] = {}
    for path, blob in sorted(files.items()):
        if not path.startswith(prefix):
            continue
        parts = path[len(prefix) :].split("/")
        for depth in range(1, len(parts)):
            folder = prefix + "/".join(parts[:depth])
            if recursive or depth == 1:
                entries.setdefault(folder, as_folder(folder))
        if recursive or len(parts) == 1:
            entries[path] = as_file(path, blob)
    if under and not entries:
        raise Refusal(404, f"{under} does not exist", "EntryNotFound")
    return list(entries.values())


def as_folder(path: str) -> dict[str, Any]:
    return {"type": "directory", "path": path, "oid": git_oid(path.encode()), "size": 0}


def as_file(path: str, blob: Blob) -> dict[str, Any]:
    entry: dict[str, Any] = {"type": "file", "path": path, "oid": blob.oid, "size": blob.size}
    if blob.lfs:
        entry["lfs"] = {"oid": blob.sha256, "size": blob.size, "pointerSize": 134}
    return entry
