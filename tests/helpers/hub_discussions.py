"""Discussions and pull requests of the Hub stand-in."""

from typing import TYPE_CHECKING, Any

from hub_http import Answer, Request
from hub_store import Discussion, Repo

if TYPE_CHECKING:
    from hub import Hub

OWNER = "own"
CREATED = "2026-01-31T12:00:00.000Z"


def start_discussion(
    repo: Repo, title: str, *, author: str = OWNER, pull_request: bool, status: str
) -> int:
    """Start a discussion, or a pull request on main; return its number."""
    number = len(repo.discussions) + 1
    repo.discussions[number] = Discussion(title, author, status, pull_request)
    if pull_request:
        repo.pull_requests[number] = repo.branches["main"]
    return number


def list_discussions(hub: "Hub", request: Request, name: str) -> Answer:
    """List two a page; the Hub's ``type`` and ``author`` filter, as the client asks for."""
    repo = hub.repo(request, name)
    kind, author = (request.query.get(key, [""])[0] for key in ("type", "author"))
    found = [
        as_discussion(name, number, each)
        for number, each in sorted(repo.discussions.items(), reverse=True)
        if (kind != "pull_request" or each.is_pull_request) and author in ("", each.author)
    ]
    start = 2 * int(request.query.get("p", ["0"])[0])
    return Answer({"discussions": found[start : start + 2], "count": len(found), "start": start})


def add_discussion(hub: "Hub", request: Request, name: str) -> Answer:
    repo = hub.repo(request, name)
    wanted = request.json
    number = start_discussion(
        repo, wanted["title"], pull_request=wanted["pullRequest"], status="draft"
    )
    return Answer({"num": number})


def tell_discussion(hub: "Hub", request: Request, name: str, number: str) -> Answer:
    repo = hub.repo(request, name)
    about = as_discussion(name, int(number), repo.discussions[int(number)])
    changes = {"base": "refs/heads/main"}
    return Answer({**about, "changes": changes, "filesWithConflicts": [], "events": []})


def change_status(hub: "Hub", request: Request, name: str, number: str) -> Answer:
    repo = hub.repo(request, name, write=True)
    status = repo.discussions[int(number)].status = request.json["status"]
    event = {"id": "0", "type": "status-change", "createdAt": CREATED, "data": {"status": status}}
    return Answer({"newStatus": event})


def as_discussion(name: str, number: int, each: Discussion) -> dict[str, Any]:
    return {
        "num": number,
        "title": each.title,
        "author": {"name": each.author},
        "status": each.status,
        "isPullRequest": each.is_pull_request,
        "createdAt": CREATED,
        "repo": {"name": name, "type": "dataset"},
    }
