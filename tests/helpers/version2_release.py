"""Writes a release in the second official format: a table of queries, a history file a persona."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from random import Random

TABLE = "benchmark/text/benchmark.csv"
WORDS = [
    "".join(Random(number).choices("abcdefghijklmnopqrstuvwxyz", k=3 + number % 8))
    for number in range(300)
]
Row = dict[str, str]


def write_release(
    folder: Path, rows: int, longest_share: float = 0.25, personas: int = 4, seed: int = 7
) -> Path:
    """Write ``rows`` queries; the gold is the only longest option in ``longest_share`` of them."""
    random = Random(seed)
    for persona in range(personas):
        path = folder / "data" / "chat_history_32k" / f"persona_{persona}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        history = [{"role": "system", "content": f"Persona {persona} keeps bees."}]
        for _ in range(6):
            history.append({"role": "user", "content": say(random, 12)})
            history.append({"role": "assistant", "content": say(random, 20)})
        path.write_text(json.dumps({"metadata": {}, "chat_history": history}), "utf-8")
    longest = round(rows * longest_share)
    table = []
    for number in range(rows):
        lengths = [18, 12, 12, 12] if number < longest else [12, 18, 12, 12]
        gold, *wrong = [say(random, length) for length in lengths]
        persona = number % personas
        table.append(
            {
                "persona_id": str(persona),
                "chat_history_32k_link": f"data/chat_history_32k/persona_{persona}.json",
                "user_query": str({"role": "user", "content": f"{say(random, 8)}, isn't it?"}),
                "correct_answer": gold,
                "incorrect_answers": json.dumps(wrong),
                "topic_query": ("bees", "boats")[number % 2],
                "pref_type": ("stated", "implied", "ask_to_forget")[number % 3],
                "distance_from_related_snippet_to_query_32k": str(number),
                "total_tokens_in_chat_history_32k": "400",
            }
        )
    write_table(folder, table)
    return folder


def write_table(folder: Path, rows: list[Row]) -> None:
    path = folder / TABLE
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def change_rows(folder: Path, change: Callable[[list[Row]], None]) -> None:
    with (folder / TABLE).open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    change(rows)
    write_table(folder, rows)


def say(random: Random, words: int) -> str:
    # Words of one length, so that more words are more letters.
    return " ".join(word[:3] for word in random.choices(WORDS, k=words))
