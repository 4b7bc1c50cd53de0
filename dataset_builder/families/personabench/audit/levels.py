"""What the tables of open questions must agree on: people, ids, and the levels of noise."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from personamem.dataset_builder.families.personabench.drafts import count_noise
from personamem.dataset_builder.families.personabench.graph import build_community
from personamem.dataset_builder.families.personabench.rows import Row, make_community
from personamem.loaders.personabench.schema import NOISE_SPLITS

PEOPLE = "people are the world's"
LEVELS = "noise levels"
IDS = "ids"

Violation = tuple[str, str]
"""The check, and what is wrong where."""


def check_people(seed: int, count: int, communities: Sequence[Row]) -> Iterable[str]:
    """Yield where ``communities`` are not the first ``count`` of the world ``seed``."""
    if len(communities) != count:
        yield f"{len(communities)} communities; the configuration has {count}"
    for number, found in enumerate(communities[:count]):
        expected = make_community(build_community(seed, number))
        for name in sorted(expected.keys() | found.keys()):
            if found.get(name) != expected.get(name):
                yield f"{expected['name']}: {name}"


def check_ids(
    documents: Mapping[str, Sequence[Row]], questions: Mapping[str, Sequence[Row]]
) -> Iterable[Violation]:
    """Yield ids that occur twice, and levels whose questions are not those of the others."""
    for name, tables in (("session", documents), ("question", questions)):
        for split, rows in tables.items():
            counts = Counter(row[f"{name}_id"] for row in rows)
            for identifier, count in counts.items():
                if count > 1:
                    yield IDS, f"{split}: {name} {identifier} occurs {count} times"
    first = list(next(iter(questions.values())))
    for split, rows in questions.items():
        if list(rows) != first:
            yield IDS, f"{split}: its questions are not those of the other noise levels"


def check_levels(
    by_person: Mapping[str, Mapping[tuple[str, str], Sequence[Row]]],
) -> Iterable[Violation]:
    """Yield archives without exactly the sessions of their level, each level in the next."""
    levels = sorted(NOISE_SPLITS, key=lambda name: NOISE_SPLITS[name])
    for person, signal in by_person[levels[0]].items():
        lower: dict[str, Row] = {}
        for level in levels:
            rows = {row["session_id"]: row for row in by_person[level].get(person, [])}
            wanted = len(signal) + count_noise(len(signal), NOISE_SPLITS[level])
            where = f"{level}, {person[0]}, {person[1]}"
            if len(rows) != wanted:
                yield LEVELS, f"{where}: {len(rows)} sessions; {wanted} make its ratio"
            if any(rows.get(identifier) != row for identifier, row in lower.items()):
                yield LEVELS, f"{where}: lacks or changes sessions of a lower level"
            lower = rows
