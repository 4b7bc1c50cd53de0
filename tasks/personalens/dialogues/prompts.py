"""What the assistant and the simulated user are told. One wording serves every model.

The inputs are those of the paper's code: every call has the whole dialogue in one message. The
assistant sees the parts of its setting; the user agent sees demographics, the preferences and
histories of the task's domains, the situation and the task, but never the goal that a judge checks.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from personamem.loaders.formats.schema import Message
from personamem.loaders.personalens.prompts import (
    render_demographics,
    render_parts,
    render_situation,
)
from personamem.loaders.personalens.schema import Profile, Situation, Task
from personamem.tasks.personalens.dialogues.settings import STOP_WORD, Setting
from personamem.tasks.personalens.dialogues.transcript import (
    ASSISTANT_LABELS,
    Turn,
    render_transcript,
)

ROLE = (
    "You are a personal assistant who helps one user with everyday tasks. Treat whatever the user "
    "asks for, such as a booking, a reminder, a message or a recommendation, as something that you "
    "can carry out."
)
GUIDANCE = """\
How to reply:
- Fit every reply to this user: to what you know about them and to what they say.
- Mirror the style of the user, and keep to the point.
- Refer back to what was said before where that helps.
- Ask a follow-up question when something that you need is unclear, and confirm important details.
- Say more or less, as the user seems to want.
- Let the user decide where the conversation goes.
Each reply should be relevant, brief and useful, and bring the task nearer to its end."""

USER_ROLE_TEXT = f"""\
You play a person who talks to a personal assistant. You are the user, never the assistant, and \
you offer no help. Write natural English in the voice of this person, one to three sentences a \
message. Write {STOP_WORD} only when your task is done."""

OPENING_REQUEST = f"""\
Write the first message to the assistant, with which you turn to it for your task. One or two \
sentences that suit your situation. Do not mention particular preferences or your background yet, \
and do not write {STOP_WORD}. Messages of other people in other tasks began like this:
- Hey, could you see whether there is any live music on near me tonight?
- I'd like to take my niece to an exhibition on Sunday, what is there?
- Can you help me to find a talk about gardening this month?
Write your message and nothing else."""

NEXT_REQUEST = f"""\
Write your next message. Rules:
1. Stay this person; react to what the assistant said last.
2. Answer its questions from your profile and your past; invent only what these leave open.
3. Bring up a preference when the conversation comes to it, not all of them at once.
4. One to three sentences, without a label such as [USER] in front.
5. When the task is done and you are satisfied, thank the assistant briefly and end the message \
with {STOP_WORD}. Until then never write this word.
An example of an end:
[USER]: Could you put the vet on Thursday at four?
[ASSISTANT]: Done: vet, Thursday, 4 pm. Shall I remind you an hour before?
[USER]: Yes please, an hour is good.
[ASSISTANT]: The reminder is set for 3 pm.
Here the user would write: Perfect, that was all. {STOP_WORD}"""


@dataclass(frozen=True, slots=True)
class Scene:
    """One user with one task in one situation."""

    profile: Profile
    task: Task
    situation: Situation


def make_assistant_prompt(scene: Scene, setting: Setting, turns: Sequence[Turn]) -> list[Message]:
    """Return what the assistant is told, and the dialogue that it goes on with."""
    told = render_parts(scene.profile, scene.task.domains, scene.situation, setting.parts)
    system = "\n\n".join(filter(None, (ROLE, GUIDANCE if setting.guided else "", told)))
    dialogue = render_transcript(turns, ASSISTANT_LABELS)
    request = f"The conversation so far:\n{dialogue}\n\nWrite the next reply of the assistant."
    return [{"role": "system", "content": system}, {"role": "user", "content": request}]


def make_opening_prompt(scene: Scene) -> list[Message]:
    """Return what the user agent is told before its first message."""
    return _ask_user(f"{render_user(scene)}\n\n{OPENING_REQUEST}")


def make_user_prompt(scene: Scene, turns: Sequence[Turn]) -> list[Message]:
    """Return what the user agent is told before each later message."""
    dialogue = f"The conversation so far:\n{render_transcript(turns)}"
    return _ask_user(f"{render_user(scene)}\n\n{dialogue}\n\n{NEXT_REQUEST}")


def render_user(scene: Scene) -> str:
    """Return who the user is, what they like and did, where they are and what they want."""
    return "\n\n".join(
        (
            f"Who you are:\n{render_demographics(scene.profile.demographics)}",
            f"What you prefer:\n{render_preferences(scene.profile, scene.task)}",
            f"Your past with the assistant:\n{render_histories(scene.profile, scene.task)}",
            f"Your situation:\n{render_situation(scene.situation)}",
            f"Your task: {scene.task.intent}",
        )
    )


def render_preferences(profile: Profile, task: Task) -> str:
    """Return the preferences of the task's domains; of several domains, below their names."""
    blocks = []
    for domain in task.domains:
        lines = [f"- {p.type}: {', '.join(p.values)}" for p in profile.preferences_of(domain)]
        head = [f"{domain}:"] if len(task.domains) > 1 else []
        blocks.append("\n".join([*head, *lines]))
    return "\n".join(blocks)


def render_histories(profile: Profile, task: Task) -> str:
    """Return the summaries of past interactions; of several domains, each between its tags."""
    found = list(profile.histories_of(*task.domains))
    if len(task.domains) == 1:
        return "\n".join(history.text for history in found)
    return "\n".join(f"<{each.domain}>\n{each.text}\n</{each.domain}>" for each in found)


def _ask_user(text: str) -> list[Message]:
    return [{"role": "system", "content": USER_ROLE_TEXT}, {"role": "user", "content": text}]
