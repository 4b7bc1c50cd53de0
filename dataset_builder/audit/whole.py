"""The dataset as a whole: what its manifest states once for all parts, and files of no part."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from personamem.cards import PICTURES
from personamem.dataset_builder.core.findings import Finding, Violations
from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.facts import FACTS, FILES, check_facts, check_files
from personamem.dataset_builder.families.registry import get_family
from personamem.dataset_builder.families.subject import CheckedContext, OwnSubject
from personamem.dataset_builder.reports.svg import read_figures
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.manifest import MANIFEST, Manifest
from personamem.loaders.formats.tokens import TOKENIZER

WHOLE = "dataset"
"""The part of an audit that is about all others."""


@dataclass(frozen=True)
class WholeSubject(OwnSubject):
    """A dataset of ours; ``others`` are the names of the files that belong to no other part."""

    manifest: Manifest
    folder: Path
    others: tuple[str, ...]
    whole: bool

    @property
    def part(self) -> str:
        """The name of the part."""
        return WHOLE

    @property
    def num_questions(self) -> int:
        """The other parts have the questions."""
        return 0

    @property
    def num_contexts(self) -> int:
        """The other parts have the contexts."""
        return 0

    def judge(self, contexts: Sequence[CheckedContext], parts: int) -> list[Finding]:
        """Return the findings on the manifest and on files of no other part."""
        violations = Violations()
        check_files(self.manifest, self.folder, self.others, self.whole, violations)
        self._check_manifest(violations)
        return violations.as_findings((FILES, FACTS))

    def _check_manifest(self, violations: Violations) -> None:
        manifest = self.manifest
        try:
            config = make_config(**manifest.config)
        except (InvalidInputError, TypeError) as error:
            violations.add(FACTS, f"{MANIFEST}: config cannot be used: {error}")
            return
        check_facts(manifest.config, config.as_json(), "config", violations)
        found: dict[str, Any] = {
            "name": config.name,
            "version": config.version,
            "config_sha256": config.fingerprint(),
            "seed": config.seed,
            "tokenizer": TOKENIZER,
            "writer": config.writer,
            "model": config.model.name if config.model else None,
            "families": sorted(config.families),
        }
        stated = {name: getattr(manifest, name) for name in found.keys() - {"writer", "model"}}
        stated |= {"writer": manifest.writer.name, "model": manifest.writer.model}
        stated["families"] = sorted(manifest.families)
        if not config.model:
            # Without a model there are no prompts, and nothing that could fail.
            stated |= manifest.writer.model_dump(include={"prompts_sha256", "items"})
            found |= {"prompts_sha256": {}, "items": {}}
        check_facts(stated, found, "", violations)
        for name in manifest.families:
            self._check_pictures(name, violations)

    def _check_pictures(self, family: str, violations: Violations) -> None:
        """Draw the pictures of a family again and compare their figures with the dataset's."""
        prefix = f"{PICTURES}/{family}_"
        try:
            pictures = get_family(family).draw_pictures(self.manifest.families[family])
        except ValueError as error:
            violations.add(FACTS, f"{MANIFEST}: families.{family} cannot be drawn: {error}")
            return
        drawn = {each.path: read_figures(each.svg) for each in pictures}
        stated = {name for name in self.manifest.files if name.startswith(prefix)}
        for name in sorted(drawn.keys() | stated):
            path = self.folder / name
            if not path.is_file() and (name in stated or not self.whole):
                continue  # That a file is missing is told once, or it was not fetched.
            try:
                found = path.read_text("utf-8", "replace") if name in stated else ""
            except OSError:
                continue  # Told as a file that cannot be checked.
            if read_figures(found) != drawn.get(name):
                violations.add(FACTS, f"{name} does not show what {MANIFEST} states of {family}")
