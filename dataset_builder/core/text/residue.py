"""Residue of templates: slots never filled, and joints where two pieces of text do not fit.

``quick`` picks the few messages that could hold a fault of some kind, ``faults`` reads these
closely. Every message is looked at.
"""

from collections.abc import Mapping

from personamem.dataset_builder.core.text.faults import (
    ARTICLES,
    CASING,
    DOUBLED,
    RESIDUE_KINDS,
    SLOTS,
    read_closely,
)
from personamem.dataset_builder.core.text.messages import MessageTexts
from personamem.dataset_builder.core.text.places import KEPT_PLACES, Hits, Place, cut_excerpt
from personamem.dataset_builder.core.text.quick import pick_messages

_BY_TYPED = {True: {SLOTS}, False: {SLOTS, DOUBLED, ARTICLES, CASING}}
"""What can go wrong in texts written by hand whose slots were filled: of a user, of others."""


def find_residue(texts: MessageTexts, slips: bool = False) -> Mapping[str, Hits]:
    """Return the residue of each kind in the messages of a context, system messages included.

    With ``slips``, texts were written by hand, slots aside. What users misspell is no joint of
    templates then: of their messages only unfilled slots count. Marks between words count nowhere,
    since other languages, which an assistant translates into, set them in other ways.
    """
    places: dict[str, list[Place]] = {kind: [] for kind in RESIDUE_KINDS}
    counts = dict.fromkeys(RESIDUE_KINDS, 0)
    wanted = set().union(*_BY_TYPED.values()) if slips else RESIDUE_KINDS
    for first, block in texts.blocks:
        picked = pick_messages(block, wanted)
        for message in sorted(set().union(*picked.values())):
            text = block.texts[message]
            typed = block.roles[message] == "user"
            kinds = [
                kind
                for kind in RESIDUE_KINDS
                if message in picked.get(kind, ()) and (not slips or kind in _BY_TYPED[typed])
            ]
            for kind, start in read_closely(text, typed, kinds):
                counts[kind] += 1
                if counts[kind] <= KEPT_PLACES:
                    excerpt = cut_excerpt(text, start)
                    places[kind].append(Place(texts.context_id, first + message, excerpt))
    return {kind: Hits(counts[kind], tuple(places[kind])) for kind in RESIDUE_KINDS}
