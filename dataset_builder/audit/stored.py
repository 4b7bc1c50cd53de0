"""An audit as JSON: what ``personamem audit --json`` writes, and when it replaces a new one."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from personamem.dataset_builder.audit.run import PartAudit, choose_baselines
from personamem.loaders.formats.manifest import MANIFEST


def make_report(source: str, audits: Sequence[PartAudit]) -> dict[str, Any]:
    """Return audits of splits as plain values.

    ``manifest_sha256`` says which dataset was audited: the manifest names the hash of every file.
    It is None for a source without one at hand, such as a Hub id.
    """
    manifest = Path(source).expanduser() / MANIFEST
    return {
        "source": source,
        "manifest_sha256": _hash(manifest) if manifest.is_file() else None,
        "personamem": version("personamem"),
        "passed": not any(audited.failures for audited in audits),
        "parts": {audited.part: audited.as_json() for audited in audits},
    }


def find_gap(report: object, manifest_sha256: str, parts: Iterable[str]) -> str | None:
    """Say why ``report`` is no whole audit of the dataset with this manifest, or return None.

    An audit of some parts, or with some baselines, or by another version of this package, whose
    checks may be others, is not whole. Its verdict is not looked at.
    """
    if not isinstance(report, Mapping) or not isinstance(report.get("parts"), Mapping):
        return "it is not what `personamem audit --json` writes"
    if report.get("manifest_sha256") != manifest_sha256:
        return "it is about another dataset"
    if report.get("personamem") != version("personamem"):
        return f"it was made with personamem {report.get('personamem')}"
    expected = set(choose_baselines(())[0])
    for part in parts:
        if part not in report["parts"]:
            return f"it leaves out {part}"
        families = report["parts"][part].get("baselines", {})
        if not any(families.values()):
            continue  # Without options, no policy picks one.
        measured = {row["policy"] for rows in families.values() for row in rows}
        if not expected <= measured:
            return f"it leaves out baselines of {part}"
    return None


def name_failures(report: Mapping[str, Any]) -> list[str]:
    """Return "split: check" for every check of a report that failed."""
    return [
        f"{split}: {finding['check']}"
        for split, audited in report["parts"].items()
        for finding in audited["findings"]
        if finding["passed"] is False
    ]


def _hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
