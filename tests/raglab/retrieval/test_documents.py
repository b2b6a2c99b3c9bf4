"""Loading a folder: every kind of file has a named outcome, and nothing else of the folder is lost."""

import os

import pytest

from raglab import DocumentError, SettingError, load_documents
from raglab.retrieval.documents import MAX_BYTES

GOOD = "# Fees\n\nTen dollars.\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "fees.md").write_text(GOOD, encoding="utf-8")
    return tmp_path


def sources(documents):
    return [document.source for document in documents]


@pytest.mark.parametrize(
    "data",
    [
        GOOD.encode("utf-8-sig"),
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.replace("\n", "\r").encode(),
        b"\xef\xbb\xbf" * 2 + GOOD.encode(),
    ],
)
def test_byte_order_mark_and_line_ends_make_no_difference(tmp_path, data):
    (tmp_path / "fees.md").write_bytes(data)
    assert load_documents(tmp_path)[0].text == GOOD


def test_files_come_sorted_by_their_path_and_hidden_ones_are_passed_over(folder):
    for name in [
        "b/z.md",
        "a/deep/x.markdown",
        "a.txt",
        "notes.rst",
        "UPPER.MD",
        "image.png",
        ".git/c.md",
        "._fees.md",
    ]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("Words.", encoding="utf-8")
    assert sources(load_documents(folder)) == [
        "UPPER.MD",
        "a.txt",
        "a/deep/x.markdown",
        "b/z.md",
        "fees.md",
        "notes.rst",
    ]
    assert sources(load_documents(folder, pattern="*.txt")) == ["a.txt"]


def break_latin1(path):
    path.write_bytes("Der Preis beträgt 10 Euro.".encode("latin-1"))


def break_after_bom(path):
    path.write_bytes(b"\xef\xbb\xbfab\xff")


def make_huge(path):
    with open(path, "wb") as file:
        file.truncate(MAX_BYTES + 1)  # sparse: it takes no room


BAD_FILES = {
    "latin-1": (break_latin1, r"bad\.md.*byte 14 \(0xe4\).*UTF-8"),
    "after a byte order mark": (break_after_bom, r"bad\.md.*byte 5 \(0xff\)"),
    "utf-16": (lambda path: path.write_text("Ten.", encoding="utf-16"), r"bad\.md.*byte 0.*UTF-8"),
    "cut character": (lambda path: path.write_bytes("Preis: 10 €".encode()[:-1]), r"bad\.md.*byte 10"),
    "binary": (lambda path: path.write_bytes(b"GIF\0\1"), r"bad\.md.*byte 3 is zero"),
    "huge": (
        lambda path: os.truncate(os.open(path, os.O_CREAT | os.O_WRONLY), MAX_BYTES + 1),
        r"bad\.md.*64,000,001 bytes",
    ),
    "yaml": (lambda path: path.write_text("---\ntitle: a: b\n---\nText."), r"bad\.md, line 2.*front matter"),
    "yaml bomb": (lambda path: path.write_text("---\na: &a [x]\nb: [*a, *a]\n---\nText."), r"bad\.md.*aliases"),
    **{
        f"deep yaml {number}": (
            lambda path, text=text: path.write_text(f"---\n{text}\n---\nText."),
            r"bad\.md: the front matter .*more than 20 deep",
        )
        for number, text in enumerate(
            (
                "a: " + "[" * 100_000,
                "a: " + "[\n" * 100_000,
                "a: " + "{x: " * 100_000,
                "a: " + "[" * 21 + "]" * 21,
                "\n".join("  " * i + "a:" for i in range(2_000)),
                "- " * 100_000,
            )
        )
    },
    "control in yaml": (lambda path: path.write_text("---\na: \1\n---\nText."), r"^bad\.md.*\(unacceptable [^\n]*\.$"),
    "link loop": (lambda path: path.symlink_to(path), r"bad\.md.*cannot be read"),
    "dangling link": (lambda path: path.symlink_to(path.with_name("gone.md")), r"bad\.md.*cannot be read"),
    "link out of the folder": (lambda path: path.symlink_to(os.devnull), r"bad\.md links to a file outside"),
    "pipe": (os.mkfifo, r"bad\.md is not a regular file"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_a_bad_file_is_named_and_the_rest_can_be_loaded(folder, kind):
    spoil, message = BAD_FILES[kind]
    spoil(folder / "bad.md")
    with pytest.raises(DocumentError, match=message) as caught:
        load_documents(folder)
    assert str(folder) not in str(caught.value)
    documents = load_documents(folder, on_error="skip")
    assert sources(documents) == ["fees.md"]
    assert [str(error) for error in documents.skipped] == [str(caught.value)]


def test_the_first_of_several_bad_files_is_named_and_the_others_counted(folder):
    for name in ("x.md", "y.md", "z.md"):
        break_latin1(folder / name)
    with pytest.raises(DocumentError, match=r"^x\.md.*2 more files"):
        load_documents(folder)


def test_a_file_that_disappears_meanwhile_is_named(folder, monkeypatch):
    def vanish(path):
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setattr("pathlib.Path.read_bytes", vanish)
    with pytest.raises(DocumentError, match=r"fees\.md cannot be read: no such file"):
        load_documents(folder)


def test_a_linked_folder_is_not_entered(folder):
    (folder / "again").symlink_to(folder, target_is_directory=True)
    assert sources(load_documents(folder)) == ["fees.md"]


def test_an_empty_file_is_a_document_without_text(folder):
    (folder / "empty.md").write_bytes(b"")
    assert [(d.source, d.title, d.text) for d in load_documents(folder)][0] == ("empty.md", "empty", "")


@pytest.mark.parametrize("front", ["", "\n", "# only a comment\n", "title:\n"])
def test_front_matter_may_be_empty(tmp_path, front):
    (tmp_path / "a.md").write_text(f"---\n{front}---\n# Fees\n\nTen.\n")
    (document,) = load_documents(tmp_path)
    assert (document.text, document.title) == ("# Fees\n\nTen.\n", "Fees")


def test_front_matter_gives_title_and_meta_as_strings_and_leaves_the_text(tmp_path):
    page = "---\ntitle: 'Set up'\nversion: 1.10\ndate: 2024-05-01\ntags: [a, b]\n---\n\n# Other\n\nText.\n"
    (tmp_path / "page.md").write_text(page, encoding="utf-8")
    (document,) = load_documents(tmp_path)
    assert document.title == "Set up"
    assert document.meta == {"title": "Set up", "version": "1.10", "date": "2024-05-01", "tags": ["a", "b"]}
    assert document.text == "# Other\n\nText.\n"


@pytest.mark.parametrize(
    "text", ["---\n\nA rule above.\n", "---\nJust words\n---\n", "----\nx: 1\n----\n", "---\nnever: closed\n"]
)
def test_a_rule_at_the_top_is_no_front_matter(tmp_path, text):
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    (document,) = load_documents(tmp_path)
    assert (document.text, document.meta) == (text, {})


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# A *b* `c`\n", "A b c"),
        ("Über\n====\n\n# Zwei\n", "Über"),
        ("```\n# no\n```\n", "page"),
        ("## Two\n", "page"),
    ],
)
def test_the_title_is_the_first_top_heading_else_the_file_name(tmp_path, text, title):
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    assert load_documents(tmp_path)[0].title == title


def test_ids_begin_with_the_path_or_with_the_stem(tmp_path):
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide" / "setup.md").write_text("Text.", encoding="utf-8")
    assert load_documents(tmp_path)[0].id == "guide/setup.md"
    assert load_documents(tmp_path, ids="stem")[0].id == "setup"


def test_two_files_with_one_stem_are_both_named(tmp_path):
    for name in ("a/setup.md", "b/setup.md"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("Text.", encoding="utf-8")
    assert len({document.id for document in load_documents(tmp_path)}) == 2
    with pytest.raises(DocumentError, match=r"a/setup\.md and b/setup\.md"):
        load_documents(tmp_path, ids="stem")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda path: None, "does not exist"),
        (lambda path: path.write_text("x"), "is a file, not a folder"),
        (lambda path: path.mkdir(), r"holds no documents; looked for \*\.md, \*\.markdown, \*\.txt, \*\.rst"),
    ],
)
def test_a_folder_that_is_none_or_empty_is_said(tmp_path, make, message):
    make(tmp_path / "docs")
    with pytest.raises(DocumentError, match=message):
        load_documents(tmp_path / "docs")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"ids": "name"}, "ids cannot be 'name': valid: path, stem."),
        ({"on_error": "skips"}, "on_error cannot be 'skips': did you mean 'skip'? Valid: raise, skip."),
    ],
)
def test_an_unknown_setting_names_the_valid_ones(folder, setting, message):
    with pytest.raises(SettingError) as caught:
        load_documents(folder, **setting)
    assert str(caught.value) == message
