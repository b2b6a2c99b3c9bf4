"""How the values look in a notebook: Markdown, with the raw fields folded. Pure functions, nothing imported."""

import html


def shorten(text: str, width: int = 60) -> str:
    """The text on one line, with an ellipsis where it is longer than `width` characters.

    >>> shorten("one\\ntwo three", 9)
    'one two …'
    """
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 1].rsplit(" ", 1)[0].rstrip() + " …"


def answer(value) -> str:
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
    return "\n".join([*lines, "", _folded("Fields", "\n".join(fields))])


def status(value) -> str:
    """One line on how an answer came about.

    >>> from raglab.records import Answer
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


def prompt(value) -> str:
    """Every message of a Prompt whole, in a code block of its own."""
    parts = [f"**Prompt** · style {value.style.name} · sha256 `{value.sha256[:12]}`"]
    for message in value.messages():
        parts.append(f"*{message['role']}*\n\n{_content(message['content'])}")
    return "\n\n".join(parts)


def _content(content) -> str:
    """A message's text, or its content blocks one by one."""
    if isinstance(content, str):
        return _fence(content)
    shown = []
    for number, block in enumerate(content, 1):
        if block["type"] == "document":
            shown.append(f"document {number}, {_safe(block['title'])}\n\n{_fence(block['source']['data'])}")
        else:
            shown.append(_fence(block["text"]))
    return "\n\n".join(shown)


def chunk(value) -> str:
    """Id, label and text of a Chunk."""
    place = f"characters {value.start} to {value.end} of {value.source}"
    return f"**{_safe(value.id)}** · {_safe(value.label)}\n\n{_fence(value.text)}\n\n{_folded('Fields', place)}"


def _fence(text: str) -> str:
    """A code block whose fence is longer than any inside it."""
    ticks = "```"
    while ticks in text:
        ticks += "`"
    return f"{ticks}text\n{text}\n{ticks}"


def _folded(summary: str, text: str) -> str:
    # One line of HTML: after an empty line, Markdown would read the rest as its own.
    inside = html.escape(text).replace("\n", "&#10;").replace("![", "&#33;[")
    return f"<details><summary>{summary}</summary><pre>{inside}</pre></details>"


def _safe(text: str) -> str:
    """Words of a model or a document, without the Markdown that would load or run something."""
    return text.replace("<", "&lt;").replace("![", "!\\[")


def _cell(text: str) -> str:
    return _safe(text).replace("|", "\\|")
