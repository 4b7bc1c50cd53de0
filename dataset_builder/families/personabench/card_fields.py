"""What the columns of PersonaBench's tables and its kinds of questions mean, for the card."""

from personamem.cards.family import Table, describe_columns
from personamem.loaders.personabench.schema import DOCUMENTS_SCHEMA, OPEN_QUESTIONS_SCHEMA

DOCUMENTS_FIELDS = describe_columns(
    DOCUMENTS_SCHEMA,
    community="Name of the community in `communities.json`.",
    person="The person whose document it is.",
    session_id="Unique name of the document, the same at every noise level.",
    kind="`conversation`, `user_ai_interaction` or `purchase_history`.",
    time="When it took place, without a time zone.",
    partner="Whom a conversation was with; null for the other kinds.",
    messages="Utterances, oldest first; in a conversation the role is the speaker's name.",
    purchases="Items bought together; empty for the other kinds.",
)

OPEN_QUESTIONS_FIELDS = describe_columns(
    OPEN_QUESTIONS_SCHEMA,
    question_id="Unique name of the question, the same at every noise level.",
    community="Name of the community in `communities.json`.",
    person="The person who asks, about themselves or somebody they know.",
    question="The question, in the first person.",
    answer="The answer as JSON: a text, a number, a list of texts, or a list of named values.",
    question_type="`Basic information`, `Preference` or `Social`.",
    difficulty="`easy` or `hard`; easy preferences are lists of two to four values.",
    attribute="What is asked for, as a path in the taxonomy of attributes.",
    hops="2 where a relation has to be looked up first, else 1.",
    outdated_values="Former values that no longer hold, as a JSON list.",
    gold="Each value to find, with the documents that reveal it; any one of them is enough.",
)

TABLES = (
    Table("documents", "one row per document of a person", "", DOCUMENTS_FIELDS),
    Table(
        "open_questions",
        "one row per question that is answered in one's own words",
        "",
        OPEN_QUESTIONS_FIELDS,
    ),
)

CATEGORY_MEANINGS = {
    "basic": "facts about a person",
    "preference_easy": "preferences with two to four values",
    "preference_hard": "preferences with five values, or with one",
    "social_relation": "how people are related",
    "social_two_hop": "facts about somebody who is named by a relation",
}

CHECK_MEANINGS = {
    "answers_found": "questions whose answer stands in the documents of the person who asks",
    "highest_f1_without_documents": "best mean F1 of a rule that sees no document",
}
