"""The card of a dataset: the README.md that the Hub shows, from manifest, audit and scores."""

from personamem.cards.family import PICTURES, Picture
from personamem.cards.render import is_as_rendered, render_card
from personamem.cards.scores import Score

__all__ = ["PICTURES", "Picture", "Score", "is_as_rendered", "render_card"]
