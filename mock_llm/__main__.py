"""The command line: `python -m mock_llm`."""

import signal
import sys
import threading

import click

from mock_llm.errors import MockError
from mock_llm.faults import read_script
from mock_llm.hosts import is_loopback
from mock_llm.personas import PERSONAS
from mock_llm.server import DEFAULT_KEY, start


@click.command(context_settings={"show_default": True})
@click.option("--host", default="127.0.0.1", help="Address to listen on.")
@click.option("--port", default=8787, help="Port to listen on; 0 for any free one.")
@click.option("--api-key", default=DEFAULT_KEY, help="Key that clients must send.")
@click.option("--persona", default="reader", help=f"Who answers: {', '.join(PERSONAS)}.")
@click.option("--delay-ms", default=40.0, help="Milliseconds between two pieces of a stream.")
@click.option("--script", metavar="FILE", help="What the first calls do: a JSON list of steps, or one step per line.")
@click.option("--log", is_flag=True, help="Print one line per call on stderr.")
def main(host: str, port: int, api_key: str, persona: str, delay_ms: float, script: str | None, log: bool) -> None:
    """A stand-in for a language model that answers by reading the prompt. Ctrl-C ends it."""
    over = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    signal.signal(signal.SIGINT, lambda *_: over.set())
    try:
        steps = read_script(script) if script else []
        server = start(host=host, port=port, api_key=api_key, persona=persona, delay_ms=delay_ms,
                       script=steps, on_call=_print_call if log else None)  # fmt: skip
    except MockError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    if not is_loopback(host):
        print(f"warning: others can reach this server at {host}", file=sys.stderr)
    shown = api_key if api_key == DEFAULT_KEY else "the one you gave"
    print(f"mock LLM listening on {server.url}  (api key: {shown})", flush=True)
    # With a time limit, since on Windows a wait without one is deaf to Ctrl-C.
    while server.running and not over.wait(0.5):
        pass
    server.stop()


def _print_call(call: object) -> None:
    print(call, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main(prog_name="python -m mock_llm")
