"""What dialogues will take: calls, tokens and price by role, before anything is sent."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from math import fsum
from typing import Any

from personamem.dataset_builder.llm.cost import MESSAGE_TOKENS, Prices
from personamem.loaders.formats.errors import InvalidInputError, unknown_choice
from personamem.loaders.formats.schema import Message
from personamem.loaders.formats.tokens import count_tokens
from personamem.loaders.personalens import PersonaLens
from personamem.loaders.personalens.schema import TaskKind
from personamem.tasks.personalens.dialogues.prompts import (
    Scene,
    make_assistant_prompt,
    make_opening_prompt,
    make_user_prompt,
)
from personamem.tasks.personalens.dialogues.rubrics import (
    DIMENSIONS,
    ask_personalization_by_turn,
)
from personamem.tasks.personalens.dialogues.settings import (
    MAX_PAIRS,
    MAX_REPLY_TOKENS,
    MAX_VERDICT_TOKENS,
    SETTINGS,
)

ROLES = ("assistant", "user", "judge")

PUBLISHED_PAIRS: Mapping[TaskKind, float] = {"SD": 4.74, "MD": 5.64}
"""Mean turns of the paper's dialogues, taken as pairs of messages."""

USER_TOKENS, ASSISTANT_TOKENS, VERDICT_TOKENS = 40, 110, 200
"""Tokens of a usual message; the paper reports about 150 a turn of both."""

COUNTED = 200
"""Scenarios whose prompts are counted; the others are taken to be like them."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls of one role with their tokens: as expected, and at most."""

    calls: float = 0.0
    most_calls: float = 0.0
    prompt_tokens: float = 0.0
    most_prompt_tokens: float = 0.0
    reply_tokens: float = 0.0
    most_reply_tokens: float = 0.0

    def add(self, other: "Usage") -> "Usage":
        """Return the sum of both."""
        names = [field.name for field in fields(self)]
        return Usage(*(getattr(self, name) + getattr(other, name) for name in names))


@dataclass(frozen=True, slots=True)
class LensPlan:
    """What one task under one setting takes, by role."""

    kind: TaskKind
    setting: str
    dialogues: int
    roles: Mapping[str, Usage]

    def price(self, prices: Mapping[str, Prices]) -> tuple[float, float]:
        """Return the price as expected and at most; a role without prices costs nothing."""
        pairs = [(self.roles[role], known) for role, known in prices.items()]
        return (
            fsum(p.of_tokens(int(u.prompt_tokens), int(u.reply_tokens)) for u, p in pairs),
            fsum(
                p.of_tokens(int(u.most_prompt_tokens), int(u.most_reply_tokens)) for u, p in pairs
            ),
        )


def plan_task(
    data: PersonaLens,
    kind: TaskKind,
    setting: str,
    *,
    judges: int,
    turn_level: bool,
    limit: int | None,
    max_pairs: int | None,
    max_tokens: int | None,
) -> LensPlan:
    """Return what the dialogues of one kind under one setting take."""
    scenarios = [each for each in data.scenarios if data.task_by_id[each.task_id].kind == kind]
    scenarios = scenarios[:limit]
    step = max(1, len(scenarios) // COUNTED)
    scenes = [
        Scene(data.profile_by_id[each.user_id], data.task_by_id[each.task_id], each.situation)
        for each in scenarios[::step]
    ]
    most = MAX_PAIRS[kind] if max_pairs is None else max_pairs
    # The assistant may reply once more after the stop word.
    pairs, most = min(PUBLISHED_PAIRS[kind], most + 1), most + 1
    total = dict.fromkeys(ROLES, Usage())
    for scene in scenes:
        for role, usage in _plan_scene(scene, setting, pairs, most, judges, turn_level, max_tokens):
            total[role] = total[role].add(usage)
    scale = len(scenarios) / len(scenes) if scenes else 0.0
    scaled = {
        role: Usage(*(scale * value for value in asdict(usage).values()))
        for role, usage in total.items()
    }
    return LensPlan(kind, setting, len(scenarios), scaled)


def read_role_prices(texts: Sequence[str]) -> dict[str, Prices]:
    """Return the prices of options such as "judge=2/8": of a million tokens read and written.

    Raises InvalidInputError.
    """
    found = {}
    for text in texts:
        role, _, prices = text.partition("=")
        if role not in ROLES:
            raise unknown_choice("role in --price", role, ROLES)
        try:
            read, write = map(float, prices.split("/"))
        except ValueError:
            read = write = -1.0
        if not (0 <= read < float("inf") and 0 <= write < float("inf")):
            raise InvalidInputError(
                f"--price is {text!r}. Accepted: ROLE=INPUT/OUTPUT, such as judge=2/8."
            )
        found[role] = Prices(read, read, write)
    return found


def describe_plans(plans: Sequence[LensPlan], prices: Mapping[str, Prices]) -> dict[str, Any]:
    """Return plans as plain values, with prices where there are any."""
    described: dict[str, Any] = {"tasks": [asdict(plan) for plan in plans]}
    if prices:
        found = [plan.price(prices) for plan in plans]
        described["price"] = {
            "expected": fsum(price for price, _ in found),
            "at_most": fsum(price for _, price in found),
        }
    return described


def _plan_scene(
    scene: Scene,
    setting: str,
    pairs: float,
    most: int,
    judges: int,
    turn_level: bool,
    max_tokens: int | None,
) -> Iterator[tuple[str, Usage]]:
    pair = USER_TOKENS + ASSISTANT_TOKENS
    room = max_tokens or MAX_REPLY_TOKENS
    opening = _count(make_opening_prompt(scene))
    later = _count(make_user_prompt(scene, ()))
    assistant = _count(make_assistant_prompt(scene, SETTINGS[setting], ()))
    yield "user", _sum_turns(opening - later, later, pair, pairs, most, USER_TOKENS, room)
    yield (
        "assistant",
        _sum_turns(0, assistant + USER_TOKENS, pair, pairs, most, ASSISTANT_TOKENS, room),
    )
    asked = [each.make_prompt for each in DIMENSIONS.values()]
    asked += [ask_personalization_by_turn] if turn_level else []
    base = sum(count_tokens(make(scene, ())) + MESSAGE_TOKENS for make in asked)
    calls = judges * len(asked)
    yield (
        "judge",
        Usage(
            calls,
            calls,
            judges * base + calls * pair * pairs,
            judges * base + calls * 2 * room * most,
            calls * VERDICT_TOKENS,
            calls * (max_tokens or MAX_VERDICT_TOKENS),
        ),
    )


def _sum_turns(
    extra: int, base: int, pair: int, pairs: float, most: int, reply: int, room: int
) -> Usage:
    """Return what the calls of one side take, each of which reads all turns before it."""
    return Usage(
        pairs,
        most,
        extra + pairs * base + pair * pairs * (pairs - 1) / 2,
        extra + most * base + 2 * room * most * (most - 1) / 2 + room * most,
        pairs * reply,
        most * room,
    )


def _count(messages: Sequence[Message]) -> int:
    return sum(count_tokens(each["content"]) + MESSAGE_TOKENS for each in messages)
