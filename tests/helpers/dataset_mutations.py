"""Faults to plant into a good dataset, and the check that is meant to flag each."""

from dataset_edits import DatasetEdit
from text_mutations import TEXT_MUTATIONS, Mutation, change_message, recount

from personamem.dataset_builder.families.personamem.audit.lives import list_fragments
from personamem.dataset_builder.families.personamem.lives.bank import get_need, list_need_ids
from personamem.loaders.formats import schema


def lengthen_every_gold(edit: DatasetEdit) -> None:
    for row in edit.benchmark:
        options = list(row["options"])
        options[row["answer_index"]] += " I am quite sure that this is what suits you best."
        edit.set_options(row, options)


def swap_a_letter(edit: DatasetEdit) -> None:
    row = edit.benchmark[0]
    edit.set_gold(row, (row["answer_index"] + 1) % 4)


def drop_a_context(edit: DatasetEdit) -> None:
    del edit.contexts[0]


def add_an_unused_context(edit: DatasetEdit) -> None:
    context = edit.contexts[0] | {"persona_id": 99}
    context["messages"] = [*context["messages"][:-1], {"role": "assistant", "content": "Good."}]
    edit.contexts.append(context | {"shared_context_id": "0" * 64})


def move_evidence_after_the_cut(edit: DatasetEdit) -> None:
    row = edit.benchmark[0]
    edit.note_of(row)["evidence_message_indices"] = [row["end_index_in_shared_context"]]


def drop_evidence(edit: DatasetEdit) -> None:
    note = max(edit.annotations, key=lambda note: len(note["evidence_message_indices"]))
    note["evidence_message_indices"] = note["evidence_message_indices"][-1:]


def rewrite_the_evidence(edit: DatasetEdit) -> None:
    row = edit.benchmark[0]
    message = edit.context_of(row)["messages"]
    message[edit.note_of(row)["evidence_message_indices"][-1]]["content"] = "Never mind."
    recount(edit)
    edit.rename_contexts()


def equal_options(edit: DatasetEdit) -> None:
    first = edit.benchmark[0]["options"]
    for row in edit.benchmark:
        if row["options"] == first:
            edit.set_options(row, [first[0].upper(), *first[1:3], first[0]])


def shuffle_a_session(edit: DatasetEdit) -> None:
    for row in edit.benchmark:
        note, context = edit.note_of(row), edit.context_of(row)
        if row["question_type"] != schema.ACKNOWLEDGE:
            continue
        starts = [*context["session_starts"], len(context["messages"])]
        index = note["evidence_message_indices"][-1]
        session = next(i for i, end in enumerate(starts[1:]) if index < end)
        inside = slice(starts[session] + 1, starts[session + 1])
        turned = context["messages"][inside][::-1]
        gold = note["option_keys"][row["answer_index"]].lower()
        # Another message may tell the same thing; then the shuffled session still proves it.
        if gold not in turned[index - inside.start]["content"].lower():
            context["messages"][inside] = turned
            recount(edit)
            edit.rename_contexts()
            return
    raise AssertionError("no session to shuffle")


def date_a_session_before_its_cause(edit: DatasetEdit) -> None:
    edit.contexts[0]["session_dates"][-1] = "1999-01-01"


def lose_the_date_of_a_session(edit: DatasetEdit) -> None:
    edit.contexts[0]["session_dates"].pop()


def start_two_sessions_at_once(edit: DatasetEdit) -> None:
    starts = edit.contexts[0]["session_starts"]
    starts[1] = starts[2]


def repeat_a_question_id(edit: DatasetEdit) -> None:
    edit.benchmark[1]["question_id"] = edit.benchmark[0]["question_id"]


def end_beyond_the_context(edit: DatasetEdit) -> None:
    edit.benchmark[0]["end_index_in_shared_context"] = 10_000


def ask_in_the_middle_of_a_session(edit: DatasetEdit) -> None:
    edit.benchmark[0]["end_index_in_shared_context"] -= 1
    recount(edit)


def misstate_tokens(edit: DatasetEdit) -> None:
    edit.contexts[0]["num_tokens"] += 1


def misstate_letters(edit: DatasetEdit) -> None:
    edit.benchmark[0]["context_length_in_letters"] += 1


def misstate_a_distance(edit: DatasetEdit) -> None:
    edit.benchmark[0]["distance_to_ref_in_tokens"] += 1


def overfill_a_context(edit: DatasetEdit) -> None:
    edit.contexts[0]["messages"][-1]["content"] += " and so on" * 400
    recount(edit)
    edit.rename_contexts()


def prefer_a_letter(edit: DatasetEdit) -> None:
    for row in edit.benchmark:
        options = list(row["options"])
        options.insert(0, options.pop(row["answer_index"]))
        edit.set_options(row, options)
        edit.set_gold(row, 0)


def lose_a_type(edit: DatasetEdit) -> None:
    lost = {r["question_id"] for r in edit.benchmark if r["question_type"] == schema.REASONS}
    edit.tables["benchmark"] = [r for r in edit.benchmark if r["question_id"] not in lost]
    edit.tables["annotations"] = [r for r in edit.annotations if r["question_id"] not in lost]


def reword_a_question(edit: DatasetEdit) -> None:
    edit.benchmark[0]["user_question_or_message"] += " Please."


def reword_the_options_of_a_wording(edit: DatasetEdit) -> None:
    first = edit.benchmark[0]["options"]
    for row in edit.benchmark:
        if row["options"] == first:
            edit.set_options(row, [f"Well: {text}" for text in first])


def equalise_a_pair(edit: DatasetEdit) -> None:
    pair_id = next(note["pair_id"] for note in edit.annotations if note["pair_id"])
    ids = {note["question_id"] for note in edit.annotations if note["pair_id"] == pair_id}
    first, second = (row for row in edit.benchmark if row["question_id"] in ids)
    edit.set_options(second, first["options"])
    edit.set_gold(second, first["answer_index"])


def name_the_new_idea(edit: DatasetEdit) -> None:
    row = next(r for r in edit.benchmark if r["question_type"] == schema.NEW_IDEAS)
    key = edit.note_of(row)["option_keys"][row["answer_index"]]
    change_message(edit, lambda text: text)
    (need,) = [
        need
        for need in map(get_need, list_need_ids())
        if need.topic == row["topic"] and key in [choice.key for choice in need.choices]
    ]
    fragment = list_fragments((need.topic, need.need), key)[0]
    edit.context_of(row)["messages"][1]["content"] += f" {fragment}"
    recount(edit)
    edit.rename_contexts()


def order_rows_by_letter(edit: DatasetEdit) -> None:
    rows = sorted(edit.benchmark, key=lambda row: row["answer_index"])
    quarter = len(rows) // 4
    edit.tables["benchmark"] = [rows[i % 4 * quarter + i // 4] for i in range(len(rows))]


def break_options(edit: DatasetEdit) -> None:
    edit.benchmark[0]["all_options"] = "['(a) one']"


def strange_role(edit: DatasetEdit) -> None:
    edit.contexts[0]["messages"][3]["role"] = "narrator"
    edit.rename_contexts()


def empty_message(edit: DatasetEdit) -> None:
    change_message(edit, lambda text: " ")


def swap_option_keys(edit: DatasetEdit) -> None:
    keys = edit.annotations[0]["option_keys"]
    keys[0], keys[1] = keys[1], keys[0]


def change_an_option_key(edit: DatasetEdit) -> None:
    edit.annotations[0]["option_keys"][2] = "something else"


def misplace_a_pair(edit: DatasetEdit) -> None:
    note = next(note for note in edit.annotations if note["pair_id"])
    note["pair_position"] = "after" if note["pair_position"] == "before" else "before"


def name_no_place_of_a_pair(edit: DatasetEdit) -> None:
    next(note for note in edit.annotations if note["pair_id"])["pair_position"] = "NaN"


def lose_the_roles(edit: DatasetEdit) -> None:
    edit.annotations[0]["option_roles"] = None


def lose_the_pair(edit: DatasetEdit) -> None:
    edit.annotations[0]["pair_id"] = None


def point_beyond_all_messages(edit: DatasetEdit) -> None:
    edit.annotations[0]["related_message_indices"] = [1_000_000]


def point_before_all_messages(edit: DatasetEdit) -> None:
    edit.annotations[0]["evidence_message_indices"].append(-1)


def repeat_a_question(edit: DatasetEdit) -> None:
    edit.benchmark.append(dict(edit.benchmark[0]))


def move_to_another_topic(edit: DatasetEdit) -> None:
    first = edit.benchmark[0]
    other = next(row for row in edit.benchmark if row["topic"] != first["topic"])
    first["topic"], other["topic"] = other["topic"], first["topic"]


MUTATIONS: dict[Mutation, str] = {
    **TEXT_MUTATIONS,
    lengthen_every_gold: "longest",
    swap_a_letter: "solver",
    drop_a_context: "contexts of questions",
    add_an_unused_context: "questions of contexts",
    move_evidence_after_the_cut: "evidence before the question",
    drop_evidence: "evidence carries the facts",
    rewrite_the_evidence: "evidence carries the facts",
    equal_options: "distinct options",
    shuffle_a_session: "evidence carries the facts",
    date_a_session_before_its_cause: "causal order",
    lose_the_date_of_a_session: "rows",
    start_two_sessions_at_once: "rows",
    repeat_a_question_id: "question ids",
    end_beyond_the_context: "end indices",
    ask_in_the_middle_of_a_session: "date of the question",
    misstate_tokens: "totals of contexts",
    misstate_letters: "counts of questions",
    misstate_a_distance: "distances",
    overfill_a_context: "budget",
    prefer_a_letter: "letters",
    lose_a_type: "coverage",
    reword_a_question: "wording",
    reword_the_options_of_a_wording: "wording",
    equalise_a_pair: "pairs",
    name_the_new_idea: "new ideas are new",
    break_options: "rows",
    strange_role: "rows",
    empty_message: "roles",
    swap_option_keys: "annotations",
    change_an_option_key: "annotations",
    misplace_a_pair: "annotations",
    name_no_place_of_a_pair: "rows",
    lose_the_roles: "rows",
    lose_the_pair: "rows",
    point_beyond_all_messages: "evidence before the question",
    point_before_all_messages: "evidence before the question",
    repeat_a_question: "question ids",
    move_to_another_topic: "annotations",
}
