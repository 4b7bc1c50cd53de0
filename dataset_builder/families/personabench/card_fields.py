"""What the columns of PersonaBench's tables and its kinds of questions mean, for the card."""

from personamem.cards.family import Field, Table

DOCUMENTS_FIELDS = (
    Field("community", "string", "Name of the community in `communities.json`."),
    Field("person", "string", "The person whose document it is."),
    Field("session_id", "string", "Unique name of the document, the same at every noise level."),
    Field("kind", "string", "`conversation`, `user_ai_interaction` or `purchase_history`."),
    Field("time", "timestamp[s]", "When it took place, without a time zone."),
    Field("partner", "string", "Whom a conversation was with; null for the other kinds."),
    Field(
        "messages",
        "list<struct<role, content>>",
        "Utterances, oldest first; in a conversation the role is the speaker's name.",
    ),
    Field(
        "purchases",
        "list<struct<title, description, brand, categories>>",
        "Items bought together; empty for the other kinds.",
    ),
)

OPEN_QUESTIONS_FIELDS = (
    Field("question_id", "string", "Unique name of the question, the same at every noise level."),
    Field("community", "string", "Name of the community in `communities.json`."),
    Field("person", "string", "The person who asks, about themselves or somebody they know."),
    Field("question", "string", "The question, in the first person."),
    Field(
        "answer",
        "string",
        "The answer as JSON: a text, a number, a list of texts, or a list of named values.",
    ),
    Field("question_type", "string", "`Basic information`, `Preference` or `Social`."),
    Field(
        "difficulty",
        "string",
        "`easy` or `hard`; easy preferences are lists of two to four values.",
    ),
    Field("attribute", "string", "What is asked for, as a path in the taxonomy of attributes."),
    Field("hops", "int64", "2 where a relation has to be looked up first, else 1."),
    Field("outdated_values", "string", "Former values that no longer hold, as a JSON list."),
    Field(
        "gold",
        "list<struct<value, session_ids>>",
        "Each value to find, with the documents that reveal it; any one of them is enough.",
    ),
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
