"""Log-likelihoods of the continuations of one context, from questions about single next tokens.

An engine reuses a cached context when it generates, but not when it must score the prompt itself.
So a continuation is taken apart: after each of its beginnings, how likely is the token that comes
next? Every such question is one generated token, and continuations share those that are equal: the
four letters of a multiple choice are one question about four tokens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

CACHE_BLOCK = 128
"""Tokens that a question reads again, at most, although they are cached: vLLM's largest usual block
(128 on processors, 16 on accelerators)."""

TOKENS_ASKED = 128
"""Tokens that one question may ask for: vLLM's limit."""

Tokens = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NextToken:
    """What a model says of the next token: the likeliest of all, and log-probabilities of some."""

    likeliest: int
    log_probabilities: Mapping[int, float]


def plan_questions(continuations: Sequence[Tokens]) -> dict[Tokens, list[int]]:
    """Return, for every beginning of a continuation, the tokens to ask for after it, sorted."""
    wanted: dict[Tokens, set[int]] = {}
    for continuation in continuations:
        for end, token in enumerate(continuation):
            wanted.setdefault(continuation[:end], set()).add(token)
    return {beginning: sorted(tokens) for beginning, tokens in sorted(wanted.items())}


def are_questions_cheaper(
    context_length: int, continuations: Sequence[Tokens], questions: Mapping[Tokens, list[int]]
) -> bool:
    """Return whether the questions make a model read less than scoring every prompt as a whole.

    The first question reads the context; the others at most one block of the cache again. Where
    there is nothing to ask, or too much at once, the answer is no.
    """
    if not all(continuations) or max(map(len, questions.values())) > TOKENS_ASKED:
        return False
    again = [min(context_length + len(beginning), CACHE_BLOCK) for beginning in questions]
    whole = sum(context_length + len(continuation) for continuation in continuations)
    return context_length + sum(again[1:]) <= whole


def join_answers(continuation: Tokens, answers: Mapping[Tokens, NextToken]) -> tuple[float, bool]:
    """Return a continuation's log-likelihood, and whether each token is the likeliest of all."""
    steps = [(answers[continuation[:end]], token) for end, token in enumerate(continuation)]
    likelihood = sum(answer.log_probabilities[token] for answer, token in steps)
    return likelihood, all(answer.likeliest == token for answer, token in steps)
