"""The pull request of a release: one that is open already is continued, not opened twice.

It is opened before anything is sent to it, and as a draft, which the Hub does not let anybody
merge. Once its content has been read back, it is marked as ready.
"""

from dataclasses import dataclass

from huggingface_hub import HfApi

from personamem.dataset_builder.publish.remote import KIND, RemoteState, find_commit, list_files

DRAFT = "draft"
UNMERGED = ("open", DRAFT)


@dataclass(frozen=True, slots=True)
class PullRequest:
    """A pull request: its number, its address, the reference to push to, and its status."""

    number: int
    address: str
    reference: str
    status: str


def find_pull_request(api: HfApi, repo_id: str, title: str) -> PullRequest | None:
    """Return the unmerged pull request of the token's owner with this title, if there is one."""
    author = str(api.whoami()["name"])
    found = api.get_repo_discussions(
        repo_id, author=author, discussion_type="pull_request", repo_type=KIND
    )
    for each in found:
        if each.title == title and each.status in UNMERGED and each.author == author:
            return PullRequest(each.num, each.url, str(each.git_reference), each.status)
    return None


def open_pull_request(api: HfApi, repo_id: str, title: str, description: str) -> PullRequest:
    """Open a pull request to main, without content, as a draft."""
    made = api.create_pull_request(repo_id, title, description=description, repo_type=KIND)
    return PullRequest(made.num, made.url, str(made.git_reference), made.status)


def read_pull_request(api: HfApi, repo_id: str, request: PullRequest, private: bool) -> RemoteState:
    """Return the state of a pull request's branch."""
    head = find_commit(api, repo_id, request.reference)
    return RemoteState(private, head, files=list_files(api, repo_id, head))


def mark_as_ready(api: HfApi, repo_id: str, request: PullRequest) -> None:
    """Let a draft be merged; do nothing about any other."""
    if request.status == DRAFT:
        api.change_discussion_status(repo_id, request.number, new_status="open", repo_type=KIND)
