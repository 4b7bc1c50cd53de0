"""Faults to plant into the texts of a good dataset, and the check that is meant to flag each."""

from collections.abc import Callable

from dataset_edits import DatasetEdit

from personamem.loaders.formats.tokens import count_tokens

Mutation = Callable[[DatasetEdit], None]


def recount(edit: DatasetEdit) -> None:
    """State the true tokens and letters everywhere, after messages were changed."""
    for context in edit.contexts:
        contents = [message["content"] for message in context["messages"]]
        tokens = [count_tokens(content) for content in contents]
        context.update(
            num_messages=len(contents), num_tokens=sum(tokens), num_letters=sum(map(len, contents))
        )
        for row in edit.benchmark:
            if row["shared_context_id"] == context["shared_context_id"]:
                end = row["end_index_in_shared_context"]
                row["context_length_in_tokens"] = sum(tokens[:end])
                row["context_length_in_letters"] = sum(map(len, contents[:end]))


def change_message(
    edit: DatasetEdit, change: Callable[[str], str], role: str = "assistant"
) -> None:
    """Change the text of a message that is no evidence; ids and counts follow."""
    row = edit.benchmark[0]
    context = edit.context_of(row)
    related = {
        index
        for other in edit.benchmark
        if other["shared_context_id"] == context["shared_context_id"]
        for index in edit.note_of(other)["related_message_indices"]
    }
    message = next(
        message
        for index, message in enumerate(context["messages"])
        if index not in related and message["role"] == role and "```" not in message["content"]
    )
    message["content"] = change(message["content"])
    recount(edit)
    edit.rename_contexts()


def leak_a_slot(edit: DatasetEdit) -> None:
    change_message(edit, lambda text: f"{text} I hope that {{item}} works for you.")


def double_a_word(edit: DatasetEdit) -> None:
    change_message(edit, lambda text: f"{text} That is the the point.")


def use_a_wrong_article(edit: DatasetEdit) -> None:
    change_message(edit, lambda text: f"{text} It is a apple.")


def break_the_casing(edit: DatasetEdit) -> None:
    change_message(edit, lambda text: f"{text} That is done. it took a while.")


def name_a_real_address(edit: DatasetEdit) -> None:
    change_message(edit, lambda text: f"{text} Write to somebody.real@company.com about it.")


def repeat_messages(edit: DatasetEdit) -> None:
    long = "This very sentence stands here again, word for word, as often as it likes to."
    for context in edit.contexts:
        for message in context["messages"][-4:]:
            message["content"] = long
    recount(edit)
    edit.rename_contexts()


def join_in_twice(edit: DatasetEdit) -> None:
    change_message(edit, lambda text: f"{text} It is best when she joins in in chess.")


TEXT_MUTATIONS: dict[Mutation, str] = {
    leak_a_slot: "template residue",
    double_a_word: "template residue",
    use_a_wrong_article: "template residue",
    break_the_casing: "template residue",
    name_a_real_address: "personal data",
    repeat_messages: "exact duplicates within a context, highest context",
    join_in_twice: "template residue",
}
