"""Links: the addresses of a reply that nothing it was given has."""

import difflib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

from raglab.grounding.addresses import Address, addresses, shown_links
from raglab.records import Chunk, Hit, Problem
from raglab.styles import Style
from raglab.text.words import sentences, shorten

_COMPARED = 200  # letters of an address, and addresses, that are looked through for the one most like an unknown one
_NEAREST_FOR = 20  # unknown addresses
_LONGEST_SENTENCE = 1_000  # characters; of a longer one, only the address is shown


def unknown_links(text: str, hits: Sequence[Hit], question: str, style: Style) -> Iterator[Problem]:
    """A problem `unknown-link` for each address of a reply that is in nothing that the model was given.

    It was given the question, the style's own words and the passages: text, heading, file and meta data. What counts
    as an address is said in `addresses`, and what makes no difference in `address_key`. A host that is only named ("see
    example.org") is known where a passage has an address on it, and so is a link's text that shortens its address. A
    link whose text shows another address than it leads to is a problem even if both are known, unless a passage has
    that very link.

    >>> from raglab.styles import NUMBERED
    >>> hits = [Hit.of("a.md#0", "Join at https://club.example/join.")]
    >>> for problem in unknown_links("Join [here](https://club.example/joins) [1].", hits, "How?", NUMBERED):
    ...     print(problem.detail)
    The address https://club.example/joins is in no passage and not in the question; did you mean https://club.example/join?
    """
    found, links = addresses(text), shown_links(text)
    if not found:
        return
    given = [*(piece for hit in hits for piece in _pieces(hit.chunk)), question]
    given += [style.refusal, style.sentinel, style.system or "", style.user]
    known = {address.key: address for piece in given for address in addresses(piece)}
    hosts = {_host(address) for address in known.values() if not address.is_mail}
    spoken = " \n ".join(given)
    shortened = {link.shown.key for link in links if not link.misleads and link.target.key in known}
    unknown = [each for each in found if each.key not in shortened and not _is_known(each, known, hosts, spoken)]
    where = _Sentences(text)
    for number, address in enumerate(unknown):
        near = _nearest(address, known.values()) if number < _NEAREST_FOR else None
        kind = "mail address" if address.is_mail else "address"
        detail = f"The {kind} {shorten(address.written, 100)} is in no passage and not in the question"
        detail += f"; did you mean {shorten(near.written, 100)}?" if near else "."
        yield Problem("unknown-link", where.at(address), detail)
    reported = {address.key for address in unknown}
    copied = {(link.shown.key, link.target.key) for piece in given for link in shown_links(piece)}
    for link in links:
        if link.misleads and link.target.key not in reported and (link.shown.key, link.target.key) not in copied:
            shown, target = shorten(link.shown.written, 100), shorten(link.target.written, 100)
            yield Problem("unknown-link", where.at(link.target), f"A link shows {shown} and leads to {target}.")


def _pieces(chunk: Chunk) -> Iterator[str]:
    yield from (chunk.text, chunk.heading, chunk.source, chunk.id)
    yield from (str(value) for value in chunk.meta.values())


def _is_known(address: Address, known: dict[str, Address], hosts: set[str], spoken: str) -> bool:
    if address.key in known or (address.named and address.key in hosts):
        return True
    if cut := re.match(r"[\x21-\x7e]+(?=[^\x00-\u2e7f])", address.written):  # glued to a script without blanks
        return any(each.key in known for each in addresses(cut[0]))
    written = address.written  # a passage's own code may hide that it is an address
    return written in spoken and bool(re.search(rf"(?<![\w.@-]){re.escape(written)}(?![\w@/?&=%~+-]|\.\w)", spoken))


def _host(address: Address) -> str:
    return re.split(r"[/?]", address.key.rpartition("://")[2], maxsplit=1)[0].partition(":")[0]


def _nearest(address: Address, known: Iterable[Address]) -> Address | None:
    """The known address most like an unknown one; mail is only compared with mail."""
    alike = {each.key[:_COMPARED]: each for each in list(known)[:_COMPARED] if each.is_mail == address.is_mail}
    near = difflib.get_close_matches(address.key[:_COMPARED], alike, n=1, cutoff=0.6)
    return alike[near[0]] if near else None


class _Sentences:
    """The sentences of a text, worked out when one is first asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._spans: list[tuple[int, int]] | None = None

    def at(self, address: Address) -> str:
        """The sentence with an address."""
        if self._spans is None:
            self._spans = sentences(self._text)
        found = bisect_right(self._spans, address.start, key=lambda span: span[0]) - 1
        start, end = self._spans[found] if found >= 0 else (0, 0)
        return self._text[start:end] if 0 < end - start <= _LONGEST_SENTENCE else address.written
