"""Server-sent events: how a reply travels in pieces."""

import re

import msgspec

_WORD = re.compile(r"\S+\s*|\s+")


def event(kind: str, **fields: object) -> bytes:
    """One event, with its name on a line of its own: clients drop data without it.

    >>> event("ping")
    b'event: ping\\ndata: {"type":"ping"}\\n\\n'
    """
    data = msgspec.json.encode({"type": kind, **fields})
    return b"event: %s\ndata: %s\n\n" % (kind.encode(), data)


def data(body: object) -> bytes:
    """One event without a name.

    >>> data({"a": 1})
    b'data: {"a":1}\\n\\n'
    """
    return b"data: %s\n\n" % msgspec.json.encode(body)


def pieces(text: str) -> list[str]:
    """A text cut into words, each with the white space that follows it.

    >>> pieces("Open at 8. [1]")
    ['Open ', 'at ', '8. ', '[1]']
    """
    return _WORD.findall(text)
