"""The options of ``personamem build`` for a model that writes, and the writing itself."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import yaml

from personamem.dataset_builder.core.console import output
from personamem.loaders.formats.errors import InvalidInputError

if TYPE_CHECKING:
    from personamem.dataset_builder.core.config import BuildConfig
    from personamem.dataset_builder.llm import AnswerStore, Fill, Prices
    from personamem.dataset_builder.packaging.generated_text import GeneratedText
    from personamem.loaders.formats.manifest import ItemCounts


@dataclass(frozen=True, slots=True)
class Writing:
    """How to reach a model and what it may cost. None of it decides a byte of the dataset."""

    store: Path | None
    base_url: str | None
    concurrency: int | None
    engine: str | None
    engine_args: str | None
    replicas: int | None
    budget: float | None
    price_input: float | None
    price_cached: float | None
    price_output: float | None
    plan: bool

    def refuse(self) -> None:
        """Raise InvalidInputError if anything is given: the writer template asks nobody."""
        if option := self._find_given(self.__slots__):
            raise InvalidInputError(
                f"{option} belongs to the writer openai. Accepted: --writer openai with --model."
            )

    def _find_given(self, names: Sequence[str]) -> str:
        """Return the first option of these that is given, or ""."""
        given = [name for name in names if getattr(self, name) not in (None, False)]
        return "--" + given[0].replace("_", "-") if given else ""

    def source(self, address: str | None) -> "Fill | None":
        """Return who answers, if anybody is to be asked: a server, or an engine at ``address``."""
        if self.engine is not None:
            return self._make_engine(address)
        if option := self._find_given(("engine_args", "replicas")):
            raise InvalidInputError(f"{option} belongs to an engine. Accepted: --engine vllm.")
        return self._reach_server()

    def _make_engine(self, address: str | None) -> "Fill":
        from personamem.dataset_builder.llm.ray_engine import RayEngine

        if self.engine != "vllm":
            raise InvalidInputError(f"--engine {self.engine!r} is not known. Accepted: vllm.")
        if option := self._find_given(("base_url", "concurrency", "budget")):
            raise InvalidInputError(f"{option} belongs to a server, and --engine asks none.")
        arguments = read_engine_arguments(self.engine_args or "")
        return RayEngine(address or "local", self.replicas or 1, arguments).fill

    def _reach_server(self) -> "Fill | None":
        from personamem.dataset_builder.llm import Server, fill_from

        if self.base_url is None:
            if self.concurrency is not None or self.budget is not None:
                raise InvalidInputError("--concurrency and --budget need --base-url.")
            return None
        if self.concurrency is None:
            return fill_from(Server(self.base_url))
        return fill_from(Server(self.base_url, concurrency=self.concurrency))

    def prices(self) -> "Prices":
        """Return the prices; without any, everything is free."""
        from personamem.dataset_builder.llm import FREE, read_prices

        prices = read_prices(self.price_input, self.price_cached, self.price_output)
        if prices is None and self.budget is not None:
            raise InvalidInputError("--budget needs --price-input and --price-output.")
        return prices or FREE


def read_engine_arguments(words: str) -> dict[str, Any]:
    """Return the arguments of an engine: "dtype=float32,max_model_len=4096"."""
    arguments: dict[str, Any] = {}
    for word in filter(None, words.split(",")):
        name, equals, value = word.partition("=")
        if not (name.isidentifier() and equals):
            raise InvalidInputError(
                f"--engine-args has {word!r}. Accepted: NAME=VALUE, with commas between."
            )
        try:
            arguments[name] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise InvalidInputError(f"--engine-args has {word!r}, whose value is none.") from error
    return arguments


def print_plan(config: "BuildConfig", writing: Writing) -> dict[str, Any]:
    """Print what the next round of writing takes, and return it; send nothing, make no store."""
    from personamem.dataset_builder.llm import AnswerStore
    from personamem.dataset_builder.llm.writing.rounds import MOST_ROUNDS
    from personamem.dataset_builder.packaging.generated_text import estimate_text

    prices = writing.prices()
    with TemporaryDirectory() as nowhere:
        known = writing.store if writing.store and writing.store.exists() else None
        with AnswerStore(known or Path(nowhere) / "none") as store:
            planned = estimate_text(config, store, prices)
    output().print(
        f"calls: {planned.calls:,} (up to {MOST_ROUNDS} times as many if every piece is "
        "refused each time)"
    )
    output().print(f"tokens to read: {planned.prompt_tokens:,} (o200k_base)")
    output().print(f"tokens to write: at most {planned.completion_tokens:,}")
    if writing.price_input is not None:
        output().print(f"price: at most {planned.price:.2f} without rewrites")
    return {
        "calls": planned.calls,
        "most_rounds": MOST_ROUNDS,
        "prompt_tokens": planned.prompt_tokens,
        "completion_tokens": planned.completion_tokens,
        "price": None if writing.price_input is None else planned.price,
    }


def write(config: "BuildConfig", writing: Writing, address: str | None) -> "GeneratedText":
    """Have all text written, with a bar or lines for each round; ``address`` is of a cluster."""
    from personamem.dataset_builder.llm import Progress
    from personamem.dataset_builder.llm.showing import show_answers
    from personamem.dataset_builder.packaging.generated_text import generate_text

    fill, prices = writing.source(address), writing.prices()
    rounds: dict[int, Callable[[Progress], None]] = {}
    with _open_store(writing) as store, ExitStack() as shown:

        def report(attempt: int, progress: Progress) -> None:
            if attempt not in rounds:
                shown.close()
                what = f"text, round {attempt}"
                rounds[attempt] = shown.enter_context(show_answers(what))
            rounds[attempt](progress)

        generated = generate_text(
            config, store, fill, prices=prices, budget=writing.budget, report=report
        )
    for kind, counts in generated.writer.items.items():
        _print_counts(kind, counts)
    return generated


def _print_counts(kind: str, counts: "ItemCounts") -> None:
    output().print(
        f"{kind}: {counts.total:,}, by the model: {counts.written:,} "
        f"({counts.rewritten:,} after rewrites), not by the model: {counts.fallbacks:,}"
    )
    for reason, count in counts.fallbacks_by_reason.items():
        output().print(f"  fell back for {reason}: {count:,}")


@contextmanager
def _open_store(writing: Writing) -> "Iterator[AnswerStore]":
    from personamem.dataset_builder.llm import AnswerStore

    if writing.store is None:
        raise InvalidInputError(
            "--writer openai needs --store FILE, in which all answers are kept: what was paid "
            "is never asked for again, and the dataset can be made anew without a server."
        )
    with AnswerStore(writing.store) as store:
        yield store
