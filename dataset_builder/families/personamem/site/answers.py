"""What runs answered to a question, which option that is, and what is wrong with it."""

from collections.abc import Sequence

from personamem.dataset_builder.families.personamem.results.choices import (
    NO_LETTER,
    find_chosen,
    name_role,
)
from personamem.dataset_builder.families.samples import Sample, SampleFile
from personamem.dataset_builder.reports.site.records import Answer
from personamem.loaders.formats.schema import Question


def make_answers(
    question: Question, roles: Sequence[str], files: Sequence[SampleFile]
) -> tuple[Answer, ...]:
    """Return the answers of all files that have one; run numbers are places in ``files``.

    ``why`` is the role of the option that was chosen wrongly, such as "former", and ``cause`` which
    link broke where a memory served the answer, both as reports count them. They are empty where
    nobody states roles, or no memory served.
    """
    return tuple(
        _make_answer(number, roles, sample)
        for number, file in enumerate(files)
        if (sample := file.samples.get(question.question_id)) is not None
    )


def _make_answer(run: int, roles: Sequence[str], sample: Sample) -> Answer:
    chosen = find_chosen(sample.text, sample.likelihoods)
    text = sample.describe() if sample.text is None else sample.text
    if sample.right:
        return Answer(run, text, "right", chosen)
    # Where nobody states roles, a site still says that there is no letter.
    why = NO_LETTER if chosen is None else name_role(chosen, roles).replace("_", " ")
    return Answer(run, text, "wrong", chosen, why, sample.cause)
