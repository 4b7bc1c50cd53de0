"""Checking profiles by a model: a request a profile, all answers stored, and what it flags.

What a model flags is an opinion, for people to read beside the contradictions that rules find.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Literal

from personamem.dataset_builder.families.personalens.checker.verdicts import read_verdict
from personamem.dataset_builder.llm import (
    FREE,
    Answer,
    AnswerStore,
    Fill,
    Prices,
    Progress,
    Request,
)
from personamem.dataset_builder.llm.writing.templating import PromptTemplates
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.personalens.prompts import render_demographics
from personamem.loaders.personalens.schema import Profile

Status = Literal["sound", "flagged", "unreadable", "failed"]
STATUSES: tuple[Status, ...] = ("sound", "flagged", "unreadable", "failed")

PROMPTS = PromptTemplates(Path(__file__).parent / "templates")


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a model says of one profile: ``reason`` is its own, ``reply`` its text as it came."""

    user_id: str
    status: Status
    reason: str
    reply: str


@dataclass(frozen=True, slots=True)
class Checker:
    """Who checks: a model by its name on the server, with room for its reply in tokens."""

    model: str
    max_tokens: int

    def iterate_requests(self, profiles: Sequence[Profile]) -> Iterator[Request]:
        """Yield a request for each profile."""
        return map(self.request, profiles)

    def request(self, profile: Profile) -> Request:
        """Return the request for the check of one profile."""
        return Request(
            model=self.model,
            messages=(
                {"role": "system", "content": PROMPTS.render("system.jinja")},
                {"role": "user", "content": render_profile(profile)},
            ),
            parameters={"temperature": 0, "max_tokens": self.max_tokens},
        )


def render_profile(profile: Profile) -> str:
    """Return what the model is shown: demographics, and the preferences of all domains."""
    by_domain = groupby(profile.preferences, key=lambda preference: preference.domain)
    return PROMPTS.render(
        "profile.jinja",
        demographics=render_demographics(profile.demographics),
        domains=[(domain, list(preferences)) for domain, preferences in by_domain],
    )


def ask_checker(
    profiles: Sequence[Profile],
    checker: Checker,
    store: AnswerStore,
    fill: Fill | None,
    *,
    prices: Prices = FREE,
    report: Callable[[Progress], None] = lambda progress: None,
) -> list[Opinion]:
    """Have profiles checked, each once, and return the opinions in the order of the profiles.

    Without ``fill`` the store alone answers.

    Raises:
        InvalidInputError: without ``fill``, if the store lacks an opinion.
        ServerError, StoreError: see ``answer_all``; what was paid is stored.
    """
    if fill is not None:
        requests = list(checker.iterate_requests(profiles))
        fill(requests, store, prices=prices, budget=None, report=report)
    found = [_conclude(profile, checker, store) for profile in profiles]
    lacking = sum(opinion is None for opinion in found)
    if lacking and fill is None:
        raise InvalidInputError(
            f"{store.path} lacks {lacking:,} opinions of {checker.model!r}. Accepted: --base-url "
            "with the address of a server that gives them."
        )
    return [
        opinion or Opinion(profile.user_id, "failed", "", "")
        for profile, opinion in zip(profiles, found, strict=True)
    ]


def count_opinions(opinions: Sequence[Opinion]) -> Mapping[Status, int]:
    """Return how many opinions there are of each status."""
    return {status: sum(each.status == status for each in opinions) for status in STATUSES}


def _conclude(profile: Profile, checker: Checker, store: AnswerStore) -> Opinion | None:
    outcome = store.get(checker.request(profile).key)
    if outcome is None:
        return None
    if not isinstance(outcome, Answer):
        return Opinion(profile.user_id, "failed", outcome.reason, "")
    verdict = read_verdict(outcome.text)
    if verdict is None:
        return Opinion(profile.user_id, "unreadable", "", outcome.text)
    status: Status = "flagged" if verdict.is_conflict else "sound"
    return Opinion(profile.user_id, status, verdict.reason, outcome.text)
