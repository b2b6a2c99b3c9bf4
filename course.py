"""The course's two commands; needs nothing but Python 3.11 or newer.

    python3 course.py start     sets up .venv once, starts the mock LLM, opens JupyterLab at lesson 00
    python3 course.py test      the same set-up, then every test and every lesson

`--here` uses the interpreter that runs this file (conda, Binder, Codespaces) instead of .venv. Other options go to
the command itself: `start` knows --no-browser, --port and --lab-port, `test` hands everything to pytest.
"""

import sys

if sys.version_info < (3, 11):  # before anything that an old Python cannot read
    sys.exit(
        "This course needs Python 3.11 or newer, and this is Python %d.%d. Install a newer one, then run: "
        "python3 course.py start" % sys.version_info[:2]
    )

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
VENV = ROOT / ".venv"
LOCKS = {"start": "requirements.lock", "test": "tests/requirements.lock"}  # the second holds all of the first
TEST_PACKAGES = ("pytest", "nbval", "hypothesis", "xdist")


def main(arguments: list[str]) -> int:
    """Set up what the command needs, then become the command."""
    command, *rest = arguments or ["--help"]
    if command in ("-h", "--help"):
        print(__doc__)
        return 0
    if command not in LOCKS:
        print(f"course.py: there is no command {command!r}; use `start` or `test`.", file=sys.stderr)
        return 2
    here = "--here" in rest
    rest = [argument for argument in rest if argument != "--here"]
    try:
        python = set_up_here(command) if here else set_up_venv(command)
    except SetUpFailed as failure:
        print(f"course.py: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nSet-up was interrupted; the same command repairs it.", file=sys.stderr)
        return 130
    return become([str(python), "-m", "raglab", command, *rest])


class SetUpFailed(Exception):
    """The environment could not be made; the message says why and what helps."""


def set_up_venv(command: str) -> Path:
    """The interpreter of .venv, with the command's packages in it."""
    python = interpreter(VENV)
    lock = LOCKS[command]
    stamp = VENV / "raglab-stamp.json"
    wanted = {"python": sys.version, "place": str(ROOT), lock: fingerprint(lock)}
    found = read_stamp(stamp)
    if python.is_file() and wanted.items() <= found.items():
        return python
    same = python.is_file() and found.get("python") == sys.version and found.get("place") == str(ROOT)
    stamp.unlink(missing_ok=True)  # until all is done: an interrupted install may have left half a package
    if not same:
        print("Setting up .venv, once; this takes about a minute.", flush=True)
        try:
            venv.create(VENV, clear=True, with_pip=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SetUpFailed(
                f"the environment .venv cannot be made ({reason(error)}); on Debian and Ubuntu install python3-venv, "
                "else check that this folder can be written to."
            ) from None
    install(python, lock)
    install_project(python)
    held = LOCKS.values() if command == "test" else [lock]
    stamp.write_text(json.dumps({**wanted, **{name: fingerprint(name) for name in held}}), encoding="utf-8")
    return python


def interpreter(folder: Path, windows: bool = os.name == "nt") -> Path:
    """Where a virtual environment keeps its Python."""
    return folder / ("Scripts/python.exe" if windows else "bin/python")


def set_up_here(command: str) -> Path:
    """This interpreter; packages that are there and fit are kept, only what is missing is installed."""
    python = Path(sys.executable)
    if not importlib.util.find_spec("setuptools"):
        install(python, LOCKS[command])
    install_project(python)
    check = subprocess.run([str(python), "-m", "pip", "check"], capture_output=True, text=True)
    missing = any(line.startswith("raglab ") for line in check.stdout.splitlines())
    if missing or (command == "test" and not all(map(importlib.util.find_spec, TEST_PACKAGES))):
        install(python, LOCKS[command])
    return python


def install(python: Path, lock: str) -> None:
    """Install the lock file with its hashes, counting packages on a terminal."""
    total = len(re.findall(r"^\S+==", (ROOT / lock).read_text(encoding="utf-8"), re.MULTILINE))
    command = [str(python), "-m", "pip", "install", "--require-hashes", "--no-input", "-r", str(ROOT / lock)]
    run_pip(command, f"up to {total} packages", total)


def install_project(python: Path) -> None:
    """Install raglab and mock_llm themselves, so that changes in this folder show at once."""
    options = ["--no-deps", "--no-build-isolation", "--no-input", "-e", str(ROOT)]
    run_pip([str(python), "-m", "pip", "install", *options], "raglab itself", 1)


def run_pip(command: list[str], what: str, total: int) -> None:
    print(f"Installing {what} …", flush=True)
    process = subprocess.Popen(
        [*command, "--disable-pip-version-check", "--progress-bar", "off"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    )
    assert process.stdout is not None  # it is a pipe
    lines: list[str] = []
    try:
        for line in process.stdout:
            lines.append(line.rstrip())
            seen = sum(text.startswith("Collecting ") for text in lines)
            if sys.stdout.isatty() and line.startswith(("Collecting ", "Installing ")):
                doing = f"  {seen} of {total} found" if line.startswith("C") else "  all found, now unpacking"
                print(f"\r{doing:<40}", end="", flush=True)
    finally:
        process.stdout.close()
        status = process.wait()
    if sys.stdout.isatty():
        print("\r" + " " * 42, end="\r", flush=True)
    if status:
        said = "\n".join(f"  {line}" for line in lines[-12:])
        raise SetUpFailed(
            f"pip could not install {what}; its last words:\n{said}\nCheck the network, then run the same again."
        )


def read_stamp(stamp: Path) -> dict[str, str]:
    try:
        found = json.loads(stamp.read_text(encoding="utf-8"))
        return found if isinstance(found, dict) else {}
    except (OSError, ValueError):
        return {}


def fingerprint(name: str) -> str:
    """The hash of a lock file, and of what else decides on the installed project."""
    return hashlib.sha256((ROOT / name).read_bytes() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()


def reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or type(error).__name__).lower()


def become(command: list[str]) -> int:
    """Run the command in this process's place; Windows has no such thing, so there it is a child."""
    sys.stdout.flush()
    if os.name == "posix":
        os.chdir(ROOT)
        os.execv(command[0], command)
    child = subprocess.Popen(command, cwd=ROOT)
    while True:
        try:
            return child.wait()
        except KeyboardInterrupt:  # the child had it too, and ends in its own good order
            continue


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
