"""What runs answered to a question, which option that is, and what is wrong with it."""

from collections.abc import Sequence

from personamem.dataset_builder.families.samples import Sample, SampleFile
from personamem.dataset_builder.reports.site.records import Answer
from personamem.loaders.formats.schema import LETTERS, Question
from personamem.loaders.personamem.letters import read_letter

NO_LETTER = "no letter could be read"


def make_answers(
    question: Question, roles: Sequence[str], files: Sequence[SampleFile]
) -> tuple[Answer, ...]:
    """Return the answers of all files that have one; run numbers are places in ``files``.

    ``why`` is the role of the option that was chosen wrongly, such as "former"; empty where the
    dataset states no roles.
    """
    return tuple(
        _make_answer(number, question, roles, sample)
        for number, file in enumerate(files)
        if (sample := file.samples.get(question.question_id)) is not None
    )


def _make_answer(run: int, question: Question, roles: Sequence[str], sample: Sample) -> Answer:
    chosen = _find_chosen(sample)
    if sample.right:
        why = ""
    elif chosen is None:
        why = NO_LETTER
    else:
        why = roles[chosen].replace("_", " ")
    text = sample.describe() if sample.text is None else sample.text
    return Answer(run, text, "right" if sample.right else "wrong", chosen, why)


def _find_chosen(sample: Sample) -> int | None:
    if sample.text is not None:
        letter = read_letter(sample.text)
        return None if letter is None else LETTERS.index(letter)
    return sample.likelihoods.index(max(sample.likelihoods))
