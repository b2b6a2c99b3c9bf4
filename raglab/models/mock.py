"""The mock LLM beside us: found where it runs, else started inside this process.

The one place where raglab and mock_llm meet.
"""

import functools
import http.client
import json
from typing import TYPE_CHECKING, Literal
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from mock_llm.server import Server

MOCK_MODEL = "mock"  # any name that is no `mock-<persona>` means the server's own persona
MOCK_PORT = 8787
MOCK_KEY = "test-key"
MOCK_URL = f"http://127.0.0.1:{MOCK_PORT}"


def personas() -> list[str]:
    """The names of the mock's personas."""
    from mock_llm import PERSONAS

    return list(PERSONAS)


@functools.cache
def usual_or_own_url() -> str:
    """Where the mock of this process listens: the usual address if one is there, else a free port of our own."""
    return MOCK_URL if probe(MOCK_URL) == "mock" else start_mock(0).url


def start_mock(port: int, *, delay_ms: float = 0) -> "Server":
    """A mock inside this process, with its `url` and `stop()`; `delay_ms` is the time between streamed pieces."""
    import mock_llm

    return mock_llm.start(port=port, api_key=MOCK_KEY, delay_ms=delay_ms)


def probe(url: str) -> Literal["mock", "other", "nobody"]:
    """Who listens at `url`: "mock", "other" or "nobody".

    >>> probe("http://127.0.0.1:9")
    'nobody'
    """
    try:
        parts = urlsplit(url)
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80, timeout=2)
        connection.request("GET", "/health")
        body = json.loads(connection.getresponse().read(10_000))
        return "mock" if isinstance(body, dict) and body.get("server") == "mock_llm" else "other"
    except ConnectionRefusedError:
        return "nobody"
    except OSError as error:
        return "other" if isinstance(error, TimeoutError) else "nobody"
    except (ValueError, http.client.HTTPException):
        return "other"
