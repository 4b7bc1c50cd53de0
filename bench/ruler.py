"""How fast a build makes long contexts against lm-eval's own generator, RULER `niah_single_1`.

    make bench       (or: python -m bench.ruler [--pairs 5] [--contexts 40])

A pair is one run of each, one process, as many contexts of 32k tokens. Ours is `build_dataset` with
one worker: worlds, conversations, questions, checks and all files. RULER's is `generate_samples`
with the arguments of its task `niah_single_1`, one sentence repeated around a needle, and the
tokenizer of SmolLM2; nothing is written. What each does before the first context counts (reading
topics; finding how often the sentence fits), importing libraries does not. Tokens are o200k_base
tokens on both sides, counted afterwards. The last line is the result:

    build / RULER niah_single_1, tokens a second: RATIOx (MIN-MAX, N pairs)

RATIO is the median over the pairs; higher is better.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from bench.measure import describe, measure

ROOT = Path(__file__).resolve().parent.parent
WINDOW = 32_768
QUESTIONS_PER_CONTEXT = 592 / 40
"""As in the default build."""


@dataclass(frozen=True, slots=True)
class Made:
    """The o200k_base tokens that were made, and the seconds that took."""

    tokens: int
    seconds: float

    @property
    def rate(self) -> float:
        """Tokens a second."""
        return self.tokens / self.seconds


def main() -> int:
    """Measure the pairs and print the result."""
    parser = argparse.ArgumentParser(description="Time a build against RULER's generator.")
    parser.add_argument("--pairs", type=int, default=5, help="measurements (default: 5)")
    parser.add_argument("--contexts", type=int, default=40, help="a multiple of four (default: 40)")
    options = parser.parse_args()
    model = ROOT / ".cache" / "SmolLM2-135M-Instruct"
    subprocess.run(
        [sys.executable, ROOT / "examples" / "smollm2.py", model],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    ratios = []
    for pair in range(1, options.pairs + 1):
        ours: Made = measure(build, options.contexts).value
        rulers: Made = measure(generate_needles, options.contexts, model).value
        ratios.append(ours.rate / rulers.rate)
        print(
            f"pair {pair}: build {ours.rate:,.0f} tokens a second, RULER {rulers.rate:,.0f}",
            flush=True,
        )
    print(describe("build / RULER niah_single_1, tokens a second", ratios))
    return 0


def build(contexts: int) -> Made:
    """Build a 32k split of ``contexts`` contexts."""
    from personamem.dataset_builder.families.configuration import make_config
    from personamem.dataset_builder.packaging.build import build_dataset

    questions = round(contexts * QUESTIONS_PER_CONTEXT / 4) * 4
    scale = {"sizes": ["32k"], "personas": contexts, "questions": questions}
    config = make_config(families={"personamem": scale})
    with tempfile.TemporaryDirectory() as scratch:
        started = time.perf_counter()
        manifest = build_dataset(config, Path(scratch) / "dataset", workers=1)
        seconds = time.perf_counter() - started
    split = manifest.families["personamem"].splits["32k"]
    if split["contexts"] != contexts:
        raise RuntimeError(f"The build made {split['contexts']} contexts, not {contexts}.")
    return Made(split["tokens"], seconds)


def generate_needles(contexts: int, model: Path) -> Made:
    """Generate ``contexts`` samples of RULER's niah_single_1 at 32k."""
    os.environ |= {
        # RULER fetches a sentence splitter on import, unless it is not the first of many
        # processes. This task does not split sentences.
        "LOCAL_RANK": "1",
        "HF_HUB_OFFLINE": "1",
        "TQDM_DISABLE": "1",
        # No warning that the tokenizer's model could not read so much: it is not asked to.
        "TRANSFORMERS_VERBOSITY": "error",
    }
    import bpe_openai
    from lm_eval.tasks.ruler.common_utils import get_tokenizer
    from lm_eval.tasks.ruler.niah_utils import TEMPLATE
    from lm_eval.tasks.ruler.prepare_niah import generate_samples, get_haystack

    tokenizer = get_tokenizer(str(model))
    started = time.perf_counter()
    samples = generate_samples(
        get_haystack(type_haystack="repeat"),
        max_seq_length=WINDOW,
        template=TEMPLATE,
        type_haystack="repeat",
        type_needle_k="words",
        type_needle_v="numbers",
        num_samples=contexts,
        TOKENIZER=tokenizer,
    )
    seconds = time.perf_counter() - started
    if len(samples) != contexts:
        raise RuntimeError(f"RULER made {len(samples)} contexts, not {contexts}.")
    encoding = bpe_openai.get_encoding("o200k_base")
    tokens = sum(len(encoding.encode_ordinary(sample["input"])) for sample in samples)
    return Made(tokens, seconds)


if __name__ == "__main__":
    sys.exit(main())
