"""Fetching files of a dataset repository on the Hub, or finding what is cached of it."""

from pathlib import Path

from personamem.loaders.formats.errors import DatasetError, DatasetNotFoundError


def fetch_snapshot(
    hub_id: str, revision: str | None, patterns: list[str], commit: str | None = None
) -> Path:
    """Fetch the files matching ``patterns``; offline, or without a server, take what is cached.

    Returns the folder of the snapshot, which is named by its commit. ``commit`` is what
    ``revision`` stood for when the first files were fetched, if they were.

    Raises:
        DatasetNotFoundError: the repository or revision does not exist or is not cached.
    """
    # The client needs a fifth of a second, which readers of local folders do not wait for.
    from httpx2 import HTTPError
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, RevisionNotFoundError

    try:
        return Path(
            snapshot_download(
                hub_id,
                repo_type="dataset",
                revision=commit or revision,
                allow_patterns=patterns,
            )
        )
    except RevisionNotFoundError as error:
        raise DatasetNotFoundError(
            f"The Hub dataset {hub_id!r} has no revision {revision!r}."
        ) from error
    # The client's own errors are OSErrors; its downloads also fail with RuntimeError.
    except (OSError, HTTPError, RuntimeError, HFValidationError) as error:
        raise DatasetNotFoundError(
            f"No local folder {hub_id!r}, and the Hub dataset {_name(hub_id, revision)!r} cannot "
            f"be fetched: {_describe(error)}"
        ) from error


def list_hub_files(hub_id: str, revision: str | None, commit: str) -> list[str]:
    """Return the names of all files of a dataset repository at ``commit`` (of ``revision``).

    Raises:
        DatasetError: the Hub does not answer, or is not asked (HF_HUB_OFFLINE).
    """
    from httpx2 import HTTPError
    from huggingface_hub import HfApi

    try:
        return HfApi().list_repo_files(hub_id, revision=commit, repo_type="dataset")
    except (OSError, HTTPError) as error:
        raise DatasetError(
            f"The Hub cannot be asked which files the dataset {_name(hub_id, revision)!r} has: "
            f"{_describe(error)}"
        ) from error


def _name(hub_id: str, revision: str | None) -> str:
    return f"{hub_id}@{revision}" if revision else hub_id


def _describe(error: Exception) -> str:
    """Return what an error of the client says, without its advice."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return " ".join(lines[:2]) or repr(error)
