"""Contexts with the prompts that leave them, cut out of a tree."""

import random

import numpy as np
import pytest

from personamem.tasks.models import spines
from personamem.tasks.models.prefixes import PrefixTree
from personamem.tasks.models.spines import Spine, cut_into_spines


def plant(*sequences: str) -> PrefixTree:
    tree = PrefixTree()
    for number, sequence in enumerate(sequences):
        tree.insert(np.frombuffer(sequence.encode(), np.uint8).astype(np.int32), number)
    return tree


def spell(tokens: object) -> str:
    return bytes(np.asarray(tokens).astype(np.uint8)).decode()


def show(spine: Spine) -> tuple[int, str, list[tuple[int, str, tuple[int, ...]]]]:
    branches = [(branch.end, spell(branch.tokens), branch.requests) for branch in spine.branches]
    return spine.start, spell(spine.tokens), branches


def test_the_questions_of_a_context_leave_one_spine() -> None:
    tree = plant("aaaaX", "aaaabbbbY", "aaaabbbbccccZZ", "aaaabbbbW", "aaaa", "aaaabbbbW")
    (spine,) = cut_into_spines(tree, 10)
    assert show(spine) == (
        0,
        "aaaabbbbccccZZ",
        [(4, "", (4,)), (4, "X", (0,)), (8, "Y", (1,)), (8, "W", (3, 5)), (14, "", (2,))],
    )


def test_what_is_too_long_for_a_branch_is_a_spine_of_its_own() -> None:
    tree = plant("saaaaaaaaaaX", "saaaaaaaaaaY", "sbbbbbbX", "sbbbbbbY", "saaaZ")
    first, second = map(show, cut_into_spines(tree, 6))
    assert first[:2] == (0, "saaaaaaaaaaX")
    assert [requests for _, _, requests in first[2]] == [(4,), (1,), (0,)]
    assert second == (1, "bbbbbbX", [(7, "Y", (3,)), (8, "", (2,))])


@pytest.mark.parametrize("repeated", [11, 12])
def test_what_would_be_read_too_often_is_a_spine_of_its_own(
    monkeypatch: pytest.MonkeyPatch, repeated: int
) -> None:
    monkeypatch.setattr(spines, "MOST_REPEATED", repeated)
    tree = plant("a" * 50, "abbbbbbX", "abbbbbbY", "abbbbbbZ")
    cut = list(cut_into_spines(tree, 40))
    assert len(cut) == (1 if repeated == 12 else 2)


def test_prompts_without_tokens_are_branches() -> None:
    (spine,) = cut_into_spines(plant("", ""), 10)
    assert show(spine) == (0, "", [(0, "", (0, 1))])


def test_one_cache_does_for_all_spines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spines, "MOST_REPEATED", 3)
    draw = random.Random(0)
    for _ in range(100):
        sequences = ["".join(draw.choices("ab", k=draw.randrange(12))) for _ in range(20)]
        read, found = "", {}
        for spine in cut_into_spines(plant(*sequences), 4):
            assert spine.start <= len(read)
            read = read[: spine.start] + spell(spine.tokens)
            assert [branch.end for branch in spine.branches] == sorted(
                branch.end for branch in spine.branches
            )
            for branch in spine.branches:
                assert len(branch.tokens) <= 4
                for request in branch.requests:
                    assert request not in found
                    found[request] = read[: branch.end] + spell(branch.tokens)
        assert [found[number] for number in range(20)] == sequences
