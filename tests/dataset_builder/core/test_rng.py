from personamem.dataset_builder.core.rng import ShuffleBag, make_rng


def test_a_stream_depends_on_seed_and_name_alone() -> None:
    first = make_rng(1, "writer", 2).random()
    make_rng(1, "other").random()
    assert make_rng(1, "writer", 2).random() == first
    assert make_rng(2, "writer", 2).random() != first
    assert make_rng(1, "writer", 3).random() != first


def test_names_do_not_run_together() -> None:
    assert make_rng(0, "ab", "c").random() != make_rng(0, "a", "bc").random()


def test_first_draw_of_a_stream_is_fixed_on_every_machine() -> None:
    assert make_rng(0, "persona", 0).getrandbits(32) == GOLDEN_FIRST_DRAW


def test_a_deck_deals_everything_before_it_repeats() -> None:
    deck = ShuffleBag(range(10), make_rng(0, "deck"))
    rounds = [[deck.deal() for _ in range(10)] for _ in range(3)]
    assert all(sorted(dealt) == list(range(10)) for dealt in rounds)
    assert rounds[0] != rounds[1]
    assert deck.left == 0


def test_what_a_round_deals_last_the_next_does_not_deal_first() -> None:
    deck = ShuffleBag(range(10), make_rng(0, "deck"))
    before = [deck.deal() for _ in range(10)]
    for _ in range(50):
        after = [deck.deal() for _ in range(10)]
        assert not set(before[-4:]) & set(after[:4])
        before = after


GOLDEN_FIRST_DRAW = 1808833598
