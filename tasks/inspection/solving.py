"""The solvers: what a question sees, and the model's reply to it."""

from collections.abc import Mapping
from typing import Any

import anyio
from anyio import to_thread
from inspect_ai.model import ChatMessage, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from personamem.loaders.formats.errors import PersonamemError
from personamem.loaders.formats.schema import Message
from personamem.loaders.prompting.templates import normalise_messages
from personamem.tasks.inspection.local_models import find_rules, make_chat_message, prepare_model
from personamem.tasks.inspection.opening import Settings, open_task


@solver
def show_conversation(family: str, task: str, settings: Settings) -> Solver:
    """Put what the condition of an lm-eval task shows before the question, as chat messages.

    It runs whatever solver answers. Messages are those of the dataset, shared by the questions of a
    context, and changed only where the model's chat template would not take them.
    """
    # A retriever or a memory may take seconds, and none is made for several threads at a time.
    lock = anyio.Lock()

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        opened = open_task(family, task, settings)
        async with lock:
            messages = await to_thread.run_sync(opened.make_messages, state.metadata)
        state.messages = list(_convert(messages))
        return state

    return solve


@solver
def answer_question() -> Solver:
    """Have the model answer, once.

    Raises:
        PersonamemError: the prompt is longer than the model's window.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = prepare_model(get_model(), str(state.sample_id))
        state.output = await model.generate(state.messages)
        if state.output.stop_reason == "model_length":
            raise PersonamemError(
                f"Question {state.sample_id}: the prompt is longer than the window of {model}: "
                f"{state.output.completion[:200]!r}. Accepted: a smaller size, or a model with a "
                "larger window."
            )
        state.messages.append(state.output.message)
        return state

    return solve


def _convert(messages: list[Message]) -> "map[ChatMessage]":
    rules = find_rules(get_model())
    return map(_convert_one, normalise_messages(messages, rules))


def _convert_one(message: Mapping[str, Any]) -> ChatMessage:
    return make_chat_message(message["role"], message["content"])
