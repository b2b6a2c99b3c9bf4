"""Requests per CPU second of mock_llm, beside three other mock servers in the same run.

    python -m benchmarks.mock_server --help

The processor time is that of the server's process, as the operating system accounts for it, so that a busy machine or
a slow client does not matter. The other servers are installed into a scratch folder, never into this environment.
"""

import asyncio
import contextlib
import itertools
import json
import platform
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import click
import psutil

CONNECTIONS = 16
HEADERS = "x-api-key: test-key\r\nauthorization: Bearer test-key\r\nanthropic-version: 2023-06-01\r\n"
WORD_MS = 40
SAME, NEW = "chat, short reply, the same request", "chat, short reply, each request new"
OPENING = "When does the tea room open on Sunday?"


class Peer(NamedTuple):
    """Another mock server: how it is installed into a folder, and how it is started there on a port."""

    install: Callable[[Path], None]
    command: Callable[[Path, int], list[str]]


def run(command: list[str], folder: Path) -> None:
    """Run a command of an installer, and say what it said if it fails."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise OSError(said[-1] if said else f"status {done.returncode}")


def in_venv(package: str) -> Callable[[Path], None]:
    """Install a package of PyPI into an environment of its own."""

    def install(folder: Path) -> None:
        if not program(folder, "pip").exists():
            run([sys.executable, "-m", "venv", "env"], folder)
        run([str(program(folder, "python")), "-m", "pip", "install", "--quiet", package], folder)

    return install


def from_npm(package: str) -> Callable[[Path], None]:
    """Install a package of npm."""

    def install(folder: Path) -> None:
        npm = shutil.which("npm")
        if npm is None:
            raise OSError("there is no npm on this machine")
        run([npm, "install", "--no-save", "--prefix", str(folder), package], folder)

    return install


def program(folder: Path, name: str) -> Path:
    """A program of the environment in a folder."""
    windows = sys.platform == "win32"
    return folder / "env" / ("Scripts" if windows else "bin") / (f"{name}.exe" if windows else name)


def mocktopus(folder: Path, port: int) -> list[str]:
    scenario = folder / "scenario.yaml"
    scenario.write_text(
        "version: 1\nrules:\n  - type: llm.openai\n    when: {model: '*', messages_contains: hello}\n"
        "    respond: {content: 'Hello! How can I help you today?', usage: {input_tokens: 10, output_tokens: 8}}\n"
    )
    return [str(program(folder, "mocktopus")), "serve", "--scenario", str(scenario), "--port", str(port)]


def stubllm(folder: Path, port: int) -> list[str]:
    fixture = folder / "fixture.yaml"
    fixture.write_text(
        "fixtures:\n  - name: hello\n    match: {messages: [{role: user, content: {contains: hello}}]}\n"
        "    response: {content: 'Hello! How can I help you today?'}\n"
    )
    stub = [str(program(folder, "stubllm")), "serve", "--log-level", "critical"]
    return [*stub, "--fixture-file", str(fixture), "--port", str(port)]


def aimock(folder: Path, port: int) -> list[str]:
    fixture = folder / "fixture.json"
    hello = {"match": {"userMessage": "hello"}, "response": {"content": "Hello! How can I help you today?"}}
    fixture.write_text(json.dumps({"fixtures": [hello]}))
    script = folder / "node_modules/@copilotkit/aimock/dist/cli.js"
    options = ["--log-level", "silent", "--fixtures", str(fixture), "--port", str(port)]
    return [shutil.which("node") or "node", str(script), *options]


# To add one, write its command and add a line here.
PEERS = {
    "mocktopus 0.2.0": Peer(in_venv("mocktopus==0.2.0"), mocktopus),
    "stubllm 0.1.5": Peer(in_venv("stubllm==0.1.5"), stubllm),
    "aimock 1.43.0": Peer(from_npm("@copilotkit/aimock@1.43.0"), aimock),
}


def ours(port: int, delay_ms: int = 0) -> list[str]:
    return [sys.executable, "-m", "mock_llm", "--port", str(port), "--delay-ms", str(delay_ms)]


@contextlib.contextmanager
def serving(command: Callable[[int], list[str]]) -> Iterator[tuple[int, psutil.Process]]:
    """A server in a process of its own: its port and its process."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    process = subprocess.Popen(command(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            if process.poll() is not None:
                raise OSError(f"it ended by itself with status {process.returncode}")
            time.sleep(0.05)
        else:
            raise OSError("it did not listen within 30 seconds")
        yield port, psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(timeout=20)


def cpu_seconds(server: psutil.Process) -> float:
    """Processor time of a server and its children so far."""
    times = [one.cpu_times() for one in (server, *server.children(recursive=True))]
    return sum(one.user + one.system for one in times)


def chat(model: str, text: str, **fields: object) -> dict[str, object]:
    return {"model": model, "max_tokens": 1024, "messages": [{"role": "user", "content": text}], **fields}


def grounded_prompt(passages: int = 8, words: int = 100) -> str:
    """Passages of whole sentences, and a question that the last but one answers."""
    filler = "The reading group meets in the small hall after lunch and talks about one book. "
    texts = [" ".join((filler * (words // 15 + 1)).split()[:words]) + "." for _ in range(passages)]
    texts[-2] = "The tea room opens at 8 on Sunday. " + " ".join(texts[-2].split()[8:])
    block = "\n\n".join(f"[{n}] (source: f{n}.md) {text}" for n, text in enumerate(texts, 1))
    return f"Context:\n{block}\n\nQuestion: {OPENING}"


async def post(port: int, path: str, body: bytes, times: int, number: Iterator[int] | None = None) -> bytes:
    """Send a request many times over one connection, each time with a number of its own if there are numbers."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\n{HEADERS}content-type: application/json\r\n"
    answer = b""
    for _ in range(times):
        sent = body if number is None else body.replace(b"hello", b"hello %d" % next(number))
        writer.write(f"{head}content-length: {len(sent)}\r\n\r\n".encode() + sent)
        answer = await _response(reader)
    writer.close()
    return answer


async def _response(reader: asyncio.StreamReader) -> bytes:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    if not head.startswith(b"http/1.1 200"):
        raise OSError(f"it answered {head.splitlines()[0].decode()}")
    if b"transfer-encoding: chunked" not in head:
        return await reader.readexactly(int(head.partition(b"content-length:")[2].partition(b"\r\n")[0]))
    body = b""
    while size := int(await reader.readline(), 16):
        body += (await reader.readexactly(size + 2))[:-2]
    await reader.readline()
    return body


async def rate(port: int, server: psutil.Process, row: "Row", requests: int) -> float:
    """Requests per CPU second of the server, after a warm-up."""
    raw, number = json.dumps(row.body).encode(), itertools.count() if row.numbered else None
    await asyncio.gather(*(post(port, row.path, raw, 50, number) for _ in range(CONNECTIONS)))
    before = cpu_seconds(server)
    await asyncio.gather(*(post(port, row.path, raw, requests // CONNECTIONS, number) for _ in range(CONNECTIONS)))
    spent = cpu_seconds(server) - before
    if not spent:
        raise OSError(f"{requests} requests are too few to be measured")
    return requests / spent


async def one_stream(port: int, raw: bytes) -> list[float]:
    """When each piece of text of a stream came, in seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\n{HEADERS}content-length: {len(raw)}\r\n\r\n"
    writer.write(head.encode() + raw)
    clock, came = asyncio.get_running_loop().time, []
    while line := await reader.readline():
        if line.startswith(b"event: content_block_delta"):
            came.append(clock())
        elif line.startswith(b"event: message_stop"):
            break
    writer.close()
    return came


async def streams(port: int, server: psutil.Process, number: int) -> tuple[float, float, int]:
    """The worst stream's error against its own schedule, the worst piece's delay in seconds, and memory in bytes."""
    raw = json.dumps(chat("mock-reader", "hello", stream=True)).encode()
    work = asyncio.gather(*(one_stream(port, raw) for _ in range(number)))
    memory = 0
    while not work.done():
        memory = max(memory, server.memory_info().rss)
        await asyncio.sleep(0.2)
    error, late = 0.0, 0.0
    for came in await work:
        due = WORD_MS / 1000 * (len(came) - 1)
        error = max(error, abs(came[-1] - came[0] - due) / due)
        late = max(late, *(abs(at - came[0] - WORD_MS / 1000 * i) for i, at in enumerate(came)))
    return error, late, memory


def installed(scratch: Path) -> dict[str, Callable[[int], list[str]] | str]:
    """The command of each other server, or why there is none."""
    found: dict[str, Callable[[int], list[str]] | str] = {}
    for name, peer in PEERS.items():
        folder = scratch / name.split()[0]
        folder.mkdir(parents=True, exist_ok=True)
        click.echo(f"installing {name} …", err=True)
        try:
            peer.install(folder)
        except OSError as error:
            found[name] = f"cannot be installed here: {error}"
        else:
            found[name] = lambda port, peer=peer, folder=folder: peer.command(folder, port)
    return found


class Row(NamedTuple):
    """One row of the table: a server, what is asked of it, and where."""

    name: str
    work: str
    command: Callable[[int], list[str]] | str  # or why there is none
    path: str
    body: dict[str, object]
    numbered: bool = False  # each request has a number of its own


def measured(rows: list[Row], requests: int, rounds: int) -> dict[tuple[str, str], float | str]:
    """The median rate of each row. The servers take turns, so that a disturbance meets all of them."""
    rates: dict[tuple[str, str], list[float]] = {(row.name, row.work): [] for row in rows}
    faults: dict[tuple[str, str], str] = {}
    for _ in range(rounds):
        for row in rows:
            key = (row.name, row.work)
            if isinstance(row.command, str):
                faults[key] = row.command
                continue
            try:
                with serving(row.command) as (port, server):
                    rates[key].append(asyncio.run(rate(port, server, row, requests)))
            except (OSError, asyncio.IncompleteReadError) as error:
                faults[key] = f"failed: {error}"
    return {key: faults.get(key) or statistics.median(found) for key, found in rates.items()}


def table(rows: list[Row], results: dict[tuple[str, str], float | str]) -> Iterator[str]:
    """The results as a table of Markdown."""
    yield "| work | server | requests per CPU second | against the best other server |"
    yield "|---|---|---:|---:|"
    for row in rows:
        value = results[row.name, row.work]
        peers = [results[name, row.work] for name in PEERS if (name, row.work) in results]
        best = max((one for one in peers if isinstance(one, float)), default=None)
        if isinstance(value, str):
            yield f"| {row.work} | {row.name} | {value} | |"
        else:
            yield f"| {row.work} | {row.name} | {value:,.0f} | {f'{value / best:.2f}×' if best else ''} |"


@click.command(context_settings={"show_default": True})
@click.option("--requests", default=16_000, help="Requests per round for each row.")
@click.option("--rounds", default=3, help="Rounds; the median counts.")
@click.option("--streams", "number", default=500, help="Streams that are open at once.")
@click.option("--peers/--no-peers", default=True, help="Measure the other servers too.")
@click.option("--scratch", type=click.Path(path_type=Path), help="Where they are installed.  [default: a new folder]")
def main(requests: int, rounds: int, number: int, peers: bool, scratch: Path | None) -> None:
    """Requests per CPU second of mock_llm and of other mock servers, as a table of Markdown."""
    path, hello = "/v1/chat/completions", chat("gpt-4o", "hello")
    with contextlib.ExitStack() as stack:
        if scratch is None:
            scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mock_server_")))
        others = installed(scratch.resolve()) if peers else {}
        servers = {"mock_llm": ours, **others}
        rows = [
            *(Row(name, SAME, command, path, hello) for name, command in servers.items()),
            *(Row(name, NEW, command, path, hello, numbered=True) for name, command in servers.items()),
            Row("mock_llm", "messages, the same request", ours, "/v1/messages", chat("mock-reader", "hello")),
            Row("mock_llm", "messages, 8 passages of 100 words, each request new", ours, "/v1/messages",
                chat("mock-reader", "hello\n\n" + grounded_prompt()), numbered=True),
        ]  # fmt: skip
        results = measured(rows, requests, rounds)
    with serving(lambda port: ours(port, WORD_MS)) as (port, server):
        error, late, memory = asyncio.run(streams(port, server, number))
    click.echo("\n".join(table(rows, results)))
    click.echo(
        f"\n{number} streams at once, {WORD_MS} ms a word: the worst is {error:.1%} off its own schedule, ", nl=False
    )
    click.echo(f"the latest piece {late * 1000:.0f} ms late; the server takes {memory / 1e6:.0f} MB.")
    click.echo(
        f"\n{platform.system()}, {platform.machine()}, {psutil.cpu_count()} cores, Python {platform.python_version()}"
    )


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.mock_server")
