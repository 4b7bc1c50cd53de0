"""What the card reports of an audit: the checks by section, and the baselines by kind."""

from collections.abc import Mapping
from dataclasses import dataclass

from personamem.loaders.formats.audit_record import OVERALL, AuditRecord, ScoreRecord

SECTION_MEANINGS = {
    "structure": "ids, references, counts and balance are right; all formats hold the same rows",
    "truth": "a solver that reads only the rebuilt world finds every gold answer, and the evidence "
    "stands before the question",
    "blind": "policies that see only question and options, or only other columns, are at chance",
    "shallow": "policies that match words of the conversation score low",
    "text": "diversity, duplicates, residue of templates, personal data",
}

KIND_MEANINGS = {
    "blind": "Blind baselines see the question and its options, but no conversation. Chance is "
    "25 %; a classifier that learns from three questions of a quad is wrong on the fourth.",
    "metadata": "Metadata baselines see only the other columns and the order of the rows. Chance "
    "is 25 %.",
    "shallow": "Shallow baselines match words of the question, the options and the conversation.",
}


@dataclass(frozen=True, slots=True)
class Section:
    """A section of an audit: by part, how many of its required checks passed, and of how many."""

    name: str
    meaning: str
    passed: Mapping[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Baselines:
    """Baselines of one kind: by policy, then by part, the scores over all questions."""

    kind: str
    meaning: str
    policies: Mapping[str, Mapping[str, ScoreRecord]]

    @property
    def parts(self) -> list[str]:
        """The parts that have scores of this kind, in the order of the audit."""
        return list(dict.fromkeys(part for scores in self.policies.values() for part in scores))


def list_sections(audit: AuditRecord) -> list[Section]:
    """Return the sections of an audit, in its order."""
    verdicts: dict[str, dict[str, list[bool]]] = {}
    for name, part in audit.parts.items():
        for finding in part.findings:
            passed = verdicts.setdefault(finding.section, {}).setdefault(name, [])
            if finding.passed is not None:
                passed.append(finding.passed)
    return [
        Section(
            name,
            SECTION_MEANINGS.get(name, ""),
            {part: (sum(passed), len(passed)) for part, passed in by_part.items()},
        )
        for name, by_part in verdicts.items()
    ]


def list_baselines(audit: AuditRecord) -> list[Baselines]:
    """Return the baselines by kind, each policy with its scores over all questions."""
    kinds: dict[str, dict[str, dict[str, ScoreRecord]]] = {}
    for name, part in audit.parts.items():
        for kind, scores in part.baselines.items():
            for score in scores:
                if score.question_type == OVERALL:
                    policies = kinds.setdefault(kind, {})
                    policies.setdefault(score.policy, {})[name] = score
    return [
        Baselines(kind, KIND_MEANINGS.get(kind, ""), policies) for kind, policies in kinds.items()
    ]
