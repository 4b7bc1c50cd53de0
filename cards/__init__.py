"""The card of a dataset: the README.md that the Hub shows, rendered from the dataset's manifest."""

from personamem.cards.render import render_card

__all__ = ["render_card"]
