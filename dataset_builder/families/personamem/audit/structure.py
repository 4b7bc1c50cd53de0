"""Structure: what can be told from the questions and the ids of the contexts alone."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence

from personamem.dataset_builder.core.error_rate import ERROR_RATE, correct_family
from personamem.dataset_builder.core.findings import Check, Finding, Section, Violations
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig
from personamem.dataset_builder.families.personamem.lives.plan import plan_split
from personamem.loaders.formats import schema
from personamem.loaders.formats.schema import COHORT_SIZE, MAX_LENGTH_RATIO, Annotation, Question

COLUMNS = Check(
    Section.STRUCTURE, "columns", "Tables whose columns, order or types are not the official ones."
)
READABLE = Check(
    Section.STRUCTURE, "rows", "Questions and contexts that cannot be read, or none at all."
)
UNIQUE_IDS = Check(Section.STRUCTURE, "question ids", "Question ids that occur more than once.")
CONTEXT_OF_QUESTION = Check(
    Section.STRUCTURE, "contexts of questions", "Questions whose context is not in the split."
)
QUESTION_OF_CONTEXT = Check(
    Section.STRUCTURE, "questions of contexts", "Contexts that no question refers to."
)
DISTINCT = Check(
    Section.STRUCTURE, "distinct options", "Questions with two options that read the same."
)
LENGTHS = Check(
    Section.STRUCTURE,
    "option lengths",
    f"Questions whose longest option has over {MAX_LENGTH_RATIO} times the shortest's letters.",
)
QUADS = Check(
    Section.STRUCTURE,
    "quads",
    "Quads that are not one question with one list of options, asked of four personas, with every "
    "option the gold of one of them.",
)
COVERAGE = Check(
    Section.STRUCTURE,
    "coverage",
    "Question types and topics with another number of questions than planned.",
)
MIRRORS = Check(
    Section.STRUCTURE,
    "mirrors",
    "Rows of the CSV and JSONL files that differ from the Parquet files, and contexts whose id is "
    "not the hash of their messages.",
)
GENERAL_CHECKS = (READABLE, UNIQUE_IDS, CONTEXT_OF_QUESTION, QUESTION_OF_CONTEXT, DISTINCT)
OUR_CHECKS = (QUADS, COVERAGE)


def check_questions(
    questions: Sequence[Question], context_ids: Sequence[str], violations: Violations
) -> None:
    """Check what holds for any release: ids, references, distinct options."""
    if not questions:
        violations.add(READABLE, "the split holds no question that can be read")
    for question_id, count in Counter(question.question_id for question in questions).items():
        if count > 1:
            violations.add(UNIQUE_IDS, f"question {question_id}: {count} times")
    known, used = set(context_ids), {question.shared_context_id for question in questions}
    for question in questions:
        if question.shared_context_id not in known:
            violations.add(
                CONTEXT_OF_QUESTION,
                f"question {question.question_id}: no context {question.shared_context_id}",
            )
        if len({" ".join(option.casefold().split()) for option in question.options}) < len(
            question.options
        ):
            violations.add(DISTINCT, f"question {question.question_id}: {question.all_options}")
    for context_id in context_ids:
        if context_id not in used:
            violations.add(QUESTION_OF_CONTEXT, f"context {context_id}")


def check_lengths(questions: Sequence[Question], violations: Violations) -> None:
    """Check that no option stands out by its length in letters."""
    for question in questions:
        lengths = [len(option) for option in question.options]
        if max(lengths) > MAX_LENGTH_RATIO * min(lengths):
            violations.add(
                LENGTHS, f"question {question.question_id}: {min(lengths)} to {max(lengths)}"
            )


def check_quads(
    questions: Sequence[Question], annotations: Mapping[str, Annotation], violations: Violations
) -> None:
    """Check that every quad is balanced, byte for byte."""
    quads: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        annotation = annotations.get(question.question_id)
        quads[annotation.quad_id if annotation else ""].append(question)
    wanted: tuple[tuple[str, Callable[[Question], object]], ...] = (
        ("personas", lambda question: question.persona_id),
        ("gold letters", lambda question: question.correct_answer),
    )
    for quad_id, rows in quads.items():
        wrong = [
            f"{len({value(row) for row in rows})} {name}"
            for name, value in wanted
            if len({value(row) for row in rows}) != COHORT_SIZE
        ]
        if len({(row.user_question_or_message, row.all_options) for row in rows}) != 1:
            wrong.append("more than one wording")
        if len(rows) != COHORT_SIZE:
            wrong.append(f"{len(rows)} rows")
        if wrong:
            violations.add(QUADS, f"quad {quad_id!r}: {', '.join(wrong)}")


def check_coverage(
    config: PersonaMemConfig, split: str, questions: Sequence[Question], violations: Violations
) -> None:
    """Check that each question type and topic has as many questions as the plan says."""
    quads = [quad for plan in plan_split(config, split) for quad in plan.quads]
    for name, planned, found in (
        ("type", [q.question_type for q in quads], [q.question_type for q in questions]),
        ("topic", [q.topic for q in quads], [q.topic for q in questions]),
    ):
        wanted, counts = Counter(planned), Counter(found)
        for value in sorted(wanted.keys() | counts.keys()):
            if counts[value] != COHORT_SIZE * wanted[value]:
                violations.add(
                    COVERAGE,
                    f"{name} {value}: {counts[value]} questions, planned are "
                    f"{COHORT_SIZE * wanted[value]}",
                )


def check_letters(questions: Sequence[Question], balanced: bool, parts: int = 1) -> Finding:
    """Check that no letter is the gold more often than others: exactly, or within chance.

    ``parts`` is how many parts the whole audit looks at; see ``core.error_rate``.
    """
    counts = [
        sum(question.answer_index == index for question in questions)
        for index in range(len(schema.LETTERS))
    ]
    if balanced:
        passed, threshold = len(set(counts)) == 1, "exactly a quarter"
    else:
        from scipy.stats import chisquare  # Slow to import, and builds never come here.

        p_value = float(chisquare(counts).pvalue) if questions else 1.0
        (corrected,) = correct_family([p_value], parts)
        passed = corrected >= ERROR_RATE
        threshold = f"p (corrected) >= {ERROR_RATE} (chi-square; {corrected:.3g})"
    listed = ", ".join(
        f"({letter}) {count}" for letter, count in zip(schema.LETTERS, counts, strict=True)
    )
    return Finding(
        section=Section.STRUCTURE,
        check="letters",
        what=f"Share of the most frequent gold letter: {listed}.",
        figure=round(max(counts) / max(1, len(questions)), 4),
        threshold=threshold,
        passed=passed,
        rows=() if passed else (listed,),
        offenders=int(not passed),
    )
