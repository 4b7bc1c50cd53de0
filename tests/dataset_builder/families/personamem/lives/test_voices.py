"""Voices: how different people type the same errand."""

from personamem.dataset_builder.core.people import draw_persona
from personamem.dataset_builder.families.personamem.lives.voices import Speaker, speak


def test_a_voice_without_capitals_keeps_codes_and_quotations() -> None:
    speaker = Speaker(draw_persona(1, 1), lower_case=True)
    assert speak('The Heater shows E4, "It is Ice". OK', speaker) == (
        'the heater shows E4, "It is Ice". OK'
    )


def test_a_standard_voice_writes_capitals() -> None:
    speaker = Speaker(draw_persona(1, 1), lower_case=False)
    assert speak('i cant find it. is it me? "i dont" im lost', speaker) == (
        "I can't find it. Is it me? \"i dont\" I'm lost"
    )


def test_no_capital_follows_an_abbreviation_or_dots() -> None:
    speaker = Speaker(draw_persona(1, 1), lower_case=False)
    assert speak("all stops, incl. all bags ... or what e.g. do i take. is it far", speaker) == (
        "All stops, incl. all bags ... or what e.g. do I take. Is it far"
    )
