"""The writer as a whole: form, variety, determinism."""

import re
import subprocess
import sys
from random import Random

import pytest
from unrelated_samples import digest, prose

from personamem.dataset_builder.core.rng import ShuffleBag
from personamem.dataset_builder.core.text.repeats import RepeatCounter
from personamem.dataset_builder.fillers import UnrelatedWriter, kinds
from personamem.dataset_builder.fillers.content_files import FOLDER, load_rows, load_templates
from personamem.dataset_builder.fillers.registry import KINDS
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.tokens import count_tokens


def test_there_are_many_kinds() -> None:
    assert len(kinds()) == len(set(kinds())) >= 40


def test_unknown_kind_is_an_error_with_the_choices() -> None:
    with pytest.raises(InvalidInputError, match="Did you mean 'percentage'"):
        UnrelatedWriter(Random(1)).exchange("percentages")


@pytest.mark.parametrize("kind", kinds())
def test_exchange_alternates_and_leaves_no_residue(kind: str) -> None:
    writer = UnrelatedWriter(Random(3))
    for _ in range(40):
        messages = writer.exchange(kind)
        assert [message["role"] for message in messages] == ["user", "assistant"] * (
            len(messages) // 2
        )
        assert 2 <= len(messages) <= 6
        for message in messages:
            text = message["content"]
            assert text
            assert text == text.strip()
            plain = prose(text)
            assert not re.search(r"\{[a-z_:]+\}|<[a-z_]+>", plain), text
            if kind not in ("python_code", "shell", "regex"):
                assert not re.search(r"[\[\]]", plain), text
            twice = re.search(r"\b([a-z]+) \1\b", plain)
            assert not twice, (twice and twice[0], text)
            assert kind == "shell" or not re.search(r"\w  \w|\w ,|, ,| \.\s", plain), text


def test_no_message_has_stray_blanks_or_commas() -> None:
    writer = UnrelatedWriter(Random(2_000))
    for _ in range(2_000):
        for message in writer.exchange():
            text = message["content"]
            assert text == text.strip(), text
            plain = prose(text)
            assert ", ," not in plain, text
            assert "  " not in plain, text


@pytest.mark.parametrize("kind", kinds())
def test_content_has_enough_phrasings(kind: str) -> None:
    own = load_templates(KINDS[kind][1])
    groups = {**load_templates("questions"), **own} if "ask" not in own else own
    replies = [name for name in groups if "reply" in name]
    asks = [name for name in groups if "reply" not in name]
    assert sum(len(groups[name]) for name in asks) >= 6
    assert sum(len(groups[name]) for name in replies) >= 5


def test_every_content_file_is_used_and_parses() -> None:
    used = {content for _, content in KINDS.values()} | {"frames", "questions", "phrases"}
    files = {path.stem for path in FOLDER.glob("*.yaml") if not path.stem.startswith("tables")}
    assert files == used
    for name in files - {"phrases"}:
        load_templates(name)
    assert len(load_rows("meanings")) >= 250


def test_session_is_counted_and_near_its_target() -> None:
    writer = UnrelatedWriter(Random(5))
    missed = []
    for target in (400, 1_000, 2_500, 6_000):
        session = writer.session(target, lambda text: len(text) // 4)
        assert all(size == len(message["content"]) // 4 for message, size in session)
        roles = [message["role"] for message, _ in session]
        assert roles == ["user", "assistant"] * (len(session) // 2)
        missed.append(sum(size for _, size in session) - target)
    assert max(map(abs, missed)) < 450
    assert UnrelatedWriter(Random(5)).session(1, len)


@pytest.mark.system
def test_same_seed_gives_the_same_text_in_another_process() -> None:
    code = (
        "import hashlib,json;from random import Random;"
        "from personamem.dataset_builder.fillers import UnrelatedWriter;"
        "pairs=UnrelatedWriter(Random(11)).session(9_000,len);"
        "print(hashlib.sha256(json.dumps(pairs).encode()).hexdigest())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == digest(11) != digest(12)


def test_long_messages_hardly_repeat() -> None:
    session = UnrelatedWriter(Random(2)).session(60_000, lambda text: len(text) // 3)
    texts = [message["content"] for message, _ in session if len(message["content"]) > 60]
    assert len(set(texts)) >= 0.997 * len(texts)


def count_repeats(writer: UnrelatedWriter) -> float:
    counter = RepeatCounter()
    for _ in range(10):
        counter.add(message["content"] for message, _ in writer.session(500, count_tokens))
    return counter.share


def test_a_small_context_repeats_no_long_message(monkeypatch: pytest.MonkeyPatch) -> None:
    def deal_one_kind(seed: int) -> UnrelatedWriter:
        writer = UnrelatedWriter(Random(seed))
        writer._kinds = ShuffleBag(("paper_size",), Random(seed))
        return writer

    assert all(count_repeats(deal_one_kind(seed)) == 0 for seed in range(10))
    monkeypatch.setattr(RepeatCounter, "exceeds_with", lambda counter, texts: False)
    assert any(count_repeats(deal_one_kind(seed)) > 0 for seed in range(10))
