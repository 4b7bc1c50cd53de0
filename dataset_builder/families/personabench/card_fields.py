"""What the columns of PersonaBench's tables mean: the field tables of the card."""

from personamem.cards.family import Field, Table

DOCUMENTS_FIELDS = (
    Field("community", "string", "Name of the community in `communities.json`."),
    Field("person", "string", "The person whose document it is."),
    Field("session_id", "string", "Unique name of the document, the same at every noise level."),
    Field("kind", "string", "conversation, user_ai_interaction or purchase_history."),
    Field("time", "timestamp[s]", "When it took place, without a time zone."),
    Field("partner", "string", "Whom a conversation was with; null for the other kinds."),
    Field("messages", "list<struct<role, content>>", "Utterances; the role is a name in talks."),
    Field(
        "purchases",
        "list<struct<title, description, brand, categories>>",
        "Items bought at once; empty for the other kinds.",
    ),
)

OPEN_QUESTIONS_FIELDS = (
    Field("question_id", "string", "Unique name of the question, the same at every noise level."),
    Field("community", "string", "Name of the community in `communities.json`."),
    Field("person", "string", "The person who asks, about themself or somebody they know."),
    Field("question", "string", "The question, in the first person."),
    Field("answer", "string", "The answer as JSON: a text, a number, a list, named values."),
    Field("question_type", "string", "Basic information, Preference or Social."),
    Field("difficulty", "string", "easy or hard; easy preferences are lists of two to four."),
    Field("attribute", "string", "What is asked for, as a path."),
    Field("hops", "int64", "2 where a relation has to be looked up first, else 1."),
    Field("outdated_values", "string", "Former values that no longer hold, as a JSON list."),
    Field(
        "gold",
        "list<struct<value, session_ids>>",
        "Each value to find, with the documents that reveal it: any one of them is enough.",
    ),
)

TABLES = (
    Table("documents", "one row a document of one person", "", DOCUMENTS_FIELDS),
    Table(
        "open_questions",
        "one row a question that is answered in one's own words",
        "",
        OPEN_QUESTIONS_FIELDS,
    ),
)
