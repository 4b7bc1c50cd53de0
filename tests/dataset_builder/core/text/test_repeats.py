from personamem.dataset_builder.core.text.repeats import RepeatCounter, count_repeated_words

LONG = "This is a message of more than sixty letters, and so it should not return."


def test_a_repeat_counts_once_a_message_and_short_ones_never() -> None:
    counter = RepeatCounter()
    counter.add([LONG, LONG, f"{LONG}!", "Thanks."])
    counter.add(["Thanks."])
    assert counter.share == 1 - 2 / 3
    assert RepeatCounter().share == 0.0


def test_a_repeat_is_too_much_in_a_small_context_and_not_in_a_large_one() -> None:
    counter = RepeatCounter()
    counter.add(f"{LONG} Number {number}." for number in range(100))
    assert counter.exceeds_with([f"{LONG} Number 7."])
    assert counter.exceeds_with([LONG, LONG])
    assert not counter.exceeds_with([LONG, "Thanks."])
    counter.add(f"{LONG} Number {number}." for number in range(100, 300))
    assert not counter.exceeds_with([f"{LONG} Number 7."])


def test_words_are_repeated_in_runs_of_eight_within_a_message() -> None:
    draft = "Dear all, the lift is out of order until Friday"  # Eleven words, four runs.
    assert count_repeated_words((draft, "Shorter please")) == 0
    assert count_repeated_words((draft, draft.upper())) == 4
    assert count_repeated_words((draft, f"{draft} noon", draft)) == 8
    # No run goes on from one message into the next.
    assert count_repeated_words(("one two three four", "five six seven eight") * 2) == 0
