"""Reading dialogues as the official script writes them, one JSON file each, for their words."""

from pathlib import Path

from personamem.loaders.formats.errors import DatasetError, InvalidInputError
from personamem.loaders.formats.json_files import read_json_file
from personamem.loaders.formats.records import show_value


def read_dialogues(folder: Path) -> list[str]:
    """Return the messages of both sides of all ``*_dialogue.json`` below a folder, in order.

    Raises:
        InvalidInputError: no such folder, or no dialogues in it.
        DatasetError: a file that holds no dialogue.
    """
    if not folder.is_dir():
        raise InvalidInputError(f"{folder} is no folder. Accepted: a folder of dialogues.")
    messages = []
    for path in sorted(folder.rglob("*_dialogue.json")):
        content = read_json_file(path)
        turns = content.get("dialogue") if isinstance(content, dict) else None
        if not isinstance(turns, list):
            raise DatasetError(f"{path}: dialogue is {show_value(turns)}. Accepted: a list.")
        for turn in turns:
            text = turn.get("content") if isinstance(turn, dict) else None
            if not isinstance(text, str):
                raise DatasetError(
                    f"{path}: dialogue has {show_value(turn)}. Accepted: objects with content."
                )
            messages.append(text)
    if not messages:
        raise InvalidInputError(f"{folder} holds no *_dialogue.json with messages.")
    return messages
