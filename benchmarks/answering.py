"""Prompt, citations, checks and answer around a model that costs nothing: raglab beside three frameworks in one run.

    python -m benchmarks.answering --help

Two tables. The first says how long a question over four passages takes. The second gives each system the same
replies of a model, most of them bad, and says what it shows to the person who asked. The frameworks are installed into
a scratch folder, never into this environment.
"""

import contextlib
import importlib.metadata
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from benchmarks.answering_systems import WARM_UP
from raglab import TAGGED, is_refusal

PACKAGES = {"langchain": "langchain-classic", "llamaindex": "llama-index-core", "haystack": "haystack-ai"}
PINS = {"langchain-classic": "1.0.8", "llama-index-core": "0.14.25", "haystack-ai": "3.4.1"}
TITLES = {
    "raglab": "raglab",
    "langchain": "LangChain, stuff chain",
    "llamaindex": "LlamaIndex, CitationQueryEngine",
    "haystack": "Haystack, pipeline",
}
STYLES = ("numbered", "bracketed", "helpdesk", "tagged", "documents")
ROUNDS = 4  # the systems take turns, so that a disturbance meets all of them

FEES = [
    ["fees.md", "The membership fee is 10 dollars a month. Students pay 5 dollars, and children under 12 pay nothing. "
     "The fee is due on the first day of each month, by card or at the desk."],
    ["hours.md", "The library opens at 8 AM from Monday to Friday. On Saturday it opens at 10 AM and closes at 4 PM. "
     "It is closed on Sunday and on public holidays."],
    ["visits.md", "Guests may come twice a month for free. After that a visit costs 3 dollars. Bring a card."],
    ["rooms.md", "The reading room has 40 seats and two printers. A page costs 10 cents. Book a room for 2 hours."],
]  # fmt: skip
REPLIES = {
    "number": "In {year} the membership fee is 10 dollars a month [1]. Guests may come twice [3].",
    "id": "In {year} the membership fee is 10 dollars a month [fees.md#0]. Guests may come twice [visits.md#0].",
    "block": "In {year} the membership fee is 10 dollars a month.",
}
GRAMMARS = {"bracketed": "id", "tagged": "id", "documents": "block"}


class Case(NamedTuple):
    """A reply of the model, and what a person should see of it."""

    kind: str
    reply: str
    right: str  # "shown", "refused", or "withheld": not shown as an answer
    cited: tuple[int, ...] = ()  # the sources that belong under the answer
    source: str = "Rooms open at 8."  # text of the first passage
    question: str = "What do the documents say?"
    passages: int = 4


REFUSAL = "I don't know based on the provided documents."
CASES = (
    Case("numbers beyond the passages", "Rooms open at 8 [5, 7].", "withheld"),
    Case("number 0", "Rooms open at 8 [0].", "withheld", passages=3),
    Case("range", "All agree [1-3].", "shown", (1, 2, 3)),
    Case("range with a dash", "All agree [1–3].", "shown", (1, 2, 3)),
    Case("reversed range", "All agree [3-1].", "withheld"),
    Case("endless range", "All agree [1-999999999].", "withheld"),
    Case("full-width comma", "Rooms open at 8 [1，2].", "shown", (1, 2)),
    Case("CJK brackets", "All agree 【2】.", "shown", (2,)),
    Case("doubled brackets", "All agree [[2]].", "shown", (2,)),
    Case("blanks inside", "Rooms open at 8 [ 1 ].", "shown", (1,)),
    Case("index in a code fence", "```\nrows[1]\n```\ndone [2].", "shown", (2,)),
    Case("index in inline code", "Set `a[2] = b` [1].", "shown", (1,)),
    Case("link", "All agree, see [1](https://example.org).", "withheld"),
    Case("footnote mark", "The fee is due [^1].", "withheld"),
    Case("parentheses", "The fee is due (1).", "withheld"),
    Case("two digits", "All agree [11].", "shown", (11,), passages=12),
    Case("marker after the full stop", "Rooms open at 8. [1]", "shown", (1,)),
    Case("no marker at all", "Rooms open at 8.", "withheld"),
    Case("thousands", "It costs 1200 dollars [1].", "shown", (1,), "It costs 1,200.00 dollars."),
    Case("part of a number", "There are 200 members [1].", "withheld", source="There are 1,200 members."),
    Case("another unit", "It saved $35 [1].", "withheld", source="It is 35% faster."),
    Case("another version", "Use version 2.1 [1].", "withheld", source="Use version 2.10."),
    Case("magnitude", "It has 890,000,000 users [1].", "shown", (1,), "It has 890 million users."),
    Case("number words", "It takes nine to twelve days [1].", "shown", (1,), "It takes from 9 to 12 days."),
    Case("half of the day", "It closes at 9 AM [1].", "withheld", source="It closes at 9 PM."),
    Case("a sum", "There were 30 in total [1].", "withheld", source="There were 10 in May, 20 in June."),
    Case("a version as a price", "It costs 1.2 dollars [1].", "withheld", source="Get v1.2 of the tool."),
    Case("a lost minus", "It is 5 °C [1].", "withheld", source="It is −5 °C."),
    Case("number of the question", "20 % is enough [1].", "shown", (1,), question="Is 20 % enough?"),
    Case("list numbers", "1. Open the lid [1].\n2. Close it [1].", "shown", (1,)),
    Case("abbreviations", "Ask Dr. Lim, e.g. by mail [1].", "shown", (1,)),
    Case("nothing", "", "withheld"),
    Case("only a marker", "[1]", "withheld"),
    Case("refusal", REFUSAL, "refused"),
    Case("refusal, dressed up", "**I don’t know based on the provided documents**\n", "refused"),
    Case("padded refusal", f"{REFUSAL} Usually it is 20.", "withheld"),
    Case("refusal in quotes", f'The sign says "{REFUSAL}" [1]', "shown", (1,)),
)  # fmt: skip


class System:
    """One system in a process of its own, asked line by line."""

    def __init__(self, name: str, python: str, folder: Path) -> None:
        script = Path(__file__).with_name("answering_systems.py")
        settings = {"HAYSTACK_TELEMETRY_ENABLED": "False", "LANGSMITH_TRACING": "false", "LC_ALL": "C.UTF-8"}
        self.name = name
        self.process = subprocess.Popen(
            [python, str(script), name], cwd=folder, env={**os.environ, **settings}, text=True, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def ask(self, **request: Any) -> dict[str, Any]:
        """Send a request; OSError if the system gives no answer."""
        assert self.process.stdin and self.process.stdout
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps(request), file=self.process.stdin, flush=True)
        line = self.process.stdout.readline()
        if not line:
            raise OSError(f"{self.name} ended with status {self.process.wait()}")
        return json.loads(line)

    def close(self) -> None:
        """End the process."""
        self.process.communicate()


def install(folder: Path) -> str:
    """The Python of an environment that holds the frameworks."""
    python = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    packages = [f"{name}=={version}" for name, version in PINS.items()]
    click.echo("installing the frameworks …", err=True)
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder / "env")], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True, stdout=sys.stderr)
    except subprocess.CalledProcessError as error:
        raise click.ClickException("The frameworks cannot be installed here; run it with --no-peers.") from error
    return str(python)


def calls(style: str, number: int, start: int) -> list[tuple[str, str]]:
    """Questions with their replies, each another one, so that no cache helps."""
    reply = REPLIES[GRAMMARS.get(style, "number")]
    years = range(start, start + number)
    return [(f"What is the membership fee in {year}?", reply.format(year=year)) for year in years]


def timed(systems: Sequence[System], number: int) -> dict[str, list[float] | str]:
    """The time of each call in seconds, or why there is none."""
    runs = {f"raglab, {style.upper()}": (systems[0], style) for style in STYLES}
    runs |= {TITLES[system.name]: (system, "numbered") for system in systems[1:]}
    taken: dict[str, list[float] | str] = {title: [] for title in runs}
    for part in range(ROUNDS):
        for title, (system, style) in runs.items():
            settings = {"style": style} if system.name == "raglab" else {}
            each = number // ROUNDS + WARM_UP
            asked = calls(style, each, 1000 + part * each)
            result = system.ask(passages=FEES, settings=settings, calls=asked)
            so_far = taken[title]
            taken[title] = (
                result["error"] if isinstance(so_far, str) or "error" in result else [*so_far, *result["seconds"]]
            )
    return taken


def times_table(taken: dict[str, list[float] | str]) -> Iterator[str]:
    """Median and 95th percentile of each system, and how many times longer the fastest framework takes."""
    medians = {title: statistics.median(each) for title, each in taken.items() if not isinstance(each, str)}
    fastest = min((each for title, each in medians.items() if not title.startswith("raglab")), default=None)
    yield "| system | median, ms | 95 % within, ms | the fastest framework takes |"
    yield "|---|---:|---:|---:|"
    for title, each in taken.items():
        if isinstance(each, str):
            yield f"| {title} | {each} | | |"
            continue
        p95 = statistics.quantiles(each, n=20)[-1]
        ratio = f"{fastest / medians[title]:.1f}×" if fastest else ""
        yield f"| {title} | {1000 * medians[title]:.3f} | {1000 * p95:.3f} | {ratio} |"


def outcome(shown: dict[str, Any]) -> tuple[str, tuple[int, ...]]:
    """What the person sees: a framework that gives the words of a refusal refuses, every other text is an answer."""
    if "error" in shown:
        return shown["error"], ()
    refused = is_refusal(shown["text"], "numbered")
    return shown.get("status") or ("refused" if refused else "shown"), tuple(shown["cited"])


def said(status: str, cited: Sequence[int]) -> str:
    numbers = "all 12" if len(cited) == 12 else ", ".join(map(str, cited))
    return f"{status} [{numbers}]" if cited else status


def verdicts(systems: Sequence[System]) -> Iterator[str]:
    """Every case: the right outcome, and that of each system, in bold where it is another."""
    yield f"| kind | reply | right | {' | '.join(TITLES[system.name].partition(',')[0] for system in systems)} |"
    yield "|---" * (3 + len(systems)) + "|"
    right = dict.fromkeys((system.name for system in systems), 0)
    for case in CASES:
        passages = [["a.md", case.source]] + [[f"{n}.md", f"Shelf {n} is full."] for n in range(2, case.passages + 1)]
        cells = []
        for system in systems:
            settings = {"checks": TAGGED.checks} if system.name == "raglab" else {}
            request = {"passages": passages, "settings": settings, "question": case.question, "reply": case.reply}
            found = outcome(system.ask(**request))
            right[system.name] += found == (case.right, case.cited)
            cells.append(said(*found) if found == (case.right, case.cited) else f"**{said(*found)}**")
        reply = " ".join(case.reply.split()).replace("|", "\\|")
        code = f"`` {reply} ``" if "`" in reply else f"`{reply}`" if reply else "(empty)"
        yield f"| {case.kind} | {code} | {said(case.right, case.cited)} | {' | '.join(cells)} |"
    yield f"| **right of {len(CASES)}** | | | {' | '.join(str(each) for each in right.values())} |"


@click.command(context_settings={"show_default": True})
@click.option("--calls", "number", type=click.IntRange(8), default=2_000, help="Calls of each system.")
@click.option("--peers/--no-peers", default=True, help="Measure the frameworks too.")
@click.option("--scratch", type=click.Path(path_type=Path), help="Where they are installed.  [default: a new folder]")
def main(number: int, peers: bool, scratch: Path | None) -> None:
    """What raglab and three frameworks take for an answer, and what they show of bad replies, as Markdown tables."""
    with contextlib.ExitStack() as stack:
        if scratch is None:
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="answering_")))
        scratch.mkdir(parents=True, exist_ok=True)
        python = install(scratch.resolve()) if peers else ""
        names = {"raglab": sys.executable, **(dict.fromkeys(PACKAGES, python) if peers else {})}
        systems = [System(name, program, scratch) for name, program in names.items()]
        for system in systems:
            stack.callback(system.close)
        click.echo("\n".join(times_table(timed(systems, number))) + "\n")
        click.echo("\n".join(verdicts(systems)))
    versions = {"raglab": importlib.metadata.version("raglab"), **(PINS if peers else {})}
    click.echo("\n" + ", ".join(f"{name} {version}" for name, version in versions.items()))
    click.echo(f"{platform.system()}, {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}")


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.answering")
