"""Likeness: whether two texts of one cause give away as much of it to a search for words."""

from functools import cache

from personamem.dataset_builder.families.personamem.lives.bank import NeedId, get_need
from personamem.dataset_builder.families.personamem.lives.need import Exchange
from personamem.dataset_builder.families.personamem.lives.rules import list_content_words


@cache
def gives_away_as_much(need_id: NeedId, key: str, number: int) -> bool:
    """Return whether ``others_ended`` shares as many words with the reason as the ending does.

    A question on reasons has those of four endings for options: the user's own, and three that
    others gave up. Were the words of a reason more often in texts about others, counting words
    would tell whose it is.
    """
    choice = get_need(need_id).find_choice(key)
    ending = choice.endings[number]
    reason = frozenset(list_content_words(ending.reason))
    own, other = (_count_shared(reason, text) for text in (ending, choice.others_ended[number]))
    return own == other


def _count_shared(reason: frozenset[str], exchange: Exchange) -> tuple[int, int]:
    """Return how many words of a reason the user's first message has, and the whole chat."""
    asked = f"{exchange.ask} {exchange.text or ''}"
    whole = "\n".join(exchange.list_texts())
    return len(reason & list_content_words(asked).keys()), len(
        reason & list_content_words(whole).keys()
    )
