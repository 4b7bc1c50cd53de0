"""Having artefacts read: requests for readers, and records made of their answers.

A request shows one reader the texts of one need that are not proven, in an order of its own, with
the names of the eight choices under letters of its own. A text is labelled with the start of its
digest, so an answer belongs to that text as it stood, whatever changed since.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from string import ascii_uppercase

from personamem.dataset_builder.core.people import FIRST_DAY, Contact
from personamem.dataset_builder.core.rng import make_rng
from personamem.dataset_builder.families.personamem.lives.bank import NeedId
from personamem.dataset_builder.families.personamem.lives.need import Artefact, Choice, Need
from personamem.dataset_builder.families.personamem.lives.readings import (
    NUM_READERS,
    ReadArtefact,
    Reading,
    Readings,
    RejectedArtefact,
    find_unproven,
    hash_artefact,
    is_understood,
    locate_readings,
)
from personamem.dataset_builder.families.personamem.lives.slots import SlotFiller
from personamem.loaders.formats.errors import InvalidInputError
from personamem.loaders.formats.json_files import parse_json
from personamem.loaders.formats.whole_files import write_whole

_LABEL = 10
"""Digits of a digest that name a text in a request."""

_SHOWN_CONTACT = Contact("my sister Ines", "Ines", "she")

_TASK = """\
Below are texts that different people brought to an assistant, each because of some task. All of
them bear on one question: {about}. Eight answers are possible:

{choices}

Decide for each text which answer it points to, and what it says about that answer:
now (it is how the writer does it at present), other (it is how somebody else does it, whom the
writer names), over (the writer did it, and has stopped), other-over (somebody else did it, and has
stopped), declined (it was suggested or tried, and the writer does not want it), only (it holds on
some occasion, and only then). Say also how real the text reads, from 1 (written by a machine) to 10
(written by a person who needs help). Go by the text alone; where it is open, pick what is
likeliest.

Answer with one line for each text and nothing else: its label, the letter, now, other, over,
other-over, declined or only, and the number from 1 to 10. For example:
{example} C now 7
"""
_LINE = re.compile(
    rf"^\W*([0-9a-f]{{{_LABEL}}})\W+([A-H])\W+(now|other-over|other|over|declined|only)\W+(\d+)\b",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class ReadingRequest:
    """What one reader is to read; ``name`` is "topic/need/reader-1"."""

    name: str
    prompt: str


def make_requests(needs: Mapping[NeedId, tuple[Need, Readings | None]]) -> list[ReadingRequest]:
    """Return a request for each need with artefacts that are not proven, and each reader."""
    return [
        ReadingRequest(_name(need_id, reader), _word(need_id, need, due, reader))
        for need_id, (need, readings) in needs.items()
        if (due := list_due(need, readings))
        for reader in range(1, NUM_READERS + 1)
    ]


def list_due(need: Need, readings: Readings | None) -> list[tuple[str, Choice, Artefact]]:
    """Return the artefacts of a need that are not proven: place, choice, artefact."""
    unproven = None
    if readings is not None:
        unproven = {problem.split(":", 1)[0] for problem in find_unproven(need, readings)}
    return [
        (place, choice, artefact)
        for choice in need.choices
        for place, artefact in choice.list_implied()
        if unproven is None or place in unproven
    ]


def record_answers(
    path: Path, need_id: NeedId, need: Need, old: Readings | None, texts: Sequence[str], who: str
) -> None:
    """Write the record beside the file of a need: its old readings, and those of ``texts``.

    ``texts`` are the replies of the readers, in order. Raises InvalidInputError where a reader left
    out a text, named one that nobody asked for, or did not answer in the form asked for.
    """
    due = {
        hash_artefact(artefact): (place, choice) for place, choice, artefact in list_due(need, old)
    }
    labels = {digest[:_LABEL]: digest for digest in due}
    found: dict[str, list[Reading]] = {digest: [] for digest in due}
    for reader, text in enumerate(texts, start=1):
        name = _name(need_id, reader)
        letters = _deal_letters(need_id, need, reader)
        seen = set()
        for label, letter, stance, realism in _LINE.findall(text):
            if label not in labels:
                raise InvalidInputError(
                    f"answer to {name}: nobody asked about a text {label!r}. Accepted: the labels "
                    "of the request, which are those of the texts as they stand."
                )
            if not 1 <= int(realism) <= 10:
                raise InvalidInputError(
                    f"answer to {name}, text {label}: {realism} is no number from 1 to 10."
                )
            if label not in seen:
                seen.add(label)
                found[labels[label]].append(
                    Reading(choice=letters[letter], stance=stance, realism=int(realism))
                )
        missing = sorted(labels.keys() - seen)
        if missing:
            raise InvalidInputError(
                f"answer to {name}: {len(missing)} of {len(labels)} texts have no line, the first "
                f"is {missing[0]}. Accepted: a line '{missing[0]} C now 7' for each."
            )
    places = {digest: place for digest, (place, _) in due.items()}
    artefacts = dict(old.artefacts) if old else {}
    rejected = list(old.rejected) if old else []
    rejected += [
        RejectedArtefact(place=place, sha256=read.sha256, readings=read.readings)
        for place, read in artefacts.items()
        if not is_understood(place, read)
    ]
    current = {place for choice in need.choices for place, _ in choice.list_implied()}
    artefacts |= {
        places[digest]: ReadArtefact(sha256=digest, readings=tuple(readings))
        for digest, readings in found.items()
    }
    kept = {place: artefacts[place] for place in sorted(current & artefacts.keys())}
    _write(path, Readings(readers=who, artefacts=kept, rejected=tuple(rejected)))


def read_batch(path: Path) -> dict[str, str]:
    """Return the answers of a batch file by the names of requests.

    Each line is the record of a batch output (``custom_id`` and ``response.body``), or
    ``{"custom_id": ..., "text": ...}``. Raises InvalidInputError that names the line.
    """
    answers: dict[str, str] = {}
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
            text = record.get("text")
            if text is None:
                text = record["response"]["body"]["choices"][0]["message"]["content"]
            name = record["custom_id"]
            if not isinstance(name, str) or not isinstance(text, str):
                raise TypeError
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            raise InvalidInputError(
                f"{path}, line {number}: no answer of a batch. Accepted: JSON with custom_id and "
                "text, or with custom_id and response.body.choices."
            ) from None
        if name in answers:
            raise InvalidInputError(f"{path}, line {number}: {name!r} is answered twice.")
        answers[name] = text
    return answers


def group_answers(
    answers: Mapping[str, str], need_ids: Iterable[NeedId], source: Path
) -> Iterator[tuple[NeedId, list[str]]]:
    """Yield the answers of each need, reader by reader.

    Raises InvalidInputError for an answer to a request that nobody made, and where some readers of
    a need are missing.
    """
    known = {
        _name(need_id, reader): need_id
        for need_id in need_ids
        for reader in range(1, NUM_READERS + 1)
    }
    for name in answers:
        if name not in known:
            raise InvalidInputError(
                f"{source}: nobody made a request {name!r}. Accepted: 'topic/need/reader-1' to "
                f"'reader-{NUM_READERS}' for the needs of the bank."
            )
    for need_id in dict.fromkeys(known[name] for name in answers):
        names = [_name(need_id, reader) for reader in range(1, NUM_READERS + 1)]
        missing = [name for name in names if name not in answers]
        if missing:
            raise InvalidInputError(f"{source}: no answer to {missing[0]!r}.")
        yield need_id, [answers[name] for name in names]


def _name(need_id: NeedId, reader: int) -> str:
    return f"{need_id[0]}/{need_id[1]}/reader-{reader}"


def _deal_letters(need_id: NeedId, need: Need, reader: int) -> dict[str, str]:
    """Return the letter of each choice, in an order of the reader's own."""
    order = make_rng(reader, "letters", *need_id).sample(need.choices, len(need.choices))
    return {letter: choice.key for letter, choice in zip(ascii_uppercase, order, strict=False)}


def _word(need_id: NeedId, need: Need, due: list[tuple[str, Choice, Artefact]], reader: int) -> str:
    letters = _deal_letters(need_id, need, reader)
    listed = "\n".join(
        f"{letter}. This person {need.find_choice(key).name}." for letter, key in letters.items()
    )
    order = make_rng(reader, "texts", *need_id).sample(due, len(due))
    first = hash_artefact(order[0][2])[:_LABEL]
    parts = [_TASK.format(about=need.about, choices=listed, example=first)]
    parts += [
        f"### {hash_artefact(artefact)[:_LABEL]}\n{_show(artefact)}" for _, _, artefact in order
    ]
    return "\n\n".join(parts)


def _show(artefact: Artefact) -> str:
    filler = SlotFiller("", FIRST_DAY, Random(0), _SHOWN_CONTACT)
    pasted = f"\n\n{filler.fill(artefact.text)}" if artefact.text else ""
    return filler.fill(artefact.ask) + pasted


def _write(path: Path, readings: Readings) -> None:
    """Write a record with a line for each artefact, so that a change shows as such."""
    record = readings.model_dump(mode="json")
    artefacts = ",\n".join(
        f"  {json.dumps(place)}: {json.dumps(read)}" for place, read in record["artefacts"].items()
    )
    rejected = ",\n".join(f"  {json.dumps(read)}" for read in record["rejected"])
    write_whole(
        locate_readings(path),
        f'{{"readers": {json.dumps(record["readers"])},\n "artefacts": {{\n{artefacts}\n}},\n'
        f' "rejected": [\n{rejected}\n]}}\n',
    )
