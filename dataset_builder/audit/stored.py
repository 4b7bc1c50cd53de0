"""An audit as JSON: what ``personamem audit --json`` writes, and when it replaces a new one.

A stored audit carries a digest of its own content, so that one that was edited or damaged is found.
The digest is no signature: whoever edits the file can compute the digest anew, as whoever owns a
dataset can leave its audit out. Only running ``personamem audit`` proves anything to a reader.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from personamem.dataset_builder.audit.run import PartAudit, choose_baselines
from personamem.loaders.formats.audit_record import parse_audit
from personamem.loaders.formats.manifest import MANIFEST, hash_file

DIGEST = "content_sha256"
UNBOUND = ("source", DIGEST)
"""Keys that the digest leaves out: the place where the dataset was, and the digest itself."""


def make_report(source: str, audits: Sequence[PartAudit]) -> dict[str, Any]:
    """Return audits of parts as plain values, in the form of ``AuditRecord``.

    ``manifest_sha256`` says which dataset was audited: the manifest names the hash of every file.
    It is None for a source without one at hand, such as a Hub id.
    """
    manifest = Path(source).expanduser() / MANIFEST
    report = {
        "source": source,
        "manifest_sha256": hash_file(manifest) if manifest.is_file() else None,
        "personamem": version("personamem"),
        "passed": not any(audited.failures for audited in audits),
        "parts": {audited.part: audited.as_json() for audited in audits},
    }
    return {**report, DIGEST: digest_report(report)}


def digest_report(report: Mapping[str, Any]) -> str:
    """Return the sha256 in hex of a report's canonical JSON, without the keys of ``UNBOUND``."""
    bound = {key: value for key, value in report.items() if key not in UNBOUND}
    return hashlib.sha256(json.dumps(bound, sort_keys=True).encode()).hexdigest()


def find_gap(report: object, manifest_sha256: str, parts: Iterable[str]) -> str | None:
    """Say why ``report`` is no whole audit of the dataset with this manifest, or return None.

    An audit that was edited, of some parts, with some baselines, or by another version of this
    package, whose checks may be others, is not whole. Its verdict is not looked at.
    """
    if not isinstance(report, Mapping):
        return "it is not what `personamem audit --json` writes"
    try:
        record = parse_audit(report)
    except ValueError as error:
        return f"it is not what `personamem audit --json` writes ({error})"
    if record.manifest_sha256 != manifest_sha256:
        return "it is about another dataset"
    if record.personamem != version("personamem"):
        return f"it was made with personamem {record.personamem}"
    if record.content_sha256 != digest_report(report):
        return "it was edited: its content does not match its digest"
    expected = set(choose_baselines(())[0])
    for part in parts:
        if part not in record.parts:
            return f"it leaves out {part}"
        baselines = record.parts[part].baselines
        if not any(baselines.values()):
            continue  # Without options, no policy picks one.
        measured = {row.policy for rows in baselines.values() for row in rows}
        if not expected <= measured:
            return f"it leaves out baselines of {part}"
    return None
