"""The table of lm-eval tasks: families of benchmarks, with their splits, conditions and modes.

``python -m personamem.tasks.generate`` writes the YAML files from it, and ``personamem eval`` reads
from it which tasks there are. Needs no lm-eval.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product


@dataclass(frozen=True, slots=True)
class Mode:
    """A way of answering.

    ``suffix`` ends the names of its tasks, ``template`` is the file that they include, and
    ``group_scores`` are the metrics that its group averages over splits, weighted by questions.
    """

    suffix: str
    template: str
    group_scores: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TaskFamily:
    """The tasks of one family: a task for each split, condition and mode.

    The first of ``conditions`` shows everything and does not appear in names; the others are its
    controls. ``grouped_splits`` are those that are run together under one name: a group, which
    averages, for the first condition, and a tag, which only lists, for each control.
    """

    name: str
    splits: tuple[str, ...]
    grouped_splits: tuple[str, ...]
    conditions: tuple[str, ...]
    modes: tuple[Mode, ...]

    @property
    def controls(self) -> tuple[str, ...]:
        """The conditions that show less than everything."""
        return self.conditions[1:]

    def find_mode(self, suffix: str) -> Mode | None:
        """Return the mode whose names end in ``suffix``, None if there is none."""
        return next((mode for mode in self.modes if mode.suffix == suffix), None)

    def name_task(self, split: str, condition: str, mode: Mode) -> str:
        """Return the name of a task: family, split, a control's name, the mode's suffix."""
        return self._join(split, *self._name_control(condition), mode.suffix)

    def name_group(self, condition: str, mode: Mode) -> str:
        """Return the name under which the grouped splits of a condition are run together."""
        return self._join(*self._name_control(condition), mode.suffix)

    def list_names(self) -> Iterator[str]:
        """Yield every name that lm-eval takes for tasks of this family."""
        for condition, mode in product(self.conditions, self.modes):
            yield self.name_group(condition, mode)
            for split in self.splits:
                yield self.name_task(split, condition, mode)

    def _name_control(self, condition: str) -> tuple[str, ...]:
        return (condition,) if condition in self.controls else ()

    def _join(self, *parts: str) -> str:
        return "_".join(filter(None, (self.name, *parts)))
