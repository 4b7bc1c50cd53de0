"""The archives of a community: written sessions, and the proof of every question.

Session ids count through a person's documents in the order of time, as in the release, and are the
same at every noise level. A level holds all sessions that reveal something asked and, of the rest,
the first so many: each level contains the lower ones.
"""

from collections.abc import Iterable, Mapping, Sequence

from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personabench.asking import QuestionSpec, plan_asks
from personamem.dataset_builder.families.personabench.attributes import (
    AttributePack,
    attribute_packs,
)
from personamem.dataset_builder.families.personabench.drafts import (
    Draft,
    count_noise,
    plan_sessions,
)
from personamem.dataset_builder.families.personabench.graph import USERS, Community, build_community
from personamem.dataset_builder.families.personabench.outline import Turn
from personamem.dataset_builder.families.personabench.profiles import Entry, Profile, draw_profiles
from personamem.dataset_builder.families.personabench.records import Archive, OpenQuestion, Session
from personamem.dataset_builder.families.personabench.scenes import Renderer, TermMatcher
from personamem.dataset_builder.families.personabench.wording import RELATION_WORDS
from personamem.dataset_builder.families.personabench.writing import ArchiveWriter
from personamem.loaders.personabench.schema import GoldValue, Purchase, Utterance


def build_archives(
    seed: int, number: int, packs: Mapping[str, AttributePack] | None = None
) -> tuple[Archive, ...]:
    """Return the archives of the test users of community ``number`` of the world ``seed``."""
    packs = attribute_packs() if packs is None else packs
    community = build_community(seed, number)
    profiles = draw_profiles(community, packs, seed)
    asks = plan_asks(community, profiles, packs, seed)
    return tuple(
        _build_archive(community, user, profiles, asks[user], packs, seed) for user in range(USERS)
    )


def sessions_at(archive: Archive, noise: float) -> list[Session]:
    """Return the sessions of a noise level, in the order in which the release is indexed.

    Conversations by partner, chats, purchases, each by time.
    """
    signal = sum(session.noise_rank is None for session in archive.sessions)
    limit = count_noise(signal, noise)
    chosen = [s for s in archive.sessions if s.noise_rank is None or s.noise_rank < limit]
    partners = list(dict.fromkeys(s.partner for s in archive.sessions if s.partner is not None))
    kinds = ("conversation", "user_ai_interaction", "purchase_history")
    return sorted(
        chosen,
        key=lambda s: (
            kinds.index(s.kind),
            partners.index(s.partner) if s.partner is not None else 0,
            s.time,
        ),
    )


def list_watched(
    asked: Iterable[str], profiles: Sequence[Profile], packs: Mapping[str, AttributePack]
) -> Iterable[str]:
    """Yield what must not stand in a text by accident: relations, and values of ``asked``."""
    yield from RELATION_WORDS
    for name in asked:
        pack = packs[name]
        yield from pack.all_values()
        for profile in profiles:
            yield from (entry.plain for entry in profile.entries.get(name, ()))


def _build_archive(
    community: Community,
    user: int,
    profiles: Sequence[Profile],
    asks: Sequence[QuestionSpec],
    packs: Mapping[str, AttributePack],
    seed: int,
) -> Archive:
    random = make_rng(seed, "community", community.number, "documents", user)
    partners = list(community.relations_of(user))
    drafts = plan_sessions(user, partners, asks, packs, random)
    asked = list(dict.fromkeys(ask.attribute for ask in asks if ask.attribute))
    people = (user, *partners)
    renderer = Renderer(
        random,
        TermMatcher(list_watched(asked, [profiles[n] for n in people], packs)),
    )
    writer = ArchiveWriter(community, user, profiles, packs, asks, renderer)
    in_time = sorted(range(len(drafts)), key=lambda number: drafts[number].time)
    prefix = f"{community.number:03}{user:03}"
    ids = {number: f"{prefix}{position:06}" for position, number in enumerate(in_time)}
    signal = sum(draft.is_signal for draft in drafts)
    sessions = {
        number: _write(
            draft,
            ids[number],
            None if draft.is_signal else number - signal,
            writer,
            community,
            user,
        )
        for number, draft in enumerate(drafts)
    }
    revealing = _index(drafts, ids, in_time)
    questions = tuple(
        OpenQuestion(f"{prefix}{position:03}", ask, _prove(ask, community, revealing))
        for position, ask in enumerate(asks)
    )
    return Archive(user, tuple(sessions[number] for number in in_time), questions)


def _write(
    draft: Draft,
    session_id: str,
    rank: int | None,
    writer: ArchiveWriter,
    community: Community,
    user: int,
) -> Session:
    turns: tuple[Turn, ...] = ()
    purchases: tuple[Purchase, ...] = ()
    roles, partner = ("user", "assistant"), None
    if draft.partner is not None:
        partner = community.members[draft.partner].name
        roles, turns = (community.members[user].name, partner), writer.write_conversation(draft)
    elif draft.kind == "user_ai_interaction":
        turns = writer.write_chat(draft)
    else:
        purchases = writer.write_purchase(draft)
    messages = tuple(Utterance(roles[not turn.is_users], turn.text) for turn in turns)
    return Session(
        session_id, draft.kind, draft.time, partner, messages, purchases, rank, outline=turns
    )


_Fact = tuple[int, str, Entry]


def _index(
    drafts: Sequence[Draft], ids: Mapping[int, str], in_time: Iterable[int]
) -> dict[_Fact, tuple[str, ...]]:
    """Return the sessions that reveal each fact, in the order of time."""
    found: dict[_Fact, tuple[str, ...]] = {}
    for number in in_time:
        for reveal in drafts[number].reveals:
            if not reveal.outdated:
                fact = (reveal.subject, reveal.attribute, reveal.entry)
                found[fact] = (*found.get(fact, ()), ids[number])
    return found


def _prove(
    ask: QuestionSpec, community: Community, revealing: Mapping[_Fact, tuple[str, ...]]
) -> tuple[GoldValue, ...]:
    """Return the values to find: for two hops also who is meant."""
    name = community.members[ask.subject].name
    relation = (ask.subject, "", Entry(ask.relation))
    if ask.form in ("relation", "name"):
        return (GoldValue(name, revealing[relation]),)
    values = tuple(
        GoldValue(
            f"{entry.key}: {entry.plain}" if entry.key else entry.plain,
            revealing[ask.subject, ask.attribute, entry],
        )
        for entry in ask.entries
    )
    return (GoldValue(name, revealing[relation]), *values) if ask.form == "two_hop" else values
