"""What the audit says about text: figures, and what one context adds to them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from personamem.dataset_builder.core.text.places import NO_HITS, Hits


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure. ``value`` is None where the text is too short to have one.

    ``unit`` is "share" (0 to 1), "nats", "BLEU" (0 to 1) or "count"; ``definition`` says how it
    was measured; ``hits`` are the places that make it worse, and how many there are.
    """

    name: str
    value: float | None
    unit: str
    definition: str
    hits: Hits = NO_HITS


@dataclass(frozen=True, slots=True)
class LongMessages:
    """The messages of one context that are compared for duplicates, one row a message.

    ``indices`` are message indices, ``digests`` hashes of the whole text. ``signatures`` are
    MinHash signatures (rows x SIGNATURE_SIZE); ``shingles[offsets[i]:offsets[i + 1]]`` are the
    sorted distinct hashes of row ``i``'s shingles, none for a text too short to have one.
    """

    indices: NDArray[np.int32]
    digests: NDArray[np.uint64]
    signatures: NDArray[np.uint16]
    shingles: NDArray[np.uint32]
    offsets: NDArray[np.int64]
    excerpts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sessions:
    """Hashes of what is said in each session (system messages aside), and where it starts."""

    starts: tuple[int, ...]
    digests: tuple[int, ...]
    excerpts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Diversity:
    """Lexical diversity of one context; shares and BLEU from 0 to 1, entropy in nats."""

    dist_1: float | None
    dist_2: float | None
    entropy_4: float | None
    self_bleu: float | None
    repeated: float | None
    top_share: float | None
    top: Hits


@dataclass(frozen=True, slots=True)
class ContextText:
    """What one context adds to the figures of its split."""

    context_id: str
    messages: int
    words: int
    system_messages: int
    system_repeats: int
    diversity: Diversity
    long: LongMessages
    exact: Hits
    near: Hits
    sessions: Sessions
    residue: Mapping[str, Hits]
    personal: Mapping[str, Hits]


@dataclass(frozen=True, slots=True)
class TextFigures:
    """Every figure on the text of one split; iterate over it to print them."""

    contexts: Figure
    messages: Figure
    words: Figure
    dist_1: Figure
    dist_1_lowest: Figure
    dist_2: Figure
    dist_2_lowest: Figure
    entropy_4: Figure
    self_bleu: Figure
    self_bleu_highest: Figure
    repeated_8grams: Figure
    repeated_8grams_highest: Figure
    top_8gram: Figure
    exact_within: Figure
    exact_within_highest: Figure
    exact_across: Figure
    near_within: Figure
    near_within_highest: Figure
    near_across: Figure
    sessions_within: Figure
    sessions_across: Figure
    system_repeats: Figure
    residue: Figure
    residue_kinds: tuple[Figure, ...]
    personal: Figure
    personal_kinds: tuple[Figure, ...]

    def __iter__(self) -> Iterator[Figure]:
        """Yield the figures in the order in which a reader wants them."""
        for field in fields(self):
            value: Figure | Sequence[Figure] = getattr(self, field.name)
            if isinstance(value, Figure):
                yield value
            else:
                yield from value
