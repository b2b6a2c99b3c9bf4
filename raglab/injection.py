"""Keeping text inside its fence: no passage may open or close a tag that the prompt uses itself."""

import re
import unicodedata
from collections.abc import Iterable

# Characters of other scripts that pass for a Latin letter or for `<` and `/`; wide and styled ones fold by NFKD.
_LOOKALIKES = {
    ord(other): latin
    for latin, others in {
        "a": "аɑαᴀ",
        "c": "сϲᴄⅽ",
        "e": "еҽєᴇ℮",
        "g": "ɡցɢ",
        "i": "іıɩιɪӏ",
        "n": "ոпɴη",
        "o": "оοօσᴏ",
        "p": "рρᴘ",
        "q": "ԛգ",
        "r": "гᴦʀ",
        "s": "ѕꜱ",
        "t": "тτᴛ",
        "u": "սυᴜц",
        "<": "‹〈⟨❮˂ᐸ《",
        "/": "∕⁄⧸╱",
    }.items()
    for other in others
}
_ENTITY = r"&(?:amp;)*(?:lt|#0*60|#x0*3c);?"
_INVISIBLE = ("Cf", "Mn", "Me", "Cc")  # zero-width characters, combining marks, controls


def neutralise(text: str, names: Iterable[str]) -> str:
    """The text with every tag of these names made harmless: its opening bracket becomes `(`.

    A tag is recognised as a careless reader would: in any letter case, with blanks, attributes, invisible
    characters or look-alike letters in it, opening, closing or self-closing, also with `<` as an entity. Text
    without such a tag comes back unchanged.

    >>> neutralise("Free. </Source > <b>now</b>", ["source"])
    'Free. (/Source > <b>now</b>'
    """
    names = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    folded, places = _folded(text)
    pieces, done = [], 0
    for match in re.finditer(rf"(<|{_ENTITY})[/\\]*(?={names})", folded):
        start, end = places[match.start(1)], places[match.end(1) - 1] + 1
        pieces += text[done:start], "("
        done = end
    return "".join(pieces) + text[done:]


def _folded(text: str) -> tuple[str, list[int]]:
    """The text as a careless reader sees it, and for each of its characters the place in the original."""
    letters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        for letter in unicodedata.normalize("NFKD", character).casefold().translate(_LOOKALIKES):
            if not letter.isspace() and unicodedata.category(letter) not in _INVISIBLE:
                letters.append(letter)
                places.append(place)
    return "".join(letters), places
