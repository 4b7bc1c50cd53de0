import pytest

from personamem.dataset_builder.core.text.faults import (
    ARTICLES,
    BRACKETS,
    CASING,
    DOUBLED,
    PUNCTUATION,
    SLOTS,
    SPACING,
    read_closely,
)

FAULTY = {
    SLOTS: [
        "My sister {name} came by.",
        "I told {{persona.name}} so.",
        "It costs ${price} now.",
        "Dear <NAME>, thanks.",
        "I live in [CITY] now.",
        "Regards, [Your Name].",
        "It was %s again.",
        "Hello %(name)s there.",
        "Here {% if old %} we go.",
        "That is all.<|endoftext|>",
        "TODO: say more.",
        "I moved to None last year.",
        "It took nan of the time.",
        "The mean is NaN today.",
    ],
    DOUBLED: ["I saw the the film.", "The the film was long.", "I have it on on Sundays."],
    ARTICLES: [
        "I ate a apple.",
        "It took a hour.",
        "He is an teacher.",
        "She went to an university.",
        "It was an one-off.",
        "Add a 8 % fee.",
        "A 11-year-old did it.",
        "I had a 18,000 mile trip.",
        "That is an 7-day pass.",
        "It is an European thing.",
        "He saw a EKG.",
        "This is an PDF.",
    ],
    CASING: [
        "I went home. then I slept.",
        "Is it late? yes, it is.",
        "Today i am tired.",
        "I said i'd come.",
    ],
    SPACING: ["Hello , world.", "That is it ."],
    PUNCTUATION: ["I went home.. Then I slept.", "One,, two.", "Really?. Yes.", "So,. yes."],
    BRACKETS: ["One (two three.", "One two) three.", 'He said "no to me.', "An \u201copen one."],
}

SOUND = [
    "It took an hour at a university with an MRI, a one-off, an 8-week course and an LED.",
    "An 80-year-old, a UV lamp, a used car, an honest heir, an SQL query, a SQL query, a European.",
    "An 11th, an 18,000 mile trip, a 1,100 mile trip, a 110, an X-ray, an n-gram, a URL, a unit.",
    "An umbrella, an unimportant uncle, a ukulele, a utility, an NGO, a NASA engineer, a eulogy.",
    "There is an a in the middle, an sc at the end, and 1 a = 100 m\u00b2, so 3 a are 300 m\u00b2.",
    "INDEX finds it in column A and reads column D. What is left of A is nothing.",
    "They had had a go. He said that that was fine. Bye bye! It was very very good.",
    "From Pago Pago; Echo Echo, Lima Lima. Iceland is IS. India is listed as IN in tables.",
    "Use e.g. apples, i.e. fruit, vs. pears etc. and see no. 3 of vol. two, approx. half.",
    "What is next: 6, 2, 8, ...? Well... maybe. Really?! Yes!! It is 1 : 2.",
    "`the the`, `a apple`, `x .. y`, `{name}` and `[NAME]` are code.",
    "```python\nprint(prism[::-1]) # a apple, the the\n```",
    'The letter "i" in "the the. then a apple" stands twice.',
    "| a apple | the the |\n| --- | ---: |\n| {name} | .. |",
    "1. gears\n2. lenses\n\na) first\nb) second\nHe smiled :)",
    "item,site,quantity\nrelays,Halo,466",
    "See https://example.org/a..b?c=i am",
    "None of them came. My nan of eighty years did. A 5% slice of 10 % and 20 %.",
    'It is 5" long and 3" wide, or 7" tall.',
    "m = \u03c1 \u00b7 V is a law. t = \u221a(2h / g) is another.",
]


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in FAULTY.items() for text in texts]
)
def test_a_fault_is_found_and_named(kind: str, text: str) -> None:
    assert {found for found, _ in read_closely(text, typed=True)} == {kind}


@pytest.mark.parametrize("text", SOUND)
def test_sound_text_has_no_fault(text: str) -> None:
    assert list(read_closely(text, typed=False)) == []


def test_only_people_may_start_in_lower_case() -> None:
    text = "now the other way round, please."
    assert list(read_closely(text, typed=True)) == []
    assert [kind for kind, _ in read_closely(text, typed=False)] == [CASING]
    assert [kind for kind, _ in read_closely("**a halogen.** So.", typed=False)] == [CASING]
