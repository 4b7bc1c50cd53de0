"""What an assistant is told of a user, and the question which of four replies it should give."""

from collections.abc import Collection, Sequence

from personamem.loaders.formats.schema import LETTERS, Message
from personamem.loaders.personalens.schema import Demographics, LensQuestion, Profile, Situation

ROLE = (
    "You are a personal assistant. You help one user with everyday tasks, such as bookings, "
    "messages and recommendations. Use what you know about the user."
)
INSTRUCTION = (
    "Which of these replies to my message fits me best, given everything you know about me? Reply "
    "with the letter of that reply in parentheses, such as (a), and nothing else."
)
_SITUATION = {
    "location": "Location",
    "device": "Device",
    "time_of_day": "Time of day",
    "day_of_week": "Day of the week",
    "environment": "Environment",
}


def make_messages(profile: Profile, question: LensQuestion, setting: str) -> list[Message]:
    """Return the prompt of a question under a setting of ``SETTINGS``: system and user message."""
    context = render_context(profile, question, setting)
    system = f"{ROLE}\n\n{context}" if context else ROLE
    return [
        {"role": "system", "content": system},
        {"role": "user", "content": make_turn(question.request, question.options)},
    ]


def make_turn(request: str, options: Sequence[str]) -> str:
    """Return the turn of the user: the request, the question, the four replies on a line each."""
    listed = "\n".join(
        f"({letter}) {option}" for letter, option in zip(LETTERS, options, strict=True)
    )
    return f"{request}\n\n{INSTRUCTION}\n\n{listed}"


def render_context(profile: Profile, question: LensQuestion, setting: str) -> str:
    """Return what an assistant is told under a setting; empty under "none".

    Demographics, past interactions in the domains of the task, and the situation, in this order.
    """
    parts = {"all": "dis", "none": ""}.get(setting, setting)
    return render_parts(profile, question.domains, question.situation, parts)


def render_parts(
    profile: Profile, domains: Sequence[str], situation: Situation, parts: Collection[str]
) -> str:
    """Return the ``parts`` of what is known of a user: "d", "i" and "s", always in this order."""
    texts = []
    if "d" in parts:
        texts.append(f"The user:\n{render_demographics(profile.demographics)}")
    if "i" in parts:
        histories = [f"{h.domain}:\n{h.text}" for h in profile.histories_of(*domains)]
        texts.append("\n\n".join(["Past interactions with the user:", *histories]))
    if "s" in parts:
        texts.append(f"The situation:\n{render_situation(situation)}")
    return "\n\n".join(texts)


def render_demographics(demographics: Demographics) -> str:
    """Return demographics as a list of lines."""
    return "\n".join(
        f"- {name.replace('_', ' ').capitalize()}: {getattr(demographics, name)}"
        for name in demographics.__slots__
    )


def render_situation(situation: Situation) -> str:
    """Return a situation as a list of lines."""
    return "\n".join(f"- {label}: {getattr(situation, name)}" for name, label in _SITUATION.items())
