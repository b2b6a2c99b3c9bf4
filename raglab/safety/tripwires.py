"""How a planted instruction reads: phrases as data, for `raglab.safety.scanning`.

They are matched against text in lower case with its disguises undone. Each was narrowed until ordinary
documentation is silent, and gives up some attacks for that. What is not listed here is not seen.
"""

import re
from dataclasses import dataclass
from functools import cached_property

# Between two words: blanks, punctuation and markup, but no end of a sentence.
_GAP = r"(?:(?:[^\w.!?]|_|[.!?](?!\s))++)"


@dataclass(frozen=True)
class Tripwire:
    """A phrase in one or several forms, each a regular expression where a blank is any gap between words.

    Its patterns are compiled when they are first used: importing the package stays cheap.
    """

    forms: tuple[str, ...]
    strong: bool = False  # also looked for where nothing stands between its letters
    signs: bool = False  # no words but signs of a prompt's frame: blanks count as they stand

    @cached_property
    def words(self) -> re.Pattern[str]:
        if self.signs:
            return re.compile(self._either, re.MULTILINE)
        return re.compile(rf"(?<![^\W_])(?:{self._either.replace(' ', _GAP)})(?![^\W_])")

    @cached_property
    def intact(self) -> re.Pattern[str]:
        """Its words unbroken, whatever stands between them."""
        return re.compile(self._either.replace(" ", r"(?:[\W_]++)"))

    @cached_property
    def glued(self) -> re.Pattern[str]:
        return re.compile(self._either.replace(" ", ""))

    @cached_property
    def leet(self) -> re.Pattern[str]:
        """Glued, with i for l: 1, l and | are one sign to a reader of leetspeak."""
        return re.compile(self._either.replace(" ", "").replace("l", "i"))

    @property
    def _either(self) -> str:
        return "|".join(self.forms)


def _phrase(*forms: str) -> Tripwire:
    return Tripwire(forms)


def _strong(*forms: str) -> Tripwire:
    return Tripwire(forms, strong=True)


def _signs(*forms: str) -> Tripwire:
    return Tripwire(forms, signs=True)


_IGNORE = (
    "(?:ignor(?:e|ing)|disregard(?:ing)?|forget|bypass|overrule|neglect|pay no attention to"
    "|(?:do not|don t|never) (?:follow|obey)|stop (?:following|obeying))"
)
_ALL = "(?:(?:all|any|every|each|of|the|these|those|this|your|my|our|and|about|both|completely|please) ){0,5}"
_EARLIER = "(?:previous|prior|preceding|earlier|above|foregoing|former|past|original|initial|existing|system|safety)"
_ORDERS = (
    "(?:instructions?|rules?|guidelines?|directives?|directions|commands?|orders|constraints|restrictions|prompts?)"
)
_GIVEN = "(?:(?:that|which|was|were|is|are|has|have|been|you|i|we|said|told|given|written|stated|listed) ){0,5}"
_NO_CONDITION = "(?! (?:if|when|unless|for|on)(?![a-z]))"
_CLAUSE_END = r"(?=\s*(?:[.,;:!)\n]|$)|\s+(?:and|instead)\b)"
_MODEL = "(?:ais?|llms?|(?:large )?language models?|ai (?:assistant|model|agent|system)s?|chat ?bots?|assistants?)"
_FREE = "(?:unrestricted|unfiltered|uncensored|jailbroken|evil|rogue)"
_TELL = "(?:tell|inform|show|notify|alert|warn|mention(?: it)? to|reveal(?: it)? to)"
_PERSON = (
    "(?:the |any |your |our )?(?:users?|anyone|anybody|humans?|readers?|customers?|person|people|members?|students?)"
)
_ADJECTIVE = "(?:full|entire|complete|exact|original|initial|hidden|secret|internal|confidential|system|developer)"
_PRIVATE = "(?:conversation|chat|history|prompt|context|secret)"
# A Markdown link whose address has a hole to be filled: [text](https://host/?q={…
_URL_WITH_HOLE = r"\[[^\]\n]{0,200}+\]\s?\(\s?<?https?://[^){\[<\n]{0,300}+[{\[<]++[^)}\]>\n]{0,80}?"


# To add one: write its forms, name it, and run `python -m pytest tests/raglab/safety/test_scanning.py`: it must catch
# what you mean and stay silent on every innocent sentence there.
TRIPWIRES: dict[str, Tripwire] = {
    "ignore-instructions": _strong(
        rf"{_IGNORE} {_ALL}{_EARLIER} (?:(?:and|or|{_EARLIER}) ){{0,3}}{_ORDERS}{_NO_CONDITION}",
        rf"{_IGNORE} {_ALL}{_ORDERS} {_GIVEN}(?:above|before|earlier|previously|so far|given|told){_NO_CONDITION}",
        rf"(?:{_IGNORE}|override) (?:all (?:of )?)?your (?:(?:own|other|{_EARLIER}) ){{0,2}}"
        "(?:instructions|guidelines|directives|programming|system prompt)",
        "override (?:all|any) (?:of )?(?:the |your )?(?:previous|prior|system|safety) "
        "(?:instructions|guidelines|prompts?)",
    ),
    "ignore-everything": _phrase(
        rf"{_IGNORE} (?:all|any|every) (?:of )?(?:the |your )?(?:instructions|rules|guidelines){_NO_CONDITION}",
        rf"{_IGNORE} (?:everything|anything|all|what) {_GIVEN}(?:above|before|earlier|previously|so far){_CLAUSE_END}",
        rf"{_IGNORE} (?:everything|anything|all|what) you (?:were|are|have been) (?:told|instructed|given)",
        rf"{_IGNORE} (?:all )?the above (?:and|instead) (?:say|tell|write|reply|answer|respond|print|output|do)",
    ),
    "new-role": _phrase(
        "you are (?:now|henceforth|from now on) "
        rf"(?:(?:a|an|the|my|called|named|acting as|{_FREE}|new|different) ){{0,4}}"
        "(?:assistant|chat ?bot|language model|ai (?:model|assistant|system|without|that|with no)|dan|pirate"
        rf"|{_FREE})",
        "you are now in (?:developer|debug|god|dan|jailbreak|unrestricted) mode",
        "you are no longer (?:bound by|an? (?:ai|assistant)|restricted by)",
        "(?:act|behave|pretend|respond|answer) (?:as|like|to be) (?:if you (?:are|were) )?(?:(?:a|an|the) )?"
        rf"(?:{_FREE}|dan)",
        "pretend (?:that )?you (?:have|had) no (?:rules|restrictions|guidelines|instructions)",
    ),
    "reveal-prompt": _strong(
        r"(?<!never\x20)(?<!not\x20)(?:reveal|leak|disclose|repeat|recite|(?:tell|show|give|send) me|show|print|output"
        r"|display|dump|quote|write out) (?:(?:me|us|back|all|of|the|text|verbatim|word for word) ){0,5}"
        rf"your (?:{_ADJECTIVE} ){{1,4}}(?:prompts?|instructions|messages?|rules|guidelines)",
        r"(?<!never\x20)(?<!not\x20)(?:reveal|leak|disclose|repeat|recite|tell me|show me) "
        r"(?:(?:me|us|back|all|of|verbatim) ){0,3}your (?:prompt|instructions|guidelines)",
        r"(?<!never\x20)(?<!not\x20)(?<!may\x20)(?<!can\x20)(?<!to\x20)(?:reveal|leak|disclose|recite) "
        rf"(?:(?:me|us|the|{_ADJECTIVE}) ){{1,5}}(?:prompt|instructions)",
        rf"what (?:is|are|was|were|does) your (?:{_ADJECTIVE} ){{1,3}}(?:prompt|instructions|message|rules)",
    ),
    "new-orders": _phrase(
        "your (?:new|real|actual|true|updated) (?:instructions?|orders|directive|purpose) (?:is|are)",
        r"new (?:system )?(?:instructions?|orders|directives?|prompt)\s?:",
        rf"(?:note|message|instructions?|notice|reminder|attention) (?:(?:to|for|all|any|the|every) ){{0,3}}{_MODEL}"
        r"\s?(?:[:,!]|who|that|reading|processing)",
        rf"if you are (?:an? )?{_MODEL}",
        "from now on (?:you (?:will|must|shall|should|are to) (?:only )?)?"
        "(?:act|obey|ignore|pretend|respond|answer|reply|say|speak)",
        "(?:obey|follow) (?:me|my (?:instructions|commands|orders|rules))",
    ),
    "role-marker": _signs(
        r"<\s?\|\s?(?:im_(?:start|end|sep)|system|user|assistant|endoftext|eot_id|(?:start|end)_header_id)\s?\|\s?>",
        r"\[/?inst\]|<</?sys>>|^#{2,4} instruction:",
        r"^[>*#\s\"'\[(-]{0,6}(?:system|developer|assistant)(?: (?:message|prompt|override|note|instruction|update))?"
        r"[\])*]{0,3}\s?:[\s*]{0,4}(?:please |now |important: ?)?(?:you (?:are|must|should)|ignore|disregard|override"
        r"|forget|from now on|never|do not|don'?t|answer|respond|reply|reveal|obey|all previous)\b",
    ),
    "forged-frame": _signs(r"<[\s/\\]{0,6}passages?\b", r"\[\d{1,3}\]\s?\(\s?source\s?:"),
    "secrecy": _phrase(
        rf"(?:do not|don t|never|without) {_TELL} {_PERSON} (?:about|of) "
        r"(?:this|these|it|the (?:change|instructions?|above|message|note))(?! (?:password|pin|code|key))",
        "(?:do not|don t|never) (?:mention|reveal|disclose|repeat) (?:"
        "that you (?:have |were |are )?(?:read|seen|told|instructed|following)"
        "|(?:this|these) (?:instructions?|note|message|paragraph|sentence|order))",
        rf"keep (?:this|these|it) (?:a )?(?:secret|hidden|confidential|quiet) from {_PERSON}",
        "tell (?:nobody|no one) (?:else )?(?:about|of) (?:this|it|the change)",
    ),
    "exfiltration": _signs(
        rf"!{_URL_WITH_HOLE}(?:{_PRIVATE}|password|summary|answer|question|message|data|token|email)",
        rf"{_URL_WITH_HOLE}{_PRIVATE}",
        r"\b(?:send|post|forward|e-?mail|upload|append|transmit|submit|leak)\s"
        r"(?:(?:the|this|your|entire|whole|full|all|of|a|summary|copy|contents?|user'?s?)\s){0,6}"
        r"(?:conversation|chat (?:history|log)|system prompt|previous messages|secrets|passwords)\s"
        r"(?:(?:so|far|above|as|base64|encoded|and)\s){0,4}(?:to|at|into)\s[^\n.]{0,40}?(?:https?://|www\.|\w@)",
    ),
}
