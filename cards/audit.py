"""What the card tells of an audit: its verdict by section, and the baselines by family."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

OVERALL = "overall"

SECTION_MEANINGS = {
    "structure": "ids, references, counts, balance, equal files in all formats",
    "truth": "the world is built anew: a solver that reads only it finds the gold, and the "
    "evidence tells its facts before the question",
    "blind": "policies that see question and options, or only the other columns, are at chance",
    "shallow": "policies that match words in the context reach little",
    "text": "diversity, duplicates, residue of templates, personal data",
}

FAMILY_MEANINGS = {
    "blind": "see the question and its options, but no conversation; chance is 25 %",
    "metadata": "see only the other columns and the order of rows; chance is 25 %",
    "shallow": "match words in the conversation; only those on keywords know words of denial too",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A section of an audit: by split, how many of its required checks passed, and of how many."""

    name: str
    meaning: str
    passed: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Family:
    """Baselines of one kind: by policy, then by split, the rows of the audit."""

    name: str
    meaning: str
    policies: Mapping[str, Mapping[str, Mapping[str, Any]]]


def list_sections(audit: Mapping[str, Any]) -> list[Section]:
    """Return the sections of an audit, in its order."""
    counts: dict[str, dict[str, list[bool]]] = {}
    for split, audited in audit["parts"].items():
        for finding in audited["findings"]:
            section = counts.setdefault(finding["section"], {})
            verdicts = section.setdefault(split, [])
            if finding["passed"] is not None:
                verdicts.append(finding["passed"])
    return [
        Section(
            name,
            SECTION_MEANINGS.get(name, ""),
            {split: (sum(verdicts), len(verdicts)) for split, verdicts in by_split.items()},
        )
        for name, by_split in counts.items()
    ]


def list_families(audit: Mapping[str, Any]) -> list[Family]:
    """Return the families of baselines, each policy with its rows over all questions."""
    families: dict[str, dict[str, dict[str, Mapping[str, Any]]]] = {}
    for split, audited in audit["parts"].items():
        for name, rows in audited["baselines"].items():
            for row in rows:
                if row["question_type"] == OVERALL:
                    policies = families.setdefault(name, {})
                    policies.setdefault(row["policy"], {})[split] = row
    return [
        Family(name, FAMILY_MEANINGS.get(name, ""), policies) for name, policies in families.items()
    ]
