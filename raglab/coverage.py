"""Coverage: whether an answer says that a part of the question is not covered."""

import re
from collections.abc import Iterable
from typing import Any

from raglab.markdown import code_spans
from raglab.words import sentences

_SUBJECT = (
    r"(?:(?:the|these|those|our|your|any|all)\s+(?:\w+\s+)?)?(?:excerpts?|tutorials?|sources?|documents?|passages?|posts?"
    r"|they|site|material|sections?|articles?)"
)
_NOT = r"(?:do(?:es)?\s*n[o']t|do(?:es)?\s+not|did\s*n[o']t|did\s+not|never|cannot|can\s*n[o']t|stops?\s+short\s+of)"
_VERB = r"(?:cover|show|include|mention|contain|explain|describe|discuss|address|say|tell|give|go\s+into|touch|detail)"
_DONE = r"(?:covered|shown|included|mentioned|contained|explained|described|discussed|addressed)"

# The phrases that count as naming a missing part. To add one, add a row; `…` stands for a few words.
PHRASES: dict[str, re.Pattern[str]] = {
    "the tutorials … don't … cover": re.compile(
        rf"\b{_SUBJECT}\b(?:\s+[\w',-]+){{0,6}}?\s+{_NOT}\s+(?:\w+\s+){{0,2}}?{_VERB}"
    ),
    "… is not covered … by the tutorials": re.compile(
        rf"\b(?:is|are|was|were)\s*(?:n't|not|\s+never)\s+(?:\w+\s+){{0,2}}?{_DONE}\s+(?:in|by|on|anywhere)\b"
    ),
    "the excerpts … stop … at the heading": re.compile(
        rf"\b{_SUBJECT}\b(?:\s+[\w',-]+){{0,6}}?\s+(?:stop|end)s?\b[^.]*\bat the heading\b"
    ),
    "no excerpt … covers": re.compile(
        rf"\b(?:no|none of the|neither)\s+(?:of\s+the\s+)?{_SUBJECT}\b(?:\s+\w+){{0,4}}?\s+{_VERB}s?\b"
    ),
    "the tutorials … say nothing about": re.compile(
        rf"\b{_SUBJECT}\b(?:\s+[\w',-]+){{0,6}}?\s+(?:(?:say|have|contain)s?\s+nothing|(?:is|are)\s+silent)\b"
    ),
}


def names_missing_part(sentence: str) -> bool:
    """Whether a sentence says that the sources leave something out, by one of the `PHRASES`.

    >>> names_missing_part("The tutorials don't cover how to detach from a session.")
    True
    >>> names_missing_part("The command does not cover the screen.")
    False
    """
    folded = " ".join(sentence.replace("’", "'").casefold().split())
    return any(phrase.search(folded) for phrase in PHRASES.values())


def is_partial(blocks: Iterable[Any]) -> bool:
    """Whether an uncited sentence of the reply's (text, cited) blocks names a missing part; code does not count."""
    for text, cited in blocks:
        if not cited:
            for start, end in reversed(code_spans(text)):
                text = text[:start] + " " + text[end:]
            if any(names_missing_part(text[start:end]) for start, end in sentences(text)):
                return True
    return False
