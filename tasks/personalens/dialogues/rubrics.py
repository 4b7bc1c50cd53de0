"""What a judge is told of a dialogue: one message for each dimension, with the inputs of the paper.

Task completion is judged by transcript and goal, personalization by all that is known of the user,
naturalness and coherence by the transcript alone. The user's id, which the paper's code happens to
pass on with the demographics, is left out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from personamem.loaders.personalens.prompts import render_demographics, render_situation
from personamem.tasks.personalens.dialogues.prompts import (
    Scene,
    render_histories,
    render_preferences,
)
from personamem.tasks.personalens.dialogues.transcript import Side, Turn, render_transcript

LEVELS = """\
1 (Poor): ignores or contradicts what is known of the user, or asks for what is known already. \
Example: a user who always sets weekday alarms for 6:30 asks for the usual one and is asked which \
days and which time are meant.
2 (Basic): uses a preference only once the user has stated it in this dialogue, and misses what is \
implied. Example: the alarm is set for 6:30 after the user said so, with a sound they never choose.
3 (Strong): applies known preferences without being asked, catches what is implied, suggests what \
makes sense, leaves the user in control; small adjustments are needed at most. Example: offers the \
weekday alarm for 6:30 with the user's gentle sound and asks whether that is right.
4 (Exceptional): foresees needs from stated and implied preferences, sees patterns, plans ahead. \
Example: offers that alarm, notices tomorrow's early train and proposes 5:45 for this one day."""

SCALE = """\
1: highly {un}; 2: several significant faults; 3: noticeable faults; 4: minor faults; 5: {fully} \
throughout"""

MEANINGS = {
    ("naturalness", "user"): "Do the messages of the user sound like those of a person who talks "
    "to an assistant: fluent, plausible, in one voice?",
    ("naturalness", "assistant"): "Do the replies of the assistant sound natural: fluent, fitting "
    "in tone, neither stiff nor repetitive?",
    ("coherence", "user"): "Do the messages of the user follow logically from their earlier "
    "requests and from the flow of the dialogue, without contradictions?",
    ("coherence", "assistant"): "Do the replies of the assistant follow logically from the earlier "
    "requests of the user and from the flow of the dialogue, without contradictions?",
}


@dataclass(frozen=True, slots=True)
class Dimension:
    """One thing that a judge grades.

    ``label`` stands before the verdict in its reply. ``most`` is the best grade, from 1; it is 1
    where the verdict is True or False.
    """

    name: str
    label: str
    most: int
    make_prompt: Callable[[Scene, Sequence[Turn]], str]


def ask_task_completion(scene: Scene, turns: Sequence[Turn]) -> str:
    """Return the question whether the goal was reached."""
    return f"""\
You check whether a task was completed in a dialogue between a user and a personal assistant.

{_render_dialogue(turns)}

The goal of the task: {scene.task.goal}

The verdict is True only if all that the goal names was achieved in the dialogue. It is False if \
anything that the goal needs is absent from the dialogue. Take the assistant's word for what it \
says that it has done.

Reply in this form, the verdict on the first line:
VERDICT: True or False
EXPLANATION: your reasons in a few sentences"""


def ask_personalization(scene: Scene, turns: Sequence[Turn]) -> str:
    """Return the question how well the assistant fitted its replies to the user."""
    return f"""\
You grade how well a personal assistant fits its replies to its user.

{_render_known(scene)}

{_render_dialogue(turns)}

Consider whether the assistant learns from the past, applies preferences without being told, fits \
the situation, and leaves control to the user. Grade the whole dialogue:
{LEVELS}

Reply in this form, the score on the first line:
Personalization Score: a whole number from 1 to 4
Observations: what the score rests on
Justification: why it is no higher and no lower
Improvements: what would have been better"""


def ask_personalization_by_turn(scene: Scene, turns: Sequence[Turn]) -> str:
    """Return the question for a grade after each reply of the assistant."""
    number = sum(turn.side == "assistant" for turn in turns)
    return f"""\
You grade how well a personal assistant fits its replies to its user, after each of its replies.

{_render_known(scene)}

{_render_dialogue(turns)}

The assistant replies {number} times. For each n from 1 to {number}, grade the dialogue up to and \
with its n-th reply as if it ended there:
{LEVELS}

Reply with {number} lines in this form, and nothing else:
Turn 1: a whole number from 1 to 4"""


def _make_quality(name: str, side: Side) -> Dimension:
    label = f"{name.capitalize()} Score"
    adjective = {"naturalness": "natural", "coherence": "coherent"}[name]
    un = {"naturalness": "unnatural", "coherence": "incoherent"}[name]
    scale = SCALE.format(un=un, fully=f"fully {adjective}")

    def make_prompt(scene: Scene, turns: Sequence[Turn]) -> str:
        return f"""\
You grade the {name} of the {side}'s side of a dialogue between a user and a personal assistant. \
The other side is not graded.

{_render_dialogue(turns)}

{MEANINGS[name, side]} Grade this side as a whole:
{scale}

Reply in this form, the score on the first line:
{label}: a whole number from 1 to 5
Justification: your reasons in a few sentences"""

    return Dimension(f"{name}_{side}", label, 5, make_prompt)


DIMENSIONS: Mapping[str, Dimension] = {
    each.name: each
    for each in (
        Dimension("task_completion", "VERDICT", 1, ask_task_completion),
        Dimension("personalization", "Personalization Score", 4, ask_personalization),
        _make_quality("naturalness", "user"),
        _make_quality("naturalness", "assistant"),
        _make_quality("coherence", "user"),
        _make_quality("coherence", "assistant"),
    )
}
"""What is graded of every dialogue, by name."""


def _render_known(scene: Scene) -> str:
    return "\n\n".join(
        (
            f"The user:\n{render_demographics(scene.profile.demographics)}",
            f"What the user prefers:\n{render_preferences(scene.profile, scene.task)}",
            f"The task of the user: {scene.task.intent}",
            f"Past interactions:\n{render_histories(scene.profile, scene.task)}",
            f"The situation:\n{render_situation(scene.situation)}",
        )
    )


def _render_dialogue(turns: Sequence[Turn]) -> str:
    return f"The dialogue:\n{render_transcript(turns)}"
