"""The quick filter: every message in which something is found is among those that it picks."""

from random import Random

import pytest
from unrelated_samples import sample

from personamem.dataset_builder.core.text.faults import BRACKETS, RESIDUE_KINDS, read_closely
from personamem.dataset_builder.core.text.messages import Block, MessageTexts
from personamem.dataset_builder.core.text.personal import PERSONAL_KINDS, find_personal
from personamem.dataset_builder.core.text.quick import pick_messages
from personamem.dataset_builder.core.text.residue import find_residue
from personamem.dataset_builder.fillers.writer import kinds

PIECES = """
{name} TODO None nan NaN lorem_ipsum %s [NAME] [your_name] <|end|> i i'm i\u2019ve e.g._so , .
.. ,, ;; ,. ?. a_apple an_cat a_hour an_unit a_8 a_11 a_HTML an_NASA a_mRNA an_hour A_apple An_dog
( ) [ ] \u201c \u201d " the_the The_the in_in I_i caf\u00e9_caf\u00e9 \u2014in_in a/in_in
jane.doe@gmail.com phone_212-736-5000 (212)_736-5000 +49_30_227_32152 4532015112830366
DE89_3704_0044_0532_0130_00 078-05-1120 ping_8.8.8.8 @someone https://twitter.com/jack t.me/abcd
x.com/foo done._then ok!_and (done)._then a_uniform an_onerous an_European a_urgent an_11
an_18,000 a_18,000
"""


def damage(random: Random, text: str) -> str:
    """Insert residue or personal data, double words, drop letters."""
    pieces = [piece.replace("_", " ") for piece in PIECES.split()]
    words = text.split(" ")
    for _ in range(random.randint(1, 3)):
        place = random.randrange(len(words))
        if random.random() < 0.6:
            words.insert(place, random.choice(pieces) + random.choice(["", ".", ","]))
        elif random.random() < 0.5:
            words[place] = f"{words[place]} {words[place].lower()}"
        else:
            words[place] = words[place][:-1] or "x"
    return " ".join(words)


@pytest.fixture(scope="module")
def texts() -> MessageTexts:
    random = Random(1)
    plain = [text for kind in kinds() for exchange in sample(kind)[:8] for text in exchange]
    damaged = [damage(random, text) for text in plain for _ in range(4)]
    roles = [random.choice(["user", "assistant"]) for _ in damaged]
    return MessageTexts("c", damaged, roles)


def test_nothing_that_is_found_is_passed_over(texts: MessageTexts) -> None:
    picked = pick_messages(Block(texts.texts, texts.roles))
    found = dict.fromkeys(RESIDUE_KINDS, 0)
    missed = 0
    for message, (text, role) in enumerate(zip(texts.texts, texts.roles, strict=True)):
        for kind, _ in read_closely(text, role == "user"):
            found[kind] += 1
            # Counted with those in code and links, brackets may happen to be even.
            assert message in picked[kind] or kind == BRACKETS, (kind, text)
            missed += message not in picked[kind]
    assert missed <= 0.01 * sum(found.values())
    assert min(found.values()) > 5, found


def test_each_kind_of_personal_data_is_found(texts: MessageTexts) -> None:
    found = find_personal(texts)
    assert {kind for kind, hits in found.items() if hits.count} == set(PERSONAL_KINDS)


def test_sound_text_is_seldom_read_closely() -> None:
    plain = [text for kind in kinds() for exchange in sample(kind) for text in exchange]
    roles = ["user", "assistant"] * (len(plain) // 2)
    picked = set().union(*pick_messages(Block(plain, roles)).values())
    assert len(picked) < 0.15 * len(plain)
    assert not any(hits.count for hits in find_residue(MessageTexts("c", plain, roles)).values())


def test_blocks_hold_all_messages_and_are_found_as_one() -> None:
    plain = [f"This is message {number} of many, and it is long." for number in range(5_000)]
    plain[4_321] += " It says the the."
    texts = MessageTexts("c", plain, ["assistant"] * len(plain))
    assert len(texts.blocks) > 1
    assert [text for _, block in texts.blocks for text in block.texts] == plain
    (place,) = find_residue(texts)["doubled words"].places
    assert place.message == 4_321
    zeros = MessageTexts("c", ["a \0 b", "the the"], ["user"] * 2)
    assert find_residue(zeros)["doubled words"].places[0].message == 1


def test_messages_are_located_by_bytes_and_lone_surrogates_are_read() -> None:
    messages = ["\u00dcn\u00efc\u00f6d\u00e9 \u2014 fine.", "half \ud800 a pair", "", "the the"]
    hits = find_residue(MessageTexts("c", messages, ["user"] * 4))["doubled words"]
    assert [place.message for place in hits.places] == [3]
    assert not any(hits.count for hits in find_residue(MessageTexts("c", [], [])).values())
