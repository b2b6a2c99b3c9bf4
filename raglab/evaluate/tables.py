"""Tables as data, written as text, Markdown or HTML."""

import html
from collections.abc import Sequence
from dataclasses import dataclass

from raglab.text.terminal import visible


@dataclass(frozen=True, slots=True)
class Table:
    """A heading, column names and rows of texts; `note` is a sentence below it.

    >>> print(Table("Fees", ("what", "dollars"), (("term", "10"), ("year", "30"))).text())
    Fees
      what  dollars
      term  10
      year  30
    """

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""

    def text(self) -> str:
        """For a terminal: columns of equal width, none where there is no row."""
        lines = (
            [[visible(cell, one_line=True) for cell in row] for row in (self.columns, *self.rows)] if self.rows else []
        )
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        padded = ("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in lines)
        below = [self.note] if self.note else []
        return "\n".join([self.title, *(f"  {line.rstrip()}" for line in (*padded, *below))])

    def markdown(self) -> str:
        """For a notebook."""
        head, *body = (f"| {' | '.join(map(_cell, line))} |" for line in (self.columns, *self.rows))
        rule = "|" + "---|" * len(self.columns)
        below = ["", self.note] if self.note else []
        return "\n".join([f"#### {self.title}", "", head, rule, *body, *below])

    def html(self) -> str:
        """For a page."""
        body = "\n".join(_row(row, "td") for row in self.rows)
        note = f"<p>{html.escape(self.note)}</p>\n" if self.note else ""
        return f"""\
<h2>{html.escape(self.title)}</h2>
<table>
<thead>{_row(self.columns, "th")}</thead>
<tbody>
{body}
</tbody>
</table>
{note}"""


def as_text(tables: Sequence[Table]) -> str:
    """Several tables, an empty line between two."""
    return "\n\n".join(table.text() for table in tables)


def _row(cells: Sequence[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{html.escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _cell(text: str) -> str:
    """Words of a model or a document, without what Markdown would make of them."""
    return text.replace("<", "&lt;").replace("![", "!\\[").replace("|", "\\|").replace("`", "\\`")
