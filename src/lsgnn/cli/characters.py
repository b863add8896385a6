r"""Which characters reach the terminal: none that steer it, and none that it cannot show.

Ids, class names and file names are other people's text. A control character in them could clear the screen, forge a
line or turn text around, so it is shown as its code (`\x1b`). Files get the bytes as they are.
"""

from __future__ import annotations

import codecs
import io
import re
import sys

# C0, delete and C1; marks, separators and overrides of direction; halves of pairs, which stand for bytes of odd names
STEERING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
NEAREST = {
    "±": "+-", "×": "x", "−": "-", "–": "-", "—": "-", "…": "...", "→": "->", "·": ".", "²": "^2", "≤": "<=",
    "≥": ">=", "≈": "~", "’": "'", "‘": "'", "“": '"', "”": '"', "α": "alpha", "β": "beta", "γ": "gamma", "φ": "phi",
}  # fmt: skip
ERRORS = "lsgnn.nearest"


def visible(text: str) -> str:
    """One line of text with its control characters spelled out.

    >>> visible("a\x1b[2Jb\u202ec\\n")
    'a\\\\x1b[2Jb\\\\u202ec\\\\x0a'
    """
    return STEERING.sub(lambda found: _code(found[0]), text)


def visible_json(text: str) -> str:
    """A JSON document, of which JSON has escaped C0 alone; what is escaped here means the same when it is read."""
    return STEERING.sub(lambda found: "\n" if found[0] == "\n" else f"\\u{ord(found[0]):04x}", text)


def show_what_can_be_shown() -> None:
    """From now on stdout and stderr write the nearest characters that they have, instead of failing."""
    codecs.register_error(ERRORS, _nearest)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=ERRORS)


def _nearest(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    missing = error.object[error.start : error.end]
    return "".join(NEAREST.get(char) or _code(char) for char in missing), error.end


def _code(char: str) -> str:
    number = ord(char)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
