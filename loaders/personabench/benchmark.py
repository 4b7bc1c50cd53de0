"""A PersonaBench dataset: communities, and one archive per person and noise level."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from personamem.loaders.formats.errors import DatasetError, unknown_choice
from personamem.loaders.formats.files import has_file
from personamem.loaders.formats.manifest import MANIFEST
from personamem.loaders.formats.sources import (
    find_files,
    parse_source,
    refuse_half_written,
)
from personamem.loaders.personabench.official import find_official_release
from personamem.loaders.personabench.ours import OurDataset
from personamem.loaders.personabench.records import Archive, Community


class Reader(Protocol):
    """What a layout on disk must offer; each call reads files."""

    @property
    def noises(self) -> tuple[float, ...]:
        """The noise levels, lowest first."""

    def read_communities(self) -> tuple[Community, ...]:
        """Read people, relations and questions."""

    def read_archives(self, noise: float, communities: Sequence[Community]) -> tuple[Archive, ...]:
        """Read the documents of one noise level and join them with the questions."""


class PersonaBench:
    """Communities and archives, each file read when it is first asked for and only then."""

    def __init__(self, source: str, reader: Reader) -> None:
        self.source = source
        self._reader = reader
        self._communities: tuple[Community, ...] | None = None
        self._archives: dict[float, tuple[Archive, ...]] = {}

    @property
    def noises(self) -> tuple[float, ...]:
        """The noise levels, lowest first: shares of sessions that reveal nothing asked for."""
        return self._reader.noises

    @property
    def communities(self) -> tuple[Community, ...]:
        """People, relations and all questions."""
        if self._communities is None:
            self._communities = self._reader.read_communities()
        return self._communities

    def archives(self, noise: float) -> tuple[Archive, ...]:
        """Return the archives of one noise level, by community and person.

        Raises:
            InvalidInputError: no such noise level; the message names those that exist.
            DatasetError: a file is missing, malformed or at odds with another.
        """
        if noise not in self.noises:
            raise unknown_choice(f"noise level of {self.source}", noise, self.noises)
        if noise not in self._archives:
            self._archives[noise] = self._reader.read_archives(noise, self.communities)
        return self._archives[noise]


def load_personabench(source: str | Path, revision: str | None = None) -> PersonaBench:
    """Open a PersonaBench dataset: the official release, or one of ours with communities.

    Args:
        source: the folder ``eval_data_v1`` of the official release, or the one above or below it;
            or a dataset of ours: its folder, or its Hub id ``owner/name``, optionally
            ``owner/name@revision``. From the Hub only the files that are asked for are fetched.
        revision: tag, branch or commit of a Hub id. An error for a local folder.

    Raises:
        DatasetNotFoundError: the folder, repository or revision does not exist.
        DatasetError: the source holds no PersonaBench dataset.
        InvalidInputError: a revision that cannot apply.
    """
    parsed = parse_source(source, revision)
    folder = find_files(parsed, [MANIFEST])
    if has_file(folder, MANIFEST):
        return PersonaBench(str(parsed), OurDataset(parsed, folder))
    if parsed.hub_id is not None:
        raise DatasetError(
            f"{parsed} has no {MANIFEST}. Accepted: on the Hub, a dataset built by personamem; the "
            "official release is read from its folder eval_data_v1."
        )
    refuse_half_written(folder)
    return PersonaBench(str(parsed), find_official_release(folder))
