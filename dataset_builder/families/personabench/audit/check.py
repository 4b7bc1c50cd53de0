"""Whether documents and questions agree with the world they claim to come from.

The world is built anew: graph, profiles, questions. Nothing that the writer noted down is taken on
trust: the texts are searched for the values, in the right person's mouth, in the gold sessions and
outside of them.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from personamem.dataset_builder.core.people import list_acquaintances
from personamem.dataset_builder.families.personabench.asking import QuestionSpec, plan_asks
from personamem.dataset_builder.families.personabench.attributes import (
    AttributePack,
    attribute_packs,
)
from personamem.dataset_builder.families.personabench.audit.levels import (
    IDS,
    LEVELS,
    PEOPLE,
    Violation,
    check_ids,
    check_levels,
)
from personamem.dataset_builder.families.personabench.graph import Community, build_community
from personamem.dataset_builder.families.personabench.others import grounded_values
from personamem.dataset_builder.families.personabench.profiles import draw_profiles
from personamem.dataset_builder.families.personabench.rows import Row, make_question_fields
from personamem.dataset_builder.families.personabench.scenes import TermMatcher
from personamem.dataset_builder.families.personabench.wording import contains_words
from personamem.loaders.personabench.schema import NOISE_SPLITS

QUESTIONS = "questions are the world's"
ANSWERS = "answers stand in gold sessions"
STRAY = "no value outside of its gold sessions"
UPDATES = "outdated values come first"
SEPARATION = "two hops lie apart"
SIGNAL = "every signal session is gold"

CHECKS: Mapping[str, str] = {
    PEOPLE: "Communities whose people or relations are not those of the world.",
    QUESTIONS: "Questions whose text, answer, type or outdated values are not those of the world.",
    ANSWERS: "Gold values that a session listed for them does not hold, said by the right person.",
    STRAY: "Values of an asked attribute, right or wrong, that the person states elsewhere.",
    UPDATES: "Outdated values that are not said before the update, or are said after it.",
    SEPARATION: "Two-hop questions that the sessions of one hop can answer.",
    SIGNAL: "Sessions at noise 0 that no question needs.",
    LEVELS: "Archives without exactly the sessions of their noise level, each level in the next.",
    IDS: "Ids of sessions or questions that occur twice or change.",
}


@dataclass(frozen=True, slots=True)
class _Place:
    """A watched value in a session: who says it, and whether it is said of somebody else."""

    session_id: str
    time: datetime
    speaker: str
    of_others: bool


def check_communities(
    seed: int,
    numbers: Iterable[int],
    documents: Mapping[str, Sequence[Row]],
    questions: Mapping[str, Sequence[Row]],
    packs: Mapping[str, AttributePack] | None = None,
) -> list[Violation]:
    """Return all violations of rows by noise split, against communities of the world ``seed``."""
    packs = attribute_packs() if packs is None else packs
    highest = max(NOISE_SPLITS, key=lambda name: NOISE_SPLITS[name])
    lowest = min(NOISE_SPLITS, key=lambda name: NOISE_SPLITS[name])
    by_person = {split: _by_person(rows) for split, rows in documents.items()}
    asked = _by_person(questions[lowest])
    violations = [*check_ids(documents, questions), *check_levels(by_person)]
    known = set()
    for number in numbers:
        community = build_community(seed, number)
        profiles = draw_profiles(community, packs, seed)
        for user, asks in enumerate(plan_asks(community, profiles, packs, seed)):
            person = (community.name, community.members[user].name)
            known.add(person)
            rows = asked.get(person, [])
            if not _are_those_asked(community, asks, rows):
                violations.append((QUESTIONS, f"{person[0]}, {person[1]}"))
                continue
            sessions = by_person[highest].get(person, [])
            violations += _check_archive(community, asks, rows, sessions, packs)
            needed = {s for row in rows for gold in row["gold"] for s in gold["session_ids"]}
            for row in by_person[lowest].get(person, []):
                if row["session_id"] not in needed:
                    violations.append((SIGNAL, f"session {row['session_id']}"))
    for person in sorted({*asked, *by_person[highest]} - known):
        violations.append((QUESTIONS, f"{person[0]}, {person[1]}: not in the world's plan"))
    return violations


def _by_person(rows: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    grouped: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["community"], row["person"]].append(row)
    return grouped


def _are_those_asked(
    community: Community, asks: Sequence[QuestionSpec], rows: Sequence[Row]
) -> bool:
    wanted = [make_question_fields(community, ask) for ask in asks]
    given = [{key: row[key] for key in row if key not in ("question_id", "gold")} for row in rows]
    return wanted == given


def _check_archive(
    community: Community,
    asks: Sequence[QuestionSpec],
    rows: Sequence[Row],
    sessions: Sequence[Row],
    packs: Mapping[str, AttributePack],
) -> Iterable[Violation]:
    by_id = {session["session_id"]: session for session in sessions}
    places = _find_places(sessions, _list_values(packs))
    told = _collect_told(community, asks, rows)
    for ask, row in zip(asks, rows, strict=True):
        where = f"question {row['question_id']}"
        unknown = [s for gold in row["gold"] for s in gold["session_ids"] if s not in by_id]
        if unknown or len(row["gold"]) != len(ask.entries) + (ask.form == "two_hop"):
            yield ANSWERS, f"{where}: gold {unknown or len(row['gold'])}"
            continue
        yield from _check_answer(community, ask, row, by_id)
        if not ask.attribute:
            continue
        pack = packs[ask.attribute]
        if pack.kind != "number":
            yield from _check_stray(community, ask, where, pack, places, told)
        yield from _check_updates(community, ask, row, by_id, places)
        if ask.form == "two_hop":
            yield from _check_hops(ask, row, by_id)


def _check_answer(
    community: Community, ask: QuestionSpec, row: Row, by_id: Mapping[str, Row]
) -> Iterable[Violation]:
    golds = list(row["gold"])
    subject, user = community.members[ask.subject].name, community.members[ask.user].name
    if ask.form != "own":
        for session in _sessions(golds[0], by_id):
            said = " ".join(_said_by(session, user))
            if subject not in said or not contains_words(said, ask.relation):
                yield ANSWERS, f"question {row['question_id']}: {session['session_id']}, relation"
    if not ask.attribute:
        return
    if ask.form == "two_hop":
        golds = golds[1:]
    for entry, gold in zip(ask.entries, golds, strict=True):
        for session in _sessions(gold, by_id):
            texts = _said_by(session, subject)
            if not any(contains_words(text, entry.plain) for text in texts):
                yield (
                    ANSWERS,
                    f"question {row['question_id']}: {session['session_id']} lacks {entry.plain!r}",
                )


def _check_stray(
    community: Community,
    ask: QuestionSpec,
    where: str,
    pack: AttributePack,
    places: Mapping[str, Sequence[_Place]],
    told: Mapping[tuple[str, str], set[str]],
) -> Iterable[Violation]:
    """Look for values of the attribute that the person says without being meant to."""
    speaker = community.members[ask.subject].name
    own = {entry.plain for entry in ask.entries}
    former = {entry.plain for entry in ask.former}
    for value in {*pack.all_values(), *own} - former:
        for place in places.get(value.casefold(), ()):
            if place.speaker != speaker or (place.of_others and value not in own):
                continue
            if place.session_id not in told.get((speaker, value.casefold()), ()):
                yield STRAY, f"{where}: {place.session_id} says {value!r}"


def _check_updates(
    community: Community,
    ask: QuestionSpec,
    row: Row,
    by_id: Mapping[str, Row],
    places: Mapping[str, Sequence[_Place]],
) -> Iterable[Violation]:
    speaker = community.members[ask.subject].name
    for old, gold in zip(ask.former, row["gold"], strict=False):
        update = min(session["time"] for session in _sessions(gold, by_id))
        said = [p for p in places.get(old.plain.casefold(), ()) if p.speaker == speaker]
        times = [place.time for place in said]
        if not times or min(times) >= update or max(times) > update:
            yield UPDATES, f"question {row['question_id']}: {old.plain!r}"


def _check_hops(ask: QuestionSpec, row: Row, by_id: Mapping[str, Row]) -> Iterable[Violation]:
    first, *rest = row["gold"]
    for gold in rest:
        for session in _sessions(gold, by_id):
            if any(contains_words(text, ask.relation) for text in _texts(session)):
                yield SEPARATION, f"question {row['question_id']}: {session['session_id']}"
    for session in _sessions(first, by_id):
        for entry in ask.entries:
            if any(contains_words(text, entry.plain) for text in _texts(session)):
                yield SEPARATION, f"question {row['question_id']}: {session['session_id']}"


def _collect_told(
    community: Community, asks: Sequence[QuestionSpec], rows: Sequence[Row]
) -> dict[tuple[str, str], set[str]]:
    """Return the sessions that may hold each value, by who says it, for whatever question."""
    entries: dict[tuple[str, str], set[str]] = defaultdict(set)
    for ask, row in zip(asks, rows, strict=True):
        if ask.attribute:
            speaker = community.members[ask.subject].name
            golds = row["gold"][1:] if ask.form == "two_hop" else row["gold"]
            for entry, gold in zip(ask.entries, golds, strict=False):
                entries[speaker, entry.plain.casefold()].update(gold["session_ids"])
    return entries


def _list_values(packs: Mapping[str, AttributePack]) -> Iterable[str]:
    for pack in packs.values():
        yield from pack.all_values()
        if pack.grounded and pack.kind != "number":
            yield from (v.removeprefix("the ") for v in grounded_values(pack.grounded))


def _find_places(sessions: Sequence[Row], values: Iterable[str]) -> dict[str, list[_Place]]:
    watch = TermMatcher(values)
    others = re.compile(rf"\b({'|'.join(list_acquaintances())})\b")
    places: dict[str, list[_Place]] = defaultdict(list)
    for session in sessions:
        for speaker, text in _spoken(session):
            for value in watch.find(text):
                of_others = others.search(text) is not None
                place = _Place(session["session_id"], session["time"], speaker, of_others)
                places[value.casefold()].append(place)
    return places


def _sessions(gold: Mapping[str, Sequence[str]], by_id: Mapping[str, Row]) -> list[Row]:
    return [by_id[identifier] for identifier in gold["session_ids"]]


def _spoken(session: Row) -> Iterable[tuple[str, str]]:
    """Yield (who, text): the person for what they tell an assistant or buy."""
    for message in session["messages"]:
        role = session["person"] if message["role"] == "user" else message["role"]
        yield role, message["content"]
    for item in session["purchases"]:
        yield session["person"], f"{item['title']}\n{item['description']}"


def _said_by(session: Row, name: str) -> list[str]:
    return [text for speaker, text in _spoken(session) if speaker == name]


def _texts(session: Row) -> list[str]:
    return [text for _, text in _spoken(session)]
