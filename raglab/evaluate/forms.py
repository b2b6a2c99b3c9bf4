"""The form of an answer by rules: does it answer, answer in part, say no, or say no and go on?"""

import re
from collections.abc import Iterator

from raglab.grounding.citations import parse_citations
from raglab.grounding.partial import names_missing_part
from raglab.grounding.refusals import refusal_in
from raglab.grounding.statements import is_courtesy
from raglab.records import Reply
from raglab.styles import NUMBERED, Style, find_style
from raglab.text.markdown import without_code
from raglab.text.words import sentences, squash

# The rules, first match counts. A sentence "says no" if it cites nothing and either names a missing part (see
# raglab.grounding.partial.PHRASES) or fits NO; courtesies, and sentences that only say whom to ask, are skipped.
FORMS: dict[str, str] = {
    "answered": "no sentence says no",
    "partial": "a sentence says no, but not the first",
    "clean_no": "the style's refusal and nothing else, or a first sentence that says no and no other; an empty reply",
    "padded_no": "the refusal with something before or after it, or a first sentence that says no and others after it",
}

NO = re.compile(
    r"\b(?:i|we)\s+(?:(?:do\s+not|don't)\s+(?:know|have)|have\s+no\s+(?:information|answer|idea)"
    r"|(?:(?:could|was|were|are)(?:\s+not|n't)|am\s+not|can\s?not|can't)\s+(?:able\s+to\s+)?(?:find|answer|tell|say|determine))\b"
    r"|\b(?:i(?:'m|\s+am)|we(?:'re|\s+are))\s+(?:not\s+(?:sure|certain)|(?:unable|not\s+able)\s+to\s+(?:find|answer|tell|say))\b"
    r"|\b(?:context|passages?|documents?|sources?)\s+(?:do(?:es)?\s+not|do(?:es)?n't)\s+(?:contain|mention|say|include|provide)\b"
    r"|^not\s+(?:mentioned|covered|stated|found)\s+in\b"
    r"|\bthere\s+is\s+no\s+(?:information|mention|answer)\b"
    r"|\bno\s+(?:information|answer|mention)\b[^.]{0,40}\b(?:found|given|available|provided)\b"
)
_QUOTED = re.compile(r'"[^"\n]*"|“[^”\n]*”|`[^`\n]*`')  # somebody else's words
_WHOM_TO_ASK = re.compile(r"(?:please\s+)?(?:contact|ask|write\s+to|try)\b", re.IGNORECASE)


def form_of(reply: Reply, style: Style | str = NUMBERED) -> str:
    """The form of a model's reply, by the rules of `FORMS`.

    >>> form_of(Reply("I don't know based on the provided documents. Usually it is ten dollars."), "numbered")
    'padded_no'
    >>> form_of(Reply('The sign says "I don\\'t know" [1].'), "numbered")
    'answered'
    """
    style = find_style(style)
    refusal = refusal_in(reply.text, style)
    if refusal:
        return "clean_no" if refusal == "exact" else "padded_no"
    no = [not cited and _says_no(sentence) for sentence, cited in _told(reply, style)]
    if not any(no):
        return "answered" if no else "clean_no"
    if not no[0]:
        return "partial"
    return "padded_no" if len(no) > 1 else "clean_no"


def _says_no(sentence: str) -> bool:
    own = squash(_QUOTED.sub(" ", sentence).replace("’", "'")).casefold()
    return names_missing_part(own) or bool(NO.search(own))


def _told(reply: Reply, style: Style) -> Iterator[tuple[str, bool]]:
    """The sentences of a reply outside fences, and whether each cites something."""
    for text, cited in _pieces(reply, style):
        text = without_code(text, keep_inline=True)
        markers = [citation.start for citation in parse_citations(text, ())]
        for start, end in sentences(text):
            sentence = text[start:end]
            if any(map(str.isalpha, sentence)) and not _WHOM_TO_ASK.match(sentence) and not is_courtesy(sentence):
                yield sentence, cited or any(start <= marker < end for marker in markers)


def _pieces(reply: Reply, style: Style) -> list[tuple[str, bool]]:
    """(text, cited) of the blocks where the service cites by itself, else the whole text."""
    blocks = [block for block in reply.blocks if block.get("type") == "text"]
    if style.citation != "block" or not blocks:
        return [(reply.text, False)]
    return [(block["text"], bool(block.get("citations"))) for block in blocks]
