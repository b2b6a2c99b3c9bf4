"""Text for a terminal: what would command it is shown as a mark instead."""

import re

# Controls but the line break and the tab, and what turns the direction of text or breaks lines out of sight.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_LINE_END = re.compile(r"\r+\n")
_PICTURES = 0x2400  # of Unicode: ␀ for 0 up to ␟ for 31
_DELETE = "\x7f"


def visible(text: str, *, one_line: bool = False) -> str:
    """The text with a mark for each character that a terminal would obey: `␛` for escape, `<U+202E>` for a turn.

    Line breaks (also `\\\\r\\\\n`) and tabs are kept; `one_line` shows the breaks as `␊`, for a row of a list. No words
    of a document, model or question can then colour, move, hide or link anything, or write over what stands there.

    >>> visible("\\x1b]8;;https://x.example\\x07fees\\rfree\\u202e!")
    '␛]8;;https://x.example␇fees␍free<U+202E>!'
    """
    text = _CONTROL.sub(_mark, _LINE_END.sub("\n", text))
    return text.replace("\n", "␊") if one_line else text


def escaped(text: str) -> str:
    """JSON or TOML with those characters as `\\\\u` escapes: the same data, and nothing that a terminal would obey.

    >>> escaped('"a\\x9bm"')
    '"a\\\\u009bm"'
    """
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _mark(found: re.Match[str]) -> str:
    letter = found[0]
    if letter < " ":
        return chr(_PICTURES + ord(letter))
    return "␡" if letter == _DELETE else f"<U+{ord(letter):04X}>"
