"""What a family hands to an audit: its questions, its contexts one by one, its own findings.

The audit measures what concerns every family (policies, text); a family checks what only it knows
(structure, truth).
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from personamem.dataset_builder.core.findings import Finding, Violations
from personamem.dataset_builder.core.items import Item
from personamem.loaders.formats.schema import Message, Question


@dataclass(frozen=True, slots=True)
class ReadContext:
    """One context as a family read and checked it.

    ``items`` are the multiple-choice questions asked in it and ``ends[i]`` the number of messages
    that ``items[i]`` sees; ``tokens`` is its size in o200k_base tokens. ``slips`` says that users
    write with slips, as people do. ``parts`` divides the tokens by kind of text, where a family
    tells kinds apart. A context that cannot be read has no messages.
    """

    context_id: str
    tokens: int
    violations: Violations
    messages: Sequence[Message] = ()
    session_starts: tuple[int, ...] = ()
    items: tuple[Item, ...] = ()
    ends: tuple[int, ...] = ()
    slips: bool = False
    parts: Mapping[str, int] = field(default_factory=dict)


class ContextJob(ABC):
    """Some contexts to read and check; picklable, since workers do it."""

    @abstractmethod
    def read(self) -> Iterator[ReadContext]:
        """Yield the contexts, one in memory at a time."""


@dataclass(frozen=True, slots=True)
class Distributions:
    """What the plots of a report show, a value for each question or context.

    ``positions`` are the shares of its context that a question sees, ``distances`` its o200k_base
    tokens back to the evidence, ``context_tokens`` the sizes of the contexts.
    """

    positions: tuple[float, ...] = ()
    distances: tuple[int, ...] = ()
    context_tokens: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedContext:
    """What remains of a ``ReadContext`` once it has been checked."""

    context_id: str
    tokens: int
    violations: Violations
    parts: Mapping[str, int] = field(default_factory=dict)


class AuditSubject(ABC):
    """One part of a source, such as a split. Families implement it as a record."""

    @property
    @abstractmethod
    def part(self) -> str:
        """The name of the part."""

    @property
    @abstractmethod
    def layout(self) -> str:
        """The format in which the source is written, such as "official v1"."""

    @property
    @abstractmethod
    def ours(self) -> bool:
        """Whether this project built it: only then is anything required."""

    @property
    @abstractmethod
    def num_questions(self) -> int:
        """The number of questions."""

    @property
    @abstractmethod
    def num_contexts(self) -> int:
        """The number of contexts, or of whatever is read one by one."""

    @property
    def items(self) -> tuple[Item, ...]:
        """The multiple-choice questions in file order; none where questions are open."""
        return ()

    @property
    def columns(self) -> Sequence[Question]:
        """The rows behind ``items``, in the same order."""
        return ()

    @property
    def jobs(self) -> Sequence[ContextJob]:
        """The contexts to read, in parts that a worker takes."""
        return ()

    @abstractmethod
    def judge(self, contexts: Sequence[CheckedContext], parts: int) -> list[Finding]:
        """Return the family's own findings, given what its contexts showed.

        ``parts`` is how many parts the whole audit looks at; see ``core.error_rate``.
        """

    def describe(self, contexts: Sequence[CheckedContext]) -> Distributions:
        """Return what a report plots. By default nothing."""
        return Distributions()


class OwnSubject(AuditSubject):
    """A part of a dataset that this project built: one of the formats that only it writes."""

    @property
    def layout(self) -> str:
        """The format of datasets of ours."""
        return "personamem"

    @property
    def ours(self) -> bool:
        """Always."""
        return True
