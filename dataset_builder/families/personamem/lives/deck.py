"""The deck: the needs that are left for the stories of one group, and candidates from them."""

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.lives.bank import (
    NeedId,
    get_need,
    list_need_ids,
)
from personamem.dataset_builder.families.personamem.lives.events import ChoiceId
from personamem.dataset_builder.families.personamem.lives.need import Choice
from personamem.dataset_builder.families.personamem.lives.preferring import rate_texts
from personamem.dataset_builder.families.personamem.lives.stories import (
    PHRASE_FRAME,
    are_alike,
    draw_candidates,
)
from personamem.dataset_builder.families.personamem.lives.traits import list_showing
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import COHORT_SIZE

Wish = Callable[[NeedId, Sequence[str]], bool]
"""Whether four candidates of a need are what is wanted."""

_TRIED = 8
"""Needs that are tried for one without the traits to avoid, so that topics stay even."""


class Deck:
    """Deals each need of the bank at most once.

    Needs of topics with a small ``load`` come first. ``avoided`` are traits that candidates should
    not show, since a question of the group is about them; choices in ``ended`` are not dealt, since
    an event of a life of the group rules them out.
    """

    def __init__(
        self, config: PersonaMemConfig, size: str, load: Counter[str], random: Random
    ) -> None:
        self.avoided: frozenset[str] = frozenset()
        self.ended: frozenset[ChoiceId] = frozenset()
        self._config, self._size, self._load, self._random = config, size, load, random
        self._taken: set[NeedId] = set()

    def list_left(self) -> list[NeedId]:
        """Return the needs that are left, those of topics with few stories first."""
        free = [
            need_id
            for need_id in list_need_ids(self._config.part)
            if need_id not in self._taken and need_id[0] in self._config.topics
        ]
        self._random.shuffle(free)
        return sorted(free, key=lambda need_id: self._load[need_id[0]])

    def use(self, need_id: NeedId) -> None:
        """Take a need out."""
        self._taken.add(need_id)
        self._load[need_id[0]] += 1

    def take_need(
        self, chain: tuple[int, ...] = (0,), wish: Wish = lambda need_id, keys: True
    ) -> tuple[NeedId, tuple[str, ...], tuple[int, ...]]:
        """Take out a need and return it with four candidates and the endings of each.

        Of the first few needs, it is the one in which fewest candidates show a trait to avoid, and
        among those one that fulfils a ``wish``.
        """
        best: tuple[tuple[int, bool], NeedId, tuple[str, ...], tuple[int, ...]] | None = None
        tried = 0
        for need_id in self.list_left():
            drawn = self.draw_candidates(need_id, chain=chain)
            if drawn is None:
                continue
            keys = tuple(choice.key for choice in drawn[0])
            showing = list_showing(need_id, self.avoided)
            fault = len(showing.intersection(keys)), not wish(need_id, keys)
            if best is None or fault < best[0]:
                best = fault, need_id, keys, drawn[1]
            tried += 1
            if not any(best[0]) or tried == _TRIED:
                break
        if best is None:
            raise self.complain("a need with four choices alike in length")
        self.use(best[1])
        return best[1:]

    def take_needs_alike(self, number: int) -> tuple[NeedId, ...]:
        """Take out needs of different topics whose ``mine`` are alike, for options from them."""
        left = [need_id for need_id in self.list_left() if len(self._list_keys(need_id)) >= number]
        order = sorted(left, key=lambda need_id: len(get_need(need_id).mine))
        windows = []
        for start in range(len(order)):
            by_topic = {need_id[0]: need_id for need_id in reversed(order[start:])}
            nearest = sorted(by_topic.values(), key=order.index)[:number]
            if len(nearest) == number:
                texts = [get_need(need_id).mine for need_id in nearest]
                windows.append((not are_alike(texts, PHRASE_FRAME), start, nearest))
        if not windows:
            raise self.complain(f"{number} needs of different topics")
        fitting = [window for window in windows if window[0] == min(windows)[0]]
        four = self._random.choice(fitting)[2]
        for need_id in four:
            self.use(need_id)
        return tuple(self._random.sample(four, number))

    def draw_candidates(
        self,
        need_id: NeedId,
        taken: frozenset[str] = frozenset(),
        chain: tuple[int, ...] = (0,),
    ) -> tuple[tuple[Choice, ...], tuple[int, ...]] | None:
        """Return candidates in which none of the traits to avoid shows, or as few as possible."""

        showing = list_showing(need_id, self.avoided)

        def weigh(keys: Sequence[str]) -> int:
            return len(showing.intersection(keys))

        def rate(place: str) -> float:
            return rate_texts(need_id).get(place, 0.0)

        taken |= {key for ended_id, key in self.ended if ended_id == need_id}
        return draw_candidates(get_need(need_id), self._random, taken, chain, weigh, rate)

    def draw_choices(self, need_id: NeedId) -> tuple[str, ...]:
        """Return the keys of four choices, whatever their length, chosen in the same way."""
        keys = self._list_keys(need_id)
        self._random.shuffle(keys)
        keys.sort(key=list_showing(need_id, self.avoided).__contains__)
        return tuple(keys[:COHORT_SIZE])

    def _list_keys(self, need_id: NeedId) -> list[str]:
        """Return the choices that no event rules out."""
        return [c.key for c in get_need(need_id).choices if (need_id, c.key) not in self.ended]

    def complain(self, what: str) -> InvalidInputError:
        """Return the error that says what the bank lacks."""
        needs = len(list_need_ids(self._config.part))
        return InvalidInputError(
            f"size {self._size}: four contexts ask more questions than the {needs} "
            f"needs of the topics can carry: {what} is missing. Accepted: fewer questions, more "
            "personas or more topics."
        )
