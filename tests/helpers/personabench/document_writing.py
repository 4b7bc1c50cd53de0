"""Writes documents of communities from the prompt's outline, as a dull model would."""

import random
import re
from typing import Any

from writing_server import pack_turns

Turns = list[dict[str, Any]]

_MESSAGE = re.compile(r"^\d+ (.+):\n((?:   - .*\n?)+)", re.MULTILINE)
_SKETCH = re.compile(r"Sketch: (.*?)(?: name: .*)?$")
_ANSWER = (
    "That is easily sorted out. Take one step after the other, keep a note of what you have done, "
    "and ask somebody at the desk if it is still not clear to you by then."
)


def is_document(prompt: str) -> bool:
    """Whether a prompt asks for a document and not for a session."""
    return prompt.startswith(("Write a private conversation", "Write a chat of "))


def write_document(prompt: str) -> Turns:
    """The sketches, with a word of its own here and there."""
    turns = []
    for role, tasks in _MESSAGE.findall(prompt):
        texts = []
        for task in tasks.splitlines():
            if sketch := _SKETCH.search(task):
                now = "These days, well: " if "any more" in task.partition("Sketch")[0] else ""
                texts.append(f"{now}{sketch[1]}")
            elif "answers helpfully" in task:
                texts.append(_ANSWER)
            else:
                texts.append("I see, that is how it is, and there you have it.")
        turns.append({"role": role, "content": " ".join(texts)})
    return turns


def write_document_json(prompt: str) -> str:
    return pack_turns(write_document(prompt))


def spoil(turns: Turns, words: list[str], chance: random.Random) -> Turns:
    """Put a word where it may not belong, and sometimes take one out."""
    turns = [dict(turn) for turn in turns]
    word = chance.choice(words)
    frame = chance.choice(["And then {}.", "Somebody said {}s.", "{}, that is!", "Emeka, with {}."])
    chance.choice(turns)["content"] += " " + frame.format(word)
    if chance.random() < 0.3:
        turn = chance.choice(turns)
        kept = turn["content"].split()
        del kept[chance.randrange(len(kept))]
        turn["content"] = " ".join(kept)
    return turns
