"""Agentic memory: a model keeps one readable text, and writes it anew after each session.

After PersonaMem-v2 (arXiv 2512.06688, section on agentic memory), with two differences: the writer
never sees a question, and it writes once a session instead of once every 5,000 tokens. The released
code shows the writer the question with its options; ``QueryAwareMemory`` does so for comparison.
"""

import json
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from urllib.error import HTTPError, URLError

from personamem.loaders.formats.tokens import count_tokens
from personamem.loaders.memory.protocol import (
    MOST_REWRITTEN,
    DatedMessage,
    Memory,
    MemoryFailure,
)

CHUNK_TOKENS = 5_000
"""Of the history that a writer who sees the question reads at a time, as released."""

SECONDS = 900.0

_WRITER = (
    "You keep the memory of an assistant about one user: a text that later replies rest on. You "
    "get the text so far and a new chat with its date. Write the whole text anew: what the user "
    "does, has, prefers and refuses now, since when and why, whom it concerns if not the user, "
    "and what was true before and is over. Drop what no later reply can use. Write plain "
    f"sentences, at most {MOST_REWRITTEN // 2} words, and nothing else."
)
_WITH_QUESTION = (
    "You read a long history of chats in parts, so that a question can be answered at the end. "
    "You get the question, your notes so far and the next part. Write the notes anew: all that "
    f"bears on the question. At most {MOST_REWRITTEN // 2} words, and nothing else."
)
_EMPTY = "(nothing yet)"


class ChatModel:
    """A chat model at an address that ends in ``/v1``; retries are the server's matter."""

    def __init__(self, url: str, model: str, most_tokens: int = MOST_REWRITTEN) -> None:
        self._url, self._model, self._most = url, model, most_tokens

    def write(self, system: str, text: str) -> str:
        """Return what the model writes. Raises MemoryFailure where it does not."""
        body = {
            "model": self._model,
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": text}],
            "max_tokens": self._most,
            "temperature": 0,
        }
        request = urllib.request.Request(
            f"{self._url}/chat/completions",
            json.dumps(body).encode(),
            {"Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as reply:
                written = json.load(reply)["choices"][0]["message"]["content"]
        except HTTPError as error:
            said = error.read(2_000).decode("utf-8", "replace")
            raise MemoryFailure(f"the model of the memory: {said}") from error
        except (URLError, OSError, ValueError, LookupError, TypeError) as error:
            raise MemoryFailure(f"the model of the memory: {error!r}") from error
        if not isinstance(written, str):
            raise MemoryFailure("the model of the memory wrote no text.")
        return written


class AgenticMemory:
    """One text a user, rewritten after each session; a search returns it whole or cut at lines."""

    rewrites = True

    def __init__(self, model: ChatModel) -> None:
        self._model, self._texts = model, dict[str, str]()

    def add(self, user: str, session_id: str, messages: Sequence[DatedMessage]) -> None:
        """Let the model write the user's text anew; an empty text leaves the old one."""
        chat = render_chat(messages)
        if not chat:
            return
        before = self._texts.get(user, _EMPTY)
        written = self._model.write(_WRITER, f"The text so far:\n{before}\n\nThe new chat:\n{chat}")
        text = cut_text(written.strip(), MOST_REWRITTEN)
        if text:
            self._texts[user] = text

    def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
        """Return the user's text, or as much of its beginning as fits."""
        text = cut_text(self._texts.get(user, ""), max_tokens)
        return [Memory(text)] if text else []

    def list(self, user: str) -> Sequence[Memory]:
        """Return the user's text."""
        return [Memory(self._texts[user])] if user in self._texts else []

    def reset(self, user: str) -> None:
        """Forget a user."""
        self._texts.pop(user, None)

    def save(self, folder: Path) -> None:
        """Write all texts."""
        (folder / "texts.json").write_text(json.dumps(self._texts), encoding="utf-8")

    def load(self, folder: Path) -> None:
        """Read what ``save`` wrote."""
        self._texts = json.loads((folder / "texts.json").read_text(encoding="utf-8"))


class QueryAwareMemory:
    """Reads the history once a question, in parts of 5,000 tokens, with the question in sight.

    As released with PersonaMem-v2. It is for comparison alone: a memory cannot know what will be
    asked, and this one reads all that it kept again for every question.
    """

    rewrites = True

    def __init__(self, model: ChatModel) -> None:
        self._model, self._chats = model, dict[str, list[str]]()

    def add(self, user: str, session_id: str, messages: Sequence[DatedMessage]) -> None:
        """Keep a session as it is."""
        self._chats.setdefault(user, []).append(render_chat(messages))

    def search(self, user: str, query: str, as_of: str, max_tokens: int) -> Sequence[Memory]:
        """Return notes on what was kept, written for this question."""
        notes = ""
        for part in split_text("\n\n".join(self._chats.get(user, [])), CHUNK_TOKENS):
            known = f"The question:\n{query}\n\nNotes so far:\n{notes or _EMPTY}"
            text = f"{known}\n\nNext part:\n{part}"
            notes = cut_text(self._model.write(_WITH_QUESTION, text).strip(), MOST_REWRITTEN)
        text = cut_text(notes, max_tokens)
        return [Memory(text)] if text else []

    def reset(self, user: str) -> None:
        """Forget a user."""
        self._chats.pop(user, None)

    def save(self, folder: Path) -> None:
        """Write all chats."""
        (folder / "chats.json").write_text(json.dumps(self._chats), encoding="utf-8")

    def load(self, folder: Path) -> None:
        """Read what ``save`` wrote."""
        self._chats = json.loads((folder / "chats.json").read_text(encoding="utf-8"))


def render_chat(messages: Sequence[DatedMessage]) -> str:
    """Return a session as text: its day, then who said what."""
    lines = [f"{m['role']}: {m['content']}" for m in messages if m["role"] != "system"]
    return "\n".join([messages[0]["timestamp"][:10], *lines]) if lines else ""


def cut_text(text: str, most: int) -> str:
    """Return the longest beginning of whole lines, or else of words, within ``most`` tokens."""
    if count_tokens(text) <= most:
        return text
    for separator in ("\n", " "):
        parts = text.split(separator)
        low, high = 0, len(parts)
        while low < high:
            middle = (low + high + 1) // 2
            fits = count_tokens(separator.join(parts[:middle])) <= most
            low, high = (middle, high) if fits else (low, middle - 1)
        if low:
            return separator.join(parts[:low])
    return ""


def split_text(text: str, most: int) -> list[str]:
    """Return parts of at most ``most`` tokens, cut between lines where that can be."""
    parts, lines, used = list[str](), list[str](), 0
    for line in text.splitlines():
        tokens = count_tokens(line) + 1
        if used + tokens > most and lines:
            parts.append("\n".join(lines))
            lines, used = [], 0
        while tokens > most:
            head = cut_text(line, most) or line[:most]
            parts.append(head)
            line = line[len(head) :].lstrip()
            tokens = count_tokens(line) + 1
        lines.append(line)
        used += tokens
    return [*parts, "\n".join(lines)] if lines else parts
