"""Other programs' clients against the mock: one grounded question, cited, whole and streamed, and a wrong key.

They are installed from their registries, each into a scratch folder of its own, which needs the network. So they run
only when they are asked for: `TEST_PEERS=1 python -m pytest tests/conformance/test_peers.py`. The clients themselves
are cut off from every network but loopback, like all tests.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

import mock_llm

SCRIPTS = Path(__file__).parent / "peers"
GRASS = "The grass is green. The sky is blue."
SOURCE = {"type": "text", "media_type": "text/plain", "data": GRASS}
DOCUMENT = {"type": "document", "source": SOURCE, "title": "T", "citations": {"enabled": True}}
CONTENT = [DOCUMENT, {"type": "text", "text": "What is the green grass?"}]


def run(command: list[str], folder: Path, **environment: str) -> str:
    done = subprocess.run(command, cwd=folder, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def in_venv(folder: Path, script: str, *packages: str) -> list[str]:
    """Install packages of PyPI into an environment of their own. Only the installer may use the network."""
    run([sys.executable, "-m", "venv", "env"], folder)
    python = str(folder / "env" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python"))
    run([python, "-m", "pip", "install", "--quiet", *packages], folder, PYTHONPATH="")
    return [python, str(SCRIPTS / script)]


def from_npm(folder: Path, script: str, package: str) -> list[str]:
    """Install a package of npm beside a copy of the script: node looks for it there."""
    node, npm = shutil.which("node"), shutil.which("npm")
    assert node and npm, "the TypeScript client needs node and npm"
    run([npm, "install", "--no-save", "--prefix", str(folder), package], folder)
    return [node, str(shutil.copy(SCRIPTS / script, folder))]


class Peer(NamedTuple):
    """A client: how it is installed into a folder, its script and packages, and the text that it has cited."""

    install: Callable[..., list[str]]
    script: str
    packages: tuple[str, ...]
    cited: str = "The grass is green. "


# To add one, write a script that takes the mock's address and the content of a message, and add a line here.
PEERS = {
    "langchain": Peer(in_venv, "ask_langchain.py", ("langchain-anthropic==1.7.10",)),
    # It sends search results, which are cited in whole blocks, and calls what later clients have no more.
    "llamaindex": Peer(in_venv, "ask_llamaindex.py", ("llama-index-llms-anthropic==0.12.3", "anthropic<1"), GRASS),
    "litellm": Peer(in_venv, "ask_litellm.py", ("litellm==1.110.2",)),
    "typescript": Peer(from_npm, "ask_typescript.mjs", ("@anthropic-ai/sdk@1.14.0",)),
}


@pytest.mark.skipif(not os.environ.get("TEST_PEERS"), reason="installs packages from the network: set TEST_PEERS=1")
@pytest.mark.parametrize("name", PEERS)
def test_a_peer_is_answered_cited_and_refused(name, tmp_path):
    peer = PEERS[name]
    command = peer.install(tmp_path, peer.script, *peer.packages)
    with mock_llm.running() as mock:
        told = run([*command, mock.url, json.dumps(CONTENT)], tmp_path, LITELLM_LOCAL_MODEL_COST_MAP="True")
    seen = ["The grass is green.", peer.cited, 5]  # text, cited text, 19 characters / 4 rounded up
    assert json.loads(told.splitlines()[-1]) == {"whole": seen, "streamed": seen, "error": 401}
