"""The package's face."""

import subprocess
import sys
import tomllib
from pathlib import Path

import mock_llm


def test_the_exported_names():
    assert mock_llm.__all__ == sorted(mock_llm.__all__)
    assert all(hasattr(mock_llm, name) for name in mock_llm.__all__)


def test_the_version_is_the_projects():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    assert mock_llm.__version__ == project["project"]["version"]


def test_the_import_is_light_and_knows_nothing_of_raglab():
    heavy = "{'uvicorn', 'starlette', 'anyio', 'asyncio', 'anthropic', 'raglab'}"
    code = f"import sys, mock_llm; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
