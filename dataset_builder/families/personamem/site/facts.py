"""The facts behind the questions of a context: when they held, were told, and were asked.

For a dataset of lives the world is rebuilt from the configuration and the seed, as the audit does.
Where that is impossible, or its texts are not those of the context, the annotations remain: they
state what was told and asked, and not when a fact held.
"""

from collections.abc import Iterator, Mapping, Sequence

from personamem.dataset_builder.families.configuration import make_config
from personamem.dataset_builder.families.personamem.config import PersonaMemConfig, configure
from personamem.dataset_builder.families.personamem.site.lives import read_life_facts
from personamem.dataset_builder.reports.site.records import Fact, Lane, Mark
from personamem.loaders.formats.errors import PersonamemError
from personamem.loaders.formats.schema import Annotation, ContextRecord, Question
from personamem.loaders.formats.sources import find_manifest


def make_fact_reader(source: str, split: str) -> "FactReader":
    """Return a reader for the contexts of one split."""
    manifest = find_manifest(source)
    config = None
    if manifest is not None:
        try:
            config = configure(make_config(**manifest.config))
        except (PersonamemError, TypeError):  # Of another version, or not built by personamem.
            config = None
    if config is not None and split not in config.sizes:
        config = None
    return FactReader(config, split)


class FactReader:
    """Reads the facts of contexts of one split."""

    def __init__(self, config: PersonaMemConfig | None, split: str) -> None:
        """``config`` is that of a dataset of lives, or None."""
        self._config, self._split = config, split

    @property
    def knows_world(self) -> bool:
        """Whether the world can be rebuilt."""
        return self._config is not None

    def read(
        self,
        context: ContextRecord,
        questions: Sequence[Question],
        annotations: Mapping[str, Annotation],
    ) -> list[Fact]:
        """Return the facts of a context; none without annotations."""
        if not annotations:
            return []
        if self._config is not None:
            found = read_life_facts(self._config, self._split, context, questions, annotations)
            if found is not None:
                return found
        return list(_read_annotated(context, questions, annotations))


def _read_annotated(
    context: ContextRecord, questions: Sequence[Question], annotations: Mapping[str, Annotation]
) -> Iterator[Fact]:
    threads: dict[str, list[Question]] = {}
    for question in questions:
        threads.setdefault(annotations[question.question_id].thread_id, []).append(question)
    for thread_id, asked in threads.items():
        noted = [annotations[question.question_id] for question in asked]
        evidence = {i for each in noted for i in each.evidence_message_indices}
        related = {i for each in noted for i in each.related_message_indices} - evidence
        lanes = [
            Lane("evidence", marks=tuple(_mark_told(context, evidence, "evidence"))),
            Lane("other mentions", marks=tuple(_mark_told(context, related, "mention"))),
            Lane("questions", marks=tuple(mark_asked(asked, annotations))),
        ]
        yield Fact(
            thread_id,
            thread_id,
            asked[0].topic,
            "As the annotations state it.",
            tuple(lane for lane in lanes if lane.marks),
        )


def _mark_told(context: ContextRecord, messages: set[int], what: str) -> Iterator[Mark]:
    for index in sorted(messages):
        if index < len(context.messages):
            date = context.session_dates[context.session_at(index)]
            yield Mark("told", date, what, index)


def mark_asked(
    questions: Sequence[Question], annotations: Mapping[str, Annotation]
) -> Iterator[Mark]:
    """Yield a mark for each question."""
    for question in questions:
        yield Mark(
            "asked",
            annotations[question.question_id].asked_on,
            question.question_type.replace("_", " "),
            question.question_id,
        )
