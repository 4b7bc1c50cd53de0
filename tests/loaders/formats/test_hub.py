"""Loading from a Hub: a server of our own answers as the Hub does, and notes what it is asked."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType

import pytest
from tiny_communities import write_communities

COMMIT = "0123456789abcdef0123456789abcdef01234567"
SCRIPT = """
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

OPEN_SCRIPT = """
import json, sys
from personamem.loaders.personabench import load_personabench
for source, noise, revision in json.loads(sys.argv[1]):
    data = load_personabench(source, revision)
    print(data.source, [len(archive.sessions) for archive in data.archives(float(noise))])
"""


class Hub:
    """A Hub with two dataset repositories, ``own/ours`` and ``own/official``."""

    def __init__(self, folders: dict[str, Path]) -> None:
        self.folders = folders
        self.requests: list[str] = []
        hub = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                hub.answer(self)

            do_HEAD = do_GET

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        path = handler.path.split("?")[0]
        self.requests.append(path)
        body, headers = self.find(path)
        handler.send_response(404 if body is None else 200)
        for name, value in headers.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body or b"")))
        handler.end_headers()
        if handler.command == "GET":
            handler.wfile.write(body or b"")

    def find(self, path: str) -> tuple[bytes | None, dict[str, str]]:
        for name, folder in self.folders.items():
            for revision in ("main", "v1.0.0", COMMIT):
                files = [p.relative_to(folder).as_posix() for p in folder.rglob("*.*")]
                if path == f"/api/datasets/{name}/revision/{revision}":
                    info = {
                        "id": name,
                        "sha": COMMIT,
                        "siblings": [{"rfilename": f} for f in files],
                    }
                    return json.dumps(info).encode(), {"Content-Type": "application/json"}
                if path == f"/api/datasets/{name}/tree/{revision}":
                    entries = [
                        {
                            "type": "file",
                            "path": f,
                            "oid": COMMIT,
                            "size": (folder / f).stat().st_size,
                        }
                        for f in files
                    ]
                    return json.dumps(entries).encode(), {"Content-Type": "application/json"}
                prefix = f"/datasets/{name}/resolve/{revision}/"
                if path.startswith(prefix) and (folder / path.removeprefix(prefix)).is_file():
                    body = (folder / path.removeprefix(prefix)).read_bytes()
                    etag = hashlib.sha256(body).hexdigest()
                    return body, {"X-Repo-Commit": COMMIT, "ETag": f'"{etag}"'}
            if path.startswith(f"/api/datasets/{name}/revision/"):
                return None, {"X-Error-Code": "RevisionNotFound"}
        return None, {"X-Error-Code": "RepoNotFound"}


@pytest.fixture
def hub(tiny: ModuleType, tmp_path: Path) -> Iterator[Hub]:
    ours = tiny.write_ours(tmp_path / "repo/ours", split="8k")
    official = tmp_path / "repo/official"
    for split in ("4k", "8k"):
        tiny.write_ours(ours, split)
        tiny.write_official(official, split)
    hub = Hub({"own/ours": ours, "own/official": official})
    thread = threading.Thread(target=hub.server.serve_forever)
    thread.start()
    yield hub
    hub.server.shutdown()
    hub.server.server_close()
    thread.join()


def run(
    hub: Hub,
    home: Path,
    loads: list[tuple[str, str, str | None]],
    script: str = SCRIPT,
    **env: str,
) -> list[str]:
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


def test_only_the_files_of_one_split_are_fetched_and_then_kept(hub: Hub, tmp_path: Path) -> None:
    home = tmp_path / "home"
    loads = [
        ("own/ours@v1.0.0", "4k", None),
        ("own/official", "8k", "v1.0.0"),
    ]
    assert run(hub, home, loads) == ["8 own/ours@v1.0.0", "8 own/official@v1.0.0"]
    fetched = {path.split(f"{COMMIT}/")[1] for path in hub.requests if "/resolve/" in path}
    assert fetched == {
        "manifest.json",
        "benchmark/4k.parquet",
        "contexts/4k.parquet",
        "annotations/4k.parquet",
        "questions_8k.csv",
        "shared_contexts_8k.jsonl",
    }
    hub.requests.clear()
    again = run(hub, home, [*loads, ("own/ours@v1.0.0", "8k", None)], HF_HUB_OFFLINE="1")
    assert again[:2] == ["8 own/ours@v1.0.0", "8 own/official@v1.0.0"]
    assert again[2].startswith("DatasetNotFoundError")
    assert hub.requests == []


def test_what_the_hub_does_not_have_is_named(hub: Hub, tmp_path: Path) -> None:
    loads = [
        ("own/ours@v9", "4k", None),
        ("own/nothing", "4k", None),
        ("own/ours", "32k", None),
        ("own/official", "32k", None),
    ]
    revision, repository, ours, official = run(hub, tmp_path / "home", loads)
    assert "DatasetNotFoundError The Hub dataset 'own/ours' has no revision 'v9'" in revision
    assert "DatasetNotFoundError No local folder 'own/nothing', and the Hub dataset" in repository
    assert "InvalidInputError Unknown split" in ours
    assert "Accepted: 4k, 8k." in ours
    assert "InvalidInputError Unknown split of own/official '32k'" in official
    assert "Accepted: 4k, 8k." in official


def test_of_open_questions_one_noise_level_is_fetched(hub: Hub, tmp_path: Path) -> None:
    hub.folders["own/open"] = write_communities(tmp_path / "repo/open")
    loads = [("own/open@v1.0.0", "0.5", None)]
    assert run(hub, tmp_path / "home", loads, OPEN_SCRIPT) == ["own/open@v1.0.0 [12, 9]"]
    fetched = {path.split(f"{COMMIT}/")[1] for path in hub.requests if "/resolve/" in path}
    assert fetched == {
        *("manifest.json", "communities.json", "documents/noise_05.parquet"),
        *("open_questions/noise_0.parquet", "open_questions/noise_05.parquet"),
    }
