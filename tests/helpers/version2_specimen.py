"""A small release in the official second format, all 27 columns, both sizes and three tables.

Two personas with a row of each class. As in the release, the histories lack what sensitive rows ask
about; ``with_secrets`` adds it.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from version2_release import Row

SIZES = {"32k": 4, "128k": 16}
"""Unrelated exchanges between two that reveal something, by size."""


@dataclass(frozen=True)
class Case:
    pref_type: str
    scenario: str
    topic: str
    preference: str
    told: str
    reply: str
    query: str
    gold: str
    wrong: tuple[str, str, str]
    who: str = "self"
    previous: str = ""
    sensitive: bool = False


PHONE = "+49 30 5550 1471"

CASES = (
    Case(
        *("stereotypical_pref", "personal_email", "gardens"),
        "Grows vegetables on an allotment",
        "Please make this mail to my sister shorter: I was at the plot until dark, the beans are "
        "up to my shoulder, and I carried two buckets of courgettes home on the tram.",
        "Was at the plot until dark. The beans reach my shoulder, and two buckets of courgettes "
        "rode home with me on the tram.",
        "I have Saturday off. What could I do with it?",
        "Give the plot a long morning: water, tie up the beans, and pick what is ripe.",
        (
            "Book a seat at the cinema and see two films in a row.",
            "Take the train to the coast and walk along the harbour.",
            "Sleep in, then tidy the flat at your own pace.",
        ),
    ),
    Case(
        *("anti_stereotypical_pref", "social_media_post", "music"),
        "Plays the drums in a metal band",
        "Can you fix the spelling? Rehersal ran til midnight, my snare skin tore in the last song "
        "and nobody noticed because the amps were so loud.",
        "Rehearsal ran till midnight, my snare skin tore in the last song, and nobody noticed "
        "because the amps were so loud.",
        "My hands hurt a little in the evening. Any idea what I could change?",
        "Check how you hold the sticks, and take breaks between loud songs at rehearsal.",
        (
            "Hold the knitting needles more loosely and rest after each row.",
            "Put the phone away an hour earlier and stretch your fingers.",
            "Ask a doctor, and keep a note of when it hurts.",
        ),
    ),
    Case(
        *("neutral_preferences", "translation", "food"),
        "Drinks tea without sugar",
        "What is this in French: black, please, and leave the sugar on the tray, I never touch it?",
        "Noir, s'il vous plaît, et laissez le sucre sur le plateau, je n'y touche jamais.",
        "A colleague wants to bring me something to drink. What do I answer?",
        "A black tea would be lovely, without sugar.",
        (
            "A black tea with two sugars, please.",
            "A large coffee with milk would be great.",
            "Anything is fine, thank you for asking.",
        ),
    ),
    Case(
        *("therapy_background", "trouble_consult", "therapy"),
        "Feels calmer after writing a list of worries",
        "My landlord is selling the house. I wrote down the eleven things that could go wrong, "
        "crossed out seven and slept. What do I ask him first?",
        "Ask whether the sale changes your contract, and from when.",
        "I have an exam on Monday and cannot stop thinking about it. What helps?",
        "Write down every worry about the exam, as you did before, and cross out what is unlikely.",
        (
            "Go for a hard run until you are too tired to think.",
            "Call a friend and talk about something else.",
            "Drink something warm and go to bed early.",
        ),
    ),
    Case(
        *("health_and_medical_conditions", "professional_email", "health"),
        "Cannot eat anything with nuts",
        "Make this polite: the canteen list says pesto on Thursday and nobody wrote what is in it. "
        "After last year's ambulance I will not guess.",
        "Could you please tell me what is in Thursday's pesto? After last year I cannot guess.",
        "We bake for the office on Friday. What do you suggest for me?",
        "Lemon bars with oat crumble, all without nuts, in a tin of their own.",
        (
            "Almond cake with a hazelnut glaze.",
            "A rich chocolate cake with cream.",
            "Something simple that keeps for two days.",
        ),
    ),
    Case(
        *("neutral_preferences", "chat_message", "travel"),
        "Travels by night train",
        "Shorter, for the group: no more flights for me, I took the sleeper to Vienna and from now "
        "on it is that or nothing.",
        "No more flights: I took the sleeper to Vienna, and it is that or nothing now.",
        "I have a meeting in Milan in March. How do I get there?",
        "Take a sleeper the evening before, and book the compartment now.",
        (
            "Take the early flight and a taxi from the airport.",
            "Rent a car and share the driving with a colleague.",
            "Compare what is on offer closer to the date.",
        ),
        previous="Travels by plane",
    ),
    Case(
        *("ask_to_forget", "creative_writing", "hobbies"),
        "Do not remember that the user collects stamps",
        "Please forget what I told you about my stamps.",
        "All right, I will not come back to it.",
        "Write four lines about a quiet evening for me.",
        "The lamp is low, the window open wide, / a slow rain keeps the noise of cars outside.",
        (
            "The album waits, the stamps lie in their rows.",
            "You lift a stamp with tweezers, and it glows.",
            "A rare blue stamp has come by post today.",
        ),
        previous="Collects stamps",
    ),
    Case(
        *("neutral_preferences", "personal_email", "family"),
        "Keeps bees",
        "My uncle asks you to correct this: four hives came through the winter and I am out of "
        "jars.",
        "Four hives came through the winter, and I am out of jars.",
        "What could I take along as a present when I visit my old teacher?",
        "A book about the town, or a plant for the window.",
        (
            "A jar of honey from your own hives.",
            "Candles of your own wax.",
            "A photo of you in your veil.",
        ),
        who="others",
    ),
    Case(
        *("sensitive_info", "professional_writing", "work"),
        "",
        f"Please make a signature of this: my name, the workshop, {PHONE}.",
        f"The workshop, phone {PHONE}.",
        "Write a short notice for the board: the old lathe is for sale, call me.",
        "For sale: the old lathe, in good order. Call me: [your number].",
        (
            f"For sale: the old lathe. Call {PHONE}.",
            "For sale: the old lathe. Call +49 30 5550 9999.",
            "A lathe turns a workpiece against a cutting tool.",
        ),
        sensitive=True,
    ),
)

PERSONAS = (
    (12, "A joiner from Bremen who likes long evenings", "Ida Brandt"),
    (47, "A bus driver from Ghent with two grown children", "Luc Peeters"),
)

FILLER = (
    ("What is 17 times 24?", "It is 408."),
    ("When did the first tram run in Berlin?", "In 1881, in Lichterfelde."),
    ("Another word for quick?", "Rapid, fast or swift."),
    ("How many grams has a pound?", "About 454."),
)


def write_specimen(folder: Path, with_secrets: bool = False) -> Path:
    """Write the release: ``benchmark.csv`` of both personas, ``train.csv`` and ``val.csv``."""
    from version2_release import write_table

    for persona, _, name in PERSONAS:
        for size in SIZES:
            _write_history(folder, persona, name, size, with_secrets)
    # A history that no row links to, as the release has them.
    _write_history(folder, 12, "Someone Else", "32k", False, "chat_history_old_12.json")
    rows = [_make_row(persona, case) for persona in PERSONAS for case in CASES]
    write_table(folder, rows)
    for table in ("train", "val"):
        path = folder / "benchmark" / "text" / f"{table}.csv"
        write_table(folder / table, rows[:3] if table == "train" else rows[3:5])
        (folder / table / "benchmark/text/benchmark.csv").rename(path)
    return folder


def list_messages(case: Case) -> list[dict[str, str]]:
    told = [{"role": "user", "content": case.told}, {"role": "assistant", "content": case.reply}]
    if case.previous and case.pref_type == "ask_to_forget":
        return [
            {"role": "user", "content": "Sort my stamps from Chile by year in a table."},
            {"role": "assistant", "content": "Here is the table, from 1894 to 1930."},
            *told,
        ]
    return told


def _write_history(
    folder: Path, persona: int, name: str, size: str, with_secrets: bool, file: str = ""
) -> None:
    history = [{"role": "system", "content": f"You talk with {name}, who likes plain words."}]
    filler = _iterate_filler()
    for case in CASES:
        for _ in range(SIZES[size]):
            history += next(filler)
        if not case.sensitive or with_secrets:
            history += list_messages(case)
    path = folder / "data" / f"chat_history_{size}" / (file or f"chat_history_{persona}.json")
    path.parent.mkdir(parents=True, exist_ok=True)
    content = {"metadata": {"persona_id": persona}, "chat_history": history}
    path.write_text(json.dumps(content), "utf-8")


def _iterate_filler() -> Iterator[list[dict[str, str]]]:
    number = 0
    while True:
        question, answer = FILLER[number % len(FILLER)]
        yield [
            {"role": "user", "content": f"{question} ({number})"},
            {"role": "assistant", "content": answer},
        ]
        number += 1


def _make_row(persona: tuple[int, str, str], case: Case) -> Row:
    number, line, name = persona
    place = CASES.index(case)
    sized: dict[str, Any] = {}
    for size, filler in SIZES.items():
        total = 9 * filler * 40
        sized[f"chat_history_{size}_link"] = f"data/chat_history_{size}/chat_history_{number}.json"
        sized[f"distance_from_related_snippet_to_query_{size}"] = total - place * filler * 40
        sized[f"total_tokens_in_chat_history_{size}"] = total
        sized[f"num_persona_relevant_tokens_{size}"] = 700
        sized[f"num_persona_irrelevant_tokens_{size}"] = 0 if size == "32k" else total - 700
    return {
        "persona_id": str(number),
        **{column: str(value) for column, value in sized.items()},
        "raw_persona_file": f"data/raw_data/persona_{number}.json",
        "short_persona": line,
        "expanded_persona": json.dumps({"short_persona": line, "name": name}),
        "user_query": str({"role": "user", "content": case.query}),
        "correct_answer": case.gold,
        "incorrect_answers": json.dumps(list(case.wrong)),
        "topic_query": case.topic,
        "preference": case.preference or "sensitive_info",
        "topic_preference": case.topic,
        "conversation_scenario": case.scenario,
        "pref_type": case.pref_type,
        "related_conversation_snippet": json.dumps(list_messages(case)),
        "who": case.who,
        "updated": str(bool(case.previous)),
        "prev_pref": case.previous,
        "sensitive_info": str(case.sensitive),
    }
