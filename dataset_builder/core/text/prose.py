"""What of a message is running text: code, tables, data, quotations and links are blanked out.

The faults that ``residue`` looks for are right inside code ("[::-1]"), in Morse code or where a
user quotes the words to be counted, so those are taken out first, and nothing else.
"""

import re

BLANK = "\ufffc"
"""Stands for what was taken out; neither a word nor a space nor punctuation that is looked for."""

_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.S)
_INLINE = re.compile(r"``[^\n]+?``|`[^`\n]+`")
_TABLE_ROW = re.compile(r"^[ \t]*\|.*$", re.M)
_DATA_ROW = re.compile(r"^[^\s,]+(?:,[^\s,]+)+$", re.M)
_INDENTED = re.compile(r"^(?: {4}|\t).*$", re.M)
_LINK = re.compile(r"(?:https?://|www\.)[^\s)>\]]+")
_QUOTED = re.compile(
    r"\"[^\"\n]{1,400}\"|\u201c[^\u201d\n]{1,400}\u201d|\u00ab[^\u00bb\n]{1,400}\u00bb"
)

_CODE = (_FENCED, _INLINE, _TABLE_ROW, _DATA_ROW, _INDENTED, _LINK)


def blank_code(text: str) -> str:
    """Return ``text`` of the same length with code, tables, data rows and links blanked out."""
    for pattern in _CODE:
        text = pattern.sub(_blank, text)
    return text


def blank_quotes(text: str) -> str:
    """Return ``text`` of the same length with quotations blanked out."""
    return _QUOTED.sub(_blank, text)


def _blank(found: re.Match[str]) -> str:
    return BLANK * len(found.group())
