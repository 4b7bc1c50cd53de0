"""Fragments: what tells the gate that a context already speaks of a new idea."""

from personamem.dataset_builder.families.personamem.audit.lives import list_fragments
from personamem.dataset_builder.families.personamem.lives.bank import get_need, list_need_ids

_LONG = 60
"""Letters from which on a piece of a text stands nowhere else."""


def test_no_short_fragment_stands_in_a_text_on_something_else() -> None:
    said = {
        (need_id, choice.key): "\n".join(each.say().lower() for each in choice.list_exchanges())
        for need_id in list_need_ids()
        for choice in get_need(need_id).choices
    }
    everything = "\n".join(said.values())
    shared = [
        f"{need_id} {key}: {fragment!r}"
        for (need_id, key), own in said.items()
        for fragment in list_fragments(need_id, key)
        if len(fragment) < _LONG and everything.count(fragment) > own.count(fragment)
    ]
    assert not shared
