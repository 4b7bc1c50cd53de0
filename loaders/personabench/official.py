"""Reading the official PersonaBench release from its folder ``eval_data_v1``.

    eval_data_v1/synthetic_data/<community>/
        graph_json/social_graph.json                    people and relations
        eval_info/eval_info_all.json                    questions and answers of all people
        eval_info/qa_gt_context_all_noise_<noise>.json  the sessions that reveal the answers
        private_data/noise_<noise>/<kind>_data_all.json documents, of the first three people only

The copies of the documents in a folder per person repeat ``<kind>_data_all.json`` and are not read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from personamem.loaders.formats.errors import DatasetError
from personamem.loaders.formats.files import find_file, list_names, refuse_outside
from personamem.loaders.personabench.checks import make_gold, refuse_duplicates
from personamem.loaders.personabench.official_format import (
    ConversationEntry,
    Edge,
    GoldEntry,
    InteractionEntry,
    PersonConversations,
    PersonInteractions,
    PersonPurchases,
    PersonQuestions,
    PurchaseHistoryEntry,
    SocialGraph,
    TurnEntry,
    parse_time,
    read_form,
)
from personamem.loaders.personabench.records import (
    Archive,
    Community,
    GroundedQuestion,
    Person,
    Question,
    Relation,
    Session,
)
from personamem.loaders.personabench.schema import DocumentKind, Purchase, Utterance

_ROOTS = ("synthetic_data", "eval_data_v1/synthetic_data", "eval_data/eval_data_v1/synthetic_data")
_PARTS = ("eval_info", "graph_json", "private_data")
_NOISE_FOLDER = re.compile(r"noise_(\d+(?:\.\d+)?)")


@dataclass(frozen=True, slots=True)
class OfficialRelease:
    """The folders of a release: communities by name, and the noise levels they have."""

    communities: Mapping[str, Path]
    noise_names: Mapping[float, str]

    @property
    def noises(self) -> tuple[float, ...]:
        """The noise levels, lowest first."""
        return tuple(self.noise_names)

    def read_communities(self) -> tuple[Community, ...]:
        """Read people, relations and questions.

        Raises:
            DatasetError: a file is missing, malformed, or names a person nobody else knows.
        """
        return tuple(_read_community(name, path) for name, path in self.communities.items())

    def read_archives(self, noise: float, communities: Sequence[Community]) -> tuple[Archive, ...]:
        """Read the documents of one noise level and join them with the questions.

        Raises:
            DatasetError: a file is missing or malformed, somebody has no sessions, a gold session
                does not exist, a question has no gold sessions or other words in another file.
        """
        return tuple(
            archive
            for community in communities
            for archive in _read_archives(
                self.communities[community.name], community, noise, self.noise_names[noise]
            )
        )


def find_official_release(source: Path) -> OfficialRelease:
    """Find the communities below a folder: ``eval_data_v1``, the one above it, or the one below.

    Raises:
        DatasetError: it holds no communities, or these have no noise levels.
    """
    root = next((path for name in _ROOTS if (path := source / name).is_dir()), source)
    communities = {
        name: root / name
        for name in list_names(root)
        if any((root / name / part).is_dir() for part in _PARTS)
    }
    if not communities:
        raise DatasetError(
            f"{source} is not a PersonaBench release: it holds neither "
            "synthetic_data/<community>/eval_info nor the manifest.json of a dataset of ours."
        )
    for folder in communities.values():
        refuse_outside(source, folder)
    found = {
        float(match[1]): match[1]
        for folder in communities.values()
        if (folder / "private_data").is_dir()
        for name in list_names(folder / "private_data")
        if (match := _NOISE_FOLDER.fullmatch(name))
    }
    if not found:
        raise DatasetError(f"{source} has no private_data/noise_<noise> in any community.")
    return OfficialRelease(communities, dict(sorted(found.items())))


def _read_community(name: str, folder: Path) -> Community:
    graph_file = find_file(folder, "graph_json/social_graph.json")
    graph = read_form(graph_file, SocialGraph)
    people = {
        node.node: Person(name, node.properties.name, node.properties.persona)
        for node in graph.nodes
    }
    refuse_duplicates(graph_file, "person", [node.properties.name for node in graph.nodes])
    questions_file = find_file(folder, "eval_info/eval_info_all.json")
    entries = read_form(questions_file, list[PersonQuestions])
    known = {person.name for person in people.values()}
    for entry in entries:
        if entry.name not in known:
            raise DatasetError(
                f"{questions_file} asks {entry.name!r}, who is not in {graph_file.name}. "
                f"Accepted: {', '.join(sorted(known))}."
            )
    questions = tuple(
        Question(
            question_id=item.q_id,
            community=name,
            person=entry.name,
            text=item.question,
            answer=item.answer,
            question_type=item.type,
            difficulty=item.difficulty,
            outdated_values=tuple(item.outdated_value or ()),
        )
        for entry in entries
        for item in entry.eval_info.qa
    )
    refuse_duplicates(questions_file, "q_id", [question.question_id for question in questions])
    relations = tuple(_make_relation(graph_file, people, edge) for edge in graph.edges)
    return Community(name, tuple(people.values()), relations, questions)


def _make_relation(path: Path, people: Mapping[int, Person], edge: Edge) -> Relation:
    for end in (edge.source, edge.target):
        if end not in people:
            raise DatasetError(
                f"{path} has an edge to node {end}, which does not exist. "
                f"Accepted: {', '.join(map(str, people))}."
            )
    return Relation(
        people[edge.source].name,
        people[edge.target].name,
        edge.properties.relationship,
        edge.properties.description,
    )


def _read_archives(
    folder: Path, community: Community, noise: float, noise_name: str
) -> Iterator[Archive]:
    documents = folder / "private_data" / f"noise_{noise_name}"
    sessions = _read_sessions(folder, f"private_data/noise_{noise_name}")
    gold_file = find_file(folder, f"eval_info/qa_gt_context_all_noise_{noise_name}.json")
    gold = read_form(gold_file, list[GoldEntry])
    refuse_duplicates(gold_file, "q_id", [entry.q_id for entry in gold])
    gold_by_id = {entry.q_id: entry for entry in gold}
    people = {person.name: person for person in community.people}
    for name, own in sessions.items():
        if name not in people:
            raise DatasetError(
                f"{documents} holds documents of {name!r}, who is not in social_graph.json. "
                f"Accepted: {', '.join(people)}."
            )
        if not own:
            raise DatasetError(f"{documents} holds not a single session of {name!r}.")
        refuse_duplicates(documents, "segment_id", [session.session_id for session in own])
        ids = {session.session_id for session in own}
        grounded = tuple(
            _ground(gold_file, question, gold_by_id.pop(question.question_id, None), name, ids)
            for question in community.questions
            if question.person == name
        )
        yield Archive(people[name], noise, tuple(own), grounded)
    if gold_by_id:
        raise DatasetError(
            f"{gold_file} grounds question {next(iter(gold_by_id))!r}, which is no question of a "
            f"person with documents. Accepted: the questions of {', '.join(sessions)}."
        )


def _ground(
    path: Path, question: Question, entry: GoldEntry | None, person: str, sessions: set[str]
) -> GroundedQuestion:
    place = f"question {question.question_id!r}"
    if entry is None:
        raise DatasetError(f"{path} lacks {place} of {person!r}, who has documents.")
    if (entry.question, entry.answer) != (question.text, question.answer):
        raise DatasetError(
            f"{path}, {place}: found {entry.question!r} with the answer {entry.answer!r}; "
            f"eval_info_all.json has {question.text!r} with {question.answer!r}."
        )
    gold = make_gold(f"{path}, {place}", entry.segment_id, person, sessions)
    return GroundedQuestion(question, gold)


def _read_sessions(folder: Path, part: str) -> dict[str, list[Session]]:
    """Read the three files in ``folder / part``: sessions by person, in the official order."""
    talks, chats_file, bought_file = (
        find_file(folder, f"{part}/{kind}_data_all.json")
        for kind in ("conversation", "user_ai_interaction", "purchase_history")
    )
    conversations = read_form(talks, list[PersonConversations])
    interactions = read_form(chats_file, list[PersonInteractions])
    purchases = read_form(bought_file, list[PersonPurchases])
    names = [entry.name for entry in conversations]
    refuse_duplicates(talks, "person", names)
    for path, others in ((chats_file, interactions), (bought_file, purchases)):
        found = [entry.name for entry in others]
        if sorted(found) != sorted(names):
            raise DatasetError(
                f"{path} holds the documents of {', '.join(found)}; {talks.name} those of "
                f"{', '.join(names)}."
            )
    sessions: dict[str, list[Session]] = {
        person.name: [_make_conversation(s) for part in person.data for s in part.conversations]
        for person in conversations
    }
    for chats in interactions:
        sessions[chats.name].extend(_make_interaction(entry) for entry in chats.data)
    for bought in purchases:
        sessions[bought.name].extend(_make_purchases(entry) for entry in bought.data)
    return sessions


def _make_conversation(entry: ConversationEntry) -> Session:
    return _make_session(entry, "conversation", entry.target_name, entry.conversation)


def _make_interaction(entry: InteractionEntry) -> Session:
    return _make_session(entry, "user_ai_interaction", None, entry.user_ai_interaction)


def _make_purchases(entry: PurchaseHistoryEntry) -> Session:
    bought = (
        Purchase(item.title, item.description, item.brand, tuple(item.categories))
        for item in entry.purchase_history
    )
    return _make_session(entry, "purchase_history", None, (), bought)


def _make_session(
    entry: ConversationEntry | InteractionEntry | PurchaseHistoryEntry,
    kind: DocumentKind,
    partner: str | None,
    turns: Iterable[TurnEntry],
    purchases: Iterable[Purchase] = (),
) -> Session:
    return Session(
        session_id=entry.segment_id,
        kind=kind,
        timestamp=entry.time,
        time=parse_time(entry.time),
        partner=partner,
        messages=tuple(Utterance(turn.role, turn.content) for turn in turns),
        purchases=tuple(purchases),
    )
