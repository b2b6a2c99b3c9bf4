"""Many requests from many connections, with faults scripted in between: none lost, none answered twice, memory flat.

    python -m benchmarks.mock_load --help

Every request carries a number, and its reply must say that number. A request that meets a fault is sent again. At the
end the server's log must tell of as many calls of each kind as the clients have seen. Status 1 if anything is wrong.
"""

import asyncio
import contextlib
import itertools
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import click
import psutil

HEADERS = "host: 127.0.0.1\r\nx-api-key: test-key\r\nanthropic-version: x\r\ncontent-type: application/json\r\n"
FAULTS = [
    {"status": 529},
    {"malformed": True},
    {"status": 429, "retry_after": 0},
    {"latency_ms": 30},
    {"cut_stream_after": 2},
    {"status": 500, "malformed": True},
]
FLAT = 16_000_000  # bytes that the server may grow by after its first fifth


class Client:
    """One connection, made again where the server hung up."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.open: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: object) -> tuple[int, bytes, bool]:
        """Status, body, and whether it was complete."""
        if self.open is None or self.open[1].is_closing():
            self.open = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.open
        raw = json.dumps(body).encode()
        writer.write(f"POST {path} HTTP/1.1\r\n{HEADERS}content-length: {len(raw)}\r\n\r\n".encode() + raw)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        status = int(head.split(b" ", 2)[1])
        if length := re.search(rb"content-length: (\d+)", head):
            return status, await reader.readexactly(int(length[1])), True
        answer = b""
        try:
            while size := int(await reader.readuntil(b"\r\n"), 16):
                answer += (await reader.readexactly(size + 2))[:-2]
            await reader.readexactly(2)
        except asyncio.IncompleteReadError:
            self.close()
            return status, answer, False
        return status, answer, True

    def close(self) -> None:
        if self.open is not None:
            self.open[1].close()
            self.open = None


def ticket(number: int) -> dict[str, object]:
    """A request that only the reply with this number answers. Every third one is a stream."""
    passages = f"[1] (source: a.md) Trams are green.\n\n[2] (source: b.md) Ticket {number} costs {number} dollars."
    prompt = f"Context:\n{passages}\n\nQuestion: What does ticket {number} cost?"
    messages = [{"role": "user", "content": prompt}]
    return {"model": "mock-reader", "max_tokens": 100, "messages": messages, "stream": number % 3 == 0}


def text_of(answer: bytes, stream: bool) -> str | None:
    """The text of a reply; None where its JSON is broken."""
    try:
        if not stream:
            return json.loads(answer)["content"][0]["text"]
        events = [json.loads(line[6:]) for line in answer.split(b"\n") if line.startswith(b"data: ")]
        return "".join(event["delta"]["text"] for event in events if event["type"] == "content_block_delta")
    except ValueError:
        return None


async def send_all(
    port: int, requests: int, connections: int, server: psutil.Process
) -> tuple[Counter[int], Counter[int], int]:
    """Calls seen of each status, complete and right replies of each number, and the growth of the server in bytes."""
    numbers = iter(range(requests))
    seen: Counter[int] = Counter()
    done: Counter[int] = Counter()
    faults = itertools.cycle(FAULTS)
    early = 0

    async def work() -> None:
        nonlocal early
        client = Client(port)
        for number in numbers:
            body = ticket(number)
            if number % 40 == 7:
                status, _, _ = await client.post("/_mock/script", [next(faults)])
                assert status == 200, f"the script was answered with {status}"
            if number == requests // 5:
                early = server.memory_info().rss
            while not done[number]:
                status, answer, complete = await client.post("/v1/messages", body)
                seen[status] += 1
                text = text_of(answer, bool(body["stream"])) if status == 200 and complete else None
                if text is not None:
                    assert text == f"Ticket {number} costs {number} dollars. [2]", f"request {number} got {text!r}"
                    done[number] += 1
        client.close()

    await asyncio.gather(*(work() for _ in range(connections)))
    return seen, done, server.memory_info().rss - early


@contextlib.contextmanager
def logged_server(log: Path) -> Iterator[tuple[int, psutil.Process]]:
    """A server in a process of its own that logs to a file: its port and its process."""
    with log.open("w") as lines:
        command = [sys.executable, "-m", "mock_llm", "--port", "0", "--delay-ms", "0", "--log"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=lines, text=True)
        try:
            assert process.stdout is not None  # it is a pipe
            said = process.stdout.readline()
            found = re.search(r":(\d+) ", said)
            assert found, f"the server did not name its port but said {said!r}"
            yield int(found[1]), psutil.Process(process.pid)
        finally:
            process.terminate()
            process.communicate(timeout=20)


@click.command(context_settings={"show_default": True})
@click.option("--requests", default=10_000, help="Requests in all.")
@click.option("--connections", default=64, help="Connections that send them.")
def main(requests: int, connections: int) -> None:
    """Send numbered requests with faults in between, and check that none is lost or answered twice."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        with logged_server(log) as (port, server):
            seen, done, growth = asyncio.run(send_all(port, requests, connections, server))
        logged = Counter(int(line[:3]) for line in log.read_text(encoding="utf-8").splitlines())
    faults = {
        "lost or answered twice": done != Counter(range(requests)),
        "the log tells of other calls than the clients": logged != seen,
        f"the server grew by {growth / 1e6:.1f} MB": growth > FLAT,
        "no fault was met": seen.total() == requests,
    }
    met = ", ".join(f"{count} × {status}" for status, count in sorted(seen.items()))
    click.echo(f"{requests} requests from {connections} connections, {seen.total()} calls ({met}), ", nl=False)
    click.echo(f"the server grew by {growth / 1e6:.1f} MB")
    wrong = [fault for fault, is_so in faults.items() if is_so]
    click.echo(f"wrong: {'; '.join(wrong)}" if wrong else "every request was answered once")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main(prog_name="python -m benchmarks.mock_load")
