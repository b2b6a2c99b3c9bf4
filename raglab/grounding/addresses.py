"""Addresses: the web and mail addresses of a text, each in a form that can be compared."""

import html
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from unicodedata import normalize
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from raglab.text.markdown import code_spans


@dataclass(frozen=True, slots=True)
class Address:
    """One address in a text."""

    written: str
    start: int  # code points in the text
    key: str  # what is compared: without what does not change where it leads
    named: bool = False  # a host named without scheme and path, as in "see example.org"

    @property
    def is_mail(self) -> bool:
        return self.key.startswith("mailto:")


@dataclass(frozen=True, slots=True)
class Link:
    """A link whose text shows an address."""

    shown: Address
    target: Address

    @property
    def misleads(self) -> bool:
        """Whether it leads elsewhere; `example.org` for `https://example.org/fees` is only short."""
        shown, target = self.shown.key.rstrip("…./"), self.target.key
        return not (target.startswith(shown) and target[len(shown) : len(shown) + 1] in ("", "/", "?"))


def addresses(text: str) -> list[Address]:
    """The addresses of a text, in order, each once.

    Read are `https://…` and every other scheme with `//`, `www.…`, mail addresses with or without `mailto:`, hosts
    such as `example.org/path` by the endings in `_ENDINGS`, and every target of a link, image, reference definition or
    HTML attribute that has a scheme or begins with a host. Code is read as well, but there `user.name` is no host.
    Other targets (`./setup.md`, `setup.md`, `#fees`), telephone numbers and names of files are no addresses.

    >>> [each.key for each in addresses("See <https://www.Club.example/a/?utm_source=x#fees>, or hi@club.example.")]
    ['club.example/a', 'mailto:hi@club.example']
    """
    found = [*_written(text), *_targets(text)]
    first: dict[str, Address] = {}
    for address in sorted(found, key=lambda each: each.start):
        first.setdefault(address.key, address)
    return list(first.values())


def shown_links(text: str) -> list[Link]:
    """The links whose text is an address, or spells one out with `https://` or `www.`.

    >>> [(link.target.key, link.misleads) for link in shown_links("[club.example](https://evil.example/x)")]
    [('evil.example/x', True)]
    """
    found = []
    for words, target, start in _links(text):
        leads = _target(target, start)
        shown = next((each for each in _written(words) if _is_shown(each, words)), None) if leads else None
        if leads and shown:
            found.append(Link(shown, leads))
    return found


def _is_shown(address: Address, words: str) -> bool:
    return bool(_SPELLED_OUT.match(address.written)) or address.written == words.strip(" *_`<>\"'“”.…,:;!\n")


# --- finding ---------------------------------------------------------------------------------------------------------

# Scripts written without blanks: their letters may stand directly beside an address without belonging to it.
_UNBROKEN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_L = rf"[^\W_{_UNBROKEN}]"
_HOST_LETTERS = rf"(?:[^\W_{_UNBROKEN}]|-)"
_BODY = (
    r"(?:[^\s<>\"'`\[\]|\\^,;“”„‟«»‹›「」『』【】《》〈〉（），。、！？；：\x00-\x1f\x7f]"
    r"|\\[!-/:-@\[-`{-~]|(?<=\w)'(?=\w)|[,;](?=[\w%])(?![a-z]+://))"
)
_ADDRESS = re.compile(
    rf"(?<![A-Za-z0-9])(?P<url>[A-Za-z][A-Za-z0-9+.-]{{1,20}}:\\?//(?:[^\s/\[\]]{{0,80}}@)?(?:\[[0-9A-Fa-f:.%]{{2,50}}\])?{_BODY}*+)"
    rf"|(?<![\w.@/-])(?P<www>www\.{_L}{_BODY}*+)"
    rf"|(?<!{_L})(?<![_.%+-])(?:mailto:)?(?P<mail>(?:{_L}|[_.%+-]){{1,64}}+@(?:{_HOST_LETTERS}{{1,63}}+\.){{1,8}}"
    rf"(?:xn--[a-z0-9-]{{2,59}}|[^\W\d_{_UNBROKEN}]{{2,24}}+))(?![-_@])"
    rf"|(?<!{_L})(?<![_@.\\%=-])(?<![^/]/)(?P<host>(?:{_HOST_LETTERS}{{1,63}}+\.){{1,8}}"
    rf"(?P<ending>xn--[a-z0-9-]{{2,59}}|[^\W\d_{_UNBROKEN}]{{2,24}}+))(?![-_(@])(?!{_L})(?!\.{_L})"
    rf"(?P<rest>(?::\d{{1,5}})?(?:[/?#]{_BODY}*+)?)",
    re.IGNORECASE,
)
_SPELLED_OUT = re.compile(r"[a-z][a-z0-9+.-]+://|www\.", re.IGNORECASE)
_TEXT = r"\[((?:[^\[\]\n]|\n(?!\s*\n)){0,300}+)\]"
_TARGET = r"(<[^<>\n]{0,2000}+>|[^\s()<>]*+(?:\([^\s()<>]*+\)[^\s()<>]*+)*+)"
_INLINE = re.compile(rf"(?<!!){_TEXT}\(\s*+{_TARGET}")
_INLINE_TARGET = re.compile(rf"\]\(\s*+{_TARGET}")  # also of a text with brackets or an image in it
_REFERENCE = re.compile(rf"{_TEXT}\[((?:[^\[\]\n]){{0,200}}+)\]")
_DEFINITION = re.compile(r"^[ >\t]{0,8}\[([^\[\]\n]{1,200}+)\]:[ \t]*\n?[ \t]*(<[^<>\n]{0,2000}+>|\S+)", re.MULTILINE)
_ATTRIBUTE = re.compile(
    r"\b(?:href|src|srcset|action|formaction|poster|cite|background)\s{0,9}=\s{0,9}"
    r"""("[^"<>]{0,2000}+"|'[^'<>]{0,2000}+'|[^\s"'<>]++)""",
    re.IGNORECASE,
)
_ANCHOR = re.compile(
    r"""<a\b[^<>]{0,300}?\bhref\s{0,9}=\s{0,9}("[^"<>]{0,2000}+"|'[^'<>]{0,2000}+'|[^\s"'<>]++)[^<>]{0,300}+>"""
    r"((?:[^<]|<(?!/a)){0,300}+)",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]{0,300}+>")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+):", re.IGNORECASE)

# A host without scheme is one if it ends so. Endings that are as often the end of a file or a word as of a host
# (`setup.py`, `lib.so`) count with a path behind them and never in code, where `df.info` and
# `self.to` are names: there those of `_PROGRAM` count with a path, and `_WORDS` never.
_ENDINGS = frozenset(
    "com org net edu gov mil int info biz io dev ai xyz online site website shop store tech cloud blog wiki academy"
    " school college university education club news media live group team agency zone space world today life page pages"
    " link email help support center foundation community digital systems software solutions services network social"
    " chat games studio design art museum travel hotel bank finance health law legal asia africa eu berlin london paris"
    " tokyo nyc example test invalid local localhost internal onion"
    " ac ad ae af ag ai al ao aq ar at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bw bz ca cd cf cg ch ci"
    " ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm dz ec ee eg er es et fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl"
    " gm gn gp gq gr gs gt gu gw gy hk hn hr ht hu ie il im in iq ir it je jm jo jp ke kg kh ki km kn kp kr kw ky kz lb"
    " lc li lk lr ls lt lu lv ly ma mc mg mh mk mn mo mp mq mr mt mu mv mw mx mz nc ne nf ng ni nl no np nr nu nz om pa"
    " pe pf pg ph pk pl pn pr pt pw qa re ro ru rw sa sb sc sd se sg si sj sk sl sm sn sr sv sx sy sz tc td tf tg th tj"
    " tk tl tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw рф укр ελ москва".split()
)
_WITH_PATH = frozenset("py md rs sh so cc ps ml mm tm as is am my by do me id la an st ms name app zip mov".split())
_PROGRAM = frozenset(
    "net io info dev test local localhost internal int ai live group page pages link email help support chat co"
    " se si ne co ar as es de la li sc sd ie pr pe tr td th tf tt im ax vi va".split()
)
_WORDS = frozenset("in it at no be to us re".split())
_PRODUCTS = ("NET", "IO")  # ASP.NET, Socket.IO


def _written(text: str) -> Iterator[Address]:
    if "." not in text and "://" not in text and "@" not in text:
        return
    code = code_spans(text)
    starts = [start for start, _ in code]
    for match in _ADDRESS.finditer(text):
        kind = match.lastgroup if match.lastgroup in ("url", "www", "mail") else "host"
        written = match["mail"] if kind == "mail" else _trimmed(match[0])
        start = match.start(kind)
        place = bisect_right(starts, start) - 1
        in_code = place >= 0 and start < code[place][1]
        if kind == "mail":
            if not in_code or written.rpartition(".")[2].lower() in _ENDINGS:  # q@k.transpose is a product
                yield Address(written, start, _mail_key(written))
        elif kind == "host":
            if _is_host(match["host"], match["ending"], match["rest"], in_code):
                yield Address(written, start, address_key(f"http://{written}"), named=written == match["host"])
        elif key := address_key(written if kind == "url" else f"http://{written}"):
            yield Address(written, start, key)


def _is_host(host: str, ending: str, rest: str, in_code: bool) -> bool:
    labels = host.split(".")
    if ending != ending.lower() and (not host.isupper() or (ending in _PRODUCTS and not rest)):
        return False
    if not any(map(str.isalpha, labels[-2])) or any(label[:1] == "-" for label in labels):
        return False
    ending, has_path = ending.lower(), "/" in rest
    if ending in _WITH_PATH:
        return has_path and not in_code
    if in_code and (ending in _WORDS or (ending in _PROGRAM and not has_path)):
        return False
    return ending in _ENDINGS or ending.startswith("xn--")


def _trimmed(written: str) -> str:
    """Without the punctuation of the sentence around it, and cut where it closes a bracket that it does not open."""
    depth = 0
    for place, letter in enumerate(written):
        depth += (letter in "({") - (letter in ")}")
        if depth < 0:
            written = written[:place]
            break
    return written.rstrip(".,;:!?*_~…'\\&=")


def _links(text: str) -> Iterator[tuple[str, str, int]]:
    """Text, target and place of every link."""
    if "](" in text:
        for match in _INLINE.finditer(text):
            yield match[1], match[2], match.start(2)
    if "]:" in text:
        defined = {_label(match[1]): match for match in _DEFINITION.finditer(text)}
        for match in _REFERENCE.finditer(text):
            if definition := defined.get(_label(match[2] or match[1])):
                yield match[1], definition[2], definition.start(2)
    if "<a" in text.lower():
        for match in _ANCHOR.finditer(text):
            yield _TAG.sub("", match[2]), match[1], match.start(1)


def _label(text: str) -> str:
    return " ".join(text.casefold().split())


def _targets(text: str) -> Iterator[Address]:
    """What is an address only because it is the target of a link."""
    patterns = [(_INLINE_TARGET, "](", 1), (_DEFINITION, "]:", 2), (_ATTRIBUTE, "=", 1)]
    for pattern, sign, group in patterns:
        if sign in text:
            for match in pattern.finditer(text):
                if address := _target(match[group], match.start(group)):
                    yield address
                if "mailto:" in match[group].lower():
                    yield from _written(unquote(match[group]).replace("mailto:", " "))


def _target(written: str, start: int) -> Address | None:
    """The address that a browser makes of a target; None for a place in the same documents."""
    target = re.sub(r"[\x00-\x20\x7f]", "", _unescaped(written.strip("<>\"' \n"))).replace("\\", "/")
    if scheme := _SCHEME.match(target):
        name = scheme[1].lower()
        if name in ("tel", "sms"):
            return None
        if name == "mailto":
            key = _mail_key(target[scheme.end() :])
        elif name in ("http", "https"):
            key = address_key(f"http://{target[scheme.end() :].lstrip('/')}")
        else:
            key = address_key(target)
        return Address(target, start, key) if key else None
    if target.startswith("//"):
        target = target.lstrip("/")
        return Address(target, start, key) if (key := address_key(f"http://{target}")) else None
    return next((each for each in _written(target) if each.start == 0), None) if target[:1] not in "./#?" else None


# --- comparing -------------------------------------------------------------------------------------------------------

_TRACKING = re.compile(
    "utm_.*|gclid|gclsrc|[gw]braid|fbclid|dclid|msclkid|yclid|twclid|ttclid|igshid|mc_[ce]id|_ga|_gl|_hsenc|_hsmi|mkt_tok"
    "|ref|ref_src|ref_url|referrer|spm|trk",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]\w{1,30});", re.IGNORECASE)
_PORTS = {"http": "80", "https": "443", "ftp": "21", "ssh": "22", "ws": "80", "wss": "443"}


def address_key(url: str) -> str:
    """What two addresses that lead to the same place have in common; empty for one that leads nowhere.

    Scheme (http or https), `www.`, the host's letter case and punycode, the default port, percent-encoding, the order
    of the query, tracking parts, a final slash and the fragment make no difference.

    >>> address_key("HTTPS://www.Example.org:443/%7efees/?utm_source=x&b=2&a=1#top")
    'example.org/~fees?a=1&b=2'
    """
    url = _unescaped(url)
    try:
        parts = urlsplit(url)
    except ValueError:  # brackets or letters that no host can have
        return url.casefold()
    scheme, (user, _, server) = parts.scheme.lower(), parts.netloc.rpartition("@")
    if not parts.netloc:
        return f"{scheme}:{parts.path}" if parts.path.strip("/") or scheme == "file" else ""
    host, _, port = server.rpartition(":") if re.search(r":\d*$", server) else (server, "", "")
    host = _host(host)
    if port in ("", _PORTS.get(scheme)) or (port in ("80", "443") and scheme in ("http", "https")):
        port = ""
    query = sorted(pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.fullmatch(pair[0]))
    return "".join(
        (
            "" if scheme in ("http", "https") else f"{scheme}://",
            f"{user}@" if user else "",
            host,
            f":{port}" if port else "",
            _path(parts.path),
            f"?{urlencode(query, errors='replace')}" if query else "",
        )
    )


def _host(host: str) -> str:
    host = normalize("NFKC", unquote(host)).lower().rstrip(".").removeprefix("www.")
    return ".".join(_label_of(label) for label in host.split("."))


def _label_of(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label[4:].encode("ascii").decode("punycode")
    except (UnicodeError, ValueError, OverflowError):
        return label


def _path(path: str) -> str:
    quoted = quote(path, safe="/%:@!$&'()*+,;=~", errors="replace")
    return re.sub(r"%[0-9a-fA-F]{2}", _percent, quoted).rstrip("/")


def _percent(found: re.Match[str]) -> str:
    letter = chr(int(found[0][1:], 16))
    return letter if letter.isascii() and (letter.isalnum() or letter in "-._~") else found[0].upper()


def _mail_key(address: str) -> str:
    address = unquote(address.partition("?")[0]).strip().lower()
    user, _, host = address.rpartition("@")
    return f"mailto:{user}@{_host(host)}" if user else ""


def _unescaped(text: str) -> str:
    """Without Markdown's backslashes and HTML's entities."""
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text) if "\\" in text and "://" in text else text
    return _ENTITY.sub(lambda found: html.unescape(found[0]), text)
