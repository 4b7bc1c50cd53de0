"""What a release would do to the repository, file by file, before anything is done."""

from dataclasses import dataclass
from enum import StrEnum

from personamem.dataset_builder.publish.local import LocalDataset
from personamem.dataset_builder.publish.remote import RemoteState


class Change(StrEnum):
    """What happens to a file. ``UPLOAD`` is said where the repository could not be looked at."""

    NEW = "new"
    CHANGED = "changed"
    UNCHANGED = "unchanged"
    DELETED = "deleted"
    UPLOAD = "upload"


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file: its path in the repository, its size in bytes (of a deleted one, there)."""

    name: str
    size: int
    change: Change


@dataclass(frozen=True, slots=True)
class Plan:
    """A release. ``not_compared`` is None, or says why the repository could not be looked at."""

    dataset: str
    repo_id: str
    branch: str
    tag: str
    files: tuple[PlannedFile, ...]
    left_out: tuple[str, ...]
    repository: str
    not_compared: str | None = None

    @property
    def deleted(self) -> list[str]:
        """Paths that the release deletes."""
        return [file.name for file in self.files if file.change is Change.DELETED]

    @property
    def is_done(self) -> bool:
        """Whether the branch holds exactly the release already."""
        return all(file.change is Change.UNCHANGED for file in self.files)


def make_plan(
    local: LocalDataset,
    remote: RemoteState | None,
    repo_id: str,
    branch: str,
    tag: str,
    not_compared: str | None = None,
) -> Plan:
    """Compare the release with the repository; ``remote`` is None where there is none."""
    release = local.list_release()
    there = remote.files if remote else {}
    planned = []
    for name, file in release.items():
        if not_compared:
            change = Change.UPLOAD
        elif name not in there:
            change = Change.NEW
        else:
            change = Change.UNCHANGED if there[name].equals(file) else Change.CHANGED
        planned.append(PlannedFile(name, file.size, change))
    gone = sorted(there.keys() - release.keys())
    planned += [PlannedFile(name, there[name].size, Change.DELETED) for name in gone]
    return Plan(
        dataset=local.name,
        repo_id=repo_id,
        branch=branch,
        tag=tag,
        files=tuple(planned),
        left_out=tuple(local.list_left_out()),
        repository=_describe(remote) if not not_compared else "not looked at",
        not_compared=not_compared,
    )


def _describe(remote: RemoteState | None) -> str:
    if remote is None:
        return "does not exist, or is not to be seen without a token"
    return f"{'private' if remote.private else 'public'}, at {(remote.head or 'no commit')[:12]}"
