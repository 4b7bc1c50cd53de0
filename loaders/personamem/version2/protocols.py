"""Two ways of asking the second release's questions, and what tells them apart.

``corrected`` is ours. ``as_released`` asks as the release's own runner does, so that the effect of
each difference can be measured; the wording is ours in both, so figures are not the published ones.

=============== =============================================== ================================
                as_released                                     corrected
=============== =============================================== ================================
recall request  after every query, also where nothing of the    none
                user may be used
options         in a system message after the query, (A) to (D) in the user's message, (a) to (d)
reply           reasons, then a letter                          a letter
letter read     by five patterns, the first that matches; a     ``read_letter``: two letters, or
                word after "Answer:" gives its first letter     none, are unreadable
sensitive rows  all                                             those whose history holds the
                                                                snippet
persona message not with retrieval or a memory                  with all conditions but nocontext
=============== =============================================== ================================

In both, the order of options is that of a digest: the release seeds its shuffle with Python's
``hash``, which is another one in each process. Both are decoded greedily; the release leaves
temperature and length of the reply to each provider.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from personamem.loaders.formats.errors import unknown_choice
from personamem.loaders.formats.model_text import strip_reasoning
from personamem.loaders.formats.schema import LETTERS, Message
from personamem.loaders.prompting.prompts import make_final_turn

Protocol = Literal["corrected", "as_released"]
PROTOCOLS: tuple[Protocol, ...] = ("corrected", "as_released")

RELEASED_REPLY_TOKENS = 2_048
"""Room for the reasons, as in the release's training runs."""

RECALL = "Before you reply, recall what you know of my preferences from our earlier chats."

_CHOOSE = (
    "Four replies to the user's last message follow. Explain first which of them suits this user "
    "best, then end with a line that reads Final Answer: and the letter of that reply."
)

_RELEASED_LETTERS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\\boxed\{\s*\(?([a-d])\)?\s*\}",
        r"final answer:\s*\(?([a-d])",
        r"answer:\s*\(?([a-d])",
        r"answer is\s*\(?([a-d])",
        r"\b([a-d])\.\s*$",
    )
)


def read_protocol(metadata: Mapping[str, Any]) -> Protocol:
    """Return the protocol that lm-eval's ``--metadata`` names. Raises InvalidInputError."""
    name = metadata.get("protocol", PROTOCOLS[0])
    for protocol in PROTOCOLS:
        if name == protocol:
            return protocol
    raise unknown_choice("protocol", name, PROTOCOLS)


def make_choice_turns(query: str, options: Sequence[str], protocol: Protocol) -> list[Message]:
    """Return the last messages of a prompt: the query and the four options."""
    if protocol == "corrected":
        return [{"role": "user", "content": make_final_turn(query, options)}]
    listed = "\n".join(
        f"({letter.upper()}) {option}" for letter, option in zip(LETTERS, options, strict=True)
    )
    return [
        *make_open_turns(query, protocol),
        {"role": "system", "content": f"{_CHOOSE}\n\n{listed}"},
    ]


def make_open_turns(query: str, protocol: Protocol) -> list[Message]:
    """Return the last message of a prompt that asks for a reply of one's own."""
    content = query if protocol == "corrected" else f"{query}\n\n{RECALL}"
    return [{"role": "user", "content": content}]


def read_released_letter(text: str) -> str | None:
    """Return the letter that the release's patterns find in a reply, in their order."""
    reply = strip_reasoning(text) or ""
    for pattern in _RELEASED_LETTERS:
        if found := pattern.search(reply):
            return found[1].lower()
    return None
