"""Words: meanings, synonyms, plurals and spelling."""

from personamem.dataset_builder.fillers.content_files import load_words
from personamem.dataset_builder.fillers.draw import Draw, Slots, Turn, series
from personamem.dataset_builder.fillers.notation import join


def word_meaning(draw: Draw) -> list[Turn]:
    """What a word means, with its part of speech and an example."""
    return series(draw, _meaning)


def synonyms(draw: Draw) -> list[Turn]:
    """Words of similar and opposite meaning."""
    turns = series(draw, _synonyms)
    if draw.chance(0.4):
        turns[-1] = Turn("odd", "odd_reply", _synonyms(draw))
    return turns


def spelling(draw: Draw) -> list[Turn]:
    """Plural forms and words that are often misspelt."""
    turns = [_plural(draw) if draw.chance(0.5) else _misspelt(draw)]
    turns.extend(
        _plural(draw) if draw.chance(0.5) else _misspelt(draw) for _ in range(draw.follow_ups())
    )
    return turns


def letters(draw: Draw) -> list[Turn]:
    """Letter counts, anagrams and palindromes."""
    turns = [_count(draw) if draw.chance(0.5) else _anagram(draw)]
    for _ in range(draw.follow_ups()):
        turns.append(draw.pick((_count, _anagram, _palindrome))(draw))
    return turns


def _meaning(draw: Draw) -> Slots:
    word, part, definition, example = draw.row("meanings")
    other, other_part, other_definition, other_example = draw.row("meanings")
    while other == word:
        other, other_part, other_definition, other_example = draw.row("meanings")
    return {
        "word": word,
        "part": part,
        "definition": definition,
        "example": example,
        "other": other,
        "other_part": other_part,
        "other_definition": other_definition,
        "other_example": other_example,
        "length": str(len(word)),
        "before": min(word, other),
        "after": max(word, other),
    }


def _synonyms(draw: Draw) -> Slots:
    word, same, opposite, part = draw.row("synonyms")
    choices = same.split(", ")
    shuffled = draw.shuffled(choices)
    intruder = draw.word("codename").lower()
    short, long = min(map(len, choices)), max(map(len, choices))
    shortest = [f'"{choice}"' for choice in shuffled if len(choice) == short]
    longest = [f'"{choice}"' for choice in shuffled if len(choice) == long]
    return {
        "word": word,
        "part": part,
        "synonyms": join(shuffled),
        "first": shuffled[0],
        "second": shuffled[1],
        "choices": join(draw.shuffled([*choices, intruder]), "or"),
        "intruder": intruder,
        "opposite": f'the opposite is "{opposite}"'
        if opposite != "-"
        else "there is no everyday opposite",
        "longest": f"{join(longest)} {'needs' if len(longest) == 1 else 'need'} {long} letters"
        + " each" * (len(longest) > 1),
        "shortest": f"{join(shortest)}, with {short} letters" + " each" * (len(shortest) > 1),
        "is": "is" if len(shortest) == 1 else "are",
        "space": join(shortest, "or"),
        "sorted": ", ".join(sorted(choices)),
    }


def _plural(draw: Draw) -> Turn:
    word, plural, rule = draw.row("plurals")
    other, other_plural, other_rule = draw.row("plurals")
    change = (
        "does not change at all"
        if word == plural
        else f"keeps its length of {len(word)} letters"
        if len(word) == len(plural)
        else f"goes from {len(word)} to {len(plural)} letters"
    )
    while other == word or other_rule == rule:
        other, other_plural, other_rule = draw.row("plurals")
    name = draw.pick(("plural", "plurals", "plurals", "right_plural"))
    return Turn(
        name,
        f"{name}_reply",
        {
            "word": word,
            "plural": plural,
            "rule": rule,
            "other": other,
            "other_plural": other_plural,
            "other_rule": other_rule,
            "number": str(draw.integer(3, 24)),
            "change": change,
        },
    )


def _misspelt(draw: Draw) -> Turn:
    right, wrong, hint = draw.row("spellings")
    pair = draw.shuffled((right, wrong))
    position = next(
        (index for index, pair in enumerate(zip(right, wrong, strict=False)) if pair[0] != pair[1]),
        min(len(right), len(wrong)),
    )
    name = draw.pick(("misspelt", "misspelt", "valid"))
    return Turn(
        name,
        f"{name}_reply",
        {
            "right": right,
            "wrong": wrong,
            "hint": hint,
            "first": pair[0],
            "last": pair[1],
            "spelled": "-".join(right),
            "length": str(len(right)),
            "wrong_length": str(len(wrong)),
            "position": str(position + 1),
            "part": f'part after "{right[:position]}"' if position else "differ from the start",
        },
    )


def _count(draw: Draw) -> Turn:
    words = draw.words("things", 3) + [draw.row("meanings")[0] for _ in range(draw.integer(2, 4))]
    text = " ".join(draw.shuffled(words))
    letters = text.replace(" ", "")
    letter = draw.pick(letters)
    vowels = sum(sign in "aeiou" for sign in letters)
    places = [word for word in text.split(" ") if letter in word]
    return Turn(
        "count",
        "count_reply",
        {
            "text": text,
            "letter": letter,
            "times": _times(text.count(letter)),
            "number": str(text.count(letter)),
            "places": ", ".join(f"{word} ({word.count(letter)})" for word in places),
            "words": str(len(text.split(" "))),
            "letters": str(len(letters)),
            "vowels": str(vowels),
            "consonants": str(sum(sign.isalpha() for sign in letters) - vowels),
            "signs": str(len(text)),
        },
    )


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _anagram(draw: Draw) -> Turn:
    word = draw.word("things") if draw.chance(0.5) else draw.row("meanings")[0]
    mixed = "".join(draw.shuffled(word))
    if draw.chance(0.65):
        other, verdict = mixed, "yes"
    else:
        index = draw.integer(0, len(mixed) - 1)
        swap = "eaionrt"[draw.integer(0, 6)]
        other = mixed[:index] + swap + mixed[index + 1 :]
        verdict = "yes" if sorted(other) == sorted(word) else "no"
    while other == word:
        other = "".join(draw.shuffled(other))
    return Turn(
        "anagram",
        "anagram_reply",
        {
            "word": word,
            "other": other,
            "verdict": verdict,
            "is": "is" if verdict == "yes" else "is not",
            "sorted": "".join(sorted(word)),
            "other_sorted": "".join(sorted(other)),
            "agree": "match" if verdict == "yes" else "differ",
            "length": str(len(word)),
            "reverse": word[::-1],
        },
    )


def _palindrome(draw: Draw) -> Turn:
    real = draw.chance(0.6)
    word = draw.pick(load_words("palindromes")) if real else draw.word("things")
    reverse = word[::-1]
    return Turn(
        "palindrome",
        "palindrome_reply",
        {
            "word": word,
            "reverse": reverse,
            "verdict": "a palindrome" if word == reverse else "not a palindrome",
            "yes": "Yes" if word == reverse else "No",
            "length": str(len(word)),
            "pairs": ", ".join(
                f"{word[index]}/{reverse[index]}" for index in range((len(word) + 1) // 2)
            ),
        },
    )
