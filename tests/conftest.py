"""What every test shares: no network but loopback, no settings of the person who runs them, one mock."""

import os
import runpy
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
GUARD = HERE / "loopback_only"

# `raglab test` has set this up already; a plain `pytest` gets the same, for itself and its child processes.
if not getattr(sys, "loopback_only", False):
    runpy.run_path(str(GUARD / "sitecustomize.py"))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(GUARD), os.environ.get("PYTHONPATH", "")])

for name in [name for name in os.environ if name.startswith(("RAGLAB_", "ANTHROPIC_", "OPENAI_"))]:
    del os.environ[name]


@pytest.fixture(scope="session")
def docs() -> Path:
    """The folder of the corpora."""
    return HERE.parent / "docs"


@pytest.fixture(scope="session")
def mock():
    """One mock LLM for the whole run, on a free port."""
    import mock_llm

    with mock_llm.running(port=0) as server:
        yield server


@pytest.fixture
def model(mock, monkeypatch):
    """The model that `connect` gives when RAGLAB_MOCK_URL names the shared mock."""
    from raglab import connect

    monkeypatch.setenv("RAGLAB_MOCK_URL", mock.url)
    return connect()
