"""The audit's verdict and the card, both stored in the dataset's folder and published with it.

An audit of a full dataset takes minutes, so ``audit.json`` is kept: as long as it is whole and
about exactly this manifest, it stands in for another run. The card is made anew from manifest and
audit, unless somebody has edited it.
"""

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from personamem.cards import Score, is_as_rendered, render_card
from personamem.dataset_builder.audit.parts import audit_part, list_parts
from personamem.dataset_builder.audit.stored import find_gap, make_report, name_failures
from personamem.dataset_builder.families.registry import describe_cards
from personamem.dataset_builder.publish.local import AUDIT, CARD, LocalDataset
from personamem.loaders.formats.errors import DatasetError, PersonamemError

Tell = Callable[[str], None]
"""Hears what is going on, in one line."""


class VerdictError(PersonamemError):
    """A dataset that fails its audit."""


def settle_audit(local: LocalDataset, workers: int, tell: Tell) -> dict[str, Any]:
    """Return the audit of ``local``, run now unless audit.json holds it, and store it there.

    Raises:
        VerdictError: a check fails; all that fail are named.
    """
    path = local.folder / AUDIT
    report = _read_json(path) if path.is_file() else None
    parts = list_parts(local.folder)
    if report is not None:
        gap = find_gap(report, local.manifest_sha256, parts)
        if gap:
            tell(f"{AUDIT} is not used: {gap}; the audit runs again")
            report = None
    if report is None:
        report = _run_audit(local, parts, workers, tell)
    # A path of this machine is nobody else's business.
    report["source"] = local.name
    _write(path, json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    failures = name_failures(report)
    if failures:
        raise VerdictError(
            f"{local.folder} fails the audit and cannot be published. Failed: "
            f"{'; '.join(failures)}. See `personamem audit {local.folder}`."
        )
    return report


def settle_card(
    local: LocalDataset, audit: Mapping[str, Any], repo_id: str, scores: Sequence[Score], tell: Tell
) -> None:
    """Write the card from manifest, audit and scores; one that was edited is left as it is."""
    path = local.folder / CARD
    if path.is_file() and not is_as_rendered(path.read_text(encoding="utf-8")):
        tell(f"{CARD} was edited and is published as it is; delete it to have it made anew")
        return
    _write(
        path,
        render_card(
            local.manifest, describe_cards(local.manifest, repo_id), audit, repo_id, scores
        ),
    )


def _run_audit(
    local: LocalDataset, parts: Sequence[str], workers: int, tell: Tell
) -> dict[str, Any]:
    audits = []
    for part in parts:
        tell(f"auditing {part}")
        audits.append(audit_part(str(local.folder), part, parts, workers=workers))
    return make_report(str(local.folder), audits)


def _read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise DatasetError(f"{path} is no JSON: {error}. Delete it to audit anew.") from error


def _write(path: Path, text: str) -> None:
    """Replace a file as a whole, and leave one alone that holds ``text`` already."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return
    aside = path.with_name(f".{path.name}.partial")
    try:
        aside.write_text(text, encoding="utf-8")
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)
