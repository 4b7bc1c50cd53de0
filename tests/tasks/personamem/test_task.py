"""The task class: documents, prompts under each condition, scores and errors."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from personamem.loaders import make_final_turn
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.prompting.prompts import INSTRUCTION

MakeTask = Callable[..., Any]


class ChatMl:
    """A chat model as a task sees it: something its template is bound to."""

    def apply_chat_template(
        self, messages: list[dict[str, str]], add_generation_prompt: bool = True
    ) -> str:
        text = "".join(f"<{m['role']}>{m['content']}</>" for m in messages)
        return text + "<assistant>" if add_generation_prompt else text.removesuffix("</>")


class FirstSystemOnly(ChatMl):
    """A template that silently drops every system message but a leading one."""

    def apply_chat_template(
        self, messages: list[dict[str, str]], add_generation_prompt: bool = True
    ) -> str:
        kept = [m for i, m in enumerate(messages) if i == 0 or m["role"] != "system"]
        return super().apply_chat_template(kept, add_generation_prompt)


class TextEater(ChatMl):
    """A template that loses a text no probe can foresee."""

    def apply_chat_template(
        self, messages: list[dict[str, str]], add_generation_prompt: bool = True
    ) -> str:
        return super().apply_chat_template(messages, add_generation_prompt).replace("jam", "")


def make_json(messages: list[dict[str, str]], add_generation_prompt: bool = True) -> Any:
    from lm_eval.models.api_models import JsonChatStr

    return JsonChatStr(json.dumps(messages))


def prompt_of(task: Any, doc: dict[str, Any], chat_template: Any = None, **kwargs: Any) -> Any:
    return task.fewshot_context(
        doc,
        num_fewshot=0,
        apply_chat_template=chat_template is not None,
        chat_template=chat_template,
        gen_prefix=task.doc_to_prefix(doc),
        **kwargs,
    )


def test_documents_are_questions_ordered_by_context_and_end(
    make_task: MakeTask, ours: Path, tiny: Any
) -> None:
    docs = list(make_task("personamem_4k", ours).eval_docs)
    places = [(doc["shared_context_id"], doc["end_index_in_shared_context"]) for doc in docs]
    assert places == sorted(places)
    assert len(docs) == len(tiny.make_questions())
    assert not any("messages" in doc for doc in docs)


def test_plain_text_shows_context_question_options_and_ends_in_text(
    make_task: MakeTask, ours: Path, tiny: Any
) -> None:
    for name, ending in (("personamem_4k", "Assistant:"), ("personamem_4k_ll", " Answer:")):
        task = make_task(name, ours)
        for doc in task.eval_docs:
            prompt = prompt_of(task, doc)
            persona = doc["persona_id"]
            seen = tiny.make_messages(persona)[: doc["end_index_in_shared_context"]]
            assert prompt.startswith(f"System: {seen[0]['content']}\n\nUser: ")
            assert all(message["content"] in prompt for message in seen)
            final = make_final_turn(doc["user_question_or_message"], doc["options"])
            assert prompt.endswith(
                f"\n\nUser: {final}\n\nAssistant:{ending.removeprefix('Assistant:')}"
            )


def test_a_chat_template_gets_the_real_messages(make_task: MakeTask, ours: Path, tiny: Any) -> None:
    task = make_task("personamem_4k", ours)
    doc = task.eval_docs[len(task.eval_docs) - 1]
    prompt = prompt_of(task, doc, ChatMl().apply_chat_template)
    messages = tiny.make_messages(doc["persona_id"])[: doc["end_index_in_shared_context"]]
    messages.append({"role": "user", "content": task.doc_to_text(doc)})
    assert prompt == ChatMl().apply_chat_template(messages)


def test_a_template_that_drops_system_messages_gets_them_in_user_turns(
    make_task: MakeTask, ours: Path, tiny: Any
) -> None:
    task = make_task("personamem_4k", ours)
    doc = next(d for d in task.eval_docs if d["end_index_in_shared_context"] == 10)
    prompt = prompt_of(task, doc, FirstSystemOnly().apply_chat_template)
    assert "[System message]\nPersona" in prompt
    assert prompt.count("<system>") == 1
    assert all(m["content"] in prompt for m in tiny.make_messages(doc["persona_id"]))


def test_a_chat_api_gets_strict_turns(make_task: MakeTask, ours: Path) -> None:
    task = make_task("personamem_4k", ours)
    for doc in task.eval_docs:
        messages = json.loads(
            prompt_of(task, doc, make_json, system_instruction="Be brief.").prompt
        )
        roles = [message["role"] for message in messages]
        assert roles == ["system", *(["user", "assistant"] * len(roles))[: len(roles) - 1]]
        assert roles[-1] == "user"
        assert messages[0]["content"] == "Be brief."


def test_log_likelihood_prefills_the_reply_of_a_chat_model(make_task: MakeTask, ours: Path) -> None:
    task = make_task("personamem_4k_ll", ours)
    doc = task.eval_docs[0]
    chat = ChatMl().apply_chat_template
    prompt = prompt_of(task, doc, chat)
    assert prompt.endswith("</><assistant>Answer:")
    requests = task.construct_requests(
        doc, prompt, metadata=("t", 0, 1), apply_chat_template=True, chat_template=chat
    )
    assert [request.args for request in requests] == [(prompt, f" {x}") for x in "abcd"]


def test_stop_strings_are_for_plain_text_only(make_task: MakeTask, ours: Path) -> None:
    task = make_task("personamem_4k", ours)
    for chat, stops in ((True, []), (False, ["\nUser:", "\nSystem:"])):
        request = task.construct_requests(
            task.eval_docs[0], "prompt", metadata=("t", 0, 1), apply_chat_template=chat
        )
        assert request.args[1]["until"] == stops


def test_conditions_differ_in_the_context_alone(make_task: MakeTask, ours: Path) -> None:
    full, blind, oracle = (
        make_task(f"personamem_4k{suffix}", ours) for suffix in ("", "_nocontext", "_oracle")
    )
    for doc in full.eval_docs:
        final = make_final_turn(doc["user_question_or_message"], doc["options"])
        assert prompt_of(blind, doc) == f"User: {final}\n\nAssistant:"
        assert INSTRUCTION in final
        question = next(q for q in full.data.questions if q.question_id == doc["question_id"])
        everything, evidence = full.messages_for(question), oracle.messages_for(question)
        assert evidence[:-1] == everything[:-1][:6]
        assert evidence[-1] == everything[-1]


def test_retrieval_shows_the_sessions_that_are_found(
    make_task: MakeTask, ours: Path, tiny: Any
) -> None:
    full = make_task("personamem_4k", ours)
    tasks = [make_task("personamem_4k_rag", ours, retriever="random", k=k) for k in (1, 2)]
    docs = [doc for doc in full.eval_docs if doc["end_index_in_shared_context"] == 10]
    for doc in docs:
        one, both = (task.make_messages(doc)[:-1] for task in tasks)
        messages = full.make_messages(doc)[:-1]
        assert both == messages
        assert one in (messages[:6], messages[6:])
        number = int(one == messages[6:])
        assert tasks[0].describe_prompt(doc)["sessions"] == [number]
    assert tasks[0].fingerprint != tasks[1].fingerprint
    with pytest.raises(InvalidInputError, match="k 0"):
        make_task("personamem_4k_rag", ours, k=0)


def test_the_oracle_needs_annotations(make_task: MakeTask, official: Path) -> None:
    with pytest.raises(InvalidInputError, match="needs annotations"):
        make_task("personamem_4k_oracle", official)


def test_the_dataset_comes_from_metadata_then_environment_then_default(
    make_task: MakeTask, ours: Path, official: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERSONAMEM_DATASET", str(official))
    assert make_task("personamem_4k", ours).data.source == str(ours)
    task = make_task("personamem_4k", None)
    assert task.data.source == task.dump_config()["dataset_path"] == str(official)
    monkeypatch.delenv("PERSONAMEM_DATASET")
    asked: list[str] = []

    def load(source: str, split: str) -> None:
        asked.append(f"{source} {split}")
        raise InterruptedError

    import sys

    monkeypatch.setattr(sys.modules[type(task).__module__], "load_personamem", load)
    with pytest.raises(InterruptedError):
        make_task("personamem_32k", None)
    assert asked == ["bowen-upenn/PersonaMem 32k"]


def test_the_split_must_fit_the_tasks_size(make_task: MakeTask, ours: Path) -> None:
    with pytest.raises(InvalidInputError, match=r"Unknown split .*'32k'.* Accepted: 4k"):
        make_task("personamem_32k", ours)


def test_examples_are_refused(make_task: MakeTask, ours: Path) -> None:
    task = make_task("personamem_4k", ours)
    with pytest.raises(InvalidInputError, match="num_fewshot is 2"):
        task.fewshot_context(task.eval_docs[0], num_fewshot=2)


def test_text_that_a_template_eats_is_an_error(make_task: MakeTask, ours: Path) -> None:
    task = make_task("personamem_4k", ours)
    doc = next(d for d in task.eval_docs if d["end_index_in_shared_context"] == 10)
    with pytest.raises(
        InvalidInputError, match=r"drops or changes text of question .*message 4 of"
    ):
        prompt_of(task, doc, TextEater().apply_chat_template)


def aggregate(task: Any, replies: list[Any]) -> dict[str, float]:
    results = [
        task.process_results(doc, reply) for doc, reply in zip(task.eval_docs, replies, strict=True)
    ]
    assert all(set(result) == set(task.aggregation()) for result in results)
    return {name: agg([r[name] for r in results]) for name, agg in task.aggregation().items()}


def test_generated_replies_are_scored(make_task: MakeTask, ours: Path) -> None:
    task = make_task("personamem_4k", ours)
    docs = list(task.eval_docs)
    right = [[f"It is {doc['correct_answer']}."] for doc in docs]
    scores = aggregate(task, right)
    assert scores.pop("unparsable") == 0.0
    assert set(scores.values()) == {1.0}
    types = {doc["question_type"] for doc in docs}
    assert {f"acc_{name}" for name in types} < set(scores)

    missed = docs[0]["question_type"]
    scores = aggregate(task, [["a good idea"], *right[1:]])
    assert scores["unparsable"] == 1 / 8
    assert scores["acc"] == 7 / 8
    share = sum(doc["question_type"] == missed for doc in docs)
    assert scores[f"acc_{missed}"] == 1 - 1 / share
    assert 0.8 < scores["f1"] < 1


def test_accuracy_and_unparsable_share_have_a_standard_error(
    make_task: MakeTask, ours: Path
) -> None:
    from lm_eval.api.metrics import mean

    aggregation = make_task("personamem_4k", ours).aggregation()
    assert aggregation["acc"] is aggregation["unparsable"] is mean
    better = make_task("personamem_4k", ours).higher_is_better()
    assert not better.pop("unparsable")
    assert all(better.values())


def test_log_likelihoods_are_scored(make_task: MakeTask, ours: Path) -> None:
    task = make_task("personamem_4k_ll", ours)
    replies = [
        [(-1.0 if index == doc["answer_index"] else -2.0, False) for index in range(4)]
        for doc in task.eval_docs
    ]
    scores = aggregate(task, replies)
    assert "unparsable" not in scores
    assert {value for value in scores.values() if not math.isnan(value)} == {1.0}
    replies[0] = replies[0][::-1]
    assert aggregate(task, replies)["acc"] == 7 / 8


def test_the_request_cache_tells_datasets_apart(
    make_task: MakeTask, ours: Path, official: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: list[str] = []

    def load(file_name: str, **_: Any) -> None:
        keys.append(file_name)

    monkeypatch.setattr("lm_eval.api.task.load_from_cache", load)
    for source in (ours, official, ours):
        make_task("personamem_4k", source).build_all_requests(limit=1)
    assert keys[0] != keys[1]
    assert keys[0] == keys[2]
