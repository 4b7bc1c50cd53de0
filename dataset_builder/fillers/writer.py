"""The writer of unrelated sessions: deals kinds, problems and phrasings, and renders them."""

from collections.abc import Callable
from random import Random

from personamem.dataset_builder.core.grammar import Template, capitalise
from personamem.dataset_builder.core.rng import ShuffleBag
from personamem.dataset_builder.core.text.repeats import RepeatCounter
from personamem.dataset_builder.fillers.content_files import BREVITY, WORKING, load_templates
from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn
from personamem.dataset_builder.fillers.registry import KINDS
from personamem.loaders.formats.errors import unknown_choice
from personamem.loaders.formats.schema import Message

_STRETCH = 60
"""Tokens a kind gets before a long session moves on to other kinds: people hop about, and a session
of one kind repeats its words."""

_MIX = (4, 5, 6)
"""How many kinds a stretch mixes, dealt by chance."""

_ATTEMPTS = 20
"""How often an exchange that repeats a message is drawn again."""

_HALF_EXCHANGE = 150
"""A session ends when less than this is missing, so that lengths miss the target evenly."""

_MORE = 0.75
"""Share of answers followed by a further explanation, where a kind has some."""

_MORE_AGAIN = 0.15
"""The same share for a further problem of the same sort, which is mostly answered in brief."""

_CASUAL = 0.12
"""Share of user messages that start with a small letter."""

_BLOCKS = ("|", "```", "- ", "1. ")
"""What tables, code and lists start with: nothing may stand before or behind on their lines."""

_VERDICTS = ("Yes", "No,", "No:", "No.", "No;")
"""Answers that need no "Certainly" before them."""


def kinds() -> tuple[str, ...]:
    """Return the names of all kinds of problem."""
    return tuple(KINDS)


class UnrelatedWriter:
    """Write exchanges; make one instance a context.

    Kinds, phrasings and table entries are dealt from shuffled decks, so repeats stay far apart. The
    text depends on ``random`` and on the order of calls alone.
    """

    def __init__(self, random: Random) -> None:
        self._source = random
        self._draw = Draw(random)
        self._kinds = ShuffleBag(tuple(KINDS), random)
        self._opens = True
        self._said = RepeatCounter()
        self._phrasings: dict[tuple[str, str], ShuffleBag[Template]] = {}

    def exchange(self, kind: str | None = None) -> list[Message]:
        """Return 2, 4 or 6 alternating messages on one problem, the user's first.

        ``kind`` is one of ``kinds()`` or None for the next one dealt. Raises InvalidInputError on
        an unknown kind.
        """
        if kind is None:
            kind = self._kinds.deal()
        elif kind not in KINDS:
            raise unknown_choice("kind", kind, KINDS)
        problem, content = KINDS[kind]
        messages: list[Message] = []
        for turn in problem(self._draw):
            slots = _LazySlots(turn.slots, self._draw)
            ask = self._render(content, turn.ask, slots)
            group = "later_user" if messages else "opening_user" if self._opens else "first_user"
            # Nobody asks for each step and for brevity.
            wish = WORKING if WORKING in ask else ""
            ask = self._frame("wishing_user" if wish and not messages else group, ask)
            if BREVITY in ask:
                wish = BREVITY
            if wish:
                ask = ask.replace(wish, "")
            messages.append({"role": "user", "content": ask})
            reply = self._answer(content, turn, slots, wish)
            if reply[1:2].isalpha():  # a formula keeps its small letter
                reply = capitalise(reply)
            if wish != BREVITY:
                verdict = reply.startswith(_VERDICTS)
                reply = self._frame("verdict" if verdict else "assistant", reply)
            messages.append({"role": "assistant", "content": reply})
        return messages

    def session(self, tokens: int, count: Callable[[str], int]) -> list[tuple[Message, int]]:
        """Return whole exchanges of about ``tokens`` tokens, each message with its ``count``.

        A session mixes four to six kinds; a long one moves on to others. It holds at least one
        exchange and misses the target by half an exchange on average.
        """
        counted: list[tuple[Message, int]] = []
        total, mix_end, mix, turn = 0, 0, [""], 0
        self._opens = True
        while not counted or total + _HALF_EXCHANGE < tokens:
            if total >= mix_end:
                mix = [self._kinds.deal() for _ in range(self._draw.pick(_MIX))]
                mix_end = total + _STRETCH * len(mix)
            for message in self._exchange_anew(mix[turn % len(mix)]):
                size = count(message["content"])
                counted.append((message, size))
                total += size
            turn += 1
            self._opens = False
        return counted

    def _exchange_anew(self, kind: str) -> list[Message]:
        """Return an exchange that keeps the context's repeated messages below the accepted share.

        A problem that comes back may bring back its wording: in a small context, one is too many.
        """
        messages = self.exchange(kind)
        for _ in range(_ATTEMPTS):
            if not self._said.exceeds_with(message["content"] for message in messages):
                break
            messages = self.exchange(kind)
        self._said.add(message["content"] for message in messages)
        return messages

    def _answer(self, content: str, turn: Turn, slots: Slots, wish: str) -> str:
        group = turn.reply
        if wish == WORKING and group + WORKING in load_templates(content):
            group += WORKING
        answer = self._render(content, group, slots)
        if wish == BREVITY:
            return answer
        more, share = turn.more or f"{turn.reply}_more", _MORE
        if turn.reply == "again_reply":
            more, share = turn.more or "reply_more", _MORE_AGAIN
        if more in load_templates(content) and self._draw.random() < share:
            gap = "\n\n" if "\n" in answer or self._draw.random() < 0.5 else " "
            return f"{answer}{gap}{self._render(content, more, slots)}"
        return answer

    def _render(self, content: str, group: str, slots: Slots) -> str:
        deck = self._phrasings.get((content, group))
        if deck is None:
            templates = load_templates(content)
            if group not in templates:
                templates = load_templates("questions")
            deck = ShuffleBag(templates[group], self._source)
            self._phrasings[content, group] = deck
        return deck.deal().render(slots, self._draw.random).strip()

    def _frame(self, group: str, text: str) -> str:
        if "\n" in text:
            if text.startswith(_BLOCKS):
                text = f"\n\n{text}"
            if not text.endswith((".", "?", "!")) or text.rsplit("\n", 1)[1].startswith(_BLOCKS):
                text = f"{text}\n\n"
        frame = self._render("frames", group, {"text": text}).strip()
        if "\n" in frame:
            frame = frame.replace(" \n\n", "\n\n").replace("\n\n ", "\n\n")
        if group.endswith("user") and frame[1:2].islower() and self._draw.random() < _CASUAL:
            return frame[:1].lower() + frame[1:]
        return frame


class _LazySlots(dict[str, str]):
    """Slot values; a name without one is a word table, from which a word is dealt and kept."""

    __slots__ = ("_draw",)

    def __init__(self, values: Slots, draw: Draw) -> None:
        super().__init__(values)
        self._draw = draw

    def __missing__(self, name: str) -> str:
        value = self[name] = self._draw.word(name)
        return value
