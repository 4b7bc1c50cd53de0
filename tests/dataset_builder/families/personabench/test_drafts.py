"""Plans of few questions: they have what larger ones have, and no plan is too small."""

from itertools import chain

import pytest

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personabench.asking import Form, QuestionSpec
from personamem.dataset_builder.families.personabench.attributes import attribute_packs
from personamem.dataset_builder.families.personabench.drafts import Reveal, plan_sessions
from personamem.dataset_builder.families.personabench.profiles import Entry

USER, PARTNER = 0, 1
PACKS = attribute_packs()
NAME = next(iter(PACKS))


def ask(form: Form, entries: tuple[str, ...], former: tuple[str, ...] = ()) -> QuestionSpec:
    return QuestionSpec(
        form=form,
        user=USER,
        subject=USER if form == "own" else PARTNER,
        relation="" if form == "own" else "sister",
        attribute=NAME if form == "own" else "",
        path=NAME,
        text="What?",
        answer=list(entries),
        entries=tuple(map(Entry, entries)),
        former=tuple(map(Entry, former)),
        question_type="Preference",
        difficulty="easy",
    )


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize(
    "asked",
    [
        [ask("own", ("tea",), former=("coffee",))],
        [ask("own", ("tea", "mead"), former=("coffee", "water"))],
        [ask("relation", ("sister",))],
        [],
    ],
    ids=["a value that was dropped", "two that were dropped", "a relation", "nothing"],
)
def test_a_small_plan_reveals_all_and_what_is_dropped_first(
    asked: list[QuestionSpec], seed: int
) -> None:
    drafts = plan_sessions(USER, [PARTNER], asked, PACKS, make_rng(seed, "small"))
    told: list[Reveal] = list(chain.from_iterable(draft.reveals for draft in drafts))
    for spec in asked:
        wanted = {entry.text for entry in (*spec.entries, *spec.former)}
        assert {reveal.entry.text for reveal in told} == (
            wanted if spec.form == "own" else {spec.relation}
        )
    assert len({draft.time for draft in drafts}) == len(drafts)
    dropped = [d.time for d in drafts if any(reveal.outdated for reveal in d.reveals)]
    held = [d.time for d in drafts if any(reveal.former for reveal in d.reveals)]
    assert all(before < after for before in dropped for after in held)
