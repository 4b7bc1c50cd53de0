"""What an assistant is told of its user, and the limits of a dialogue (arXiv 2506.09902)."""

from collections.abc import Mapping
from dataclasses import dataclass

from personamem.loaders.personalens.schema import TaskKind

STOP_WORD = "TERMINATE"
"""What the user writes when the task is done; it is no part of the transcript."""

MAX_PAIRS: Mapping[TaskKind, int] = {"SD": 20, "MD": 30}
"""The most pairs of a reply and an answer to it, after the opening request."""

MAX_REPLY_TOKENS = 800
MAX_VERDICT_TOKENS = 4000
USER_TEMPERATURE = 0.5


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting: whether the assistant is given guidance, and the parts that it is told.

    ``parts`` are of "d" (demographics), "i" (past interactions in the domains of the task) and "s"
    (situation); preferences are never among them.
    """

    guided: bool
    parts: frozenset[str]


SETTINGS: Mapping[str, Setting] = {
    "vanilla": Setting(False, frozenset()),
    "base": Setting(True, frozenset()),
    **{name: Setting(True, frozenset(name)) for name in ("d", "i", "s", "di", "ds", "is")},
    "all": Setting(True, frozenset("dis")),
}
"""Those of the paper's Table 4, and the pairs, which it does not have."""
