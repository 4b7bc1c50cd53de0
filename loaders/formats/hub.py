"""Fetching files of a dataset repository on the Hub, or finding what is cached of it."""

from pathlib import Path

from huggingface_hub import snapshot_download
from huggingface_hub.errors import (
    HfHubHTTPError,
    HFValidationError,
    LocalEntryNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from personamem.loaders.formats.errors import DatasetNotFoundError


def fetch_snapshot(
    hub_id: str, revision: str | None, patterns: list[str], commit: str | None = None
) -> Path:
    """Fetch the files matching ``patterns``; offline, or without a server, take what is cached.

    Returns the folder of the snapshot, which is named by its commit. ``commit`` is what
    ``revision`` stood for when the first files were fetched, if they were.

    Raises:
        DatasetNotFoundError: the repository or revision does not exist or is not cached.
    """
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
    except (
        RepositoryNotFoundError,
        LocalEntryNotFoundError,
        OfflineModeIsEnabled,
        HfHubHTTPError,
        HFValidationError,
    ) as error:
        name = f"{hub_id}@{revision}" if revision else hub_id
        raise DatasetNotFoundError(
            f"No local folder {hub_id!r}, and the Hub dataset {name!r} cannot be "
            f"fetched: {_first_line(error)}"
        ) from error


def _first_line(error: Exception) -> str:
    return next((line for line in str(error).splitlines() if line.strip()), repr(error))
