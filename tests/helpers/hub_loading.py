"""Loading from the stand-in of the Hub, in a process of its own: its client reads the environment
once, when it is imported.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from hub import Hub
from hub_store import file_line

LOAD = """
import json, sys
from personamem.loaders.formats.errors import PersonamemError
from personamem.loaders import load_personamem
for source, split, revision in json.loads(sys.argv[1]):
    try:
        data = load_personamem(source, split, revision)
        print(len(list(data.pairs())), data.source)
    except PersonamemError as error:
        print(type(error).__name__, error)
"""
"""Prints a line for each (source, split, revision): the pairs and the source, or the error."""

Load = tuple[str, str, str | None]


def add_repository(hub: Hub, name: str, folder: Path, tag: str = "v1.0.0") -> str:
    """Put the files of a folder into a new repository; return the commit, which is tagged."""
    repository = hub.store.create(name)
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    lines = [file_line(path.relative_to(folder).as_posix(), path.read_bytes()) for path in files]
    repository.tags[tag] = hub.store.commit(name, "main", lines, "files")
    return repository.tags[tag]


def run_loads(hub: Hub, home: Path, loads: list[Load], script: str = LOAD, **env: str) -> list[str]:
    """Run a script with ``loads`` as its argument; ``home`` keeps what is fetched."""
    variables = {
        **os.environ,
        "HF_ENDPOINT": hub.endpoint,
        "HF_HOME": str(home),
        "HF_HUB_OFFLINE": "0",
        "HF_HUB_DISABLE_XET": "1",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        **env,
    }
    done = subprocess.run(
        [sys.executable, "-c", script, json.dumps(loads)],
        env=variables,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def list_fetched(hub: Hub) -> set[str]:
    """Return the names of the files that were asked for."""
    found = (line.split("/resolve/", 1) for line in hub.requests if "/resolve/" in line)
    return {rest.split("/", 1)[1] for _, rest in found}
