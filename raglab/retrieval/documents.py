"""A folder of files → documents: decoded, with their front matter read, in a fixed order."""

import fnmatch
import os
import re
import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from raglab.errors import DocumentError
from raglab.records import Document
from raglab.settings import one_of

if TYPE_CHECKING:
    import yaml

PATTERNS = ("*.md", "*.markdown", "*.txt", "*.rst")
MAX_BYTES = 64_000_000  # of one file; a larger one is a dump or a mistake, not a page
DEEPEST = 20  # levels of lists and maps in front matter
_OTHER_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


class Documents(list[Document]):
    """A list of documents that also remembers the files which `on_error="skip"` left out."""

    def __init__(self, documents: Iterable[Document] = (), skipped: Iterable[DocumentError] = ()):
        super().__init__(documents)
        self.skipped = tuple(skipped)


def load_documents(
    folder: str | os.PathLike[str],
    *,
    pattern: str | Iterable[str] = PATTERNS,
    ids: str = "path",
    on_error: str = "raise",
) -> Documents:
    """The documents of a folder and its subfolders, in the sorted order of their relative paths.

    Files are UTF-8, with or without byte order mark; line ends become `\\n`. Hidden files and folders are
    skipped and linked folders not entered. `ids="path"` lets chunk ids begin with the path (`guide/setup.md#2`),
    `ids="stem"` with the file name alone (`setup#2`).

    Raises `DocumentError` for a folder that is missing or holds no document, for two files with one stem, and for
    a file that cannot be read; with `on_error="skip"` such files are left out and listed in `.skipped`. Raises
    `SettingError` for any other `ids` or `on_error`.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = pathlib.Path(folder, "fees.md").write_text("# Fees\\n\\nTen dollars.", encoding="utf-8")
    ...     load_documents(folder)[0].title
    'Fees'
    """
    one_of("ids", ids, ("path", "stem"))
    one_of("on_error", on_error, ("raise", "skip"))
    patterns = (pattern,) if isinstance(pattern, str) else tuple(pattern)
    root = Path(folder)
    if not root.is_dir():
        what = "is a file, not a folder" if root.is_file() else "does not exist"
        raise DocumentError(f"The folder {str(folder)!r} {what}; name a folder that holds your documents.")
    documents, errors = [], []
    for source, path in sorted(_files(root, patterns)):
        try:
            documents.append(_load(path, source, root, ids))
        except DocumentError as error:
            errors.append(error)
    if errors and on_error == "raise":
        more = f" ({len(errors) - 1} more files of the folder cannot be loaded either.)" if errors[1:] else ""
        raise DocumentError(f"{errors[0]}{more}")
    if not documents and not errors:
        raise DocumentError(f"The folder {str(folder)!r} holds no documents; looked for {', '.join(patterns)}.")
    _check_unique(documents)
    return Documents(documents, errors)


def _files(root: Path, patterns: tuple[str, ...]) -> Iterator[tuple[str, Path]]:
    """Relative POSIX path and location of every file whose name fits a pattern."""
    for place, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and any(fnmatch.fnmatchcase(name.lower(), p.lower()) for p in patterns):
                path = Path(place, name)
                # macOS hands out decomposed names: one form, so that ids are equal on every system.
                yield unicodedata.normalize("NFC", path.relative_to(root).as_posix()), path


def _load(path: Path, source: str, root: Path, ids: str) -> Document:
    text = _decode(_read(path, source, root), source)
    meta, body = _front_matter(text, source)
    title = str(meta.get("title") or _first_title(body) or path.stem)
    # An id is cited as [id] and put into tags: what would end either cannot be part of it.
    id = re.sub(r'[\[\]<>"\x00-\x1f]', "_", path.stem if ids == "stem" else source)
    return Document(source, body, title, meta, id)


def _read(path: Path, source: str, root: Path) -> bytes:
    try:
        if path.is_symlink() and not path.resolve(strict=True).is_relative_to(root.resolve()):
            raise DocumentError(f"{source} links to a file outside the folder; copy that file into the folder.")
        if not path.is_file():
            raise DocumentError(f"{source} is not a regular file; remove or rename it.")
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise DocumentError(f"{source} has {size:,} bytes, more than {MAX_BYTES:,}; split it into smaller files.")
        return path.read_bytes()
    except RuntimeError:  # Python 3.11 and 3.12: a loop of links
        raise DocumentError(f"{source} cannot be read: it is a link that leads back to itself; remove it.") from None
    except OSError as error:
        reason = (error.strerror or "unknown reason").lower()
        raise DocumentError(f"{source} cannot be read: {reason}; fix or remove the file.") from None


def _decode(data: bytes, source: str) -> str:
    encoding = _OTHER_ENCODINGS.get(data[:2])
    if encoding is None and b"\0" in data:
        raise DocumentError(f"{source} is not text: byte {data.index(0)} is zero; remove it or convert it to text.")
    try:
        if encoding:
            raise UnicodeDecodeError("utf-8", data, 0, 2, "byte order mark of " + encoding)
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # utf-8-sig counts from after the byte order mark, a person's editor from the start of the file.
        offset = error.start + (3 if data.startswith(b"\xef\xbb\xbf") else 0)
        raise DocumentError(
            f"{source} is not UTF-8: byte {offset} (0x{data[offset]:02x}) fits no character; "
            "open it in an editor and save it as UTF-8."
        ) from None
    return text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _front_matter(text: str, source: str) -> tuple[dict[str, object], str]:
    """The YAML block between two `---` lines at the very top, and the text after it."""
    if text.partition("\n")[0].rstrip() != "---":
        return {}, text
    import yaml
    from markdown_it import MarkdownIt
    from mdit_py_plugins.front_matter import front_matter_plugin

    tokens = MarkdownIt("zero").use(front_matter_plugin).parse(text)
    if not tokens or tokens[0].type != "front_matter" or tokens[0].map is None:
        return {}, text
    try:
        # BaseLoader leaves every value a string: a version 1.10 must not become the number 1.1.
        _check_yaml(yaml.parse(tokens[0].content, yaml.BaseLoader))
        meta = yaml.load(tokens[0].content, yaml.BaseLoader) or {}  # None where it is empty
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 2}" if mark else ""
        reason = getattr(error, "problem", None) or str(error).partition("\n")[0]
        raise DocumentError(f"{source}{line}: the front matter is not valid YAML ({reason}); fix it.") from None
    if not isinstance(meta, dict):
        return {}, text  # a rule, some text, another rule: no front matter
    return meta, "".join(text.splitlines(keepends=True)[tokens[0].map[1] :]).lstrip("\n")


def _check_yaml(events: Iterable["yaml.Event"]) -> None:
    """An error for aliases, which may repeat their anchor a million times over, and for too much depth.

    The parser is quadratic in depth and then recursive: it must not get there.
    """
    import yaml

    depth = 0
    for event in events:
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not allowed")
        if depth > DEEPEST:
            raise yaml.YAMLError(f"it nests more than {DEEPEST} deep")


def _first_title(text: str) -> str:
    from raglab.retrieval.chunks import sections

    return next((section.heading for section in sections(text) if section.level == 1), "")


def _check_unique(documents: list[Document]) -> None:
    seen: dict[str, str] = {}
    for document in documents:
        first = seen.setdefault(document.id, document.source)
        if first != document.source:
            raise DocumentError(
                f"{first} and {document.source} would both have ids that begin with {document.id!r}; "
                "rename one of them, or use ids='path'."
            )
