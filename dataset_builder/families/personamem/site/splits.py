"""Splits as a site shows them, ours and the official releases."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from personamem.dataset_builder.families.personamem.site.answers import make_answers
from personamem.dataset_builder.families.personamem.site.facts import make_fact_reader
from personamem.dataset_builder.families.samples import SampleFile
from personamem.dataset_builder.reports.site.records import (
    Option,
    Proof,
    Run,
    Session,
    SiteContext,
    SiteQuestion,
    SiteSplit,
    Turn,
    refuse_foreign,
    shorten,
)
from personamem.loaders.formats.schema import (
    UNKNOWN_PERSONA,
    Annotation,
    ContextRecord,
    Message,
    Question,
)
from personamem.loaders.personamem.dataset import PersonaMem, load_personamem
from personamem.loaders.personamem.files import find_splits

FACETS = (
    *("type", "topic", "level", "updates", "sessions per answer", "distractors"),
    *("distance in tokens", "asked"),
)
DISTANCES = (
    (1_000, "under 1k"),
    (4_000, "1k to 4k"),
    (16_000, "4k to 16k"),
    (64_000, "16k to 64k"),
)
FARTHEST = "64k and more"

NO_ANNOTATIONS = (
    "No annotations: this release does not state which messages prove an answer, what the wrong "
    "options are to the user, or when something was told."
)
NO_DATES = "No dates: sessions have none, and each is taken to start at a system message."
NO_WORLD = (
    "No world: when a fact held cannot be rebuilt from the configuration. The timeline shows when "
    "it was told and asked."
)
_TITLE_LETTERS = 80


def open_splits(
    source: str | Path, split: str, answers: Sequence[SampleFile]
) -> Iterator[SiteSplit]:
    """Yield the splits of ``source`` that ``split`` chooses; see ``Family.open_site``."""
    for name in find_splits(source):
        if split in ("", name):
            yield _open_split(load_personamem(source, name), answers)


def _open_split(data: PersonaMem, answers: Sequence[SampleFile]) -> SiteSplit:
    known = {question.question_id for question in data.questions}
    files = [each for each in answers if not known.isdisjoint(each.samples)]
    for file in files:
        for question_id in file.samples:
            if question_id not in known:
                raise refuse_foreign(file.path, question_id)
    facts = make_fact_reader(data.source, data.split)
    first = data.record(data.context_ids[0])
    notes = [] if data.has_annotations else [NO_ANNOTATIONS]
    if not first.session_dates:
        notes.append(NO_DATES)
    if data.has_annotations and not facts.knows_world:
        notes.append(NO_WORLD)

    def read() -> Iterator[SiteContext]:
        for context_id in data.context_ids:
            record = data.record(context_id)
            asked = data.questions_of(context_id)
            annotations = {
                question.question_id: annotation
                for question in asked
                if (annotation := data.evidence_for(question)) is not None
            }
            yield SiteContext(
                context_id,
                _label(record, asked),
                [_make_turn(message) for message in record.messages],
                list(_list_sessions(record)),
                [
                    _make_question(question, annotations.get(question.question_id), files)
                    for question in asked
                ],
                facts.read(record, asked, annotations),
                record.num_tokens,
            )

    runs = tuple(
        Run(file.name, file.path, next(iter(file.samples.values())).condition or "")
        for file in files
    )
    return SiteSplit(data.split, "PersonaMem", FACETS, tuple(notes), runs, read)


def _label(record: ContextRecord, asked: Sequence[Question]) -> str:
    # Official files state the persona with the questions, and only there.
    personas = {record.persona_id, *(question.persona_id for question in asked)} - {UNKNOWN_PERSONA}
    return f"Persona {min(personas)}" if personas else f"Context {record.context_id[:12]}"


def _make_turn(message: Message) -> Turn:
    role = message["role"]
    if role == "system":
        return Turn("system", role, message["content"])
    return Turn("user" if role == "user" else "assistant", role, message["content"])


def _list_sessions(record: ContextRecord) -> Iterator[Session]:
    ends = (*record.session_starts[1:], len(record.messages))
    for number, (start, end) in enumerate(zip(record.session_starts, ends, strict=True)):
        messages = record.messages[start:end]
        opening = next((each for each in messages if each["role"] == "user"), messages[0])
        yield Session(
            start,
            record.session_dates[number] if record.session_dates else "",
            record.session_topics[number] if record.session_topics else "",
            shorten(opening["content"], _TITLE_LETTERS),
        )


def _make_question(
    question: Question, annotation: Annotation | None, files: Sequence[SampleFile]
) -> SiteQuestion:
    roles: Sequence[str] = annotation.option_roles if annotation else ("",) * len(question.options)
    evidence = annotation.evidence_message_indices if annotation else ()
    related = annotation.related_message_indices if annotation else ()
    return SiteQuestion(
        question_id=question.question_id,
        text=question.user_question_or_message,
        place=question.end_index_in_shared_context,
        asked_on=annotation.asked_on if annotation else "",
        facets=_list_facets(question, annotation),
        options=tuple(
            Option(text, role, index == question.answer_index)
            for index, (text, role) in enumerate(zip(question.options, roles, strict=True))
        ),
        proofs=(Proof("", evidence),) if evidence else (),
        related=tuple(index for index in related if index not in evidence),
        details=tuple(_list_details(question, annotation)),
        answers=make_answers(question, roles, files),
    )


def _list_facets(question: Question, annotation: Annotation | None) -> tuple[str, ...]:
    tokens = question.distance_to_ref_in_tokens
    distance = (
        "" if tokens is None else next((n for most, n in DISTANCES if tokens < most), FARTHEST)
    )
    described = ("", "", "", "", "")
    if annotation:
        position = annotation.pair_position
        described = (
            annotation.level,
            str(annotation.updates),
            str(annotation.sessions_per_answer),
            str(annotation.distractors),
            f"{position} the update" if position else "once",
        )
    level, updates, sessions, distractors, asked = described
    return (
        *(question.question_type.replace("_", " "), question.topic, level, updates, sessions),
        *(distractors, distance, asked),
    )


def _list_details(question: Question, annotation: Annotation | None) -> Iterator[tuple[str, str]]:
    if question.distance_to_ref_in_tokens is not None:
        yield "tokens since the evidence", f"{question.distance_to_ref_in_tokens:,}"
    if question.context_length_in_tokens is not None:
        yield "tokens seen", f"{question.context_length_in_tokens:,}"
    if annotation:
        yield "quad", annotation.quad_id
        yield "fact", annotation.thread_id
