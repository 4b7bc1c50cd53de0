"""Samples of users: nested, so that every smaller one is part of every larger one.

The official script holds its samples of 20, 30, 50 and 100 users as lists of constants, which the
release does not explain. Samples here follow a rule instead, the order of the sha256 of user ids,
so they are other users than the official ones. To use an official list, pass its user ids.
"""

import hashlib
from collections.abc import Collection, Iterable

from personamem.loaders.formats.errors import InvalidInputError, unknown_choice

SAMPLE_SIZES = (20, 30, 50, 100)
"""The sizes of the paper and its code; the paper reports 50."""


def choose_users(user_ids: Collection[str], sample: int | Iterable[str] | None) -> frozenset[str]:
    """Return the user ids of a sample: all of them, ``sample`` many, or the ones named.

    Raises:
        InvalidInputError: a size that is not in ``SAMPLE_SIZES`` or too large, or unknown users.
    """
    if sample is None:
        return frozenset(user_ids)
    if not isinstance(sample, int):
        named = frozenset([sample] if isinstance(sample, str) else sample)
        for name in sorted(named):
            if name not in user_ids:
                raise unknown_choice("user", name, user_ids)
        return named
    if sample not in SAMPLE_SIZES:
        raise unknown_choice("sample", sample, SAMPLE_SIZES)
    if sample > len(user_ids):
        raise InvalidInputError(
            f"A sample of {sample} users was asked for, and there are {len(user_ids)}."
        )
    ordered = sorted(user_ids, key=lambda name: hashlib.sha256(name.encode()).digest())
    return frozenset(ordered[:sample])
