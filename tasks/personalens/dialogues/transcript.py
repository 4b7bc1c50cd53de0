"""The turns of a dialogue, as they are kept and as models read them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from personamem.tasks.personalens.dialogues.settings import STOP_WORD

Side = Literal["user", "assistant"]

JUDGE_LABELS = ("[USER]", "[ASSISTANT]")
"""The names of both sides as the user and the judge read them."""

ASSISTANT_LABELS = ("User", "Assistant")
"""The names as the assistant reads them."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a dialogue."""

    side: Side
    text: str


def render_transcript(turns: Iterable[Turn], labels: tuple[str, str] = JUDGE_LABELS) -> str:
    """Return turns, each on lines of its own behind the name of its side, without the stop word."""
    names = dict(zip(("user", "assistant"), labels, strict=True))
    return "\n".join(f"{names[turn.side]}: {drop_stop_word(turn.text)}" for turn in turns)


def drop_stop_word(text: str) -> str:
    """Return a text without the stop word, wherever it stands."""
    return text.replace(STOP_WORD, "").strip()


def count_pairs(turns: Sequence[Turn]) -> int:
    """Return the number of messages of the user that the assistant replied to."""
    return sum(turn.side == "assistant" for turn in turns)
