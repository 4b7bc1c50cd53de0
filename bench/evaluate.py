"""How much faster `hf-shared` answers than `hf`, on the same weights.

    make bench       (or: python -m bench.evaluate [--pairs 1] [--questions 10] [--model FOLDER])

Builds a dataset of four contexts of 4k tokens with 10 questions each, and measures two things.

Multiple choice: the first questions are asked in one process, in turns, by `hf-shared`, by `hf`,
and by the least a runner can do that reads every prompt from its beginning: one forward pass a
question, with the logits of its last token only. Other predictions, or log-probabilities that are
more than 1e-3 apart, are an error.

Generated letters: replies of at most 16 tokens to eight questions of each context, by `hf-shared`
and `hf` in turns, context by context. The eight are those that are asked last, so that their
prompts hold the 4k tokens. One other reply is an error.

The lines with an `x` are the result:

    hf / hf-shared: RATIOx (MIN-MAX, N pairs)
    one forward pass a question / hf-shared: RATIOx (MIN-MAX, N pairs)
    generated letters, hf / hf-shared: RATIOx (MIN-MAX, N pairs)

RATIO is the median over the pairs of the seconds of both; higher is better. It grows with the
questions of a context, up to the ratio of a context's tokens to those of a question. Of generated
letters, a context is a pair.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from bench.measure import describe

ROOT = Path(__file__).resolve().parent.parent
LETTERS_TASK, REPLIES_TASK = "personamem_4k_ll", "personamem_4k"
LETTERS = 4
REPLIES = 8
"""Questions of each context with a generated reply."""
REPLY_TOKENS = 16
TOLERANCE = 1e-3

Answers = list[tuple[float, bool]]
Result = TypeVar("Result")


def main() -> int:
    """Measure the pairs and print the result."""
    options = parse_arguments()
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.model or export_model(Path(scratch) / "model")
        os.environ["HF_DATASETS_CACHE"] = str(Path(scratch) / "cache")
        hf, shared = load_models(folder)
        dataset = build_dataset(Path(scratch) / "dataset")
        requests = make_requests(shared, dataset, LETTERS_TASK, options.plain, options.questions)
        measure_letters(hf, shared, requests, options.pairs)
        requests = make_requests(shared, dataset, REPLIES_TASK, options.plain)
        measure_replies(hf, shared, choose_last(requests, REPLIES))
    return 0


def measure_letters(hf: Any, shared: Any, requests: Sequence[Any], pairs: int) -> None:
    """Print how much faster `hf-shared` scores letters."""
    runners: dict[str, Callable[[], Answers]] = {
        "hf-shared": lambda: shared.loglikelihood(requests, disable_tqdm=True),
        "hf": lambda: hf.loglikelihood(requests, disable_tqdm=True),
        "one forward pass a question": lambda: read_each(hf, requests),
    }
    ratios: dict[str, list[float]] = {name: [] for name in runners if name != "hf-shared"}
    for pair in range(1, pairs + 1):
        seconds, answers = {}, {}
        for name, run in runners.items():
            seconds[name], answers[name] = time_run(run)
        for name in ratios:
            compare(answers["hf-shared"], answers[name])
            ratios[name].append(seconds[name] / seconds["hf-shared"])
        times = ", ".join(f"{name} {value:.2f} s" for name, value in seconds.items())
        print(f"pair {pair}: {times}", flush=True)
    print(f"{len(requests) // LETTERS} questions, the same predictions; {shared.stats}")
    for name, values in ratios.items():
        print(describe(f"{name} / hf-shared", values))


def measure_replies(hf: Any, shared: Any, contexts: Sequence[Sequence[Any]]) -> None:
    """Print how much faster `hf-shared` generates replies to the questions of each context."""
    ratios = []
    for number, requests in enumerate(contexts, 1):
        ours, replies = time_run(partial(shared.generate_until, requests, disable_tqdm=True))
        theirs, expected = time_run(partial(hf.generate_until, requests, disable_tqdm=True))
        compare_replies(replies, expected)
        ratios.append(theirs / ours)
        print(f"context {number}: hf-shared {ours:.2f} s, hf {theirs:.2f} s", flush=True)
    print(f"{sum(map(len, contexts))} replies of at most {REPLY_TOKENS} tokens, all the same")
    print(describe("generated letters, hf / hf-shared", ratios))


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description="Time hf-shared against hf.")
    parser.add_argument("--pairs", type=int, default=1, help="measurements (default: 1)")
    parser.add_argument("--questions", type=int, default=10, help="up to 40 (default: 10)")
    parser.add_argument("--model", type=Path, help="a model's folder (default: SmolLM2-135M)")
    parser.add_argument("--plain", action="store_true", help="without the chat template")
    return parser.parse_args()


def export_model(folder: Path) -> Path:
    """Write SmolLM2-135M-Instruct into ``folder`` and return the folder."""
    script = str(ROOT / "examples" / "smollm2.py")
    subprocess.run([sys.executable, script, str(folder)], check=True)
    return folder


def build_dataset(folder: Path) -> Path:
    """Build four contexts with 10 questions each and return their folder."""
    program = Path(sys.executable).parent / "personamem"
    # No more questions than these have their evidence in 4k tokens.
    scale = ("--size", "4k", "--personas", "4", "--questions", "40")
    command = [str(program), "build", "--family", "personamem", *scale, "--out", str(folder)]
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return folder


def load_models(folder: Path) -> tuple[Any, Any]:
    """Return `hf` and `hf-shared` over the same weights, in 32 bits."""
    from lm_eval.models.huggingface import HFLM

    from personamem.tasks.models.hf_shared import SharedHFLM

    hf = HFLM(pretrained=str(folder), device="cpu", dtype="float32")
    return hf, SharedHFLM(pretrained=hf.model, tokenizer=hf.tokenizer)


def make_requests(
    model: Any, dataset: Path, name: str, plain: bool, questions: int | None = None
) -> list[Any]:
    """Return a task's requests of the first questions, or of all, ordered by context."""
    from lm_eval.tasks import TaskManager

    manager = TaskManager(
        include_path=str(ROOT / "tasks"), include_defaults=False, metadata={"dataset": str(dataset)}
    )
    task = manager.load([name])["tasks"][name]
    task.build_all_requests(
        limit=questions,
        rank=0,
        world_size=1,
        apply_chat_template=not plain,
        chat_template=model.apply_chat_template,
        tokenizer_name=model.tokenizer_name,
    )
    return list(task.instances)


def choose_last(requests: Sequence[Any], count: int) -> list[list[Any]]:
    """Return of each context the requests that come last, for replies of a few tokens."""
    contexts: dict[str, list[Any]] = {}
    for request in requests:
        request.arguments[1]["max_gen_toks"] = REPLY_TOKENS
        contexts.setdefault(request.doc["shared_context_id"], []).append(request)
    return [of_context[-count:] for of_context in contexts.values()]


def time_run(run: Callable[[], Result]) -> tuple[float, Result]:
    """Return the seconds that a run takes, and what it returns."""
    started = time.perf_counter()
    result = run()
    return time.perf_counter() - started, result


def read_each(model: Any, requests: Sequence[Any]) -> Answers:
    """Score the letters of each question by one pass over its prompt."""
    import torch

    answers: Answers = []
    for first in range(0, len(requests), LETTERS):
        pairs = [model._encode_pair(*request.args) for request in requests[first : first + LETTERS]]
        with torch.no_grad():
            logits = model.model(torch.tensor([pairs[0][0]]), logits_to_keep=1).logits[0, -1]
        scores = logits.log_softmax(-1)
        best = int(scores.argmax())
        answers += [(float(scores[letter]), letter == best) for _, (letter,) in pairs]
    return answers


def compare(ours: Answers, theirs: Answers) -> None:
    """Check that two runs predict the same letters with the same log-probabilities."""
    difference = max(abs(a - b) for (a, _), (b, _) in zip(ours, theirs, strict=True))
    same = all(a[1] == b[1] for a, b in zip(ours, theirs, strict=True))
    if difference > TOLERANCE or not same or predict(ours) != predict(theirs):
        sys.exit(f"The answers differ: log-probabilities by up to {difference:.2g}.")


def compare_replies(ours: Sequence[str], theirs: Sequence[str]) -> None:
    """Check that two runs give the same replies."""
    for number, (our, their) in enumerate(zip(ours, theirs, strict=True), 1):
        if our != their:
            sys.exit(f"Reply {number} of the context differs: {our!r} instead of {their!r}.")


def predict(answers: Answers) -> list[int]:
    """Return the number of the likeliest letter of each question."""
    likelihoods = [likelihood for likelihood, _ in answers]
    groups = [likelihoods[at : at + LETTERS] for at in range(0, len(likelihoods), LETTERS)]
    return [group.index(max(group)) for group in groups]


if __name__ == "__main__":
    sys.exit(main())
