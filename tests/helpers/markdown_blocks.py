"""The code blocks of Markdown pages, and the commands in them."""

import re
from dataclasses import dataclass

_BLOCK = re.compile(
    r'^```(?P<language>\w*)(?: title="(?P<title>[^"\n]*)")?\n(?P<text>.*?)^```$',
    flags=re.MULTILINE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, its text, the line it starts on, and its title, if any."""

    language: str
    text: str
    line: int
    title: str = ""

    @property
    def needs_model(self) -> bool:
        return "pretrained=" in self.text

    @property
    def commands(self) -> list[str]:
        """The commands of a block of bash: one a line, where lines that go on are joined."""
        text = re.sub(r" *\\\n *", " ", self.text)
        return [line.strip() for line in text.splitlines() if line.strip()]


def extract_blocks(markdown: str) -> list[Block]:
    """Return the blocks of a page. Raises ValueError if a fence belongs to none."""
    blocks = [
        Block(
            match["language"],
            match["text"],
            markdown.count("\n", 0, match.start()) + 1,
            match["title"] or "",
        )
        for match in _BLOCK.finditer(markdown)
    ]
    if markdown.count("```") != 2 * len(blocks):
        raise ValueError(f"{markdown.count('```')} fences, but {len(blocks)} blocks")
    return blocks
