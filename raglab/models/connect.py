"""The environment → a model.

RAGLAB_LLM          mock (default), claude or openai
RAGLAB_MODEL        model id for that service
RAGLAB_MOCK_URL     where a running mock listens; unset: the usual address, else a mock inside this process
ANTHROPIC_API_KEY   read only when RAGLAB_LLM is claude
OPENAI_API_KEY, OPENAI_BASE_URL     only when it is openai
"""

import os
from collections.abc import Callable

from raglab.errors import ModelError, SettingError, did_you_mean
from raglab.models import CLAUDE_MODEL, OPENAI_MODEL, THINKING_TOKENS
from raglab.models.claude import ClaudeModel
from raglab.models.function import as_model
from raglab.models.mock import MOCK_KEY, MOCK_MODEL, personas, probe, usual_or_own_url
from raglab.models.openai import OpenAIModel
from raglab.protocols import Model


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
        raise SettingError(f"RAGLAB_LLM={service!r} is not a service: {did_you_mean(service, SERVICES)}.")
    if model and model.startswith(f"{MOCK_MODEL}-"):
        service = "mock"
    return SERVICES[service](model or os.environ.get("RAGLAB_MODEL", "").strip() or None)


def model_or_connect(model: Model | Callable[..., str] | None) -> Model:
    """What the caller gave as a model, or for None what `connect` gives; a plain function is wrapped.

    >>> model_or_connect(str.upper)
    FunctionModel(upper)
    """
    return connect() if model is None else as_model(model)


def _claude(model: str | None) -> Model:
    key = os.environ.get("ANTHROPIC_API_KEY", "").strip()
    if not key:
        raise SettingError("RAGLAB_LLM=claude needs a key: set ANTHROPIC_API_KEY, or unset RAGLAB_LLM to use the mock.")
    remedy = "Check the network and ANTHROPIC_API_KEY, or unset RAGLAB_LLM to use the mock."
    return ClaudeModel(model or CLAUDE_MODEL, api_key=key, remedy=remedy, thinking=THINKING_TOKENS)


def _openai(model: str | None) -> Model:
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
    if persona and persona != model and persona not in (known := personas()):
        raise SettingError(f"The mock has no persona {persona!r}: {did_you_mean(persona, known)}.")
    url = os.environ.get("RAGLAB_MOCK_URL", "").strip()
    remedy = "Start the mock with `python3 -m mock_llm`, or unset RAGLAB_MOCK_URL to have one inside this process."
    if url and probe(url) != "mock":
        raise ModelError(f"RAGLAB_MOCK_URL is {url!r}, but no mock LLM answers there. {remedy}")
    return ClaudeModel(model or MOCK_MODEL, api_key=MOCK_KEY, base_url=url or usual_or_own_url(), remedy=remedy)


# To add a service: write its model in raglab/models, a function model id → Model above, and name it here.
SERVICES: dict[str, Callable[[str | None], Model]] = {"mock": _mock, "claude": _claude, "openai": _openai}
