"""What every problem is made from: random numbers, dealt table entries, and turns."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from personamem.dataset_builder.core.rng import ShuffleBag
from personamem.dataset_builder.fillers.content_files import Row, load_rows, load_words

T = TypeVar("T")
Slots = dict[str, str]


@dataclass(frozen=True, slots=True)
class Turn:
    """One user message and its answer: two template groups and the values for both.

    ``more`` is the group of the further explanation, by default the reply's own.
    """

    ask: str
    reply: str
    slots: Slots
    more: str = ""


class Draw:
    """The random choices of one writer; table entries are dealt from decks."""

    __slots__ = ("_row_decks", "_source", "_word_decks", "random")

    def __init__(self, source: Random) -> None:
        self._source = source
        self._word_decks: dict[str, ShuffleBag[str]] = {}
        self._row_decks: dict[str, ShuffleBag[Row]] = {}
        self.random: Callable[[], float] = source.random

    def integer(self, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``, both included."""
        return low + int(self.random() * (high - low + 1))

    def integers(self, number: int, low: int, high: int) -> list[int]:
        """Return ``number`` integers from ``low`` to ``high``, both included."""
        random, width = self.random, high - low + 1
        return [low + int(random() * width) for _ in range(number)]

    def pick(self, items: Sequence[T]) -> T:
        """Return one item; each has the same chance."""
        return items[int(self.random() * len(items))]

    def chance(self, probability: float) -> bool:
        """Return True with ``probability``."""
        return self.random() < probability

    def word(self, table: str) -> str:
        """Return the next word of a table of words."""
        deck = self._word_decks.get(table)
        if deck is None:
            deck = self._word_decks[table] = ShuffleBag(load_words(table), self._source)
        return deck.deal()

    def words(self, table: str, number: int) -> list[str]:
        """Return ``number`` distinct words of a table."""
        words: list[str] = []
        while len(words) < number:
            word = self.word(table)
            if word not in words:
                words.append(word)
        return words

    def row(self, table: str) -> Row:
        """Return the next row of a table of rows."""
        deck = self._row_decks.get(table)
        if deck is None:
            deck = self._row_decks[table] = ShuffleBag(load_rows(table), self._source)
        return deck.deal()

    def rows(self, table: str, number: int) -> list[Row]:
        """Return ``number`` distinct rows of a table."""
        rows: list[Row] = []
        while len(rows) < number:
            row = self.row(table)
            if row not in rows:
                rows.append(row)
        return rows

    def uniform(self, low: float, high: float) -> float:
        """Return a number between ``low`` and ``high``."""
        return low + self.random() * (high - low)

    def sample(self, items: Sequence[T], number: int) -> list[T]:
        """Return ``number`` of the items, no place twice, in random order."""
        return self._source.sample(items, number)

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """Return the items in random order."""
        copy = list(items)
        self._source.shuffle(copy)
        return copy

    def follow_ups(self) -> int:
        """Return how many further turns an exchange has: 0, 1 or 2."""
        value = self.random()
        return 0 if value < 0.3 else 1 if value < 0.75 else 2


def series(draw: Draw, make: Callable[[Draw], Slots]) -> list[Turn]:
    """Return a first problem and up to two of the same sort with other data."""
    turns = [Turn("ask", "reply", make(draw))]
    turns.extend(Turn("again", "again_reply", make(draw)) for _ in range(draw.follow_ups()))
    return turns


def themes(draw: Draw, *names: str, make: Callable[[Draw], Slots]) -> list[Turn]:
    """Return a first problem and up to two more, each asking one of several things (``names``)."""
    turns = []
    for _ in range(1 + draw.follow_ups()):
        name = draw.pick(names)
        turns.append(Turn(name, f"{name}_reply", make(draw)))
    return turns


def questions(draw: Draw, make: Callable[[Draw], Slots]) -> list[Turn]:
    """Return problems whose slots come from ``focus``: question, answer and theme vary."""
    turns = []
    for index in range(1 + draw.follow_ups()):
        slots, again = make(draw), "again" if index else ""
        reply = f"{again}_reply" if again else "reply"
        turns.append(Turn(again or "ask", reply, slots, f"{slots['theme']}_more"))
    return turns


def focus(draw: Draw, *choices: tuple[str, str, str, str, str]) -> Slots:
    """Return the slots of one of the questions (theme, question, answer, sentence, note) allowed.

    The sentence gives the answer in full; the note goes with the bare answer, without repeating it.
    """
    theme, question, answer, sentence, note = draw.pick(choices)
    many = theme in ("symbol", "capitals")
    return {
        "theme": theme,
        "question": question,
        "answer": answer,
        "focus": sentence,
        "note": note,
        "be": "are" if many else "is",
        "it_is": "they are" if many else "it is",
    }
