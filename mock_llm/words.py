"""From text to the words that are compared, by one fixed rule.

The Wi-Fi's 2 costs, in a term
→ NFKC and lower case           the wi-fi's 2 costs, in a term
→ 's and ’s dropped             the wi-fi 2 costs, in a term
→ runs of letters and digits    the wi fi 2 costs in a term
→ single letters dropped        the wi fi 2 costs in term
→ stop words dropped            wi fi 2 costs term
→ plural s folded               wi fi 2 cost term
"""

import re
import unicodedata
from functools import lru_cache

_LIST = """
a an the this that these those is are was were be been being am do does did have has had having
i me my we us our you your he she him her it its they them their
what which who whom whose when where why how much many
of in on at to from for with by about as into and or but if not no so than then there here
will would should could may might must shall
"""

# A tuple, in this order, so that it prints the same everywhere.
STOP_WORDS: tuple[str, ...] = tuple(_LIST.split())

_STOPPED = frozenset(STOP_WORDS)
_POSSESSIVE = re.compile(r"['’]s\b")
_RUN = re.compile(r"[^\W_]+")
_ASCII_RUN = re.compile(r"[a-z0-9]+")


def words(text: str) -> list[str]:
    """The comparable words of a text, in order and with repetition.

    A plural s is folded on words of four letters or more that do not end in "ss".

    >>> words("What's the Wi-Fi's cost for 2 classes, per term?")
    ['wi', 'fi', 'cost', '2', 'classe', 'per', 'term']
    """
    if text.isascii():  # the same, faster
        plain, run = text.lower(), _ASCII_RUN
    else:
        plain, run = unicodedata.normalize("NFKC", text).lower(), _RUN
    if "'" in plain or "’" in plain:
        plain = _POSSESSIVE.sub("", plain)
    return list(filter(None, map(_comparable, run.findall(plain))))


@lru_cache(maxsize=50_000)  # since texts repeat their words
def _comparable(run: str) -> str:
    """The word that a run of letters and digits counts as, or "" if it does not count."""
    if run in _STOPPED or len(run) == 1 and not run.isdigit():
        return ""
    return run[:-1] if len(run) >= 4 and run.endswith("s") and not run.endswith("ss") else run
