"""What training never sees: whole topics, and whole personas.

The four personas of a cohort share their questions, so they are held out together, and all rows of
a quad are on one side. Questions that are worded alike on both sides are left out of training.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.schema import Question
from personamem.loaders.personamem.dataset import PersonaMem

Side = Literal["train", "topic", "persona", "both"]
"""Why a row is held out, or ``train``."""


@dataclass(frozen=True, slots=True)
class Division:
    """The sides of a dataset.

    ``sides`` are by question id; ids of questions that are on neither side are in ``dropped``.
    ``cohorts`` are the personas that share questions, in the order of their contexts.
    """

    sides: Mapping[str, Side]
    dropped: tuple[str, ...]
    topics: tuple[str, ...]
    personas: tuple[int, ...]
    cohorts: tuple[tuple[int, ...], ...]


def divide(data: PersonaMem, topics: int, personas: int, seed: int) -> Division:
    """Divide a dataset: ``topics`` and ``personas`` say how many of them to hold out.

    Raises:
        InvalidInputError: more than there are, a number of personas that would part a cohort, or
            so many that nothing is left for training.
    """
    questions = data.ordered_questions()
    cohorts = find_cohorts(data, questions)
    all_topics = sorted({question.topic for question in questions})
    held_topics = _draw(all_topics, topics, seed, "topics")
    held_personas = _draw_cohorts(cohorts, personas, seed)
    sides = {
        question.question_id: _choose_side(
            question.topic in held_topics, question.persona_id in held_personas
        )
        for question in questions
    }
    dropped = frozenset(_find_alike(data, questions, sides))
    kept = {name: side for name, side in sides.items() if name not in dropped}
    if "train" not in kept.values():
        raise InvalidInputError(
            f"{data.source}: nothing is left for training, of which {len(dropped):,} rows are "
            "worded as some that are held out. Accepted: fewer topics or personas to hold out."
        )
    division = Division(
        kept, tuple(sorted(dropped)), tuple(sorted(held_topics)), tuple(held_personas), cohorts
    )
    check_division(data, questions, division)
    return division


def find_cohorts(data: PersonaMem, questions: Sequence[Question]) -> tuple[tuple[int, ...], ...]:
    """Return the personas that share quads; one by one where there are no quads."""
    shared: dict[int, set[int]] = {}
    for group in group_quads(data, questions).values():
        personas = {question.persona_id for question in group}
        whole = personas.union(*(shared.get(persona, set()) for persona in personas))
        for persona in whole:
            shared[persona] = whole
    order = dict.fromkeys(question.persona_id for question in questions)
    return tuple(dict.fromkeys(tuple(sorted(shared[persona])) for persona in order))


def group_quads(data: PersonaMem, questions: Iterable[Question]) -> dict[str, list[Question]]:
    """Return questions by quad, in order; those without one are on their own."""
    groups: dict[str, list[Question]] = {}
    for question in questions:
        groups.setdefault(name_quad(data, question) or question.question_id, []).append(question)
    return groups


def name_quad(data: PersonaMem, question: Question) -> str:
    """Return the id of a question's quad; empty where the dataset has none."""
    annotation = data.evidence_for(question)
    return annotation.quad_id if annotation else ""


def check_division(data: PersonaMem, questions: Sequence[Question], division: Division) -> None:
    """Check that nothing of what is held out is in training, and that quads are whole.

    Raises:
        DatasetError: it is not so; the first question at fault is named.
    """
    by_side: dict[bool, list[Question]] = {True: [], False: []}
    for question in questions:
        side = division.sides.get(question.question_id)
        if side is not None:
            by_side[side == "train"].append(question)
    asked = {_word(question) for question in by_side[False]}
    for question in by_side[True]:
        for what, leaked in (
            ("topic", question.topic in division.topics),
            ("persona", question.persona_id in division.personas),
            ("wording", _word(question) in asked),
        ):
            if leaked:
                raise DatasetError(f"question {question.question_id}: its {what} is held out.")
    for quad, group in group_quads(data, questions).items():
        if len({division.sides.get(question.question_id) for question in group}) > 1:
            raise DatasetError(f"quad {quad} has rows on both sides.")


def measure_shared_messages(data: PersonaMem, division: Division) -> float | None:
    """Return the share of held-out personas' messages that others have too, word by word.

    System messages, which name the persona, are left aside. None where no persona is held out.
    """
    texts: dict[bool, set[int]] = {True: set(), False: set()}
    for context_id in data.context_ids:
        asked = data.questions_of(context_id)
        if asked:
            held = asked[0].persona_id in division.personas
            messages = data.context(context_id)
            texts[held] |= {hash(m["content"]) for m in messages if m["role"] != "system"}
    if not texts[True]:
        return None
    return len(texts[True] & texts[False]) / len(texts[True])


def _find_alike(
    data: PersonaMem, questions: Sequence[Question], sides: Mapping[str, Side]
) -> Iterable[str]:
    """Yield the training questions of quads that are worded as one that is held out."""
    held = {_word(q) for q in questions if sides[q.question_id] != "train"}
    for group in group_quads(data, questions).values():
        if sides[group[0].question_id] == "train" and any(_word(q) in held for q in group):
            yield from (question.question_id for question in group)


def _word(question: Question) -> str:
    return " ".join(question.user_question_or_message.split()).casefold()


def _choose_side(topic: bool, persona: bool) -> Side:
    if topic:
        return "both" if persona else "topic"
    return "persona" if persona else "train"


def _draw_cohorts(cohorts: Sequence[tuple[int, ...]], personas: int, seed: int) -> dict[int, None]:
    """Return so many personas, in whole cohorts."""
    names = {",".join(map(str, cohort)): cohort for cohort in cohorts}
    total = sum(map(len, cohorts))
    if personas >= total and personas:
        raise InvalidInputError(f"--hold-out-personas is {personas}. Accepted: under {total}.")
    held: dict[int, None] = {}
    for name in _rank(names, seed, "personas"):
        if len(held) == personas:
            break
        held.update(dict.fromkeys(names[name]))
    if len(held) != personas:
        size = len(cohorts[0])
        raise InvalidInputError(
            f"--hold-out-personas is {personas}, and personas of a cohort share their questions. "
            f"Accepted: a multiple of {size}, under {total}."
        )
    return held


def _draw(names: Sequence[str], count: int, seed: int, what: str) -> frozenset[str]:
    if count >= len(names) and count:
        raise InvalidInputError(f"--hold-out-{what} is {count}. Accepted: under {len(names)}.")
    return frozenset(_rank(names, seed, what)[:count])


def _rank(names: Iterable[str], seed: int, what: str) -> list[str]:
    def digest(name: str) -> str:
        return hashlib.sha256(f"{seed}\x1f{what}\x1f{name}".encode()).hexdigest()

    return sorted(names, key=digest)
