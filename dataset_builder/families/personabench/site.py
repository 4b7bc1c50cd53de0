"""Open questions as a site shows them: one archive a context, its documents as sessions."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from personamem.dataset_builder.families.samples import Sample, SampleFile
from personamem.dataset_builder.reports.site.records import (
    Answer,
    Fact,
    Lane,
    Mark,
    Proof,
    Run,
    Session,
    SiteContext,
    SiteQuestion,
    SiteSplit,
    Turn,
    Verdict,
    refuse_foreign,
    shorten,
)
from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.sources import find_manifest, parse_source
from personamem.loaders.personabench import load_personabench
from personamem.loaders.personabench import records as archives
from personamem.loaders.personabench.answers import encode_answer
from personamem.loaders.personabench.benchmark import PersonaBench
from personamem.loaders.personabench.schema import FAMILY, NOISE_SPLITS, DocumentKind

FACETS = ("category", "difficulty", "type", "community")
BY_DOCUMENT = (
    "Evidence is stated by document, not by message: links lead to the first message of a document "
    "that reveals a value."
)
ONE_IS_ENOUGH = "Any one of the documents that are marked for a value is enough to find it."
NO_SPANS = (
    "When a fact held is not stated: documents tell what was true when they were written, and the "
    "timeline shows these days."
)

_TITLE_LETTERS = 80
_KINDS: Mapping[DocumentKind, str] = {
    "conversation": "conversation",
    "user_ai_interaction": "chat with an assistant",
    "purchase_history": "purchases",
}


def open_splits(
    source: str | Path, split: str, answers: Sequence[SampleFile]
) -> Iterator[SiteSplit]:
    """Yield the noise levels of ``source`` that ``split`` chooses; see ``Family.open_site``."""
    data = _load(source)
    if data is None:
        return
    names = {noise: name for name, noise in NOISE_SPLITS.items()}
    for noise in data.noises:
        name = names.get(noise, f"noise_{noise:g}")
        if split in ("", name):
            yield _open_split(data, name, noise, answers)


def _load(source: str | Path) -> PersonaBench | None:
    """Return a dataset with documents, ours or the official release; None if there is none."""
    manifest = find_manifest(source)
    if manifest is not None:
        return load_personabench(source) if manifest.splits_of(FAMILY) else None
    if parse_source(source).folder is None:
        return None
    try:
        return load_personabench(source)
    except DatasetError:  # A release of another family.
        return None


def _open_split(
    data: PersonaBench, name: str, noise: float, answers: Sequence[SampleFile]
) -> SiteSplit:
    found = data.archives(noise)
    known = {asked.question.question_id for archive in found for asked in archive.questions}
    files = [
        file
        for file in answers
        if not known.isdisjoint(file.samples)
        # All levels ask the same questions; samples say which level they are of, if they can.
        and all(sample.split in (None, name) for sample in file.samples.values())
    ]
    for file in files:
        for question_id in file.samples:
            if question_id not in known:
                raise refuse_foreign(file.path, question_id)

    def read() -> Iterator[SiteContext]:
        return (_make_context(archive, files) for archive in found)

    runs = tuple(
        Run(file.name, file.path, next(iter(file.samples.values())).condition or "")
        for file in files
    )
    notes = (BY_DOCUMENT, ONE_IS_ENOUGH, NO_SPANS)
    return SiteSplit(name, "PersonaBench", FACETS, notes, runs, read)


def _make_context(archive: archives.Archive, files: Sequence[SampleFile]) -> SiteContext:
    turns: list[Turn] = []
    sessions: list[Session] = []
    places: dict[str, int] = {}
    days: dict[str, str] = {}
    for document in archive.in_time_order():
        added = list(_make_turns(archive.person.name, document))
        day = document.time.date().isoformat()
        topic = _KINDS[document.kind]
        if document.partner:
            topic = f"{topic} with {document.partner}"
        title = shorten(added[0].text, _TITLE_LETTERS) if added else ""
        places[document.session_id], days[document.session_id] = len(turns), day
        sessions.append(Session(len(turns), day, topic, title))
        turns += added
    last = sessions[-1].date if sessions else ""
    return SiteContext(
        f"{archive.person.community}/{archive.person.name}",
        archive.person.name,
        turns,
        sessions,
        [_make_question(asked, places, len(turns), last, files) for asked in archive.questions],
        [_make_fact(asked, places, days, last) for asked in archive.questions],
    )


def _make_turns(owner: str, document: archives.Session) -> Iterator[Turn]:
    for message in document.messages:
        is_own = message.role in (owner, "user")
        yield Turn("user" if is_own else "assistant", message.role, message.content)
    for item in document.purchases:
        text = f"{item.title}\n{item.brand} \u00b7 {', '.join(item.categories)}\n{item.description}"
        yield Turn("document", "bought", text)


def _make_question(
    asked: archives.GroundedQuestion,
    places: Mapping[str, int],
    place: int,
    last: str,
    files: Sequence[SampleFile],
) -> SiteQuestion:
    question = asked.question
    details = [("asked by", question.person)]
    if question.outdated_values:
        details.append(("no longer", ", ".join(map(_show, question.outdated_values))))
    return SiteQuestion(
        question_id=question.question_id,
        text=question.text,
        place=place,
        asked_on=last,
        facets=(
            question.category.replace("_", " "),
            question.difficulty,
            question.question_type,
            question.community,
        ),
        gold=tuple(map(_show, _list_items(question.answer))),
        proofs=tuple(
            Proof(value.value, tuple(places[each] for each in value.session_ids))
            for value in asked.gold
        ),
        details=tuple(details),
        answers=tuple(
            _make_answer(number, sample)
            for number, file in enumerate(files)
            if (sample := file.samples.get(question.question_id)) is not None
        ),
    )


def _make_answer(run: int, sample: Sample) -> Answer:
    recall, f1 = (sample.scores.get(name, 0.0) for name in ("recall", "f1"))
    verdict: Verdict = "right" if f1 >= 1 else "partly" if f1 > 0 else "wrong"
    return Answer(
        run,
        sample.text or sample.describe(),
        verdict,
        cause="" if verdict == "right" else sample.cause,
        scores={"recall": recall, "F1": f1},
    )


def _make_fact(
    asked: archives.GroundedQuestion,
    places: Mapping[str, int],
    days: Mapping[str, str],
    last: str,
) -> Fact:
    question = asked.question
    lanes = [
        Lane(
            value.value,
            marks=tuple(
                Mark("told", days[session_id], "told", places[session_id])
                for session_id in sorted(value.session_ids, key=lambda each: places[each])
            ),
        )
        for value in asked.gold
    ]
    lanes.append(Lane("question", marks=(Mark("asked", last, "asked", question.question_id),)))
    category = question.category.replace("_", " ")
    return Fact(question.question_id, question.text, category, "", tuple(lanes))


def _list_items(answer: archives.Answer) -> tuple[archives.AnswerItem, ...]:
    return answer if isinstance(answer, tuple) else (answer,)


def _show(item: object) -> str:
    return item if isinstance(item, str) else encode_answer(item)
