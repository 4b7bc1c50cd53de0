"""``personamem retrieve``: how well a retriever finds the sessions that hold the answers."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.markup import escape

from personamem.dataset_builder.core.console import errors, output
from personamem.loaders.formats.errors import unknown_choice
from personamem.loaders.formats.whole_files import prepare_file, write_whole

if TYPE_CHECKING:
    from personamem.loaders.personabench.records import Archive
    from personamem.loaders.personabench.retrieval import Ranker, RetrievalScores

    Results = Mapping[float, Mapping[str, RetrievalScores]]

_ORACLE = "oracle"


def retrieve(
    source: Annotated[
        str,
        typer.Argument(
            help="Folder eval_data_v1 of the PersonaBench release, or a dataset of ours: a folder, "
            "or a Hub id, optionally with @revision."
        ),
    ],
    retriever: Annotated[
        str,
        typer.Option(
            help="bm25, minilm, mpnet, bge-m3, oracle, random, or the folder of a "
            "sentence-transformers model."
        ),
    ],
    k: Annotated[int, typer.Option("--k", min=1, help="Sessions to retrieve per question.")] = 5,
    noise: Annotated[
        list[str] | None,
        typer.Option(help="Noise level, repeatable, such as 0.5. [default: all]"),
    ] = None,
    chunks: Annotated[
        str, typer.Option(help="Text of a session: json, as the official code has it, or plain.")
    ] = "json",
    cache: Annotated[
        Path | None,
        typer.Option(help="Folder for embeddings. [default: ~/.cache/personamem/embeddings]"),
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Also write all figures to this file.")
    ] = None,
) -> None:
    """Measure recall and NDCG of a retriever on PersonaBench.

    Reads the official release and datasets of ours. Every question is put to the sessions of the
    person who asks it, one session a chunk. Scores are those of the official code, per category and
    overall; the paper's Overall is the one with Subjective questions. With fewer sessions than --k,
    all of them are retrieved.

    Example: personamem retrieve eval_data_v1 --retriever bm25 --noise 0.5
    """
    # Imported here so that --help does not wait for them.
    from personamem.dataset_builder.families.personabench.results.records import RetrievalRun
    from personamem.dataset_builder.families.personabench.results.tables import tabulate_retrieval
    from personamem.dataset_builder.reports.tables import show_table
    from personamem.loaders.personabench import load_personabench
    from personamem.loaders.personabench.chunks import CHUNK_FORMS
    from personamem.loaders.personabench.retrieval import evaluate_retrieval, summarise_retrieval

    if chunks not in CHUNK_FORMS:
        raise unknown_choice("form of chunks", chunks, CHUNK_FORMS)
    prepare_file(json_file)
    benchmark = load_personabench(source)
    # All that can be wrong with the input shows before the first session is embedded.
    levels = [_read_noise(text, benchmark.noises) for text in noise or ()] or benchmark.noises
    archives = {level: benchmark.archives(level) for level in levels}
    results: dict[float, Mapping[str, RetrievalScores]] = {}
    with _make_ranker(retriever, chunks, cache) as rank:
        for level, members in archives.items():
            results[level] = summarise_retrieval(evaluate_retrieval(members, rank, k))
    found = RetrievalRun(source, retriever, k, chunks, results)
    output().print(show_table(tabulate_retrieval(found)))
    _tell_short_archives(archives, k)
    if json_file:
        _write_json(json_file, source, retriever, k, chunks, results)


def _read_noise(text: str, known: Sequence[float]) -> float:
    try:
        return next(level for level in known if level == float(text))
    except (ValueError, StopIteration):
        raise unknown_choice("noise level", text, known) from None


@contextmanager
def _make_ranker(retriever: str, chunks: Any, cache: Path | None) -> "Iterator[Ranker]":
    """Yield the ranker, which says whose sessions it ranks and how far it is."""
    from personamem.loaders.personabench.retrieval import make_ranker, rank_gold
    from personamem.loaders.retrieval import RETRIEVERS, make_retriever

    if retriever == _ORACLE:
        yield rank_gold
        return
    if retriever not in RETRIEVERS and not Path(retriever).expanduser().exists():
        raise unknown_choice(
            "retriever", retriever, (*RETRIEVERS, _ORACLE, "the folder of a model")
        )
    with errors().status("") as status:
        place = ""

        def tell_embedded(done: int, total: int) -> None:
            message = f"{place}: {done:,} of {total:,} new texts embedded"
            status.update(message)
            if not errors().is_terminal:
                errors().print(message)

        rank = make_ranker(make_retriever(retriever, cache, tell_embedded), chunks)

        def rank_and_tell(archive: "Archive", wanted: int) -> list[tuple[str, ...]]:
            nonlocal place
            place = f"noise {archive.noise}, {escape(archive.person.name)}"
            status.update(f"{place}: {len(archive.sessions):,} sessions")
            return rank(archive, wanted)

        yield rank_and_tell


def _tell_short_archives(archives: "Mapping[float, tuple[Archive, ...]]", k: int) -> None:
    for level, members in archives.items():
        for archive in members:
            if len(archive.sessions) < k:
                errors().print(
                    f"note: k is {k}, but {escape(archive.person.name)} has only "
                    f"{len(archive.sessions)} sessions at noise {level}; all were retrieved",
                    soft_wrap=True,
                )


def _write_json(
    path: Path, source: str, retriever: str, k: int, chunks: str, results: "Results"
) -> None:
    report = {
        "source": source,
        "retriever": retriever,
        "k": k,
        "chunks": chunks,
        "noise": {
            str(level): {group: asdict(score) for group, score in scores.items()}
            for level, scores in results.items()
        },
    }
    write_whole(path, json.dumps(report, indent=2, ensure_ascii=False) + "\n")
