"""An answer, a prompt or a gap on a terminal: as lines for a person, or as JSON for a program."""

import json
from dataclasses import asdict

from raglab.records import Answer, Prompt, text_of
from raglab.render import status
from raglab.text.terminal import escaped, visible


def answer_lines(answer: Answer) -> list[str]:
    """The answer with its sources, its problems, and how it came about.

    >>> answer_lines(Answer("Ten dollars [1].", "answered", "What is the fee?", "What is the fee?"))
    ['Ten dollars [1].', '(answered, no model call)']
    """
    lines = [visible(answer.text)]
    style = answer.prompt.style if answer.prompt else None
    if answer.sources and not (style and style.source_list):  # else the text ends in a list of its own
        lines += ["", "Sources:"]
        for source in answer.sources:
            marker = source.id if style and style.citation == "id" else source.n
            cited = "cited" if source.cited else "not cited"
            label = visible(f"[{marker}] {source.label}", one_line=True)
            lines.append(f"  {label}  ({cited}, score {source.score:.3f})")
    lines += [f"  problem {problem.code}: {visible(problem.detail, one_line=True)}" for problem in answer.problems]
    lines.append(f"({status(answer)})")
    if answer.refused_by == "gate":
        lines.append(
            "No passage scored high enough. Name the thing you ask about, or let more through with --min-score."
        )
    return lines


def answer_json(answer: Answer) -> str:
    """The answer as one JSON object on one line."""
    record = {
        "question": answer.question,
        "status": answer.status,
        "text": answer.text,
        "refused_by": answer.refused_by,
        "sources": [asdict(source) for source in answer.sources],
        "problems": [asdict(problem) for problem in answer.problems],
        "usage": asdict(answer.usage) if answer.usage else None,
        "prompt_sha256": answer.prompt.sha256 if answer.prompt else None,
    }
    return escaped(json.dumps(record, ensure_ascii=False))


def prompt_lines(prompt: Prompt) -> list[str]:
    """Every message of the prompt under its role, and the fingerprint of all."""
    lines = []
    for message in prompt.messages():
        lines += [f"--- {message['role']} ---", visible(text_of(message["content"]))]
    return [*lines, f"--- sha256 {prompt.sha256} ---"]


def gap_line(question: str, outcome: str, count: int, *, as_json: bool) -> str:
    """A question that was not answered, with its outcome and how often it was asked.

    >>> gap_line("Is it free?", "not_found", 2, as_json=False)
    '   2  not_found     Is it free?'
    """
    if as_json:
        record = {"question": question, "status": outcome, "count": count}
        return escaped(json.dumps(record, ensure_ascii=False))
    return f"{count:4}  {outcome:<12}  {visible(question, one_line=True)}"
