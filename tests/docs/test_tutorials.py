"""The tutorial site: valid posts, code that runs, and what search and the best sentence make of each question."""

import re
import shlex
import sqlite3
import tomllib
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest
import yaml

from mock_llm.sentences import sentences
from mock_llm.words import words
from raglab import TfidfIndex

FOLDER = Path(__file__).parents[2] / "docs" / "tutorials"
POSTS = {path.name: path.read_text("utf-8") for path in sorted(FOLDER.glob("*.md"))}
INDEX = TfidfIndex.from_folder(FOLDER)
CHUNKS = {chunk.id: chunk for chunk in INDEX.chunks}
TEXTS = {id: " ".join(chunk.text.split()) for id, chunk in CHUNKS.items()}
SET = tomllib.loads((FOLDER / "questions.toml").read_text("utf-8"))
QUESTIONS = {question["id"]: question for question in SET["question"]}

K, PER_SOURCE = 5, 2  # of the style, which has no gate
LEAST = 2  # shared words, below which the stand-in model has no answer

CATEGORIES = {"java", "docker", "git", "react", "linux", "python", "sql"}
LANGUAGES = {"bash", "console", "text", "java", "dockerfile", "yaml", "jsx", "python", "sql"}
PROGRAMS = set("docker git tmux ssh-keygen ssh-copy-id python python3 source deactivate".split())

# The question shares no word with the section that answers it: search is to blame.
NOT_FOUND = {"cron-by-hand"}
# The right sentence wins, but the code that shows it stands before it: the answer is to blame.
WITHOUT_ITS_CODE = {"cron-half-past-six"}


def of_kind(kind, *, without=frozenset()):
    chosen = [one for one in SET["question"] if one["kind"] == kind and one["id"] not in without]
    return pytest.mark.parametrize("question", chosen, ids=[one["id"] for one in chosen])


def posts(text=""):
    return pytest.mark.parametrize("name", [name for name, post in POSTS.items() if text in post])


def front_matter(name):
    _, head, _ = POSTS[name].split("---\n", 2)
    return yaml.safe_load(head)


def code(name, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", POSTS[name], re.MULTILINE | re.DOTALL)


def found(question, k=K, per_source=PER_SOURCE):
    """The ids that search finds with at most two of one post, best first."""
    seen, ids = Counter(), []
    for hit in INDEX.search(question, len(INDEX)):
        seen[hit.chunk.source] += 1
        if seen[hit.chunk.source] <= per_source:
            ids.append(hit.chunk.id)
    return ids[:k]


def scores(question):
    return {hit.chunk.id: hit.score for hit in INDEX.search(question, len(INDEX))}


def parts(question):
    """The questions of a two-part question, as every one of this set is joined."""
    return re.split(r"\? |, and ", question)


def winner(question, ids, texts=None):
    """How many words the best sentence shares with the question, counted with repetition; its chunk; the sentence."""
    known = set(words(question))
    scored = [
        (sum(word in known for word in words(sentence.text)), id, sentence)
        for id in ids
        for sentence in sentences(texts[id] if texts else CHUNKS[id].text)
    ]
    return max(scored, key=lambda one: one[0], default=(0, "", None))


def told(sentence):
    return f"{sentence.text} {' '.join(sentence.code.split())}"


def neighbours(id):
    source, number = id.split("#")
    return {f"{source}#{int(number) + step}" for step in (-1, 1)}


# --- posts ---------------------------------------------------------------------------------------------------


def test_two_dozen_posts_in_seven_categories():
    assert 22 <= len(POSTS) <= 26
    assert {path.name for path in FOLDER.iterdir()} == {*POSTS, "questions.toml"}
    count = Counter(front_matter(name)["category"] for name in POSTS)
    assert set(count) == CATEGORIES and min(count.values()) >= 3


@posts()
def test_front_matter(name):
    meta = front_matter(name)
    assert list(meta) == ["title", "category", "url"]
    assert re.fullmatch(rf"https://tutorials\.example/{meta['category']}/[a-z-]+", meta["url"])
    assert all(chunk.meta == meta for chunk in CHUNKS.values() if chunk.source == name)


@pytest.mark.parametrize("field", ["title", "url"])
def test_no_two_posts_share(field):
    assert len({front_matter(name)[field] for name in POSTS}) == len(POSTS)


@posts()
def test_sections(name):
    inside = [chunk for chunk in CHUNKS.values() if chunk.source == name]
    assert [chunk.id for chunk in inside] == [f"{name}#{number}" for number in range(len(inside))]  # none is cut
    assert len(inside) >= 3 and all(chunk.heading for chunk in inside)
    assert len({chunk.heading for chunk in inside}) == len(inside)


@posts()
def test_code_fences_are_closed_and_named(name):
    marks = re.findall(r"^```(.*)$", POSTS[name], re.MULTILINE)
    assert marks[1::2] == [""] * (len(marks) // 2) and len(marks) % 2 == 0
    assert set(marks[::2]) <= LANGUAGES
    assert POSTS[name].count("```") == len(marks)


def test_nearly_every_post_has_code():
    assert sum("```" in post for post in POSTS.values()) >= len(POSTS) - 1


def test_one_post_writes_commands_with_a_prompt():
    assert [name for name in POSTS if code(name, "console")] == ["file-permissions.md"]
    assert all(block.startswith("$ ") for block in code("file-permissions.md", "console"))
    assert not any(re.search(r"^\$ ", block, re.MULTILINE) for name in POSTS for block in code(name, "bash"))


def test_every_address_is_an_example():
    text = " ".join(POSTS.values())
    assert not re.search(r"\b[a-z-]+\.(?:com|net|org|io|dev|app)\b", text)
    assert {host.rpartition(".")[2] for host in re.findall(r"(?:://|@)([\w-]+\.[\w.-]+)", text)} == {"example"}


def test_readme_names_the_corpus_its_style_and_its_extra_field():
    readme = (FOLDER.parent / "README.md").read_text("utf-8")
    assert re.search(r"^\| `tutorials/` .*\| `documents` ", readme, re.MULTILINE)
    assert re.search(r"^\| `missing` ", readme, re.MULTILINE)


# --- code ----------------------------------------------------------------------------------------------------


@posts("```python\n")
def test_python_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = {"__name__": "post"}
    exec("\n".join(code(name, "python")), made)
    assert set(made) - {"__name__", "__builtins__"}, "the post's code names nothing"


@posts("```sql\n")
def test_sql_runs(name):
    with closing(sqlite3.connect(":memory:")) as base:
        statements = [one for block in code(name, "sql") for one in block.split(";") if one.strip()]
        assert [one for one in statements if base.execute(one).description is None] == [
            one for one in statements if re.match(r"\s*(CREATE|INSERT)", one)
        ]


def test_sql_gives_what_the_posts_say():
    with closing(sqlite3.connect(":memory:")) as base:
        tables, pairs, left, nothing = code("sql-joins.md", "sql")
        base.executescript(tables)
        inner, everybody = (set(base.execute(one).fetchall()) for one in (pairs, left))
        assert everybody - inner == {("Chi", None)} and inner < everybody
        assert base.execute(nothing).fetchall() == [("Chi",)]

        sales, running, ranks, before = code("window-functions.md", "sql")
        base.executescript(sales)
        assert [row[2] for row in base.execute(running)] == [40, 50, 25, 55]
        assert [row[2:] for row in base.execute(ranks)] == [(40, 1), (10, 2), (30, 1), (25, 2)]
        assert [row[2] for row in base.execute(before)] == [None, -30, None, 5]

        index, plan = code("sql-indexes.md", "sql")
        base.executescript(index)
        assert base.execute(plan).fetchone()[3].startswith("SEARCH")


@posts("```bash\n")
def test_commands_call_known_programs(name):
    lines = [line for block in code(name, "bash") for line in block.splitlines() if line]
    assert {shlex.split(line, comments=True)[0] for line in lines} <= PROGRAMS


@posts("```yaml\n")
def test_yaml_is_valid(name):
    assert all("services" in yaml.safe_load(block) for block in code(name, "yaml"))


@posts("```java\n")
def test_java_brackets_are_closed(name):
    for block in code(name, "java"):
        assert all(block.count(left) == block.count(right) for left, right in ("()", "{}", "[]"))


# --- question set --------------------------------------------------------------------------------------------


def test_forty_questions():
    assert len(SET["question"]) == 40
    kinds = Counter(one["kind"] for one in SET["question"])
    assert (kinds["answerable"] + kinds["partial"], kinds["unanswerable"]) == (33, 7)
    assert kinds["partial"] >= 8


def test_a_partial_question_has_two_parts_and_names_what_is_missing():
    for question in SET["question"]:
        partial, two = question["kind"] == "partial", "two-part" in question["tags"]
        assert ("missing" in question) == partial and two >= partial
        assert len(parts(question["question"])) == 1 + two


def test_every_category_is_asked_about():
    asked = {CHUNKS[chunk].meta["category"] for one in SET["question"] for chunk in one["chunks"]}
    assert asked == CATEGORIES


# --- answerable ----------------------------------------------------------------------------------------------


@of_kind("answerable", without=NOT_FOUND)
def test_search_finds_the_answer(question):
    ids = found(question["question"])
    assert set(question["chunks"]) <= set(ids[: len(question["chunks"])])  # ahead of everything else
    worst = min(scores(question["question"])[chunk] for chunk in question["chunks"])
    assert worst >= 0.2


@of_kind("answerable", without=NOT_FOUND | WITHOUT_ITS_CODE)
def test_the_right_sentences_win(question):
    won = [winner(part, found(question["question"])) for part in parts(question["question"])]
    assert [id for _, id, _ in won] == question["chunks"]
    assert all(score >= LEAST for score, _, _ in won)
    answer = " ".join(told(sentence) for _, _, sentence in won)
    assert all(part in answer for part in question["contains"])


def test_many_winning_sentences_lead_to_code():
    won = [winner(one["question"], found(one["question"])) for one in SET["question"] if one["kind"] == "answerable"]
    assert sum(bool(sentence.code) for score, _, sentence in won if score >= LEAST) >= 8


def test_a_question_in_other_words_is_not_found():
    (question,) = (QUESTIONS[id] for id in NOT_FOUND)
    assert not set(question["chunks"]) & set(scores(question["question"]))
    assert winner(question["question"], found(question["question"]))[0] < LEAST


def test_an_answer_can_lack_the_code_before_it():
    (question,) = (QUESTIONS[id] for id in WITHOUT_ITS_CODE)
    score, id, sentence = winner(question["question"], found(question["question"]))
    assert score > LEAST and [id] == question["chunks"]
    assert not any(part in told(sentence) for part in question["contains"])


# --- partial -------------------------------------------------------------------------------------------------


@of_kind("partial")
def test_search_finds_the_post_but_not_the_section(question):
    ids, (missing,) = found(question["question"]), question["missing"]
    assert set(question["chunks"]) <= set(ids)
    assert missing not in found(question["question"], k=20)
    assert neighbours(missing) & set(ids)
    # With room to spare: what keeps it out is no near tie.
    score, source = scores(question["question"]), CHUNKS[missing].source
    rivals = [score[id] for id in ids if CHUNKS[id].source == source]
    assert len(rivals) == PER_SOURCE and score.get(missing, 0) <= 0.85 * min(rivals)


@of_kind("partial")
def test_only_the_first_part_has_an_answer(question):
    first, second = parts(question["question"])
    ids = found(question["question"])
    score, id, sentence = winner(first, ids)
    assert score >= LEAST and [id] == question["chunks"]
    assert all(part in told(sentence) for part in question["contains"])
    assert winner(second, ids)[0] < LEAST


@of_kind("partial")
def test_the_neighbours_hold_the_second_part(question):
    ids = found(question["question"])
    around = {near for id in ids for near in neighbours(id)} & set(CHUNKS)
    score, id, sentence = winner(parts(question["question"])[1], [*ids, *sorted(around - set(ids))])
    assert score >= LEAST and [id] == question["missing"] and sentence.code


@pytest.mark.parametrize("post", ["tmux.md", "builder-pattern.md", "react-context.md"])
def test_posts_whose_code_stands_one_section_later(post):
    (question,) = (one for one in SET["question"] if one.get("missing", [""])[0].startswith(post))
    assert "```" not in "".join(CHUNKS[id].text for id in found(question["question"]) if id.startswith(post))
    assert "```" in CHUNKS[question["missing"][0]].text


# --- not covered ---------------------------------------------------------------------------------------------


@of_kind("unanswerable")
def test_no_sentence_is_near_a_question_that_is_not_covered(question):
    ids = found(question["question"], k=20)
    assert ids  # so that it is the model that refuses
    assert winner(question["question"], ids)[0] < LEAST
    assert winner(question["question"], ids, TEXTS)[0] < LEAST  # nor when a prompt squashes code into prose


def test_operators_written_in_rust():
    question = "How do I deploy a Kubernetes operator written in Rust?"
    assert QUESTIONS["kubernetes-operator"]["question"] == question
    assert [id for id in found(question) if CHUNKS[id].meta["category"] == "docker"]
    assert not re.search(r"\b(kubernetes|rust)\b", " ".join(POSTS.values()), re.IGNORECASE)


def test_the_last_commit_is_undone_only_in_passing():
    ids = found(QUESTIONS["undo-commit"]["question"])
    assert "Undoing a commit is a topic of its own" in " ".join(TEXTS[id] for id in ids)
    assert not re.search(r"git (reset|revert|restore)|--amend", " ".join(POSTS.values()))
