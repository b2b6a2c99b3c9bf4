"""Coverage: whether an answer says that a part of the question is not covered.

What the phrases cannot tell: "they" may be the excerpts or anything else ("They don't contain the key"), and so may
"the documents". In doubt a sentence counts where it could be said of the excerpts: the answer is then called partial.
"""

import re
from collections.abc import Iterable

from raglab.text.markdown import without_code
from raglab.text.words import sentences

# What is said to leave something out: excerpts and tutorials always, other names only as `the …`, `these …`.
_SUBJECT = (
    r"\b(?:excerpts?|tutorials?|(?:the|this)\s+site|this\s+material|(?:the|this|that)\s+(?:\w+\s+)?(?:post|article|material)"
    r"|(?:the|these|those|your|our|provided|given)\s+(?:\w+\s+)?(?:sources|documents|passages?|posts|articles|sections)"
    r"|(?:provided|given)\s+(?:text|material|information|content))(?:\s+on\s+this\s+site)?\b"
)
_REPORTS = r"(?:cover|show|explain|describ|discuss|mention|contain|includ|say|tell|teach|us)(?:e?s)?"
# Words between the subject and its verb. One that reports ("show that …") brings a subject of its own.
_GAP = rf"(?:,?\s+(?!(?:{_REPORTS}|that|which|whose|how|why|of|in)\b)[\w'-]+){{0,5}}?,?\s+"
_BUT = r"\b[^.;]{0,120}?\b(?:but|yet|though|although)\s+(?:they\s+|it\s+)?"
_ADVERBS = (
    r"(?:(?:actually|explicitly|directly|currently|really|fully|also|clearly|specifically|exactly|even|quite|yet|themselves"
    r"|however,|(?:seem|appear|happen)s?\s+to)\s+)*"
)
_DO_NOT = r"(?:do(?:es)?|did)(?:\s+not|n't),?\s+"
_NOT = rf"(?:{_DO_NOT}|never\s+|(?:can(?:not|'t|\s+not)|won't|will\s+not|fails?\s+to)\s+)"
_ASKED = r"(?:how|which|what|where|when|why|who|whether|if)"
_VERB = (
    r"(?:(?:cover|show|include|mention|contain|explain|describe|discuss|address|provide|specify|state|answer|list"
    r"|reach|demonstrate|detail|name|(?:go|get)\s+into|touch\s+(?:on|upon))s?(?!\s+up\b)"
    rf"|(?:say|tell\s+(?:you|us))(?:\s+(?:{_ASKED}|that|anything|much|more)|(?=[.,;]|$))|give\s+(?:the|an?|any)\s"
    r"|extend\s+to)"
)
_DONE = (
    r"(?:covered|shown|included|mentioned|contained|explained|described|discussed|addressed|provided|specified|stated"
    r"|answered|given|listed)"
)
_STOPS = r"(?:(?:stop|end)s?|(?:break|cut)s?\s+off)\s+(?:right\s+|just\s+|abruptly\s+)?"
_PART = (
    r"\b(?:the|this|that|your)\s+(?:\w+\s+)?(?:part|half|question|step)(?:\s+(?:of|about|on)\s+(?:\w+\s+){0,3}?\w+)?"
)

# The phrases that count as naming a missing part. To add one: a row; `…` stands for a few words.
PHRASES: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern)
    for name, pattern in {
        "the tutorials … don't … cover": rf"{_SUBJECT}(?:{_GAP}|{_BUT}){_NOT}{_ADVERBS}{_VERB}",
        "they don't … cover": rf"\bthey\s+{_DO_NOT}{_ADVERBS}(?:cover|show|include|mention|contain|explain|describe)\b"
        r"(?!\s+up\b)",
        "it doesn't … cover … how": rf"\b(?:it|they|this|that)\s+{_NOT}{_ADVERBS}"
        rf"(?:cover|show|explain|describe|discuss|mention|address|specify|say|tell\s+(?:you|us))\s+{_ASKED}\b",
        "… is not covered … by the tutorials": rf"\b(?:(?:is|are|was|were)(?:n't|\s+not)|never)\s+{_ADVERBS}{_DONE}\s+"
        rf"(?:anywhere\s+)?(?:(?:in|by|on)\s+(?:\w+\s+){{0,3}}?{_SUBJECT}|here\b)",
        "the tutorials haven't covered": rf"{_SUBJECT}{_GAP}(?:has|have)(?:n't|\s+not)\s+{_ADVERBS}{_DONE}\b",
        "the excerpts … but not how": rf"{_SUBJECT}{_GAP}{_VERB}[^.;]{{0,120}}?\bbut\s+not\s+{_ASKED}\b",
        "this part is not covered": rf"{_PART}\s+(?:is|was)(?:n't|\s+not)\s+{_ADVERBS}{_DONE}\b",
        "… is not part of the excerpts": rf"(?:\bnot|n't)\s+(?:part\s+of|in|among)\s+(?:\w+\s+)?{_SUBJECT}"
        rf"|\b(?:beyond|outside)\s+(?:of\s+)?(?:what\s+|the\s+scope\s+of\s+)?(?:\w+\s+){{0,2}}?{_SUBJECT}",
        "the excerpts … stop … at the heading": rf"(?<!of the ){_SUBJECT}{_GAP}{_STOPS}"
        r"(?:at\s+(?:\w+\s+)?heading|before|short\s+of)\b",
        "no excerpt … covers": rf"\b(?:no|none\s+of|neither)\s+(?:\w+\s+){{0,3}}?{_SUBJECT}{_GAP}{_VERB}",
        "there is nothing in the excerpts": r"\b(?:there(?:'s|\s+(?:is|are))\s+no|nothing"
        r"|(?:could|can|did|do)(?:n't|\s?not)\s+(?:find|see)|"
        rf"no\s+(?:\w+\s+){{1,3}}(?:is|are)\s+{_DONE})\b[^.;]{{0,120}}?\b(?:in|on|among|by)\s+(?:\w+\s+){{0,3}}?{_SUBJECT}"
        r"|\bthere(?:'s|\s+is|\s+are)\s+no\s+(?:tutorial|excerpt)s?\b",
        "the tutorials … say nothing about": rf"{_SUBJECT}{_GAP}(?:(?:say|have|contain|offer)s?\s+nothing\b(?!\s+but\b)"
        r"|(?:is|are)\s+silent\b|(?:is|are)(?:n't|\s+not)\s+enough\b|(?:has|have|contains?|offers?)\s+no\s+(?:information|details?|mention|examples?)\b"
        r"|lacks?\b|omits?\b|leaves?\s+out\b)",
        "the excerpts … only cover": rf"{_SUBJECT}{_GAP}(?:only\s+(?:cover|show|explain|describe|mention)s?"
        r"|(?:cover|show|explain|describe|mention)s?\s+only)\b",
    }.items()
}


def names_missing_part(sentence: str) -> bool:
    """Whether a sentence says that the sources leave something out, by one of the `PHRASES`.

    >>> names_missing_part("The tutorials don't cover how to detach from a session.")
    True
    >>> names_missing_part("The command does not cover the screen.")
    False
    """
    folded = " ".join(sentence.replace("’", "'").replace("*", "").casefold().split())
    return any(phrase.search(folded) for phrase in PHRASES.values())


def is_partial(blocks: Iterable[tuple[str, bool]]) -> bool:
    """Whether an uncited sentence of the reply's (text, cited) blocks names a missing part; code does not count.

    >>> is_partial([("Use tmux. ", True), ("The tutorials don't cover how to detach.", False)])
    True
    """
    uncited = (without_code(text) for text, cited in blocks if not cited)
    return any(names_missing_part(text[start:end]) for text in uncited for start, end in sentences(text))
