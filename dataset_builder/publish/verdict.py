"""The audit and the card of a release, both stored in the dataset's folder and published with it.

An audit of a full dataset takes minutes, so ``audit.json`` is kept and used again if it is whole,
unedited and about exactly this manifest (see ``audit.stored``). The card is rendered anew from
manifest and audit, unless somebody has edited it.
"""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from personamem.cards import Score, is_as_rendered, render_card
from personamem.dataset_builder.audit.parts import AuditSource
from personamem.dataset_builder.audit.stored import find_gap, make_report
from personamem.dataset_builder.families.registry import describe_cards
from personamem.dataset_builder.publish.local import CARD, MEASURED, LocalDataset
from personamem.dataset_builder.publish.pictures import draw_measured
from personamem.loaders.formats.audit_record import AUDIT, AuditRecord, parse_audit
from personamem.loaders.formats.errors import DatasetError, PersonamemError
from personamem.loaders.formats.json_files import read_json_file
from personamem.loaders.formats.whole_files import write_whole

Log = Callable[[str], None]
"""Receives a line about each step."""


class VerdictError(PersonamemError):
    """A dataset that fails its audit."""


def settle_audit(local: LocalDataset, workers: int, log: Log) -> AuditRecord:
    """Return the audit of ``local``, run now unless audit.json holds it, and store it there.

    Raises:
        DatasetError: audit.json is no JSON.
        VerdictError: a check fails; all that fail are named.
    """
    path = local.folder / AUDIT
    report = _read_report(path) if path.is_file() else None
    source = AuditSource(local.folder)
    if report is not None:
        gap = find_gap(report, local.manifest_sha256, source.parts)
        if gap:
            log(f"{AUDIT} is not used: {gap}; the audit runs again")
            report = None
    if report is None:
        report = _run_audit(local, source, workers, log)
    # A path of this machine concerns nobody else.
    report["source"] = local.name
    _write(path, json.dumps(report, indent=1, ensure_ascii=False) + "\n")
    record = parse_audit(report)
    if failures := record.list_failures():
        raise VerdictError(
            f"{local.folder} fails the audit and cannot be published. Failed: "
            f"{'; '.join(failures)}. See `personamem audit {local.folder}`."
        )
    return record


def settle_card(
    local: LocalDataset, audit: AuditRecord, repo_id: str, scores: Sequence[Score], log: Log
) -> None:
    """Write the card and its pictures from manifest, audit and scores.

    A card that was edited is left as it is, with the pictures that are there.

    Raises:
        DatasetError: the manifest's record of a family lacks a key, or a value cannot be.
    """
    path = local.folder / CARD
    if path.is_file() and not is_as_rendered(path.read_text(encoding="utf-8", errors="replace")):
        log(f"{CARD} was edited and is published as it is; delete it to have it rendered again")
        return
    measured = draw_measured(audit, scores)
    drawn = {picture.path for picture in measured}
    for name in MEASURED:
        if name not in drawn:
            (local.folder / name).unlink(missing_ok=True)
    for picture in measured:
        _write(local.folder / picture.path, picture.svg)
    cards = describe_cards(local.manifest, repo_id)
    _write(path, render_card(local.manifest, cards, audit, repo_id, scores, measured))


def _run_audit(local: LocalDataset, source: AuditSource, workers: int, log: Log) -> dict[str, Any]:
    audits = []
    for part in source.parts:
        log(f"auditing {part}")
        audits.append(source.audit_part(part, source.parts, workers=workers))
    return make_report(str(local.folder), audits)


def _read_report(path: Path) -> Any:
    try:
        return read_json_file(path)
    except DatasetError as error:
        raise DatasetError(f"{error} Delete it to audit anew.") from error


def _write(path: Path, text: str) -> None:
    """Write a file whole, and leave one alone that holds ``text`` already."""
    if not path.is_file() or path.read_bytes() != text.encode():
        write_whole(path, text)
