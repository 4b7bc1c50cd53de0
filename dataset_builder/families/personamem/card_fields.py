"""What the columns of PersonaMem's tables mean: the field tables of the card."""

from personamem.cards.family import Field, Table

BENCHMARK_INTRODUCTION = (
    "The first fifteen columns have the names, the order and the types of the PersonaMem release."
)

BENCHMARK_FIELDS = (
    Field("persona_id", "int64", "The persona who asks."),
    Field("question_id", "string", "Unique name of the question."),
    Field("question_type", "string", "The skill that is asked for; one of the types listed above."),
    Field("topic", "string", "What the conversation behind the question was about."),
    Field(
        "context_length_in_tokens",
        "int64",
        "Length of the messages before the question, in o200k_base tokens of their contents.",
    ),
    Field("context_length_in_letters", "int64", "The same length in Unicode characters."),
    Field(
        "distance_to_ref_in_blocks",
        "int64",
        "Sessions between the session with the evidence and the question.",
    ),
    Field(
        "distance_to_ref_in_tokens",
        "int64",
        "Tokens between the evidence and the question.",
    ),
    Field(
        "num_irrelevant_tokens",
        "int64",
        "Tokens before the question in sessions that belong to no topic.",
    ),
    Field(
        "distance_to_ref_proportion_in_context",
        "string",
        'Distance to the evidence as a share of the context, such as "92.67%".',
    ),
    Field("user_question_or_message", "string", "The user's last message: the question."),
    Field("correct_answer", "string", 'Letter of the right option, such as "(c)".'),
    Field(
        "all_options",
        "string",
        'A list literal of four texts that begin with "(a) " to "(d) "; '
        "`json.loads` and `ast.literal_eval` both read it.",
    ),
    Field("shared_context_id", "string", "The context in `contexts` that the question belongs to."),
    Field(
        "end_index_in_shared_context",
        "int64",
        "The question sees `messages[:end_index_in_shared_context]` and nothing after.",
    ),
    Field("options", "list<string>", "The four option texts without letters, in letter order."),
    Field("answer_index", "int64", "Index of the right option in `options`, from 0."),
)

CONTEXTS_FIELDS = (
    Field("shared_context_id", "string", "Unique name of the context."),
    Field("persona_id", "int64", "The persona who is the user."),
    Field("num_messages", "int64", "Messages in the context."),
    Field("num_tokens", "int64", "o200k_base tokens, summed over the contents of the messages."),
    Field("num_letters", "int64", "Unicode characters, summed over the contents of the messages."),
    Field("session_starts", "list<int64>", "Index of the first message of each session."),
    Field("session_topics", "list<string>", "Topic of each session; empty for unrelated ones."),
    Field("session_dates", "list<string>", "Date of each session, ISO 8601."),
    Field("messages", "list<struct<role, content>>", "The conversation, oldest message first."),
)

ANNOTATIONS_INTRODUCTION = (
    "For analysis only: a model under test must not see this table, which names the right option."
)

ANNOTATIONS_FIELDS = (
    Field("question_id", "string", "The question in `benchmark` that the row is about."),
    Field("quad_id", "string", "Joins the four questions of a balanced quad."),
    Field("pair_id", "string", "Joins a quad asked before and after an update; else empty."),
    Field("pair_position", "string", '"before" or "after" within the pair; else empty.'),
    Field("thread_id", "string", "The strand of the persona's life that is asked about."),
    Field("asked_on", "string", "Date on which the question is asked, ISO 8601."),
    Field("option_roles", "list<string>", "What each option is to this persona, in letter order."),
    Field("option_keys", "list<string>", "The candidate behind each option, in letter order."),
    Field(
        "evidence_message_indices", "list<int64>", "Messages that prove the answer, from index 0."
    ),
    Field(
        "related_message_indices",
        "list<int64>",
        "The evidence and the messages that mention the other options.",
    ),
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
)

QUESTION_TYPE_MEANINGS = {
    "recall_user_shared_facts": "recall what the user did, not what others did or was only planned",
    "acknowledge_latest_user_preferences": "use the preference that holds now",
    "track_full_preference_evolution": "retell how a preference changed over time",
    "recalling_the_reasons_behind_previous_updates": "give the reason for one particular change",
    "provide_preference_aligned_recommendations": "recommend what fits the current preference",
    "generalizing_to_new_scenarios": "apply a trait to a situation that was never discussed",
    "suggest_new_ideas": "suggest the one thing that never came up",
}

CHECK_MEANINGS = {
    "solver_agrees": "questions for which a solver that reads only the world finds the gold option",
    "max_option_length_ratio": "longest to shortest option of a question, highest of all",
}
