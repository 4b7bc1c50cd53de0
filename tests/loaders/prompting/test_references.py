"""References to prompts: compact, honest keys, and never a text by accident."""

import copy
import json
import pickle

import pytest

from personamem.loaders.formats.errors import PersonamemError
from personamem.loaders.prompting.references import PromptReference

DESCRIPTION = {"question_id": "q1", "split": "4k", "end_index": 3, "model": "m1"}


def make(render: str = "the prompt", **changes: object) -> PromptReference:
    return PromptReference({**DESCRIPTION, **changes}, 10, lambda: render)


def test_it_is_stored_as_its_description_and_renders_its_prompt() -> None:
    reference = make()
    assert json.loads(json.dumps(reference)) == DESCRIPTION
    assert reference.render() == str(reference) == "the prompt"
    assert "the prompt" not in repr(reference)


def test_its_hash_is_of_the_prompt_and_not_of_the_model() -> None:
    assert make().encode("utf-8") == make(model="m2").encode()
    assert make().encode() != make(end_index=4).encode()


def test_it_is_no_text() -> None:
    reference = make()
    assert not isinstance(reference, str)
    for misuse in (
        lambda: reference + " Answer:",  # type: ignore[operator]
        lambda: reference.strip(),  # type: ignore[attr-defined]
        lambda: reference[0],  # type: ignore[index]
        lambda: "".join([reference]),  # type: ignore[list-item]
    ):
        with pytest.raises((TypeError, AttributeError, KeyError)):
            misuse()


def test_a_tokenizer_refuses_it() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tokenizers.Tokenizer(tokenizers.models.BPE())
    )
    for given in (make(), [make(), make()]):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            tokenizer(given)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))])
def test_a_copy_describes_its_prompt_but_cannot_make_it(duplicate: object) -> None:
    copied = duplicate(make())  # type: ignore[operator]
    assert copied == DESCRIPTION
    assert copied.letters == 10
    with pytest.raises(PersonamemError, match="question q1"):
        copied.render()
