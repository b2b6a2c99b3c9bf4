"""Markdown: where a text holds code, in which no marker counts and none may be put."""

import re

_FENCE = re.compile(r"^[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?(?:(`{3,}+)[^`\n]*+|(~{3,}+).*+)$", re.M)
_FENCE_END = re.compile(r"^[ \t>]*+(`{3,}+|~{3,}+)[ \t]*+$", re.M)
_QUOTED_FENCE_END = re.compile(rf"{_FENCE_END.pattern}|\n(?![ \t]*+>)", re.M)  # it ends with its block quote
_QUOTE_MARK = re.compile(r"^[ \t]*>[ \t]?")
_TICKS = re.compile(r"`++")
_PARAGRAPH_END = re.compile(r"\n[ \t]*+\n")


def code_spans(text: str) -> list[tuple[int, int]]:
    """Spans of code in Markdown: fences of backticks or tildes (to the end if never closed) and inline code.

    >>> text = "use `a[1]` and ``b`[2]`` [3]"
    >>> [text[start:end] for start, end in code_spans(text)]
    ['`a[1]`', '``b`[2]``']
    """
    if "`" not in text and "~~~" not in text:
        return []
    spans, done = [], 0
    while opening := _FENCE.search(text, done):
        spans += _inline_code(text, done, opening.start())
        fence, done = opening[1] or opening[2], len(text)
        quoted = ">" in text[opening.start() : text.index(fence, opening.start())]
        for closing in (_QUOTED_FENCE_END if quoted else _FENCE_END).finditer(text, opening.end()):
            if closing[1] is None or closing[1].startswith(fence):
                done = closing.end() if closing[1] else closing.start()
                break
        spans.append((opening.start(), done))
    return spans + _inline_code(text, done, len(text))


def fenced(text: str, start: int, end: int) -> tuple[str, str] | None:
    """Of a span of `code_spans`: the list mark before its fence, and the code in the fence; None for inline code.

    >>> fenced("1. ```sh\\nls\\n```", 0, 15), fenced("use `ls`", 4, 8)
    (('1.', 'ls'), None)
    """
    opening = _FENCE.match(text, start)
    if not opening:
        return None
    fence = opening[1] or opening[2]
    lead = text[start : text.index(fence, start)]
    lines = text[opening.end() + 1 : end].split("\n")
    closing = _FENCE_END.fullmatch(lines[-1])
    if closing and closing[1].startswith(fence):
        lines.pop()
    if ">" in lead:
        lines = [_QUOTE_MARK.sub("", line) for line in lines]
    return lead.strip(" \t>"), "\n".join(lines)


def code_blocks(text: str) -> list[str]:
    """The code in the fences of a Markdown text, in order.

    >>> code_blocks("Run:\\n```sh\\nls -l\\n```\\nor `ls`")
    ['ls -l']
    """
    blocks = (fenced(text, start, end) for start, end in code_spans(text))
    return [block[1] for block in blocks if block]


def without_code(text: str, *, keep_inline: bool = False) -> str:
    """The text without its code: a blank stands for inline code, the end of a paragraph for a fence.

    >>> without_code("Run:\\n```sh\\nls -l\\n```\\nor `ls`.")
    'Run:\\n\\n\\n\\nor  .'
    """
    pieces, done = [], 0
    for start, end in code_spans(text):
        is_fence = fenced(text, start, end) is not None
        if is_fence or not keep_inline:
            pieces += [text[done:start], "\n\n" if is_fence else " "]
            done = end
    return "".join([*pieces, text[done:]])


def _inline_code(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans between two equal runs of backticks; like CommonMark, never over the end of a paragraph."""
    breaks = [match.end() for match in _PARAGRAPH_END.finditer(text, start, end)]
    spans = []
    for first, last in zip([start, *breaks], [*breaks, end], strict=True):
        runs = [match.span() for match in _TICKS.finditer(text, first, last)]
        closer: list[int | None] = [None] * len(runs)
        latest: dict[int, int] = {}
        for i in range(len(runs) - 1, -1, -1):
            left, right = runs[i]
            escaped = left > first and text[left - 1] == "\\"
            closer[i] = latest.get(right - left - escaped)
            latest[right - left] = i
        i = 0
        while i < len(runs):
            j = closer[i]
            if j is not None:
                spans.append((runs[i][0], runs[j][1]))
            i = i + 1 if j is None else j + 1
    return spans
