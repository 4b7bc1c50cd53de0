"""The audit of open questions: the world-only check, and what can be had without documents."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from personamem.dataset_builder.core.error_rate import ERROR_RATE, correct_family
from personamem.dataset_builder.core.findings import Check, Finding, GateError, Section, Violations
from personamem.dataset_builder.core.limits import find_limit_p_value
from personamem.dataset_builder.families.personabench.asking import OFFICIAL_COUNTS
from personamem.dataset_builder.families.personabench.audit.check import CHECKS, check_communities
from personamem.dataset_builder.families.personabench.audit.levels import (
    IDS,
    LEVELS,
    PEOPLE,
    check_people,
)
from personamem.dataset_builder.families.personabench.config import (
    DEFAULT_COMMUNITIES,
    PersonaBenchConfig,
)
from personamem.dataset_builder.families.personabench.rows import OpenTables, Row, name_category
from personamem.loaders.personabench.answers import decode_answer, words_of
from personamem.loaders.personabench.schema import NOISE_SPLITS

F1_LIMIT = 0.20
"""F1 that answers without documents may reach, on preference and social questions."""

PROPORTIONS_LIMIT = 0.10
"""How far the share of a type may be from the release's, as a share of it."""

K = 5
"""Sessions that a retriever may return: a question must not need more."""

_CHECKS = {
    name: Check(Section.STRUCTURE if name in (IDS, LEVELS) else Section.TRUTH, name, what)
    for name, what in CHECKS.items()
}


def judge_communities(
    config: PersonaBenchConfig, tables: OpenTables, parts: int = 1
) -> list[Finding]:
    """Return all findings on the open questions of a dataset that ``config`` describes.

    ``parts`` is how many parts the whole audit looks at; see ``core.error_rate``.
    """
    violations = Violations()
    for row in check_people(config.seed, config.communities, tables.communities):
        violations.add(_CHECKS[PEOPLE], row)
    for name, row in check_communities(
        config.seed, range(config.communities), tables.documents, tables.questions
    ):
        violations.add(_CHECKS[name], row)
    return [
        *violations.as_findings(_CHECKS.values()),
        *judge_figures(config.communities, tables, parts),
    ]


def judge_figures(communities: int, tables: OpenTables, parts: int = 1) -> list[Finding]:
    """Return the findings that are shares: required of five communities, stated of fewer."""
    required = communities >= DEFAULT_COMMUNITIES
    questions = list(next(iter(tables.questions.values())))
    by_category: dict[str, list[Row]] = defaultdict(list)
    for row in questions:
        category = name_category(row)
        by_category["social" if category.startswith("social") else category].append(row)
    measured = [
        (name, category, what, rows, *score(rows))
        for category, rows in by_category.items()
        for name, what, score in (
            (
                "best constant answer",
                "F1 of the best of all answers of the category and sets of its common words, "
                "given to every question.",
                score_best_constant,
            ),
            (
                "majority answer",
                "F1 of the answer that others most often have to questions on the attribute.",
                score_majority,
            ),
        )
    ]
    held = [entry for entry in measured if entry[1] != "basic" and required]
    p_values = correct_family(
        [_test_limit(rows, scores, tried) for *_, rows, scores, tried in held], parts
    )
    corrected = {entry[:2]: p_value for entry, p_value in zip(held, p_values, strict=True)}
    findings = [_judge_oracle(tables)]
    for name, category, what, _, scores, _ in measured:
        figure = _mean(scores)
        passed = None
        if (name, category) in corrected:
            refused = corrected[name, category] < ERROR_RATE
            passed = True if figure <= F1_LIMIT else False if refused else None
        findings.append(
            Finding(
                section=Section.BLIND,
                check=f"{name}, {category}",
                what=what,
                figure=round(figure, 4),
                threshold=(
                    "-"
                    if category == "basic"
                    else f"at most {F1_LIMIT:.2f}, or p (corrected) >= {ERROR_RATE}"
                ),
                passed=passed,
            )
        )
    findings.append(_judge_proportions(questions, required))
    return findings


def _test_limit(rows: Sequence[Row], scores: Sequence[float], tried: int) -> float:
    """Return a p-value for a mean of at most the limit; the answers of a person go together.

    Of answers that were ``tried``, the best was taken.
    """
    people: dict[tuple[str, str], list[float]] = defaultdict(list)
    for row, score in zip(rows, scores, strict=True):
        people[row["community"], row["person"]].append(score)
    sums, sizes = [sum(own) for own in people.values()], [len(own) for own in people.values()]
    return min(1.0, tried * find_limit_p_value(sums, sizes, F1_LIMIT))


def require_sound(config: PersonaBenchConfig, tables: OpenTables) -> dict[str, Any]:
    """Return figures for the manifest; raises GateError when a finding fails."""
    findings = judge_communities(config, tables)
    failed = [finding for finding in findings if finding.passed is False]
    if failed:
        first = failed[0]
        rows = f" First: {first.rows[0]}." if first.rows else ""
        more = ", ".join(finding.check for finding in failed[1:])
        raise GateError(
            f"communities, check {first.check!r}: {first.figure}, accepted {first.threshold}. "
            f"{first.what}{rows}{f' Other checks failed as well: {more}.' if more else ''}"
        )
    return summarise_checks(findings, tables)


def summarise_checks(findings: Sequence[Finding], tables: OpenTables) -> dict[str, Any]:
    """Return the figures of the checks for the manifest."""
    return {
        "answers_found": len(next(iter(tables.questions.values()))),
        "highest_f1_without_documents": max(
            finding.figure or 0.0
            for finding in findings
            if finding.section is Section.BLIND and finding.threshold != "-"
        ),
    }


def score_best_constant(rows: Sequence[Row]) -> tuple[list[float], int]:
    """Return the official F1 of the best single answer to each question, of how many answers."""
    golds = _read_words(rows)
    counts = Counter(word for gold in golds for word in gold)
    common = [word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    candidates = {*golds, *(frozenset(common[:size]) for size in range(1, 31))}
    scores = [[_f1(gold, candidate) for gold in golds] for candidate in candidates]
    return max(scores, key=sum), len(candidates)


def score_majority(rows: Sequence[Row]) -> tuple[list[float], int]:
    """Return the official F1 of what the others asked the same most often answer; one is tried."""
    words = _read_words(rows)
    groups: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        # A relation's path holds the answer to the question.
        path = row["attribute"]
        groups["relation" if path.startswith("Social_relationship") else path].append(number)
    scores = [0.0] * len(rows)
    for numbers in groups.values():
        counts = Counter(words[number] for number in numbers)
        for number in numbers:
            others = counts - Counter([words[number]])
            best = min(others, key=lambda o: (-others[o], sorted(o)), default=frozenset())
            scores[number] = _f1(words[number], best)
    return scores, 1


def _judge_oracle(tables: OpenTables) -> Finding:
    shares, rows = [], []
    for split in NOISE_SPLITS:
        there = {row["session_id"] for row in tables.documents[split]}
        for row in tables.questions[split]:
            needed = list(dict.fromkeys(gold["session_ids"][0] for gold in row["gold"]))
            shares.append(sum(s in there for s in needed[:K]) / max(1, len(needed)))
            if shares[-1] < 1:
                rows.append(f"{split}: question {row['question_id']}")
    share = _mean(shares)
    return Finding(
        section=Section.TRUTH,
        check="the oracle finds everything",
        what=f"Recall of a retriever that returns the first {K} gold sessions.",
        figure=share,
        threshold="1",
        passed=share == 1.0,
        rows=tuple(rows[:20]),
        offenders=len(rows),
    )


def _judge_proportions(questions: Sequence[Row], required: bool) -> Finding:
    counts = Counter(map(name_category, questions))
    whole = sum(OFFICIAL_COUNTS.values())
    off = {
        name: abs(counts[name] / len(questions) / (count / whole) - 1)
        for name, count in OFFICIAL_COUNTS.items()
    }
    worst = max(off.values())
    return Finding(
        section=Section.STRUCTURE,
        check="proportions",
        what="How far the share of a kind of question is from the release's, as a share of it.",
        figure=round(worst, 4),
        threshold=f"at most {PROPORTIONS_LIMIT:.2f}",
        passed=worst <= PROPORTIONS_LIMIT if required else None,
        rows=tuple(f"{name}: {counts[name]}" for name in off if off[name] > PROPORTIONS_LIMIT),
        offenders=sum(value > PROPORTIONS_LIMIT for value in off.values()),
    )


def _read_words(rows: Iterable[Row]) -> list[frozenset[str]]:
    return [words_of(decode_answer(row["answer"])) for row in rows]


def _f1(gold: frozenset[str], given: frozenset[str]) -> float:
    return 2 * len(gold & given) / (len(gold) + len(given)) if given else 0.0


def _mean(values: Iterable[float]) -> float:
    listed = list(values)
    return sum(listed) / len(listed) if listed else 0.0
