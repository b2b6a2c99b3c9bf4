"""Cited blocks → Markdown: a marker after each block, where it breaks nothing.

A service that cites by itself sends the answer in blocks, each with the places in the documents it rests on. Joined to
one text, every cited block gets its markers `[n]`. The blocks come in pieces when they are streamed; the renderer
takes them as they come, so that the text is the same however it was split.
"""

from collections.abc import Iterable, Mapping

from raglab.records import Quote

_INDENT = " \t>"
_LEADS = _INDENT + "-*+.)0123456789"  # what a fence may follow on its line: indent, and the mark of a list item
_OWN_LINE = ("fence", "rule")  # what can hold no marker on its last line
_ESCAPED = "escaped"  # in place of a character after a backslash, which is not a mark
_CLOSES = ".,;:!?)]}\"'”’»*_。，、；：！？）」』】"  # what may stand directly after a marker


def render_blocks(blocks: Iterable[object]) -> tuple[str, list[Quote]]:
    """The text of the blocks with their markers, and the quotes behind it.

    `blocks` are text blocks as dicts or as objects of the service's client; others are skipped. `n` is the number of
    the document cited, or of the search result, from 1 (the service counts the two separately, so a prompt should hold
    one kind); a block names each once, in order of first citation. A marker goes before white space at the block's
    end, but never into a fence, inline code or a link: it waits until that closes, until the end of the paragraph, or
    until the end of the text. After a fence it has a line of its own.

    >>> blocks = [
    ...     {"type": "text", "text": "Use it. ", "citations": [{"document_index": 2, "cited_text": "use it "}]},
    ...     {"type": "text", "text": "Good luck."},
    ... ]
    >>> render_blocks(blocks)
    ('Use it. [3] Good luck.', [Quote(n=3, quote='use it')])
    """
    renderer, quotes, pieces = BlockRenderer(), [], []
    for block in blocks:
        if _get(block, "type") == "text":
            citations = _get(block, "citations")
            cited = quotes_of(citations if isinstance(citations, Iterable) else ())
            pieces.append(renderer.feed(str(_get(block, "text") or "")))
            renderer.end_block(numbers_of(cited))
            quotes += cited
    return "".join([*pieces, renderer.close()]), quotes


def numbers_of(quotes: Iterable[Quote]) -> list[int]:
    """The numbers of the documents quoted, each once, in order."""
    return list(dict.fromkeys(quote.n for quote in quotes))


def quotes_of(citations: Iterable[object]) -> list[Quote]:
    """The quotes of a block's citations, without outer white space; a citation that names no document is skipped."""
    named = [(_index(citation), _get(citation, "cited_text")) for citation in citations]
    return [Quote(index + 1, str(text or "").strip()) for index, text in named if isinstance(index, int)]


def _index(citation: object) -> object:
    """The place of what is cited among the documents, or among the search results, from 0."""
    index = _get(citation, "document_index")
    return _get(citation, "search_result_index") if index is None else index


def _get(block: object, name: str) -> object:
    return block.get(name) if isinstance(block, Mapping) else getattr(block, name, None)


class BlockRenderer:
    """Takes text as it comes and gives it back with markers, one character at a time, in linear time.

    >>> renderer = BlockRenderer()
    >>> renderer.feed("Ten dol"), renderer.feed("lars. "), renderer.end_block([1]), renderer.feed("Paid")
    ('Ten dol', 'lars.', None, ' [1] Paid')
    """

    def __init__(self) -> None:
        self._out: list[str] = []
        self._gap = ""  # white space (in a table also its bars) that has not been let out: markers go before it
        self._held: list[int] = []  # numbers that wait for a place
        self._last = "\n"  # the last character that was let out
        self._line: list[str] = []  # the current line, where that matters: in a fence, and while it may start one
        self._moved = False  # whether text was let out since the numbers came
        self._starts_line = True  # nothing but indent so far
        self._may_fence = True  # nothing but indent and the mark of a list item so far
        self._row = False  # the line starts with a bar
        self._rule = False  # the line is a rule so far: of a table, under a heading, or between two paragraphs
        self._ended = ""  # "fence", "rule" or "table": what the last line ended, if nothing has followed
        self._indent = ""  # of that fence
        self._fence = ""  # the fence that is open
        self._run = 0  # backticks or tildes directly before this place
        self._run_may_fence = False
        self._code = 0  # backticks that opened the inline code, or the line that opens a fence
        self._opener = ""  # the fence that this line may open
        self._brackets = self._parens = 0
        self._in_url = False
        self._owes_line = False  # after a marker's own line: text needs an empty line first

    def feed(self, text: str) -> str:
        """Take a piece of the current block; the answer is what can be let out."""
        for character in text:
            if self._fence:
                self._in_fence(character)
            else:
                self._in_prose(character)
        return self._taken()

    def end_block(self, numbers: Iterable[int]) -> None:
        """The block is over, and cites these documents."""
        self._held += [number for number in numbers if number not in self._held]
        self._moved = False

    def close(self) -> str:
        """The rest, with the markers that still wait."""
        if self._held:
            if self._ended in _OWN_LINE:
                self._begin_line()
            elif self._fence or self._opener or self._rule:
                self._out.append("\n")
                self._last = "\n"
            self._out.append(self._spaced())
        self._out.append(self._gap)
        self._gap = ""
        return self._taken()

    def _taken(self) -> str:
        taken = "".join(self._out)
        self._out.clear()
        return taken

    def _markers(self) -> str:
        markers = "".join(f"[{number}]" for number in self._held)
        self._held.clear()
        return markers

    def _spaced(self) -> str:
        return self._markers() if self._last.isspace() else f" {self._markers()}"

    def _in_fence(self, character: str) -> None:
        self._out.append(character)
        if character != "\n":
            self._line.append(character)
            return
        line = "".join(self._line)
        mark = line.strip(_INDENT + "\r")
        self._line.clear()
        if len(mark) >= len(self._fence) and set(mark) == {self._fence[0]}:
            self._fence, self._last = "", "\n"
            self._new_line()
            self._ended, self._indent = "fence", line[: line.index(mark)]
            if self._held:
                self._mark_line()

    def _mark_line(self) -> None:
        """The markers on a line of their own, after a fence or a rule."""
        self._begin_line()
        self._out.append(f"{self._markers()}\n")
        self._owes_line = not self._gap.startswith("\n")

    def _begin_line(self) -> None:
        if self._ended == "rule":
            before, _, self._gap = self._gap.partition("\n")
            self._out.append(f"{before}\n")
        self._out.append(self._indent)
        self._ended, self._indent, self._last = "", "", "\n"

    def _in_prose(self, character: str) -> None:
        if self._held and self._ended in _OWN_LINE:
            self._mark_line()
        if self._owes_line:
            self._owes_line = False
            if character != "\n":
                self._out.append("\n")
        if self._run and character not in "`~":
            self._end_run()
        if self._held and self._is_place(character):
            self._insert(character)
        if character.isspace() or (self._row and character == "|" and not self._code):
            self._in_gap(character)
        else:
            self._in_text(character)

    def _is_place(self, following: str) -> bool:
        """Whether a marker may stand before the gap, or here where there is none."""
        starts_line = self._last == "\n" or (self._may_fence and "\n" not in self._gap)
        if starts_line or self._is_inside():  # what follows the start of a line may be a fence
            return False
        return bool(self._gap) or following.isspace() or not self._would_split(following)

    def _is_inside(self) -> bool:
        """Whether code, a link or a rule is not over yet, or nothing has followed a fence, a rule or a table."""
        return bool(self._code or self._run or self._brackets or self._parens or self._rule or self._ended)

    def _would_split(self, following: str) -> bool:
        """Whether a marker between the last character and this one would tear apart what the two are part of."""
        link = self._in_url or self._last + following in ("](", "][", "![")
        word = self._moved and (self._last.isalnum() or following not in _CLOSES)
        emphasis = self._last in "*_" if following.isalnum() else self._last == following
        return link or word or emphasis

    def _insert(self, following: str) -> None:
        self._out.append(self._spaced())
        self._last = "]"
        if not self._gap and not following.isspace() and following not in _CLOSES:
            self._out.append(" ")  # not glued to the next word, and no link to what follows in brackets

    def _in_gap(self, character: str) -> None:
        self._in_url = False
        if character != "\n":
            self._gap += character
            return
        if self._opener:  # no backtick closed it on its line: a fence
            self._out.append(f"{self._gap}\n")
            self._fence, self._gap = self._opener, ""
            self._line.clear()
            self._opener, self._code = "", 0
            return
        if "\n" in self._gap:
            self._end_paragraph()
        self._gap += "\n"
        self._new_line()

    def _end_paragraph(self) -> None:
        """What was never closed was neither code nor a link; markers that waited for it go here."""
        self._code = self._brackets = self._parens = 0
        if self._held and not self._rule and not self._ended:
            self._out.append(self._spaced())

    def _new_line(self) -> None:
        if self._rule:
            self._ended = "table" if self._row else "rule"
        self._starts_line = self._may_fence = True
        self._row = self._rule = False

    def _in_text(self, character: str) -> None:
        self._follow_line(character)
        if self._row and character == "|":
            self._starts_line = self._may_fence = False
            self._gap += character
            return
        if self._last == "\\" and not self._gap and not self._code:
            self._let_out(character)
            character = _ESCAPED
        else:
            self._let_out(character)
            self._follow_mark(character)
        self._starts_line = self._starts_line and character in _INDENT
        self._may_fence = self._may_fence and character in _LEADS
        self._last = character

    def _follow_line(self, character: str) -> None:
        """Whether the line is a row of a table, and whether it is a rule, as far as it goes."""
        if self._starts_line:
            self._row, self._rule = character == "|", character in "|-=*_"
        elif character not in ("|-:" if self._row else self._last):
            self._rule = False

    def _let_out(self, character: str) -> None:
        self._out += (self._gap, character)
        self._gap = ""
        self._moved, self._ended, self._indent = True, "", ""

    def _follow_mark(self, character: str) -> None:
        """What the character does to code and links; a tilde is a mark only where a fence may start."""
        if character == "`" or (character == "~" and (self._may_fence or self._last == "~")):
            self._run = self._run + 1 if self._last == character else 1
            if self._run == 1:
                self._run_may_fence = self._may_fence
        elif not self._code:
            self._follow_link(character)

    def _end_run(self) -> None:
        """A run of backticks or tildes is complete: it opens or closes code, or may open a fence."""
        length, mark, self._run = self._run, self._last, 0
        if mark == self._opener[:1] == "`":
            self._opener = ""  # the line of a fence holds no other backtick
        if self._run_may_fence and length >= 3 and not self._opener:
            self._code, self._opener = length, mark * length
        elif mark == "`" and self._code == 0:
            self._code = length
        elif mark == "`" and self._code == length:
            self._code, self._opener = 0, ""

    def _follow_link(self, character: str) -> None:
        if character == "[":
            self._brackets += 1
        elif character == "]":
            self._brackets = max(0, self._brackets - 1)
        elif character == "(" and (self._parens or self._last == "]"):
            self._parens += 1
        elif character == ")" and self._parens:
            self._parens -= 1
        elif character == "/" and self._last == "/":
            self._in_url = True
