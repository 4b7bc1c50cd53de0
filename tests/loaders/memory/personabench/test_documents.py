"""Private documents as a memory gets them: by time, a user an archive, any one of the evidence."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from memories import Making, Recorder
from tiny_communities import ADA, BEN, BOUGHT, write_communities
from tiny_release import write_release

from personamem.loaders import PersonaMem
from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.memory.controls import FullMemory
from personamem.loaders.memory.personabench.documents import PrivateDocuments
from personamem.loaders.memory.protocol import Memory
from personamem.loaders.memory.records import iterate_scores
from personamem.loaders.memory.runs import run_memory
from personamem.loaders.memory.steps import AskStep
from personamem.loaders.memory.systems import MemoryFactory
from personamem.loaders.memory.timeline import list_steps, map_questions, open_memory_data

OFFICIAL = Path(__file__).parents[5] / "shared/reference/personabench"


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> PrivateDocuments:
    data = open_memory_data(write_communities(tmp_path_factory.mktemp("documents")), "noise_05")
    assert isinstance(data, PrivateDocuments)
    return data


def test_each_archive_is_a_user_and_documents_come_by_time(documents: PrivateDocuments) -> None:
    recorder = Recorder()
    run_memory(documents, Making(lambda: recorder), [100])
    users = [f"user-community_0/{name}" for name in (ADA, BEN)]
    assert list(dict.fromkeys(user for user, _, _ in recorder.added)) == users
    own = [(key, texts) for user, key, texts in recorder.added if user == users[0]]
    assert [key for key, _ in own] == [f"ada-{number:03}" for number in range(12)]
    stamps = [texts[0]["timestamp"] for _, texts in own]
    assert stamps[0] == "2024-10-14T19:05:00"
    assert stamps == sorted(stamps)
    # All documents are there before the first question, which is asked on the last day.
    assert {asked[2:] for asked in recorder.asked if asked[0] == users[0]} == {("2024-10-25", 12)}


def test_who_speaks_is_told_and_purchases_are_a_list(documents: PrivateDocuments) -> None:
    recorder = Recorder()
    run_memory(documents, Making(lambda: recorder), [100], contexts=documents.context_ids[:1])
    talk, bought = recorder.added[0][2], recorder.added[5][2]
    assert [message["role"] for message in talk] == ["user", "user"]
    assert talk[1]["content"] == f"{BEN}: So I have heard."
    assert [m["content"] for m in bought] == [f"Bought:\n{BOUGHT[ADA]} (Orm; x): Good."]


def test_chats_with_an_assistant_keep_their_roles(tmp_path: Path) -> None:
    data = open_memory_data(write_release(tmp_path), "noise_05")
    recorder = Recorder()
    run_memory(data, Making(lambda: recorder), [100])
    roles = [tuple(message["role"] for message in texts) for _, _, texts in recorder.added]
    assert ("user", "assistant") in roles
    # Ten questions of people with documents, one of them Subjective.
    assert len(recorder.asked) == len(map_questions(data)) == 9


def test_any_one_document_of_a_value_is_enough_and_all_values_are_needed(
    documents: PrivateDocuments,
) -> None:
    class Two(FullMemory):
        """Finds the first document and the fifth."""

        def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
            kept = self.list(user)
            return [kept[0], kept[4]]

    (run,) = run_memory(documents, Making(Two), [500], contexts=documents.context_ids[:1])
    recalls = {search.question_id: search.score.recall for search in run.searches}
    # Of the cat, the first document is the second that tells; the sister's cello needs two.
    assert recalls == {"q0": 1, "q1": 0, "q2": 1, "q3": 0, "q4": 0, "q5": 1, "q6": 0.5}
    assert all(search.score.written == 1.0 for search in run.searches)
    asked = {
        step.question_id: step
        for step in list_steps(documents, documents.context_ids[0])
        if isinstance(step, AskStep)
    }
    assert asked["q2"].evidence == (("ada-001", "ada-000"),)
    assert asked["q6"].evidence == (("ada-004",), ("ada-005",))


def test_the_oracle_finds_everything_and_a_memory_that_mixes_users_is_found_out(
    documents: PrivateDocuments,
) -> None:
    def score(name: str) -> list[tuple[float | None, int]]:
        runs = run_memory(documents, MemoryFactory(name, documents), [400])
        return [(each.recall, each.foreign) for each in iterate_scores(runs, 400)]

    assert set(score("oracle")) == {(1.0, 0)}
    assert max(foreign for _, foreign in score("broken")) > 0


def test_what_is_no_noise_level_is_a_size(documents: PrivateDocuments) -> None:
    with pytest.raises(InvalidInputError, match=r"noise level.*'0.7'.*Accepted: 0.0, 0.5"):
        open_memory_data(documents.source, "noise_07")
    with pytest.raises(DatasetError, match="has no splits of PersonaMem questions"):
        open_memory_data(documents.source, "4k")


@pytest.mark.skipif(not OFFICIAL.exists(), reason=f"the official community is not at {OFFICIAL}")
def test_of_the_official_community_the_oracle_finds_everything(tmp_path: Path) -> None:
    data = open_memory_data(OFFICIAL, "noise_0")
    assert not isinstance(data, PersonaMem)
    assert (len(data.context_ids), len(map_questions(data))) == (3, 116)
    runs = run_memory(data, MemoryFactory("oracle", data), [8_000], contexts=data.context_ids[:1])
    assert {score.recall for score in iterate_scores(runs, 8_000)} == {1.0}
