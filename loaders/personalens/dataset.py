"""Loading PersonaLens: a dataset of ours or the official release, as the same records."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from personamem.loaders.formats.files import has_file
from personamem.loaders.formats.manifest import MANIFEST
from personamem.loaders.formats.sources import find_files, parse_source, refuse_half_written
from personamem.loaders.personalens.benchmark import PersonaLens, select_users
from personamem.loaders.personalens.official import OFFICIAL_FILES, read_official
from personamem.loaders.personalens.ours import read_ours

OFFICIAL_SOURCE = "AmazonScience/PersonaLens"
"""Hub id of the official release."""


def load_personalens(
    source: str | Path = OFFICIAL_SOURCE,
    sample: int | Iterable[str] | None = None,
    revision: str | None = None,
) -> PersonaLens:
    """Load a folder or a Hub id: a dataset of ours, or the official release.

    Args:
        source: the folder of a dataset of ours, the folder of the official release (its root, or
            the one that holds ``profile``), or a Hub id of either.
        sample: None for all users, a size in ``SAMPLE_SIZES`` for a nested sample of ours, or the
            ids of users.
        revision: of a Hub id.

    Raises:
        DatasetNotFoundError: there is no such source.
        DatasetError: a file is missing, changed or malformed, or has unknown fields or domains.
        InvalidInputError: a sample that cannot be drawn.
    """
    parsed = parse_source(source, revision)
    folder = find_files(parsed, [MANIFEST])
    if has_file(folder, MANIFEST):
        data = read_ours(parsed, folder)
    else:
        refuse_half_written(folder)
        # What is fetched now is of the same commit.
        pinned = parsed if parsed.hub_id is None else replace(parsed, revision=folder.name)
        data = read_official(str(parsed), find_files(pinned, list(OFFICIAL_FILES)))
    return data if sample is None else select_users(data, sample)
