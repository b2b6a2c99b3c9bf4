"""Lessons in a real browser: JupyterLab opens them, runs every cell, and shows what the committed page shows.

It works on a copy of the checkout, so that no lesson and no progress of the person who runs it is touched. Pictures
are kept in tests/browser/screenshots, to be looked at.
"""

import importlib.util
import os
import re
import shutil
import sys
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
PICTURES = Path(__file__).parent / "screenshots"
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync""".split()
LAPTOP = {"width": 1366, "height": 768}
IDLE = "Python 3 (ipykernel) | Idle"  # in the status bar
TALLEST = 16_000  # pixels; browsers draw no taller picture
LESSONS = [path for path in sorted((ROOT / "notebooks").glob("*.ipynb")) if path.name[:2] in ("00", "07", "11", "17")]

LACKING = [
    *(["playwright is not installed"] if not importlib.util.find_spec("playwright") else []),
    *(["there is no chromium"] if not BROWSER else []),
]
pytestmark = pytest.mark.skipif(bool(LACKING), reason=" and ".join(LACKING) or "nothing is lacking")


@pytest.fixture(scope="module")
def course(running_course, tmp_path_factory):
    """The course, started from a copy of its own."""
    copy = tmp_path_factory.mktemp("checkout")
    junk = shutil.ignore_patterns("__pycache__", ".*")
    for name in ("notebooks", "raglab", "mock_llm", "docs"):
        shutil.copytree(ROOT / name, copy / name, ignore=junk)
    # The copy's packages come before the installed ones, in JupyterLab's kernels as well.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(copy), os.environ.get("PYTHONPATH", "")])}
    environment["JUPYTER_CONFIG_DIR"] = environment["JUPYTERLAB_SETTINGS_DIR"] = str(copy / "settings")
    environment["JUPYTERLAB_WORKSPACES_DIR"] = str(copy / "workspaces")
    command = [sys.executable, "-m", "raglab", "start", "--no-browser"]
    with running_course(command, cwd=copy, env=environment) as running:
        yield running


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=BROWSER, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser, course):
    """A tab as wide as a laptop, with a watch on what its console calls an error."""
    context = browser.new_context(viewport=LAPTOP, reduced_motion="reduce")
    context.set_default_timeout(60_000)
    page = context.new_page()
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    yield page
    PICTURES.mkdir(exist_ok=True)
    page.screenshot(path=PICTURES / "last.png")  # where it stood, if it failed
    context.close()


def open_lesson(page, course, name):
    # A workspace of its own: the common one would open the lessons of earlier tests again.
    page.goto(f"{course.address}/lab/workspaces/{name[:2]}/tree/notebooks/{name}?token={course.token}")
    page.locator(".jp-Notebook .jp-CodeCell").first.wait_for()
    page.get_by_text(IDLE).wait_for()  # before that, to run a cell asks which kernel is wanted


def choose(page, menu, entry):
    """An entry of the menu bar."""
    page.get_by_role("menuitem", name=menu, exact=True).click()
    page.locator(".lm-Menu-itemLabel").get_by_text(entry, exact=True).click()


def run_all(page):
    """Run every cell, and wait until each has its number."""
    choose(page, "Edit", "Clear Outputs of All Cells")
    assert page.locator(".jp-OutputArea-output").count() == 0
    choose(page, "Run", "Run All Cells")
    page.wait_for_function(
        """() => [...document.querySelectorAll('.jp-Notebook .jp-CodeCell .jp-InputPrompt')]
                 .every(prompt => /^\\[\\d+\\]:$/.test(prompt.textContent.trim()))""",
        polling=250,
    )
    page.get_by_text(IDLE).wait_for()


def save(page, course, name):
    """The notebook as JupyterLab writes it."""
    choose(page, "File", "Save Notebook")
    page.locator(".lm-TabBar-tab.jp-mod-dirty").wait_for(state="detached")
    return nbformat.from_dict(course.lab(f"contents/notebooks/{name}")["content"])


def take_picture(page, name):
    """The whole lesson in one picture: in a window so tall that nothing is left to scroll."""
    PICTURES.mkdir(exist_ok=True)
    page.set_viewport_size({**LAPTOP, "height": TALLEST})
    page.evaluate("() => document.querySelector('.jp-WindowedPanel-outer').scrollTo(0, 0)")
    page.wait_for_function("() => document.querySelector('.jp-Notebook .jp-Cell').getBoundingClientRect().top > 0")
    end = page.evaluate("() => [...document.querySelectorAll('.jp-Notebook .jp-Cell')].pop().getBoundingClientRect()")
    page.screenshot(path=PICTURES / f"{name}.png", clip={"x": 0, "y": 0, "width": 1366, "height": end["bottom"] + 20})
    page.set_viewport_size(LAPTOP)


def too_wide(page):
    """The beginning of each output that a laptop's screen cuts off."""
    return page.evaluate(
        """() => [...document.querySelectorAll('.jp-Notebook .jp-OutputArea-output, .jp-Notebook .jp-MarkdownOutput')]
                 .filter(area => area.scrollWidth > area.clientWidth + 1)
                 .map(area => area.textContent.trim().slice(0, 60))"""
    )


def shown_text(notebook):
    """What each code cell prints or shows as plain text."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [
        "".join("".join(output.get("text") or output.get("data", {}).get("text/plain", "")) for output in cell.outputs)
        for cell in cells
        if "NBVAL_IGNORE_OUTPUT" not in cell.source
    ]


def panel(page):
    """The lesson's widget, in a window so tall that JupyterLab draws every cell."""
    page.set_viewport_size({**LAPTOP, "height": TALLEST})
    return page.locator(".jp-Notebook .widget-vbox").first


def move_the_threshold(page):
    slider = panel(page)
    expect = playwright_expect()
    expect(slider).to_contain_text("0.05: 0 of 14 covered questions refused, 3 of 7 others answered")
    slider.get_by_role("slider").focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    expect(slider).to_contain_text("0.35: 7 of 14 covered questions refused, 2 of 7 others answered")
    expect(slider.get_by_alt_text(re.compile("^0.35: 7 of 14"))).to_be_visible()
    picture_of(slider, "07_slider")


def choose_another_order(page):
    inspector = panel(page)
    expect = playwright_expect()
    expect(inspector).to_contain_text("The same as at the start.")
    inspector.get_by_label("order").select_option("edge")
    expect(inspector).to_contain_text("+[4] Source: backups.md")
    inspector.get_by_label("style").select_option("tagged")
    expect(inspector).to_contain_text('<source id="')
    picture_of(inspector, "11_inspector")


def ask_the_help_desk(page):
    desk = panel(page)
    expect = playwright_expect()
    desk.get_by_placeholder("Type a question").fill("How long are backups kept?")
    page.keyboard.press("Enter")
    expect(desk).to_contain_text("Backups are kept for 30 days in a second building. [1]")
    expect(desk).to_contain_text("answered, ")
    passage = desk.get_by_text("Rainkeep saves the files and databases of each site")
    expect(passage).not_to_be_visible()
    desk.get_by_text("[1] backups.md > How often (cited").click()
    expect(passage).to_be_visible()
    picture_of(desk, "17_desk_answered")
    desk.get_by_label("Model").select_option("misnumbering")
    desk.get_by_role("button", name="Ask").click()
    expect(desk).to_contain_text("needs_review, ")
    desk.get_by_text("Held back").click()
    expect(desk.get_by_text("Backups are kept for 31 days in a second building. [1]")).to_be_visible()
    expect(desk.get_by_role("row", name="How long are backups kept? needs_review")).to_be_visible()
    picture_of(desk, "17_desk_held_back")


CONTROLS = {"07": move_the_threshold, "11": choose_another_order, "17": ask_the_help_desk}


def playwright_expect():
    from playwright.sync_api import expect

    return expect


def picture_of(element, name):
    PICTURES.mkdir(exist_ok=True)
    element.screenshot(path=PICTURES / f"{name}.png")


@pytest.mark.parametrize("lesson", LESSONS, ids=[path.stem for path in LESSONS])
def test_a_lesson_runs_whole_and_shows_what_the_committed_page_shows(page, course, lesson):
    open_lesson(page, course, lesson.name)
    run_all(page)
    take_picture(page, lesson.stem)
    committed, now = nbformat.read(lesson, as_version=4), save(page, course, lesson.name)
    assert page.locator(".jp-Notebook .jp-Cell").count() == len(committed.cells)
    assert shown_text(now) == shown_text(committed)
    assert too_wide(page) == []
    assert page.errors == []
    broken = page.locator(".jp-Notebook").get_by_text(re.compile("Error displaying widget|Javascript Error|Error rend"))
    assert broken.count() == 0
    if lesson.name[:2] in CONTROLS:
        CONTROLS[lesson.name[:2]](page)
        assert page.errors == []
