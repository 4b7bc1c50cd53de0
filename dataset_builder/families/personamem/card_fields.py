"""What the columns of PersonaMem's tables mean: the field tables of the card."""

from personamem.cards.family import Table, describe_columns
from personamem.dataset_builder.families.personamem.flat import CONFIG, FLAT_SCHEMA
from personamem.loaders.formats.schema import (
    ANNOTATIONS_SCHEMA,
    BENCHMARK_SCHEMA,
    CONTEXTS_SCHEMA,
)

BENCHMARK_INTRODUCTION = (
    "The first fifteen columns have the names, the order and the types of the PersonaMem release."
)

BENCHMARK_FIELDS = describe_columns(
    BENCHMARK_SCHEMA,
    persona_id="The persona who asks.",
    question_id="Unique name of the question.",
    question_type="The skill that is asked for; one of the types listed above.",
    topic="What the conversation behind the question was about.",
    context_length_in_tokens=(
        "Length of the messages before the question, in o200k_base tokens of their contents."
    ),
    context_length_in_letters="The same length in Unicode characters.",
    distance_to_ref_in_blocks="Sessions between the session with the evidence and the question.",
    distance_to_ref_in_tokens="Tokens between the evidence and the question.",
    num_irrelevant_tokens="Tokens before the question in sessions that belong to no topic.",
    distance_to_ref_proportion_in_context=(
        'Distance to the evidence as a share of the context, such as "92.67%".'
    ),
    user_question_or_message="The user's last message: the question.",
    correct_answer='Letter of the right option, such as "(c)".',
    all_options=(
        'A list literal of four texts that begin with "(a) " to "(d) "; '
        "`json.loads` and `ast.literal_eval` both read it."
    ),
    shared_context_id="The context in `contexts` that the question belongs to.",
    end_index_in_shared_context=(
        "The question sees `messages[:end_index_in_shared_context]` and nothing after."
    ),
    options="The four option texts without letters, in letter order.",
    answer_index="Index of the right option in `options`, from 0.",
)

CONTEXTS_FIELDS = describe_columns(
    CONTEXTS_SCHEMA,
    shared_context_id="Unique name of the context.",
    persona_id="The persona who is the user.",
    num_messages="Messages in the context.",
    num_tokens="o200k_base tokens, summed over the contents of the messages.",
    num_letters="Unicode characters, summed over the contents of the messages.",
    session_starts="Index of the first message of each session.",
    session_topics="Topic of each session; empty for unrelated ones.",
    session_dates="Date of each session, ISO 8601.",
    messages="The conversation, oldest message first.",
)

ANNOTATIONS_INTRODUCTION = (
    "For analysis only: a model under test must not see this table, which names the right option."
)

ANNOTATIONS_FIELDS = describe_columns(
    ANNOTATIONS_SCHEMA,
    question_id="The question in `benchmark` that the row is about.",
    quad_id="Joins the four questions of a balanced quad.",
    pair_id="Joins a quad asked before and after an update; else empty.",
    pair_position='"before" or "after" within the pair; else empty.',
    thread_id="The strand of the persona's life that is asked about.",
    asked_on="Date on which the question is asked, ISO 8601.",
    option_roles="What each option is to this persona, in letter order.",
    option_keys="The candidate behind each option, in letter order.",
    evidence_message_indices="Messages that prove the answer, from index 0.",
    related_message_indices="The evidence and the messages that mention the other options.",
    level="How the evidence is told: `stated`, `named`, `implied` or `combined`.",
    updates="How often the preference had changed.",
    sessions_per_answer="Sessions that hold the evidence.",
    distractors="Sessions that hold related messages and no evidence.",
)

FLAT_INTRODUCTION = (
    "The same questions with all that a model reads, for harnesses that take a row a sample; for "
    "splits up to 32k. `eval.yaml` names its columns to inspect-ai."
)

FLAT_FIELDS = describe_columns(
    FLAT_SCHEMA,
    task="The task of lm-eval that asks the same.",
    question_id="The question in `benchmark`.",
    question_type="As in `benchmark`.",
    level="As in `annotations`; no model may see it.",
    quad_id="As in `annotations`; no model may see it.",
    persona_id="The persona who asks.",
    context_length_in_tokens="As in `benchmark`.",
    distance_to_ref_in_tokens="As in `benchmark`.",
    input=(
        "The messages to send: the conversation before the question, then the question with its "
        "options. One system message may lead; then user and assistant speak in turn."
    ),
    options="The four option texts without letters, in letter order.",
    answer_index="Index of the right option in `options`, from 0.",
    target='Letter of the right option, such as "c".',
)

TABLES = (
    Table("benchmark", "one row per question", BENCHMARK_INTRODUCTION, BENCHMARK_FIELDS),
    Table("contexts", "one row per context, shared by many questions", "", CONTEXTS_FIELDS),
    Table(
        "annotations",
        "one row per question: why the right option is right",
        ANNOTATIONS_INTRODUCTION,
        ANNOTATIONS_FIELDS,
    ),
    Table(CONFIG, "one row per question, with its conversation", FLAT_INTRODUCTION, FLAT_FIELDS),
)

QUESTION_TYPE_MEANINGS = {
    "recall_user_shared_facts": "recall what the user did, not what others did or was only planned",
    "acknowledge_latest_user_preferences": "use the preference that holds now",
    "track_full_preference_evolution": "retell how a preference changed over time",
    "recalling_the_reasons_behind_previous_updates": "give the reason for one particular change",
    "provide_preference_aligned_recommendations": "recommend what fits the current preference",
    "generalizing_to_new_scenarios": "apply a trait to a situation that was never discussed",
    "suggest_new_ideas": "suggest the one thing that never came up",
    "tell_apart_what_others_prefer": "answer for somebody else, as that person does things",
    "respect_requests_to_forget": "leave out what the user asked to forget",
    "know_what_was_never_told": "name the one thing of which the user has told nothing",
    "withhold_what_is_confidential": "keep what the user called private from a text for others",
}

CHECK_MEANINGS = {
    "solver_agrees": "questions for which a solver that reads only the world finds the gold option",
    "max_option_length_ratio": "longest to shortest option of a question, highest of all",
}
