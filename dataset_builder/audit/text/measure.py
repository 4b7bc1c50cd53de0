"""Measure the text of one context, and join the contexts of a split into figures."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from personamem.dataset_builder.audit.text.diversity import (
    BLOCK_WORDS,
    LONG_GRAM,
    SAMPLED_LETTERS,
    SAMPLED_MESSAGES,
    measure_diversity,
)
from personamem.dataset_builder.audit.text.duplicates import (
    JACCARD,
    SHINGLE_WORDS,
    find_exact,
    find_exact_across,
    find_near,
    find_near_across,
    find_repeated_sessions,
    read_long_messages,
    read_sessions,
)
from personamem.dataset_builder.audit.text.figures import ContextText, Figure, TextFigures
from personamem.dataset_builder.audit.text.words import read_words
from personamem.dataset_builder.core.text.faults import RESIDUE_KINDS
from personamem.dataset_builder.core.text.messages import MessageTexts
from personamem.dataset_builder.core.text.personal import PERSONAL_KINDS, find_personal
from personamem.dataset_builder.core.text.places import Hits
from personamem.dataset_builder.core.text.repeats import LONG_LETTERS
from personamem.dataset_builder.core.text.residue import find_residue
from personamem.loaders.formats.schema import Message

_SPOKEN = "messages of user and assistant (system messages repeat the persona by design)"
_BLOCKS = (
    f"{_SPOKEN}, sessions joined to at least {BLOCK_WORDS:,} words, a shorter rest left out; words "
    "in lower case, numbers and punctuation marks"
)
_LONG = f"{_SPOKEN} of more than {LONG_LETTERS} characters"
_NEAR = (
    f"Jaccard similarity of the sets of word {SHINGLE_WORDS}-shingles at least {JACCARD}, found by "
    "MinHash, so a lower bound; exact duplicates count as well"
)


def measure_context(
    context_id: str,
    messages: Sequence[Message],
    session_starts: Sequence[int],
    seed: int,
    slips: bool = False,
) -> ContextText:
    """Measure one context. ``session_starts`` are message indices; others are ignored.

    ``slips`` are those of users; see ``find_residue``.

    Pure, and any text is accepted: what is too short to be measured is None.
    """
    starts = sorted({0, *(start for start in session_starts if 0 < start < len(messages))})
    words = read_words(messages)
    long = read_long_messages(words)
    texts = MessageTexts(context_id, words.texts, words.roles)
    system = [text for text, said in zip(words.texts, words.spoken, strict=True) if not said]
    return ContextText(
        context_id=context_id,
        messages=int(words.spoken.sum()),
        words=int((words.ends - words.starts)[words.spoken].sum()),
        system_messages=len(system),
        system_repeats=len(system) - len(set(system)),
        diversity=measure_diversity(context_id, words, starts, seed),
        long=long,
        exact=find_exact(context_id, long),
        near=find_near(context_id, long),
        sessions=read_sessions(words, starts),
        residue=find_residue(texts, slips),
        personal=find_personal(texts),
    )


def summarise_text(parts: Iterable[ContextText]) -> TextFigures:
    """Join the measured contexts of one split. Any number of contexts is accepted."""
    contexts = tuple(parts)
    ids = [part.context_id for part in contexts]
    long = [part.long for part in contexts]
    exact_across = find_exact_across(ids, long)
    near_across = find_near_across(ids, long)
    within, across = find_repeated_sessions(ids, [part.sessions for part in contexts])
    all_long = sum(len(part.indices) for part in long)
    sessions = sum(len(part.sessions.starts) for part in contexts)
    exact = Hits.join(part.exact for part in contexts)
    near = Hits.join(part.near for part in contexts)
    system = sum(part.system_messages for part in contexts)
    most = max(contexts, key=lambda part: part.diversity.top_share or 0.0, default=None)
    residue = _join_kinds(RESIDUE_KINDS, [part.residue for part in contexts])
    personal = _join_kinds(PERSONAL_KINDS, [part.personal for part in contexts])

    def gather(name: str) -> list[float]:
        values = [getattr(part.diversity, name) for part in contexts]
        return [value for value in values if value is not None]

    def share(kind: Callable[[ContextText], Hits]) -> list[float]:
        return [
            kind(part).count / len(part.long.indices) for part in contexts if len(part.long.indices)
        ]

    return TextFigures(
        contexts=Figure("contexts", len(contexts), "count", "contexts measured"),
        messages=Figure("messages", sum(part.messages for part in contexts), "count", _SPOKEN),
        words=Figure(
            "words",
            sum(part.words for part in contexts),
            "count",
            f"words and punctuation marks of {_SPOKEN}",
        ),
        dist_1=Figure(
            "Dist-1", _mean(gather("dist_1")), "share", f"distinct words over all words; {_BLOCKS}"
        ),
        dist_1_lowest=Figure(
            "Dist-1, lowest context", _least(gather("dist_1")), "share", "as Dist-1"
        ),
        dist_2=Figure(
            "Dist-2", _mean(gather("dist_2")), "share", f"distinct word pairs over all; {_BLOCKS}"
        ),
        dist_2_lowest=Figure(
            "Dist-2, lowest context", _least(gather("dist_2")), "share", "as Dist-2"
        ),
        entropy_4=Figure(
            "Ent-4",
            _mean(gather("entropy_4")),
            "nats",
            "entropy of the distribution of word 4-grams, natural logarithm: published figures of "
            "8.6 to 8.7 lie just under the ln of some 6,000 4-grams, while in bits the same texts "
            f"would have over 12; {_BLOCKS}",
        ),
        self_bleu=Figure(
            "Self-BLEU",
            _mean(gather("self_bleu")),
            "BLEU",
            f"mean sentence BLEU (sacrebleu, 13a, effective order) of {SAMPLED_MESSAGES} messages "
            f"of a context, sampled by the seed, each against all the others; {_SPOKEN}; a message "
            f"is read to {SAMPLED_LETTERS:,} characters; mean over contexts",
        ),
        self_bleu_highest=Figure(
            "Self-BLEU, highest context", _most(gather("self_bleu")), "BLEU", "as Self-BLEU"
        ),
        repeated_8grams=Figure(
            "repeated 8-grams",
            _mean(gather("repeated")),
            "share",
            f"word {LONG_GRAM}-grams, inside a message, that repeat an earlier one of the context; "
            f"{_SPOKEN}; mean over contexts",
        ),
        repeated_8grams_highest=Figure(
            "repeated 8-grams, highest context",
            _most(gather("repeated")),
            "share",
            "as repeated 8-grams",
        ),
        top_8gram=Figure(
            "most frequent 8-gram",
            most.diversity.top_share if most else None,
            "share",
            "of all 8-grams of the context in which it is highest",
            most.diversity.top if most else Hits(),
        ),
        exact_within=Figure(
            "exact duplicates within a context",
            _divide(exact.count, all_long),
            "share",
            f"of {_LONG}: those that equal an earlier one of the context",
            exact,
        ),
        exact_within_highest=Figure(
            "exact duplicates within a context, highest context",
            _most(share(lambda part: part.exact)),
            "share",
            "as exact duplicates within a context",
        ),
        exact_across=Figure(
            "exact duplicates across contexts",
            _divide(exact_across.count, all_long),
            "share",
            f"of {_LONG}: those that equal one of an earlier context of the split",
            exact_across,
        ),
        near_within=Figure(
            "near duplicates within a context",
            _divide(near.count, all_long),
            "share",
            f"of {_LONG}: those with an earlier one in the context; {_NEAR}",
            near,
        ),
        near_within_highest=Figure(
            "near duplicates within a context, highest context",
            _most(share(lambda part: part.near)),
            "share",
            "as near duplicates within a context",
        ),
        near_across=Figure(
            "near duplicates across contexts",
            _divide(near_across.count, all_long),
            "share",
            f"of {_LONG}: those with one in an earlier context of the split; {_NEAR}",
            near_across,
        ),
        sessions_within=Figure(
            "repeated sessions within a context",
            _divide(within.count, sessions),
            "share",
            "of sessions: those whose messages, system messages aside, equal an earlier session's",
            within,
        ),
        sessions_across=Figure(
            "repeated sessions across contexts",
            _divide(across.count, sessions),
            "share",
            "of sessions: those that equal one of an earlier context of the split",
            across,
        ),
        system_repeats=Figure(
            "repeated system messages within a context",
            _divide(sum(part.system_repeats for part in contexts), system),
            "share",
            "of system messages; they hold the static persona and open each session by design, "
            "in the official data too, and so are no part of the other figures on duplicates",
        ),
        residue=_total("template residue", residue),
        residue_kinds=residue,
        personal=_total("personal data", personal),
        personal_kinds=personal,
    )


def _join_kinds(
    kinds: Mapping[str, str], parts: Sequence[Mapping[str, Hits]]
) -> tuple[Figure, ...]:
    figures = []
    for kind, definition in kinds.items():
        hits = Hits.join(part[kind] for part in parts)
        figures.append(Figure(kind, hits.count, "count", definition, hits))
    return tuple(figures)


def _total(name: str, kinds: Sequence[Figure]) -> Figure:
    hits = Hits.join(kind.hits for kind in kinds)
    return Figure(name, hits.count, "count", "of all kinds, in every message of every role", hits)


def _divide(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _least(values: Sequence[float]) -> float | None:
    return min(values, default=None)


def _most(values: Sequence[float]) -> float | None:
    return max(values, default=None)
