"""The environment → a model. The one place where raglab and mock_llm meet.

RAGLAB_LLM          mock (default), claude or openai
RAGLAB_MODEL        model id for that service
RAGLAB_MOCK_URL     where a running mock listens; unset: the usual address, else a mock inside this process
ANTHROPIC_API_KEY   read only when RAGLAB_LLM is claude
OPENAI_API_KEY, OPENAI_BASE_URL     only when it is openai
"""

import functools
import http.client
import json
import os
from collections.abc import Callable
from urllib.parse import urlsplit

from raglab.errors import ModelError, SettingError, did_you_mean
from raglab.models import CLAUDE_MODEL, MOCK_MODEL, OPENAI_MODEL, THINKING_TOKENS, Model
from raglab.models.claude import ClaudeModel
from raglab.models.function import FunctionModel

MOCK_PORT = 8787
MOCK_KEY = "test-key"
MOCK_URL = f"http://127.0.0.1:{MOCK_PORT}"


def connect(model: str | None = None) -> Model:
    """The model that the environment asks for; without any setting the mock, which needs no network and no key.

    `model` names another model of that service for this one connection; `mock-<persona>` is always the mock's. Raises
    `SettingError` for a setting that cannot be used, `ModelError` when RAGLAB_MOCK_URL is set and nothing answers.

    >>> import os
    >>> os.environ.pop("RAGLAB_LLM", None) and None
    >>> connect("mock-reader")
    ClaudeModel('mock-reader')
    """
    service = os.environ.get("RAGLAB_LLM", "").strip().lower() or "mock"
    if service not in SERVICES:
        raise SettingError(f"RAGLAB_LLM={service!r} is no service: {did_you_mean(service, SERVICES)}.")
    if model and model.startswith(f"{MOCK_MODEL}-"):
        service = "mock"
    return SERVICES[service](model or os.environ.get("RAGLAB_MODEL", "").strip() or None)


def as_model(model: Model | Callable[..., str] | None) -> Model:
    """What the caller gave as a model: itself, a plain function wrapped, or for None what `connect` gives.

    >>> as_model(str.upper)
    FunctionModel(upper)
    """
    if model is None:
        return connect()
    return model if hasattr(model, "complete") else FunctionModel(model)


def _claude(model: str | None) -> Model:
    key = os.environ.get("ANTHROPIC_API_KEY", "").strip()
    if not key:
        raise SettingError("RAGLAB_LLM=claude needs a key: set ANTHROPIC_API_KEY, or unset RAGLAB_LLM to use the mock.")
    remedy = "Check the network and ANTHROPIC_API_KEY, or unset RAGLAB_LLM to use the mock."
    return ClaudeModel(model or CLAUDE_MODEL, api_key=key, remedy=remedy, thinking=THINKING_TOKENS)


def _openai(model: str | None) -> Model:
    from raglab.models.openai import OpenAIModel

    key, url = (os.environ.get(name, "").strip() for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"))
    if not key and not url:
        raise SettingError(
            "RAGLAB_LLM=openai needs a service: set OPENAI_API_KEY, or OPENAI_BASE_URL for one of your own, "
            "or unset RAGLAB_LLM to use the mock."
        )
    remedy = "Check OPENAI_BASE_URL and OPENAI_API_KEY, or unset RAGLAB_LLM to use the mock."
    # A local server takes any key, and the client insists on one. It may not have the room to think in.
    thinking = 0 if url else THINKING_TOKENS
    model = model or OPENAI_MODEL
    return OpenAIModel(model, api_key=key or "none", base_url=url or None, remedy=remedy, thinking=thinking)


def _mock(model: str | None) -> Model:
    persona = model.removeprefix(f"{MOCK_MODEL}-") if model else None
    if persona and persona != model:
        from mock_llm import PERSONAS

        if persona not in PERSONAS:
            raise SettingError(f"The mock has no persona {persona!r}: {did_you_mean(persona, PERSONAS)}.")
    url = os.environ.get("RAGLAB_MOCK_URL", "").strip()
    remedy = "Start the mock with `python3 -m mock_llm`, or unset RAGLAB_MOCK_URL to have one inside this process."
    if url and probe(url) != "mock":
        raise ModelError(f"RAGLAB_MOCK_URL is {url!r}, but no mock LLM answers there. {remedy}")
    return ClaudeModel(model or MOCK_MODEL, api_key=MOCK_KEY, base_url=url or _usual_or_own(), remedy=remedy)


# To add a service: write its model in raglab/models, a function model id → Model above, and name it here.
SERVICES = {"mock": _mock, "claude": _claude, "openai": _openai}


@functools.cache
def _usual_or_own() -> str:
    """Where the mock of this process listens: the usual address if one is there, else a free port of our own."""
    return MOCK_URL if probe(MOCK_URL) == "mock" else start_mock(0).url


def start_mock(port: int, *, delay_ms: float = 0):
    """A mock inside this process, with its `url` and `stop()`; `delay_ms` is the time between streamed pieces."""
    import mock_llm

    return mock_llm.start(port=port, api_key=MOCK_KEY, delay_ms=delay_ms)


def probe(url: str) -> str:
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
