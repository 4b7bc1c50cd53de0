"""Plots as the pictures of a dataset's card."""

from collections.abc import Iterable
from pathlib import Path

from markupsafe import Markup

from personamem.cards.family import PICTURES, Picture
from personamem.dataset_builder.reports.svg import make_picture
from personamem.loaders.formats.whole_files import write_whole

Titled = tuple[str, str, str, Markup]
"""A name for the file, a title, a sentence below it, and the plot."""


def make_pictures(owner: str, drawn: Iterable[Titled]) -> tuple[Picture, ...]:
    """Return the pictures of ``owner`` (a family); plots that are empty are left out."""
    return tuple(
        Picture(
            f"{PICTURES}/{owner}_{name}.svg", f"{title}. {note}", make_picture(title, note, plot)
        )
        for name, title, note, plot in drawn
        if plot
    )


def write_pictures(folder: Path, pictures: Iterable[Picture]) -> None:
    """Write pictures to their places in the folder of a dataset."""
    for picture in pictures:
        write_whole(folder / picture.path, picture.svg)
