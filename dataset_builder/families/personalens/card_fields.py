"""What the columns of PersonaLens's tables mean, for the card."""

from personamem.cards.family import Table, describe_columns
from personamem.loaders.personalens.schema import SCHEMAS

FIELDS = {
    "profiles": describe_columns(
        SCHEMAS["profiles"],
        user_id="Name of the user, `user0` and so on.",
        demographics="Who the user is; the values are those of the official release.",
        interests="The domains that the user cares about; they mask everything else.",
        preferences="Values of each preference type; `form` tells a single value from a list.",
        histories="Past interactions with an assistant, a summary in prose for each domain.",
    ),
    "scenarios": describe_columns(
        SCHEMAS["scenarios"],
        user_id="The user.",
        task_id="The task; all of its domains interest the user.",
        situation="Where, when and with which device the user turns to the assistant.",
    ),
    "tasks": describe_columns(
        SCHEMAS["tasks"],
        task_id="`SD-<Domain>-task-<number>` or `MD-task-<number>`.",
        kind="`SD`: of one domain; `MD`: of several.",
        number="Number within the domain, or among the tasks of several.",
        domains="The domains of the task.",
        description="What the task is, in the third person.",
        intent="What the user is to do, in the second person.",
        goal="When the task is done.",
        types="Names of the preference types that it involves.",
    ),
    "preference_types": describe_columns(
        SCHEMAS["preference_types"],
        domain="The domain.",
        domain_description="What an assistant does in the domain.",
        type="Name of the preference type, unique within its domain.",
        description="What it is about.",
        form="`single`: one value; `list`: one or more.",
        kind="`categorical`: a closed set of values; `free`: names that are made up.",
        values="All values of a categorical type, examples of a free one.",
    ),
    "quads": describe_columns(
        SCHEMAS["quads"],
        question_id="Unique name of the question.",
        quad_id="Joins the four questions of four users that share everything but the answer.",
        user_id="The user who asks.",
        task_id="The task.",
        kind="Kind of the task.",
        domains="Domains of the task.",
        depth="How many preference types are needed to tell the replies apart: 1 or 2.",
        types='These types, as "domain: type".',
        situation="The situation, the same for the four users.",
        request="What the user says to the assistant.",
        options="Four replies of an assistant; each is right for one of the four users.",
        answer_index="The right one for this user, 0 to 3.",
    ),
}

TITLES = {
    "profiles": "one row per user",
    "scenarios": "one row per user and task",
    "tasks": "one row per task",
    "preference_types": "one row per preference type",
    "quads": "one row per question with four replies to choose from",
}

TABLES = tuple(
    Table(name, TITLES[name], "", fields, fixed=name in ("tasks", "preference_types"))
    for name, fields in FIELDS.items()
)

CHECK_MEANINGS = {
    "contradictions": "contradictions in profiles, by the declared rules",
    "solved_questions": "questions of quads with exactly one reply that fits the profile",
    "mean_evenness": "mean evenness of the values of categorical preference types",
    "most_common_situation": "highest share of one value of a situation",
}
