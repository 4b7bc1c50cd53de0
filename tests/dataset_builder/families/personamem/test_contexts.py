import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.contexts import build_context, plan_sessions
from personamem.dataset_builder.families.personamem.sessions import SessionError, check_session
from personamem.dataset_builder.families.personamem.world.facts import Relation
from personamem.dataset_builder.families.personamem.world.threads import Kind
from personamem.dataset_builder.families.personamem.writers.surface_forms import list_surface_forms
from personamem.dataset_builder.families.personamem.writers.template import TemplateWriter
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import SIZES
from personamem.loaders.formats.tokens import count_tokens

BuiltGroup = Any
BuildGroup = Callable[..., Any]

RESIDUE = re.compile(r"\{[a-z_:]+\}|\[[^\]]*\||\|[^|\n]*\]")


def test_a_context_fills_its_budget_and_its_counts_are_true(built_group: BuiltGroup) -> None:
    budget = SIZES[built_group.plan.size]
    for context in built_group.contexts:
        assert list(context.tokens) == [count_tokens(m["content"]) for m in context.messages]
        assert 0.85 * budget <= sum(context.tokens) <= budget


def test_sessions_are_dated_in_order_and_open_with_the_persona(built_group: BuiltGroup) -> None:
    for context in built_group.contexts:
        assert list(context.session_dates) == sorted(context.session_dates)
        ends = [*context.session_starts[1:], len(context.messages)]
        for start, end in zip(context.session_starts, ends, strict=True):
            roles = [message["role"] for message in context.messages[start:end]]
            assert roles == ["system"] + ["user", "assistant"] * ((end - start) // 2)
            assert context.persona.name in context.messages[start]["content"]
        assert any(context.session_topics)
        assert not all(context.session_topics)


def test_a_topic_is_told_in_causal_order(built_group: BuiltGroup) -> None:
    for k, context in enumerate(built_group.contexts):
        for thread_id in built_group.plan.thread_ids():
            facts = [
                fact
                for fact in built_group.cohort.facts[k][thread_id]
                if fact.fact_id in context.fact_messages
            ]
            for earlier in facts:
                for later in facts:
                    if earlier.stage < later.stage:
                        assert max(context.fact_messages[earlier.fact_id]) < min(
                            context.fact_messages[later.fact_id]
                        )


def test_messages_carry_their_facts(built_group: BuiltGroup) -> None:
    for k, context in enumerate(built_group.contexts):
        for thread_id in built_group.plan.thread_ids():
            for fact in built_group.cohort.facts[k][thread_id]:
                for index in context.fact_messages.get(fact.fact_id, ()):
                    text = context.messages[index]["content"].lower()
                    assert any(surface.lower() in text for surface in list_surface_forms(fact)), (
                        text
                    )


def test_candidates_are_mentioned_equally_often_whatever_their_role(
    built_group: BuiltGroup,
) -> None:
    for k, context in enumerate(built_group.contexts):
        text = "\n".join(message["content"] for message in context.messages).lower()
        for thread_id in built_group.plan.thread_ids():
            thread = built_group.cohort.threads[thread_id]
            if thread.kind is Kind.PREFERENCE:
                counts = {text.count(name.lower()) for name in thread.candidates}
                assert counts == {4}, (k, thread_id, thread.candidates)
            if thread.kind is Kind.IDEAS:
                counts = Counter(text.count(name.lower()) for name in thread.candidates)
                assert counts == {1: 3, 0: 1}


def test_where_a_candidate_is_mentioned_last_does_not_tell_its_role(
    build_group: BuildGroup,
) -> None:
    last = Counter()
    for group in range(8):
        built = build_group("4k", group)
        for k, context in enumerate(built.contexts):
            for thread_id in built.plan.thread_ids():
                facts = [
                    f
                    for f in built.cohort.facts[k][thread_id]
                    if f.fact_id in context.fact_messages
                    and f.stage == 1
                    and f.relation
                    in (
                        Relation.DROPS,
                        Relation.TAKES_UP,
                        Relation.CONTACT_STILL_LIKES,
                        Relation.STILL_DECLINES,
                    )
                ]
                if facts:
                    latest = max(facts, key=lambda f: max(context.fact_messages[f.fact_id]))
                    last[latest.relation] += 1
    total = sum(last.values())
    assert total >= 32
    assert last[Relation.TAKES_UP] / total < 0.5
    assert len(last) == 4


def test_no_template_residue_is_left(built_group: BuiltGroup) -> None:
    for context in built_group.contexts:
        for topic, start, end in zip(
            context.session_topics,
            context.session_starts,
            [*context.session_starts[1:], len(context.messages)],
            strict=True,
        ):
            for message in context.messages[start:end]:
                text = message["content"]
                assert text == text.strip()
                if topic:
                    assert not RESIDUE.search(text), text
                    assert "  " not in text, text
                    assert text[0].isupper() or not text[0].isalpha(), text
                    assert text.rstrip("'\")")[-1] in ".!?", text


def test_the_same_settings_give_the_same_context_and_another_seed_another(
    build_group: BuildGroup,
) -> None:
    first, again = build_group("4k"), build_group("4k")
    assert first.contexts[2] == again.contexts[2]
    other = build_group("4k", seed=1)
    assert first.contexts[2].messages != other.contexts[2].messages


def test_too_many_questions_for_a_size_say_so(build_group: BuildGroup) -> None:
    built = build_group("128k")
    crowded = replace(built.plan, size="4k")
    with pytest.raises(InvalidInputError, match=r"need .* tokens and the budget is 4,096"):
        build_context(built.config, crowded, built.cohort, 0)


def test_a_session_that_breaks_its_plan_is_refused(build_group: BuildGroup) -> None:
    built = build_group("4k")
    plan = plan_sessions(built.config, built.plan, built.cohort, 0)[0]
    written = TemplateWriter(make_rng(0, "test")).write(plan, 0)
    check_session(plan, written, list_surface_forms)
    carrier = next(iter(written.fact_messages.values()))[0]
    blank = list(written.messages)
    blank[carrier] = {"role": blank[carrier]["role"], "content": "Nothing to see here."}
    with pytest.raises(SessionError, match="should carry"):
        check_session(plan, replace(written, messages=tuple(blank)), list_surface_forms)
    with pytest.raises(SessionError, match="do not alternate"):
        check_session(plan, replace(written, messages=written.messages[:-1]), list_surface_forms)
    with pytest.raises(SessionError, match="missing or foreign"):
        check_session(plan, replace(written, fact_messages={}), list_surface_forms)
