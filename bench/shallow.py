"""How far policies without understanding get, at each level and type, over many fresh seeds.

    python -m bench.shallow [--size 32k] [--seeds 40] [--level stated]

One dataset has about ten questions of a type at a level, too few to tell 30 % from chance. So the
policies of the audit answer the questions of many datasets, seeds drawn anew. A line a level names
the highest policy on all its questions and the three highest cells of policy and type; the last
line is the result:

    highest: P % (policy, level, type, N questions)
"""

import argparse
import secrets
import sys
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from personamem.dataset_builder.core.parallel import Workers

Cell = tuple[str, str, str]
"""Policy, level, question type ("" for all)."""

LENIENT = "stated"
"""The level at which a search for words is meant to find something."""


@dataclass(frozen=True, slots=True)
class Job:
    """A dataset to build; without ``levels``, of all."""

    seed: int
    size: str
    levels: tuple[str, ...]


def main() -> int:
    """Build the datasets and print what the policies reach."""
    options = parse_arguments()
    levels = tuple(options.level or ())
    jobs = [Job(secrets.randbelow(2**31), options.size, levels) for _ in range(options.seeds)]
    sums: dict[Cell, float] = defaultdict(float)
    counts: dict[Cell, int] = defaultdict(int)
    with Workers(options.workers, [__name__]) as pool:
        for number, found in enumerate(pool.map_in_order(answer, jobs), 1):
            for cell, (credit, questions) in found.items():
                sums[cell] += credit
                counts[cell] += questions
            print(f"{number} of {len(jobs)} datasets", file=sys.stderr, flush=True)
    shares = {cell: sums[cell] / counts[cell] for cell in sums}
    for level in sorted({cell[1] for cell in shares}):
        mine = [cell for cell in shares if cell[1] == level]
        overall = max((cell for cell in mine if not cell[2]), key=shares.__getitem__)
        best = sorted((cell for cell in mine if cell[2]), key=shares.__getitem__)[-3:]
        parts = [describe(cell, shares[cell], counts[cell]) for cell in (overall, *best[::-1])]
        print(f"{level}: {'; '.join(parts)}")
    strict = [cell for cell in shares if cell[1] != LENIENT]
    if strict:
        top = max(strict, key=shares.__getitem__)
        print(f"highest but for {LENIENT}: {describe(top, shares[top], counts[top])}")
    return 0


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description="Pool shallow policies over fresh seeds.")
    parser.add_argument("--seeds", type=int, default=40, help="datasets (default: 40)")
    parser.add_argument("--size", default="32k", help="context size (default: 32k)")
    parser.add_argument("--level", action="append", help="level, repeatable (default: all)")
    parser.add_argument("--workers", type=int, default=2, help="processes (default: 2)")
    return parser.parse_args()


def answer(job: Job) -> dict[Cell, tuple[float, int]]:
    """Build a dataset and return the credit of each policy and the questions of each cell."""
    from personamem.dataset_builder.audit.chance import credit
    from personamem.dataset_builder.audit.shallow import SHALLOW_POLICIES, score_context
    from personamem.dataset_builder.families.configuration import make_config
    from personamem.dataset_builder.families.personamem.family import PersonaMemFamily
    from personamem.dataset_builder.packaging.build import build_dataset

    settings = {"sizes": (job.size,), **({"levels": job.levels} if job.levels else {})}
    config = make_config(seed=job.seed, families={"personamem": settings})
    sums: dict[Cell, float] = defaultdict(float)
    counts: dict[Cell, int] = defaultdict(int)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "dataset"
        build_dataset(config, folder, workers=1)
        subject = PersonaMemFamily().open_part(folder, job.size)
        for context in (context for job in subject.jobs for context in job.read()):
            scores = score_context(context.messages, context.items, context.ends)
            for policy in SHALLOW_POLICIES:
                credits = credit(context.items, scores[policy])
                for item, value in zip(context.items, credits, strict=True):
                    for kind in ("", item.question_type):
                        sums[policy, item.level, kind] += value
                        counts[policy, item.level, kind] += 1
    return {cell: (sums[cell], counts[cell]) for cell in sums}


def describe(cell: Cell, share: float, questions: int) -> str:
    """Return a figure with what it is about."""
    policy, level, kind = cell
    return (
        f"{100 * share:.1f} % ({policy}, {level}, {kind or 'all types'}, {questions:,} questions)"
    )


if __name__ == "__main__":
    sys.exit(main())
