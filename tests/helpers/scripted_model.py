"""A model that a function plays, in this process: an engine that fills a store, as vLLM does."""

from collections.abc import Callable, Generator, Iterable, Sequence

from personamem.dataset_builder.llm import (
    FREE,
    Answer,
    AnswerStore,
    Follow,
    Outcome,
    Prices,
    Progress,
    Request,
    RunSummary,
    fill_in_batches,
)


class ScriptedModel:
    """A ``Fill``. ``answer`` makes the text of an answer from a prompt; ``prompts`` were asked."""

    def __init__(self, answer: Callable[[str], str]) -> None:
        self.answer = answer
        self.prompts: list[str] = []

    def __call__(
        self,
        requests: Iterable[Request],
        store: AnswerStore,
        *,
        prices: Prices = FREE,
        budget: float | None = None,
        report: Callable[[Progress], None] = lambda progress: None,
        follow: Follow = lambda request, outcome: None,
    ) -> RunSummary:
        return fill_in_batches(requests, store, self._answer, report=report, follow=follow)

    def _answer(self, batch: Sequence[Request]) -> Generator[tuple[Request, Outcome]]:
        for request in batch:
            prompt = request.messages[-1]["content"]
            self.prompts.append(prompt)
            text = self.answer(prompt)
            yield request, Answer(text, "stop", request.model, 100, 50, None)
