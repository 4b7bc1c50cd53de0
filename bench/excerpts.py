"""Excerpts for raters: ours and those of another data set, in pairs, unlabelled and shuffled.

    python -m bench.excerpts DATASET --against shared_contexts_32k.jsonl --out excerpts
    python -m bench.excerpts DATASET --documents --against private_data/noise_0.5 --out documents

Chats: runs of whole sessions of about 3,200 letters, each from another context. Documents: private
conversations, and chats with an assistant. ``--against`` is a file of contexts, or a folder of
documents, of the official release. OUT.txt is for the raters, who rate each excerpt
from 1 to 10 by how real it reads and are told nothing else; OUT.key.json says whose is which.
"""

import argparse
import json
import secrets
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random

import pyarrow.parquet as pq

from personamem.loaders.formats.schema import Message

LETTERS = 3_200
"""Letters of an excerpt of chats, beside system messages."""

Excerpt = tuple[str, str]
"""Where it stands, and its text."""


def main() -> None:
    """Write the excerpts and their key."""
    options = parse_arguments()
    seed = secrets.randbelow(2**31) if options.seed is None else options.seed
    random = Random(seed)
    if options.documents:
        ours = draw_documents(options.dataset, options.number, random)
        theirs = draw_their_documents(options.against, options.number, random)
    else:
        ours = draw_chats(options.dataset, options.split, options.number, random)
        theirs = draw_their_chats(options.against, options.number, random)
    texts, key = [], {}
    for number, pair in enumerate(zip(ours, theirs, strict=True), start=1):
        two = list(zip(("ours", "theirs"), pair, strict=True))
        random.shuffle(two)
        for letter, (whose, (place, text)) in zip("AB", two, strict=True):
            key[f"{number}{letter}"] = {"whose": whose, "place": place}
            texts.append(f"======== {number}{letter} ========\n{text}\n")
    options.out.with_suffix(".txt").write_text("\n".join(texts), "utf-8")
    options.out.with_suffix(".key.json").write_text(json.dumps(key, indent=1), "utf-8")
    print(f"{len(texts)} excerpts in {options.out.with_suffix('.txt')} (seed {seed})")


def draw_chats(dataset: Path, split: str, number: int, random: Random) -> Iterator[Excerpt]:
    """Yield runs of whole sessions, each from another context."""
    contexts = pq.read_table(dataset / "contexts" / f"{split}.parquet").to_pylist()
    for context in random.sample(contexts, number):
        starts = [*context["session_starts"], len(context["messages"])]
        first, last, text = 0, 0, ""
        while len(text) < LETTERS:  # A run at the end may be too short.
            first = last = random.randrange(len(starts) - 1)
            text = ""
            while len(text) < LETTERS and last < len(starts) - 1:
                last += 1
                text = show_chat(context["messages"][starts[first] : starts[last]])
        yield f"{context['shared_context_id']}, sessions {first}-{last - 1}", text


def draw_their_chats(path: Path, number: int, random: Random) -> Iterator[Excerpt]:
    """Yield runs of messages, from a user's on."""
    contexts = [
        messages
        for line in path.read_text("utf-8").splitlines()
        for messages in json.loads(line).values()
    ]
    for _ in range(number):
        text, first, last = "", 0, 0
        while len(text) < LETTERS:
            messages = random.choice(contexts)
            first = random.choice([n for n, m in enumerate(messages) if m["role"] == "user"])
            last = first
            while last < len(messages) and len(text := show_chat(messages[first:last])) < LETTERS:
                last += 1
        yield f"messages {first}-{last - 1}", text


def show_chat(messages: Sequence[Message]) -> str:
    """Return messages as text; a system message, which repeats the persona, is a line."""
    lines = []
    for message in messages:
        said = message["content"].removeprefix("User: ").removeprefix("Assistant: ")
        lines.append("---" if message["role"] == "system" else f"[{message['role']}] {said}")
    return "\n".join(lines)


def draw_documents(dataset: Path, number: int, random: Random) -> Iterator[Excerpt]:
    """Yield documents at a noise level of one half, purchases aside."""
    rows = pq.read_table(dataset / "documents" / "noise_05.parquet").to_pylist()
    for row in random.sample([r for r in rows if r["kind"] != "purchase_history"], number):
        when = f"{row['time']:%a %d %b %Y %H:%M}"
        yield row["session_id"], show_document(when, row["messages"])


def draw_their_documents(folder: Path, number: int, random: Random) -> Iterator[Excerpt]:
    """Yield documents of the official release."""
    found = []
    for person in json.loads((folder / "conversation_data_all.json").read_text("utf-8")):
        for partner in person["Data"]:
            found += [(c["time"], c["conversation"]) for c in partner["Conversations"]]
    for person in json.loads((folder / "user_ai_interaction_data_all.json").read_text("utf-8")):
        found += [(chat["time"], chat["user_ai_interaction"]) for chat in person["Data"]]
    for when, messages in random.sample(found, number):
        yield when, show_document(when, messages)


def show_document(when: str, messages: Sequence[Message]) -> str:
    """Return a document as text."""
    return "\n".join([f"({when})", *(f"{m['role']}: {m['content']}" for m in messages)])


def parse_arguments() -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("dataset", type=Path, help="folder of a dataset")
    parser.add_argument("--against", type=Path, required=True, help="contexts or documents")
    parser.add_argument("--documents", action="store_true", help="documents instead of chats")
    parser.add_argument("--split", default="32k")
    parser.add_argument("--number", type=int, default=12, help="pairs")
    parser.add_argument("--seed", type=int, help="of what is drawn; else a new one")
    parser.add_argument("--out", type=Path, required=True, help="file, without an ending")
    return parser.parse_args()


if __name__ == "__main__":
    main()
