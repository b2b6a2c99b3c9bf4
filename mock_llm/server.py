"""The server: one thread with its own event loop, so that it runs anywhere, also in a notebook."""

import atexit
import errno
import os
import socket
import threading
import time
from collections.abc import Callable, Iterable
from typing import Self

from mock_llm.errors import MockError
from mock_llm.faults import Script
from mock_llm.hosts import is_loopback
from mock_llm.journal import Call, Journal
from mock_llm.personas import known_persona
from mock_llm.records import JsonObject

DEFAULT_KEY = "test-key"
SHUTDOWN = 1  # seconds that open streams get to end


class Server:
    """A running server. `stop()` or the end of a `with` block ends it, and so does the end of the program."""

    def __init__(self, listener: socket.socket, host: str, api_key: str, persona: str, delay_ms: float,
                 script: Script, on_call: Callable[[Call], None] | None) -> None:  # fmt: skip
        import uvicorn  # here, so that `import mock_llm` stays light

        from mock_llm.app import App, Settings
        from mock_llm.guard import GuardedProtocol, counted

        self.api_key = api_key
        self.journal = Journal()
        self._script = script
        self.port: int = listener.getsockname()[1]
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{self.port}"
        app = App(Settings(api_key, persona, delay_ms), self.journal, script, on_call)
        self._uvicorn = uvicorn.Server(
            uvicorn.Config(
                counted(app),
                http=GuardedProtocol,
                proxy_headers=False,  # a header must not decide where a call came from
                log_config=None,
                log_level="critical",
                access_log=False,
                lifespan="off",
                ws="none",
                date_header=False,  # the same request, the same bytes
                server_header=False,
                timeout_graceful_shutdown=SHUTDOWN,
            )
        )
        self._thread = threading.Thread(
            target=self._uvicorn.run, args=([listener],), name=f"mock_llm:{self.port}", daemon=True
        )
        self._thread.start()
        # A thread that imports or serves while the interpreter is taken apart may crash it. So the end of the program
        # stops the server, which can only be stopped once it runs.
        while self._thread.is_alive() and not self._uvicorn.started:
            time.sleep(0.001)
        atexit.register(self.stop)

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def script(self, steps: Iterable[JsonObject]) -> None:
        """What the next calls do, one step each; `[]` for nothing special. See `faults`.

        Earlier steps that are still to come are forgotten. Raises RequestError, which names a wrong step.

        >>> with running() as mock:
        ...     mock.script([{"status": 429, "retry_after": 0}, {"reply": "Open at 8. [1]"}])
        """
        self._script.replace(list(steps))

    def stop(self) -> None:
        """End the server and wait until its thread has ended. Stopping twice does no harm."""
        self._uvicorn.should_exit = True
        self._thread.join()
        atexit.unregister(self.stop)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<mock LLM {'listening on ' + self.url if self.running else 'stopped'}>"


def start(
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    persona: str = "reader",
    delay_ms: float = 0,
    api_key: str = DEFAULT_KEY,
    script: Iterable[JsonObject] = (),
    on_call: Callable[[Call], None] | None = None,
) -> Server:
    """Start a server and return it; the end of a `with` block stops it. Port 0 means any free port.

    `delay_ms` is the time between two pieces of a stream; `script` is what the first calls do;
    `on_call` gets each call. Raises MockError for a port that is taken, an unknown persona, a
    wrong step, or a key that is too weak for its host.

    Its second name `running` reads better after `with`.

    >>> server = start()
    >>> server.running, server.stop(), server.running
    (True, None, False)
    >>> with running() as mock:
    ...     print(mock.url.startswith("http://127.0.0.1:"), mock.api_key, mock.journal)
    True test-key no calls yet
    """
    known_persona(persona)
    _check_key(host, api_key)
    if not 0 <= delay_ms <= 60_000:
        raise MockError(f"a delay of {delay_ms} ms is out of range: use 0 to 60000")
    steps = Script()
    steps.replace(list(script))
    return Server(_listener(host, port), host, api_key, persona, delay_ms, steps, on_call)


running = start  # which reads better in a `with` statement


def _check_key(host: str, api_key: str) -> None:
    if not (api_key.isascii() and api_key.isprintable() and api_key and " " not in api_key):
        raise MockError("the api key must be printable ASCII without spaces, since it travels in a header")
    if api_key == DEFAULT_KEY and not is_loopback(host):
        raise MockError(
            f"host {host} can be reached by others, and everybody knows the key {DEFAULT_KEY}: "
            "choose another key with --api-key, or keep to 127.0.0.1"
        )


def _listener(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OverflowError:
        raise MockError(f"port {port} is out of range: use 1 to 65535, or 0 for any free port") from None
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            remedy = "stop what listens there, or choose another port (0 for any free one)"
            raise MockError(f"port {port} on {host} is taken: {remedy}") from None
        unknown = isinstance(error, socket.gaierror)
        reason = "the host is unknown" if unknown else os.strerror(error.errno or 0)
        raise MockError(f"cannot listen on {host} port {port} ({reason}): try --host 127.0.0.1") from None
