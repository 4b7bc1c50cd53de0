"""Requests for the options of a quad, all four in one call so that they match."""

from collections.abc import Sequence

from personamem.dataset_builder.core.config import ModelSettings
from personamem.dataset_builder.families.personamem.writers.model.options import (
    OptionsBrief,
    claim_of,
    cues_of,
    manners_of,
)
from personamem.dataset_builder.families.personamem.writers.model.prompts import PROMPTS
from personamem.dataset_builder.llm import Request
from personamem.loaders.formats.schema import MAX_LENGTH_RATIO

LETTERS_PER_TOKEN = 2
"""Of everyday English, rather too few, so that no answer is cut for the limit on its tokens."""

JSON_TOKENS = 80
"""What the form of the answer adds."""


FIELDS = ("reply 1", "reply 2", "reply 3", "reply 4")
"""Of the answer, in the order of the options."""


def request_options(
    brief: OptionsBrief, settings: ModelSettings, faults: Sequence[str] = ()
) -> Request:
    """Return the request for four options; ``faults`` are what earlier attempts got wrong."""
    drafts = [option.draft for option in brief.options]
    manners = manners_of(brief.question_type)
    prompt = PROMPTS.render(
        "options.jinja",
        question=brief.question,
        claim=claim_of(brief.question_type),
        options=[
            {
                "draft": option.draft,
                "holds": [texts[0] for texts in option.holds],
                "cues": ", ".join(cue.replace("*", "...") for cue in cues_of(option.trait)),
            }
            for option in brief.options
        ],
        least=brief.least_letters,
        most=brief.most_letters,
        words=round(sum(len(draft.split()) for draft in drafts) / len(drafts)),
        ratio=MAX_LENGTH_RATIO,
        alike=[manner.says for manner in manners if not manner.is_barred],
        barred=[manner.says for manner in manners if manner.is_barred],
        fields=FIELDS,
        faults=list(faults),
    )
    most = len(drafts) * brief.most_letters // LETTERS_PER_TOKEN + JSON_TOKENS
    return PROMPTS.make_request(settings, prompt, most, FIELDS, "options_system.jinja")
