"""What tests of publishing share: their repository, environments, looks at what came out."""

import hashlib
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from forking_cli import Finished

from personamem.dataset_builder.audit.stored import DIGEST, digest_report, find_gap

Publish = Callable[..., Finished]
Release = Callable[..., Path]
REPO = "own/bench"


def clean_environment(endpoint: str, home: Path) -> dict[str, str]:
    """Return an environment in which the client may ask ``endpoint``, and has no token."""
    dropped = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN")
    return {
        **{name: value for name, value in os.environ.items() if name not in dropped},
        "HF_ENDPOINT": endpoint,
        "HF_HOME": str(home),
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "COLUMNS": "160",
    }


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write a manifest, and make the folder's audit be about it."""
    body = json.dumps(manifest).encode()
    (folder / "manifest.json").write_bytes(body)
    audit = json.loads((folder / "audit.json").read_bytes())
    audit["manifest_sha256"] = hashlib.sha256(body).hexdigest()
    write_audit(folder, audit)
    assert find_gap(audit, audit["manifest_sha256"], audit["parts"]) is None


def write_audit(folder: Path, audit: dict[str, Any]) -> None:
    """Write an audit with the digest of its content, as a forger would."""
    audit[DIGEST] = digest_report(audit)
    (folder / "audit.json").write_text(json.dumps(audit))


def read_plan(output: str) -> dict[str, str]:
    """Return the change that a printed plan names, by file."""
    return dict(re.findall(r"│ (\S+) +│ +[\d,]+ │ (\w+) ", output))


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the contents of a folder's visible files by path."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in files
        if not path.name.startswith(".")
    }


def write_results(path: Path, dataset: str, **changes: Any) -> Path:
    """Write what lm-eval writes, as far as it is read."""
    results = {
        "results": {
            "personamem_4k": {"acc,none": 0.5, "acc_stderr,none": 0.1, "unparsable,none": 0.0},
            "personamem_4k_ll": {"acc,none": 0.25, "acc_stderr,none": "N/A"},
        },
        "configs": {
            "personamem_4k": {"dataset_path": dataset},
            "personamem_4k_ll": {"dataset_path": dataset},
        },
        "n-samples": {
            "personamem_4k": {"original": 28, "effective": 28},
            "personamem_4k_ll": {"original": 28, "effective": 28},
        },
        "model_name": "owner/model",
        "date": 1_795_313_511.3,
        **changes,
    }
    path.write_text(json.dumps(results))
    return path


def run_program(command: list[str], environment: dict[str, str]) -> None:
    """Run a program that must succeed."""
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stderr}"
