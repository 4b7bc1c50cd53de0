"""Truth: what files are held to against the world they claim to come from.

Nothing that the builder noted down is taken on trust; ``audit.lives`` draws the lives anew and
holds each context against its own. What shows without them is checked here.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

from personamem.dataset_builder.core.findings import Check, Section, Violations
from personamem.loaders.formats.schema import Annotation, ContextRecord, Question

WORDING = Check(
    Section.TRUTH, "wording", "Questions whose text, options or type are not those of the world."
)
SOLVER = Check(
    Section.TRUTH,
    "solver",
    "Questions in which a solver that reads only the world finds another option than the gold.",
)
ANNOTATIONS = Check(
    Section.TRUTH,
    "annotations",
    "Questions whose id, topic, thread, pair, option roles or option keys are not the world's.",
)
EVIDENCE_BEFORE = Check(
    Section.TRUTH,
    "evidence before the question",
    "Questions with evidence or related messages outside of the messages that they see.",
)
EVIDENCE_CARRIES = Check(
    Section.TRUTH,
    "evidence carries the facts",
    "Questions whose evidence misses a fact that proves the gold, in a session of the day and "
    "topic of that fact, or holds messages without one.",
)
ASKED_ON = Check(
    Section.TRUTH,
    "date of the question",
    "Questions not asked at the end of a session, or on another day than that session's.",
)
CAUSALITY = Check(
    Section.TRUTH,
    "causal order",
    "Sessions that are dated before one that they follow.",
)
PAIRS = Check(
    Section.TRUTH,
    "pairs",
    "Pairs asked before and after an update that have the same gold, or differ in wording.",
)
NEW_IDEAS = Check(
    Section.TRUTH,
    "new ideas are new",
    "Questions for a new idea of which the user says something before.",
)
TRUTH_CHECKS = (
    WORDING,
    SOLVER,
    ANNOTATIONS,
    EVIDENCE_BEFORE,
    EVIDENCE_CARRIES,
    ASKED_ON,
    CAUSALITY,
    PAIRS,
    NEW_IDEAS,
)


def check_pairs(questions: Sequence[Question], annotations: Mapping[str, Annotation]) -> Violations:
    """Check that each pair is whole, of one context and one wording, and differs in its gold."""
    pairs: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        annotation = annotations.get(question.question_id)
        if annotation and annotation.pair_id:
            pairs[annotation.pair_id].append(question)
    violations = Violations()
    for pair_id, pair in pairs.items():
        golds = {question.options[question.answer_index] for question in pair}
        wordings = {(question.user_question_or_message, question.options) for question in pair}
        contexts = {question.shared_context_id for question in pair}
        ends = {question.end_index_in_shared_context for question in pair}
        sizes = [len(found) for found in (pair, golds, contexts, ends, wordings)]
        if sizes != [2, 2, 1, 2, 1]:
            violations.add(
                PAIRS, f"pair {pair_id}: {len(pair)} questions, {len(golds)} gold options"
            )
    return violations


def check_order(context: ContextRecord, violations: Violations) -> None:
    """Check that the dates of sessions do not go back."""
    for number, (before, after) in enumerate(pairwise(context.session_dates), start=1):
        if after < before:
            violations.add(
                CAUSALITY,
                f"context {context.context_id}, session {number} of {after} follows {before}",
            )
