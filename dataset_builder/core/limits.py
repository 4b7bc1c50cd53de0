"""Whether a share lies above a limit, beyond what the drawing of a dataset explains.

Rows that belong together (the questions on a thread, or of a person) are right or wrong together in
a way that nobody knows. So the unit is the group, of which only this is used: groups are
independent, and in a sound dataset their mean is at most the limit. The p-value comes from a bet
that is fair at the limit. With a group's sum s of n values from 0 to 1, the limit m, and N the
largest n, the factor 1 + b (s - m n) / N has an expectation of at most 1 and is never negative for
0 <= b <= 1/m. So has the product over all groups, and the mean of the products for several stakes
b. By Markov's inequality, one over that mean is a p-value: exact for any number of groups and any
dependence inside them (Waudby-Smith and Ramdas 2024, "Estimating means of bounded random variables
by betting").
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import logsumexp

STAKES = (0.03, 0.06, 0.12, 0.25, 0.5, 0.8)
"""Shares of the largest stake, 1/m: small ones for many groups, large ones for few."""


def find_limit_p_value(sums: Sequence[float], sizes: Sequence[int], limit: float) -> float:
    """Return a p-value for the hypothesis that the mean of all values is at most ``limit``.

    ``sums[g]`` is the sum of the ``sizes[g]`` values of group g, each from 0 to 1; 0 < limit < 1.
    """
    if not sizes:
        return 1.0
    excess = (np.array(sums) - limit * np.array(sizes)) / max(sizes)
    stakes = np.array(STAKES) / limit
    wealth = np.log1p(np.outer(stakes, excess)).sum(axis=1)
    return float(min(1.0, np.exp(np.log(len(stakes)) - logsumexp(wealth))))
