"""Types are a gate: pyright, in its standard mode, has nothing to say about either package."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# basedpyright is pyright in a wheel: the package named pyright loads its program from the network at the first run.
PYRIGHT = [sys.executable, "-m", "basedpyright", "--pythonpath", sys.executable, "--outputjson"]

pytestmark = pytest.mark.skipif(not find_spec("basedpyright"), reason="basedpyright is not installed")


def errors(*files):
    run = subprocess.run([*PYRIGHT, *files], cwd=ROOT, capture_output=True, text=True)
    report = json.loads(run.stdout)
    assert report["summary"]["filesAnalyzed"], run.stdout
    return [
        f"{Path(each['file']).name}:{each['range']['start']['line'] + 1}: {each['message']}"
        for each in report["generalDiagnostics"]
        if each["severity"] == "error"
    ]


def test_both_packages_have_no_type_errors():
    assert errors() == []


def test_a_wrong_argument_is_found(tmp_path):
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import raglab\n\nraglab.ask_many([], None, styel='numbered')\nraglab.ask('fee', None, k='4')\n")
    found = errors(str(wrong))
    assert len(found) == 2 and "styel" in found[0] and "k" in found[1]


@pytest.mark.parametrize("package", ["raglab", "mock_llm"])
def test_users_see_the_types(package):
    assert (ROOT / package / "py.typed").is_file()
