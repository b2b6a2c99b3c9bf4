"""How the values look in a notebook: Markdown, with the raw fields folded, or HTML. Pure functions of the values."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from raglab.records import Answer, Chunk, Prompt, markdown
from raglab.text.markdown import code_spans, fenced

_AS_CODE = "white-space: pre-wrap; word-break: normal; font-family: monospace; margin-bottom: 1em"


@markdown.register
def answer(value: Answer) -> str:
    """Text, status and source list of an Answer."""
    lines = [_safe(value.text), "", f"*{status(value)}*"]
    if value.sources:
        lines += ["", "| passage | source | score | cited |", "|---|---|---|---|"]
        lines += [
            f"| {source.n} | {_cell(source.label)} | {source.score:.3f} | {'yes' if source.cited else 'no'} |"
            for source in value.sources
        ]
    if value.problems:
        lines += ["", *(f"- `{problem.code}`: {_safe(problem.detail)}" for problem in value.problems)]
    fields = [f"question         {value.question}", f"search_question  {value.search_question}"]
    if value.prompt:
        fields.append(f"prompt           {value.prompt!r}")
    if value.reply:
        fields.append(f"reply            {value.reply.text}")
    return _without_formulas("\n".join([*lines, "", _details_of_code("Fields", "\n".join(fields))]))


def status(value: Answer) -> str:
    """One line on how an answer came about.

    >>> status(Answer("I don't know.", "not_found", "?", "?", refused_by="gate"))
    'not_found, refused by the gate, no model call'
    """
    parts = [value.status]
    if value.refused_by:
        parts.append(f"refused by the {value.refused_by}")
    if value.usage:
        parts.append(f"{value.usage.input_tokens} tokens in, {value.usage.output_tokens} out")
    elif value.reply is None:
        parts.append("no model call")
    return ", ".join(parts)


def answer_html(value: Answer) -> str:
    """The Answer for a web page: its text, how it came about, and each passage with the quotes from it, folded.

    A passage without quotes of its own shows its whole text. A reply that was held back is shown folded, with its
    problems. Everything that a model, a document or a person wrote is escaped.

    >>> answer_html(Answer("<b>no</b>", "not_found", "?", "?")).splitlines()[2]
    '<p style="white-space: pre-wrap">&lt;b&gt;no&lt;/b&gt;</p>'
    """
    parts = [f'<p style="white-space: pre-wrap">{html.escape(value.text)}</p>', f"<p><em>{status(value)}</em></p>"]
    by_id = value.prompt is not None and value.prompt.style.citation == "id"
    for source in value.sources:
        marker = source.id if by_id else source.n
        cited = "cited" if source.cited else "not cited"
        quotes = [quote.quote for quote in source.quotes] or [value.hits[source.n - 1].chunk.text]
        parts.append(_details(f"[{marker}] {source.label} ({cited}, score {source.score:.3f})", quotes))
    if value.problems:
        wrote = [value.reply.text] if value.reply else []
        problems = [f"{problem.code}: {problem.detail}" for problem in value.problems]
        parts.append(_details("Held back: what the model wrote, and what is wrong with it", wrote + problems))
    return _without_formulas("\n".join(parts))


def _details(summary: str, texts: Iterable[str]) -> str:
    inside = "".join(f'<blockquote style="white-space: pre-wrap">{html.escape(text)}</blockquote>' for text in texts)
    return f"<details><summary>{html.escape(summary)}</summary>{inside}</details>"


@markdown.register
def prompt(value: Prompt) -> str:
    """Every message of a Prompt whole, in a code block of its own."""
    parts = [f"**Prompt** · style {value.style.name} · sha256 `{value.sha256[:12]}`"]
    for message in value.messages():
        parts.append(f"*{message['role']}*\n\n{_message(message['content'])}")
    return "\n\n".join(parts)


def _message(content: str | Sequence[Mapping[str, Any]]) -> str:
    """A message's text, or its content blocks one by one."""
    if isinstance(content, str):
        return _block(content)
    shown = []
    for number, block in enumerate(content, 1):
        if block["type"] == "document":
            shown.append(f"document {number}, {_safe(block['title'])}\n\n{_block(block['source']['data'])}")
        else:
            shown.append(_block(block["text"]))
    return "\n\n".join(shown)


@markdown.register
def chunk(value: Chunk) -> str:
    """Id, label and text of a Chunk."""
    place = f"characters {value.start} to {value.end} of {value.source}"
    return (
        f"**{_safe(value.id)}** · {_safe(value.label)}\n\n{_block(value.text)}\n\n{_details_of_code('Fields', place)}"
    )


def _block(text: str) -> str:
    """The text as it is, its lines broken between words; a code block of Markdown JupyterLab breaks inside them."""
    # One line of HTML: after an empty line, Markdown would read the rest as its own.
    inside = re.sub(r"\r\n?|\n", "&#10;", html.escape(text)).replace("![", "&#33;[")
    return f'<pre style="{_AS_CODE}">{inside}</pre>'


def _details_of_code(summary: str, text: str) -> str:
    return f"<details><summary>{summary}</summary>{_block(text)}</details>"


def _safe(text: str) -> str:
    """Words of a model or a document, without the Markdown that would load or run something or hide an address."""
    pieces: list[str] = []
    done = 0
    for start, end in code_spans(text):
        block = fenced(text, start, end)
        pieces += [_defused(text[done:start]), _fenced_code(*block) if block else _inline_code(text[start:end])]
        done = end
    return "".join([*pieces, _defused(text[done:])])


def _defused(text: str) -> str:
    """Text outside code, without tags, pictures and links."""
    return text.replace("<", "&lt;").replace("![", "!\\[").replace("](", "]\\(").replace("]:", "]\\:")


# Code becomes HTML: left as Markdown, another reader of Markdown might not take it for code.


def _fenced_code(list_mark: str, code: str) -> str:
    return f"\n{list_mark} {_block(code)}\n" if list_mark else f"\n{_block(code)}\n"


def _inline_code(span: str) -> str:
    inside = re.sub(r"[^\w\s]|_", lambda sign: f"&#{ord(sign[0])};", " ".join(span.strip("`").split()))
    return f"<code>{inside}</code>"


def _without_formulas(text: str) -> str:
    """JupyterLab would read what is between two dollar signs as a formula, and prices hold them."""
    return f'<div class="mathjax_ignore">\n\n{text}\n\n</div>'


def _cell(text: str) -> str:
    return _safe(text).replace("|", "\\|")
