"""A stand-in of the Hub: a local HTTP server with the routes that its client uses for datasets.

It keeps real files (``hub_store``), knows who may write, pages its listings, and misbehaves when
told to. What a route answers follows the client's code, so the client runs as it is; the storage is
LFS (the client with HF_HUB_DISABLE_XET=1), unless ``large`` is off, when every file is a plain one.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, unquote

import yaml
from hub_discussions import (
    OWNER,
    add_discussion,
    change_status,
    list_discussions,
    start_discussion,
    tell_discussion,
)
from hub_http import Answer, Fault, Request, run_server
from hub_store import Refusal, Repo, Store, as_entries, as_file, as_folder, is_lfs

TOKEN = "hf_FakeTokenOfTheTests0123456789"
READ_TOKEN = "hf_FakeTokenThatMayOnlyRead012345"
PAGE = 7


class Hub:
    """The server's state: its store, its faults, and the requests it has seen."""

    def __init__(self, folder: Path) -> None:
        self.store = Store(folder)
        self.faults: list[Fault] = []
        self.requests: list[str] = []
        self.large = True
        self.after_commit: Callable[[Repo], object] = lambda repo: None
        self.endpoint = ""
        self.lock = threading.Lock()

    @property
    def repos(self) -> dict[str, Repo]:
        return self.store.repos

    def asked(self, pattern: str) -> list[str]:
        """Return the requests, "METHOD path", that match."""
        return [line for line in self.requests if re.search(pattern, line)]

    def due_fault(self, line: str) -> Fault | None:
        for fault in self.faults:
            if fault.times and re.search(fault.pattern, line):
                fault.times -= 1
                return fault
        return None

    def serve(self, request: Request) -> Answer:
        """Answer one request."""
        with self.lock:
            for pattern, route in ROUTES:
                match = re.fullmatch(pattern, f"{request.method} {request.path}")
                if match:
                    return route(self, request, *(unquote(group) for group in match.groups()))
        raise Refusal(404, f"No route {request.method} {request.path}")

    def may(self, request: Request, write: bool) -> bool:
        """Say whether the sender is known; refuse wrong tokens, and writing without the right."""
        words = request.headers.get("Authorization", "").split()
        if not words:
            if write:
                raise Refusal(401, "Invalid username or password.")
            return False
        if words[1] not in (TOKEN, READ_TOKEN):
            raise Refusal(401, "Invalid credentials in Authorization header")
        if write and words[1] == READ_TOKEN:
            raise Refusal(403, "Forbidden: you must use a write token to upload to a repository.")
        return True

    def repo(self, request: Request, name: str, write: bool = False) -> Repo:
        known = self.may(request, write)
        repo = self.repos.get(name)
        if repo is None or (repo.private and not known):
            raise Refusal(404 if known else 401, "Repository not found", "RepoNotFound")
        return repo


def create(hub: Hub, request: Request) -> Answer:
    hub.may(request, write=True)
    wanted = request.json
    if wanted["organization"] != OWNER:
        raise Refusal(403, "You don't have the rights to create a dataset under this namespace")
    name = f"{wanted['organization']}/{wanted['name']}"
    hub.store.create(name, private=wanted.get("visibility") == "private")
    return Answer({"url": f"{hub.endpoint}/datasets/{name}", "name": name})


def tell_info(hub: Hub, request: Request, name: str, revision: str = "main") -> Answer:
    repo = hub.repo(request, name)
    commit = repo.resolve(revision)
    siblings = [{"rfilename": path} for path in sorted(repo.commits[commit])]
    about = {"_id": "0", "id": name, "sha": commit, "private": repo.private, "tags": []}
    return Answer({**about, "siblings": siblings, "downloads": 0, "likes": 0})


def list_tree(hub: Hub, request: Request, name: str, revision: str, under: str = "") -> Answer:
    repo = hub.repo(request, name)
    recursive = request.query.get("recursive", [""])[0].lower() in ("true", "1")
    entries = as_entries(repo.commits[repo.resolve(revision)], under, recursive)
    start = int(request.query.get("cursor", ["0"])[0])
    headers = {}
    if start + PAGE < len(entries):
        following = f"{hub.endpoint}{request.path}?recursive={recursive}&cursor={start + PAGE}"
        headers["Link"] = f'<{following}>; rel="next"'
    return Answer(entries[start : start + PAGE], headers=headers)


def tell_paths(hub: Hub, request: Request, name: str, revision: str) -> Answer:
    repo = hub.repo(request, name)
    files = repo.commits[repo.resolve(revision)]
    found = []
    for path in parse_qs(request.body.decode()).get("paths", []):
        if path in files:
            found.append(as_file(path, files[path]))
        elif any(other.startswith(f"{path}/") for other in files):
            found.append(as_folder(path))
    return Answer(found)


def list_refs(hub: Hub, request: Request, name: str) -> Answer:
    repo = hub.repo(request, name)

    def tell(kind: str, names: dict[str, str]) -> list[dict[str, str]]:
        return [
            {"name": name, "ref": f"refs/{kind}/{name}", "targetCommit": oid}
            for name, oid in names.items()
        ]

    branches, tags = tell("heads", repo.branches), tell("tags", repo.tags)
    return Answer({"branches": branches, "tags": tags, "converts": []})


def add_tag(hub: Hub, request: Request, name: str, revision: str) -> Answer:
    repo = hub.repo(request, name, write=True)
    tag = request.json["tag"]
    if tag in repo.tags:
        raise Refusal(409, f"Tag {tag} already exists")
    repo.tags[tag] = repo.resolve(revision)
    return Answer({})


def add_branch(hub: Hub, request: Request, name: str, branch: str) -> Answer:
    repo = hub.repo(request, name, write=True)
    if branch in repo.branches:
        raise Refusal(409, f"Branch {branch} already exists")
    repo.branches[branch] = repo.resolve(request.json.get("startingPoint", "main"))
    return Answer({})


def check_card(hub: Hub, request: Request) -> Answer:
    header = request.json["content"].partition("---\n")[2].partition("\n---\n")[0]
    try:
        assert isinstance(yaml.safe_load(header), dict)
    except (yaml.YAMLError, AssertionError) as error:
        return Answer({"errors": [{"message": str(error)}], "warnings": []}, status=400)
    return Answer({"errors": [], "warnings": []})


def tell_modes(hub: Hub, request: Request, name: str, revision: str) -> Answer:
    repo = hub.repo(request, name, write="create_pr" not in request.query)
    present = repo.commits[repo.resolve(revision)]
    answers = []
    for file in request.json["files"]:
        path, large = file["path"], hub.large and is_lfs(file["path"], file["size"])
        kept = present.get(path)
        answers.append(
            {
                "path": path,
                "uploadMode": "lfs" if large else "regular",
                "shouldIgnore": False,
                "oid": (kept.sha256 if kept.lfs else kept.oid) if kept else None,
            }
        )
    return Answer({"files": answers})


def offer_upload(hub: Hub, request: Request, name: str) -> Answer:
    hub.repo(request, name, write=True)
    objects = []
    for wanted in request.json["objects"]:
        entry = {"oid": wanted["oid"], "size": wanted["size"]}
        if not hub.store.object(wanted["oid"]).exists():
            entry["actions"] = {"upload": {"href": f"{hub.endpoint}/lfs/{wanted['oid']}"}}
        objects.append(entry)
    return Answer({"transfer": "basic", "objects": objects})


def take_upload(hub: Hub, request: Request, sha256: str) -> Answer:
    if hub.store.put(request.body) != sha256:
        raise Refusal(400, "The content does not match its name")
    return Answer()


def commit(hub: Hub, request: Request, name: str, revision: str) -> Answer:
    asks = "create_pr" in request.query
    repo = hub.repo(request, name, write=not asks)
    header, *operations = (json.loads(line) for line in request.body.splitlines())
    message, parent = header["value"]["summary"], header["value"].get("parentCommit")
    number = None
    if asks:
        number = start_discussion(repo, message, pull_request=True, status="open")
    elif revision.startswith("refs/pr/"):
        number = int(revision.rpartition("/")[2])
    oid = hub.store.commit(name, revision, operations, message, parent, number)
    hub.after_commit(repo)
    url = f"{hub.endpoint}/datasets/{name}"
    opened = f"{url}/discussions/{number}" if number else None
    return Answer({"commitUrl": f"{url}/commit/{oid}", "commitOid": oid, "pullRequestUrl": opened})


def tell_user(hub: Hub, request: Request) -> Answer:
    if not hub.may(request, write=False):
        raise Refusal(401, "Invalid username or password.")
    return Answer({"type": "user", "name": OWNER, "fullname": OWNER, "orgs": []})


def send_file(hub: Hub, request: Request, name: str, revision: str, path: str) -> Answer:
    repo = hub.repo(request, name)
    oid = repo.resolve(revision)
    blob = repo.commits[oid].get(path)
    if blob is None:
        raise Refusal(404, f"{path} does not exist", "EntryNotFound")
    body = hub.store.object(blob.sha256).read_bytes()
    headers = {"X-Repo-Commit": oid, "ETag": f'"{blob.sha256 if blob.lfs else blob.oid}"'}
    headers["Accept-Ranges"] = "bytes"
    span = re.fullmatch(r"bytes=(\d+)-(\d*)", request.headers.get("Range", ""))
    if not span:
        return Answer(body, headers=headers)
    start, end = int(span[1]), int(span[2]) if span[2] else len(body) - 1
    headers["Content-Range"] = f"bytes {start}-{min(end, len(body) - 1)}/{len(body)}"
    return Answer(body[start : end + 1], 206, headers)


ROUTES: list[tuple[str, Callable[..., Answer]]] = [
    (r"POST /api/repos/create", create),
    (r"GET /api/whoami-v2", tell_user),
    (r"GET /api/datasets/([^/]+/[^/]+)/discussions", list_discussions),
    (r"POST /api/datasets/([^/]+/[^/]+)/discussions", add_discussion),
    (r"GET /api/datasets/([^/]+/[^/]+)/discussions/(\d+)", tell_discussion),
    (r"POST /api/datasets/([^/]+/[^/]+)/discussions/(\d+)/status", change_status),
    (r"POST /api/validate-yaml", check_card),
    (r"GET /api/datasets/([^/]+/[^/]+)", tell_info),
    (r"GET /api/datasets/([^/]+/[^/]+)/revision/([^/]+)", tell_info),
    (r"GET /api/datasets/([^/]+/[^/]+)/tree/([^/]+)", list_tree),
    (r"GET /api/datasets/([^/]+/[^/]+)/tree/([^/]+)/(.+)", list_tree),
    (r"POST /api/datasets/([^/]+/[^/]+)/paths-info/([^/]+)", tell_paths),
    (r"GET /api/datasets/([^/]+/[^/]+)/refs", list_refs),
    (r"POST /api/datasets/([^/]+/[^/]+)/tag/([^/]+)", add_tag),
    (r"POST /api/datasets/([^/]+/[^/]+)/branch/([^/]+)", add_branch),
    (r"POST /api/datasets/([^/]+/[^/]+)/preupload/([^/]+)", tell_modes),
    (r"POST /api/datasets/([^/]+/[^/]+)/commit/([^/]+)", commit),
    (r"POST /datasets/([^/]+/[^/]+)\.git/info/lfs/objects/batch", offer_upload),
    (r"PUT /lfs/([0-9a-f]{64})", take_upload),
    (r"(?:GET|HEAD) /datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", send_file),
]


@contextmanager
def run_hub(folder: Path) -> Iterator[Hub]:
    """Serve a Hub on a free port of this machine, with its files under ``folder``."""
    hub = Hub(folder)
    with run_server(hub) as hub.endpoint:
        yield hub
