"""What every lesson and every solutions notebook must be; and for each rule a broken copy that it catches.

A rule is a function (path, notebook) → list of complaints. That the outputs are the ones a run gives is nbval's
work, not a rule here; one test proves that nbval, too, can fail.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from raglab.course.registry import EXERCISES

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
LESSONS = sorted(NOTEBOOKS.glob("*.ipynb"))
SOLUTIONS = sorted((NOTEBOOKS / "solutions").glob("*.ipynb"))

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
FIRST_CELL = """\
import raglab
from raglab.course import DOCS, check, hint, solution

model = raglab.connect()"""


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def text_cells(notebook):
    return [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]


def sources(notebook):
    return [cell.source for cell in notebook.cells]


def exercises_of(path):
    return [exercise for exercise in EXERCISES.values() if exercise.lesson == path.name[:2]]


def printed(cell):
    return "".join(output.text for output in cell.outputs if output.output_type == "stream")


# ----------------------------------------------------------------- rules for every notebook


def every_cell_ran_once_from_the_top(path, notebook):
    counts = [cell.execution_count for cell in code_cells(notebook)]
    return [] if counts == list(range(1, len(counts) + 1)) else [f"execution counts are {counts}"]


def the_kernel_is_python3(path, notebook):
    name = notebook.metadata.get("kernelspec", {}).get("name")
    return [] if name == "python3" else [f"the kernel is {name}"]


def nothing_is_on_stderr(path, notebook):
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    return [output.text for output in outputs if output.get("name") == "stderr"]


def errors_are_on_purpose(path, notebook):
    tame = [cell for cell in code_cells(notebook) if "raises-exception" not in cell.metadata.get("tags", [])]
    return [output.ename for cell in tame for output in cell.outputs if output.output_type == "error"]


PRIVATE = re.compile(
    r"(?<![A-Za-z])sk-[A-Za-z0-9]|test-key|127\.0\.0\.1|localhost|\[::1\]|:8787|https?://[^/\s]+:\d|file://"
    r"|(?<![\w.])/(?:home|Users|root|tmp|var|opt|usr|etc|mnt|srv|work|private|workspaces|builds?)/"
    r"|\b[A-Za-z]:\\\\?\w|at 0x[0-9a-f]{6}|\.venv|site-packages"
)
IMAGE_DATA = re.compile(r"base64,[A-Za-z0-9+/=]+")


def no_path_key_host_or_port(path, notebook):
    texts = sources(notebook)
    for cell in code_cells(notebook):
        for output in cell.outputs:
            data = {mime: text for mime, text in output.get("data", {}).items() if not mime.startswith("image/")}
            texts.append(json.dumps([data, output.get("text"), output.get("traceback")], ensure_ascii=False))
    return [found.group() for text in texts for found in PRIVATE.finditer(IMAGE_DATA.sub("", text))]


def the_first_cell_is_the_same_everywhere(path, notebook):
    first = code_cells(notebook)[0].source
    return [] if first == FIRST_CELL else [f"the first code cell is {first!r}"]


def metadata_is_small_and_stable(path, notebook):
    timed = [cell.id for cell in notebook.cells if "execution" in cell.metadata]
    extra = sorted(set(notebook.metadata) - {"kernelspec", "language_info"})
    version = [] if (notebook.nbformat, notebook.nbformat_minor) == (4, 5) else ["not in format 4.5"]
    return [*(f"{id} is timed" for id in timed), *(f"metadata has {name}" for name in extra), *version]


def no_widget_is_kept(path, notebook):
    """Its model is gone with the kernel, so a page would show an error in its place."""
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    return [mime for output in outputs for mime in output.get("data", {}) if mime == WIDGET_VIEW]


def cells_are_short(path, notebook):
    free = {text for exercise in exercises_of(path) for text in (exercise.starter, exercise.solution)}
    long = [source for source in sources_of_code(notebook) if source.count("\n") >= 8 and source not in free]
    wide = [line for source in sources_of_code(notebook) for line in source.split("\n") if len(line) > 100]
    return [f"more than 8 lines: {source[:60]!r}" for source in long] + [f"too wide: {line!r}" for line in wide]


def sources_of_code(notebook):
    return [cell.source for cell in code_cells(notebook)]


def links_lead_somewhere(path, notebook):
    links = [link for text in text_cells(notebook) for link in re.findall(r"\]\(([^)#\s]+)[^)]*\)", text)]
    local = [link for link in links if "://" not in link and not link.startswith("mailto:")]
    return [f"broken link {link}" for link in local if not (path.parent / link).is_file()]


def images_have_a_description(path, notebook):
    outputs = [output for cell in code_cells(notebook) for output in cell.outputs]
    html = "".join("".join(output.get("data", {}).get("text/html", "")) for output in outputs)
    bare = [tag[:40] for tag in re.findall(r"<img[^>]*>", html + "".join(text_cells(notebook))) if not ALT.search(tag)]
    unnamed = [mime for output in outputs for mime in output.get("data", {}) if mime.startswith("image/")]
    return [*bare, *unnamed, *re.findall(r"!\[\]\([^)]*\)", "".join(text_cells(notebook)))]


ALT = re.compile(r'alt="[^"]{20,}"')

EVERYWHERE = [
    every_cell_ran_once_from_the_top,
    the_kernel_is_python3,
    nothing_is_on_stderr,
    errors_are_on_purpose,
    no_path_key_host_or_port,
    the_first_cell_is_the_same_everywhere,
    metadata_is_small_and_stable,
    no_widget_is_kept,
    cells_are_short,
    links_lead_somewhere,
    images_have_a_description,
]


# ----------------------------------------------------------------- rules for lessons, and for solutions


def it_opens_with_what_why_and_how_long(path, notebook):
    head = notebook.cells[0].source
    bullets = bullets_under("You will", head)
    wanted = {
        "title": re.match(rf"# {path.name[:2]} · \S", head),
        "paragraph": re.match(r"#[^\n]*\n\n[A-Z][^\n]", head),
        "3 or 4 bullets under You will": 3 <= bullets <= 4,
        "You need": re.search(r"^\*\*You need\*\* .", head, re.M),
        "a link to the lesson before": path == LESSONS[0] or re.search(r"\*\*You need\*\*.*\]\(\d\d_", head),
        "About": re.search(r"^\*\*About\*\* \d+ minutes", head, re.M),
    }
    return [f"its first cell has no {name}" for name, there in wanted.items() if not there]


def it_ends_with_questions_summary_and_the_next_lesson(path, notebook):
    texts = text_cells(notebook)
    text = "\n\n".join(texts)
    questions, _, learned = text.partition("## Questions")[2].partition("## What you learned")
    later = [lesson.name for lesson in LESSONS if lesson.name > path.name]
    following = re.findall(r"Next: \[[^]]+\]\(([^)]+)\)", learned)
    wanted = {
        "2 to 4 folded questions": 2 <= questions.count("<details>") == questions.count("</details>") <= 4,
        "a question on each fold": questions.count("<details>")
        == len(re.findall(r"<summary>[^<]+\?</summary>", questions)),
        "as many points under What you learned as under You will": (
            learned.count("\n- ") == bullets_under("You will", texts[0]) > 0
        ),
        "a link to the next lesson": following == later[:1],
    }
    return [f"it lacks {name}" for name, there in wanted.items() if not there]


def bullets_under(heading, text):
    return len(re.findall(r"^- ", text.partition(f"**{heading}**")[2].partition("**You need**")[0], re.M))


def exercises_stand_as_in_the_registry(path, notebook):
    return missing_cells(path, notebook, "starter")


def solutions_stand_as_in_the_registry(path, notebook):
    return missing_cells(path, notebook, "solution")


def missing_cells(path, notebook, answer):
    """Each exercise is three cells in a row, exactly as the registry has them; and there is no other check."""
    cells = sources(notebook)
    ours = exercises_of(path)
    complaints = [] if ours else [f"there is no exercise for lesson {path.name[:2]}"]
    for exercise in ours:
        row = [exercise.task, getattr(exercise, answer), exercise.check_cell]
        if not any(cells[i : i + 3] == row for i in range(len(cells))):
            complaints.append(f"task, {answer} and check of {exercise.id} do not stand together")
    checks = [source for source in sources_of_code(notebook) if source.startswith("check(")]
    return complaints if len(checks) == len(ours) else [*complaints, f"{len(checks)} checks for {len(ours)} exercises"]


def nothing_is_started(path, notebook):
    return wrong_outcomes(notebook, "NOT STARTED\n")


def everything_passes(path, notebook):
    return wrong_outcomes(notebook, "PASS\n")


def wrong_outcomes(notebook, wanted):
    checks = [cell for cell in code_cells(notebook) if cell.source.startswith("check(")]
    return [f"{cell.source[:13]} printed {printed(cell)!r}" for cell in checks if printed(cell) != wanted]


OF_LESSONS = [
    it_opens_with_what_why_and_how_long,
    it_ends_with_questions_summary_and_the_next_lesson,
    exercises_stand_as_in_the_registry,
    nothing_is_started,
]
OF_SOLUTIONS = [solutions_stand_as_in_the_registry, everything_passes]

RULED = [(path, rule) for path in LESSONS for rule in EVERYWHERE + OF_LESSONS]
RULED += [(path, rule) for path in SOLUTIONS for rule in EVERYWHERE + OF_SOLUTIONS]


# ----------------------------------------------------------------- the tests


def read(path):
    return nbformat.read(path, as_version=4)


@pytest.mark.parametrize(("path", "rule"), RULED, ids=[f"{p.relative_to(NOTEBOOKS)}-{r.__name__}" for p, r in RULED])
def test_a_notebook_keeps_the_rule(path, rule):
    assert rule(path, read(path)) == []


def test_every_lesson_has_its_solutions_and_a_proper_name():
    assert LESSONS
    assert [path.name for path in LESSONS] == [path.name for path in SOLUTIONS]
    for path in LESSONS:
        assert re.fullmatch(r"\d\d_[a-z0-9_]+\.ipynb", path.name)
        nbformat.validate(read(path))


def test_every_exercise_belongs_to_a_lesson():
    assert {exercise.lesson for exercise in EXERCISES.values()} == {path.name[:2] for path in LESSONS}


def cell_with(notebook, word):
    return next(cell for cell in notebook.cells if word in cell.source)


def output(kind, **fields):
    return nbformat.v4.new_output(kind, **fields)


def html_output(text):
    return output("display_data", data={"text/html": text, "text/plain": ""})


def never_run(notebook):
    code_cells(notebook)[1].update(execution_count=None, outputs=[])


def run_twice(notebook):
    code_cells(notebook)[1].execution_count = 99


def other_kernel(notebook):
    notebook.metadata.kernelspec.name = "my-env"


def warning(notebook):
    code_cells(notebook)[1].outputs.append(output("stream", name="stderr", text="UserWarning: old"))


def error(notebook):
    code_cells(notebook)[1].outputs.append(output("error", ename="KeyError", evalue="'x'", traceback=[]))


def private(text):
    def breaks(notebook):
        code_cells(notebook)[1].outputs.append(output("stream", name="stdout", text=f"see {text} there"))

    return breaks


def private_source(notebook):
    code_cells(notebook)[1].source += '\nopen("/home/ann/keys.txt")'


def private_value(notebook):
    code_cells(notebook)[1].outputs.append(html_output("<pre>C:\\Users\\ann</pre>"))


def other_first_cell(notebook):
    code_cells(notebook)[0].source += "\n"


def widget_state(notebook):
    notebook.metadata.widgets = {"application/vnd.jupyter.widget-state+json": {}}


def widget_view(notebook):
    code_cells(notebook)[1].outputs.append(output("display_data", data={WIDGET_VIEW: {"model_id": "1"}}))


def timed(notebook):
    notebook.cells[1].metadata.execution = {"iopub.execute_input": "2026-01-01T00:00:00Z"}


def long_cell(notebook):
    code_cells(notebook)[1].source = "\n".join(["print(1)"] * 9)


def broken_link(notebook):
    notebook.cells[0].source += "\n[there](nowhere.md)"


def bare_image(notebook):
    code_cells(notebook)[1].outputs.append(html_output('<img src="data:image/png;base64,AAAA">'))


def no_bullets(notebook):
    notebook.cells[0].source = notebook.cells[0].source.replace("- ", "")


def no_minutes(notebook):
    notebook.cells[0].source = notebook.cells[0].source.replace("**About**", "")


def unfolded(notebook):
    cell = cell_with(notebook, "<details>")
    cell.source = cell.source.replace("<details>", "").replace("</details>", "")


def next_unwritten(notebook):
    cell = cell_with(notebook, "## What you learned")
    cell.source += "\n\nNext: [99 · Nothing](99_nothing.ipynb)"


def next_lost(notebook):
    cell = cell_with(notebook, "## What you learned")
    cell.source = cell.source.replace("Next: ", "")


def need_lost(notebook):
    notebook.cells[0].source = notebook.cells[0].source.replace("](0", "](x")


def point_lost(notebook):
    cell = cell_with(notebook, "## What you learned")
    cell.source = cell.source.replace("\n- ", "\n", 1)


def answer_changed(notebook):
    place = next(i for i, cell in enumerate(notebook.cells) if cell.source.startswith("check("))
    notebook.cells[place - 1].source += "\n"


def check_lost(notebook):
    notebook.cells.remove(cell_with(notebook, 'check("'))


def outcome(text):
    def breaks(notebook):
        cell_with(notebook, 'check("').outputs = [output("stream", name="stdout", text=text)]

    return breaks


PRIVATE_TEXTS = [
    "/home/ann/raglab/docs",
    "/Users/ann/raglab",
    r"C:\Users\ann",
    "sk-ant-api03",
    "test-key",
    "127.0.0.1",
    "localhost",
    ":8787",
    "http://mock:9000/v1",
    "<object at 0x7f3a12bc45d0>",
]

BROKEN = [
    (every_cell_ran_once_from_the_top, never_run),
    (every_cell_ran_once_from_the_top, run_twice),
    (the_kernel_is_python3, other_kernel),
    (nothing_is_on_stderr, warning),
    (errors_are_on_purpose, error),
    *((no_path_key_host_or_port, private(text)) for text in PRIVATE_TEXTS),
    (no_path_key_host_or_port, private_source),
    (no_path_key_host_or_port, private_value),
    (the_first_cell_is_the_same_everywhere, other_first_cell),
    (metadata_is_small_and_stable, widget_state),
    (metadata_is_small_and_stable, timed),
    (no_widget_is_kept, widget_view),
    (cells_are_short, long_cell),
    (links_lead_somewhere, broken_link),
    (images_have_a_description, bare_image),
    (it_opens_with_what_why_and_how_long, no_bullets),
    (it_opens_with_what_why_and_how_long, no_minutes),
    (it_opens_with_what_why_and_how_long, need_lost),
    (it_ends_with_questions_summary_and_the_next_lesson, unfolded),
    (it_ends_with_questions_summary_and_the_next_lesson, next_unwritten),
    (it_ends_with_questions_summary_and_the_next_lesson, next_lost),
    (it_ends_with_questions_summary_and_the_next_lesson, point_lost),
    (exercises_stand_as_in_the_registry, answer_changed),
    (exercises_stand_as_in_the_registry, check_lost),
    (nothing_is_started, outcome("PASS\n")),
    (solutions_stand_as_in_the_registry, answer_changed),
    (everything_passes, outcome("NOT STARTED\n")),
    (everything_passes, outcome("")),
]


@pytest.mark.parametrize(("rule", "breaks"), BROKEN, ids=[f"{rule.__name__}-{i}" for i, (rule, _) in enumerate(BROKEN)])
def test_the_rule_catches_a_broken_copy(rule, breaks, tmp_path):
    path = SOLUTIONS[1] if rule in OF_SOLUTIONS else LESSONS[1]  # a lesson with one before it and one after it
    notebook = read(path)
    assert rule(path, notebook) == []
    breaks(notebook)
    broken = tmp_path / path.name
    nbformat.write(notebook, broken)
    assert rule(path, read(broken)) != []


def test_every_rule_is_proved_by_a_broken_copy():
    assert {rule for rule, _ in BROKEN} == {*EVERYWHERE, *OF_LESSONS, *OF_SOLUTIONS}


def test_a_notebook_run_anew_by_refresh_is_the_committed_one(tmp_path):
    shutil.copy(SOLUTIONS[0], tmp_path)
    copy = tmp_path / SOLUTIONS[0].name
    notebook = read(copy)
    widget_state(notebook)
    timed(notebook)
    code_cells(notebook)[1].update(execution_count=7, outputs=[])
    nbformat.write(notebook, copy)
    run_refresh(copy)
    assert copy.read_bytes() == SOLUTIONS[0].read_bytes()


def test_refresh_leaves_a_notebook_that_fails_as_it_was(tmp_path):
    notebook = read(SOLUTIONS[0])
    code_cells(notebook)[1].source = "1 / 0"
    nbformat.write(notebook, tmp_path / "broken.ipynb")
    before = (tmp_path / "broken.ipynb").read_bytes()
    ran = run_refresh(tmp_path / "broken.ipynb", status=1)
    assert "left as it was" in ran.stderr and "ZeroDivisionError" in ran.stderr
    assert (tmp_path / "broken.ipynb").read_bytes() == before


def run_refresh(path, status=0):
    command = [sys.executable, Path(__file__).with_name("refresh.py"), path]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == status, ran.stdout + ran.stderr
    return ran


@pytest.mark.parametrize("changed", [False, True])
def test_nbval_catches_a_changed_output(changed, tmp_path):
    notebook = read(SOLUTIONS[0])
    if changed:
        cell_with(notebook, 'check("').outputs[0].text = "NOT STARTED\n"
    nbformat.write(notebook, tmp_path / "copy.ipynb")
    command = [sys.executable, "-m", "pytest", "--nbval", "--nbval-current-env", "-q", "-p", "no:cacheprovider"]
    ran = subprocess.run([*command, "copy.ipynb"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == (1 if changed else 0), ran.stdout[-2000:]
