"""Documents as a retriever meets them: every gold session is there, and noise makes it harder.

all-MiniLM-L6-v2 falls as BM25 does, but needs minutes for so many sessions.
"""

from collections.abc import Callable
from typing import Any

import pytest
from tiny_families import make_tiny_config

from personamem.dataset_builder.families.base import BuiltFamily
from personamem.dataset_builder.families.personabench.files import (
    encode_communities,
    summarise_communities,
    write_communities,
)
from personamem.dataset_builder.families.personabench.rows import OpenTables
from personamem.dataset_builder.packaging.manifest import make_manifest, write_manifest
from personamem.loaders.formats.manifest import WriterRecord
from personamem.loaders.personabench import load_personabench
from personamem.loaders.personabench.retrieval import (
    evaluate_retrieval,
    make_ranker,
    rank_gold,
    summarise_retrieval,
)
from personamem.loaders.retrieval import make_retriever

pytestmark = pytest.mark.system

K = 5

Recalls = Callable[[Any], list[dict[str, float]]]


@pytest.fixture(scope="module")
def recalls(tables: OpenTables, tmp_path_factory: pytest.TempPathFactory) -> Recalls:
    """A function that returns a ranker's recall by group, lowest noise first."""
    folder = tmp_path_factory.mktemp("communities")
    files, counts = encode_communities(tables)
    write_communities(folder, files)
    built = BuiltFamily(summarise_communities(tables), counts, {})
    config, writer = make_tiny_config("personabench"), WriterRecord(name="template")
    write_manifest(folder, make_manifest(config, folder, {"personabench": built}, writer))
    data = load_personabench(folder)

    def measure(rank: Any) -> list[dict[str, float]]:
        levels = [evaluate_retrieval(data.archives(noise), rank, K) for noise in data.noises]
        return [
            {name: score.recall for name, score in summarise_retrieval(level).items()}
            for level in levels
        ]

    return measure


def test_the_oracle_finds_everything(recalls: Recalls) -> None:
    assert {recall for level in recalls(rank_gold) for recall in level.values()} == {1.0}


def test_noise_makes_it_harder(recalls: Recalls) -> None:
    levels = recalls(make_ranker(make_retriever("bm25")))
    for name in ("basic", "preference", "overall"):
        falling = [level[name] for level in levels]
        assert falling == sorted(set(falling), reverse=True), name
    # BM25 weighs words by the archive, so that of a few questions the scores may waver.
    assert levels[-1]["social"] < levels[0]["social"]
    assert 0.1 < levels[-1]["overall"] < levels[0]["overall"] < 0.7
