"""The project's own files: they agree with each other and name nothing that is only here."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def requirements(lines):
    """{normalised name: bounds} of requirement lines."""
    found = {}
    for line in lines:
        name, bounds = re.fullmatch(r"([A-Za-z0-9._-]+)(?:\[[a-z]+\])?\s*(.*)", line).groups()
        found[re.sub(r"[-_.]+", "-", name).lower().removesuffix("-base")] = bounds
    return found


def project():
    data = tomllib.loads(read("pyproject.toml"))["project"]
    return requirements(data["dependencies"]), requirements(data["optional-dependencies"]["test"])


def lock(name):
    """{normalised name: set of versions} of a lock file; a package may have one version per Python."""
    found = {}
    for package, version in re.findall(r"^([A-Za-z0-9._-]+)==([^\s;]+)", read(name), re.MULTILINE):
        found.setdefault(re.sub(r"[-_.]+", "-", package).lower(), set()).add(version)
    return found


def satisfies(version, bounds):
    from packaging.specifiers import SpecifierSet

    return SpecifierSet(bounds).contains(version)


def test_conda_has_the_same_packages_with_the_same_bounds():
    dependencies = yaml.safe_load(read("environment.yml"))["dependencies"]
    conda = [line for line in dependencies if isinstance(line, str) and not line.startswith(("python=", "pip"))]
    (pip,) = [entry["pip"] for entry in dependencies if isinstance(entry, dict)]
    needed, test = project()
    assert requirements(conda) | requirements(pip) == needed | test
    assert "python=3.12" in dependencies


def test_every_bound_has_both_ends():
    needed, test = project()
    assert [name for name, bounds in (needed | test).items() if not re.fullmatch(r">=[\d.]+,<[\d.]+", bounds)] == []


@pytest.mark.parametrize("name", ["requirements.lock", "tests/requirements.lock"])
def test_a_lock_holds_every_package_within_its_bounds_and_with_hashes(name):
    needed, test = project()
    locked = lock(name)
    wanted = needed | (test if name.startswith("tests") else {})
    assert {package for package in wanted if package not in locked} == set()
    wrong = {(p, v) for p, bounds in wanted.items() for v in locked[p] if not satisfies(v, bounds)}
    assert wrong == set()
    entries = re.split(r"^(?=\S+==)", read(name), flags=re.MULTILINE)[1:]
    assert all("--hash=sha256:" in entry for entry in entries)


def test_the_second_lock_holds_all_of_the_first_and_the_first_no_test_package():
    course, everything = lock("requirements.lock"), lock("tests/requirements.lock")
    assert {name for name, versions in course.items() if everything.get(name) != versions} == set()
    assert set(project()[1]) & set(course) == {"psutil"}  # Jupyter needs it as well


def tracked():
    listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True)
    if listed.returncode:  # an unpacked archive
        skip = {".git", ".venv", "__pycache__"}
        return [path for path in ROOT.rglob("*") if path.is_file() and not skip & set(path.relative_to(ROOT).parts)]
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


# Pieces, so that this file does not hold what it looks for.
FOREIGN = [
    *("/wo" + "rk/", "/ro" + "ot/", "/ho" + "me/", "/Use" + "rs/", "C:" + "\\Users"),
    *(
        "../sha" + "red",
        "pypi." + "org",
        "python" + "hosted",
        "registry." + "npmjs",
        "deb." + "debian",
        "--index" + "-url",
    ),
]


def test_no_file_names_a_path_of_a_machine_or_a_registry():
    found = [
        f"{path.relative_to(ROOT)}: {word}"
        for path in tracked()
        if path != ROOT / "tests/notebooks/test_notebooks.py"  # looks for the same words in notebooks
        if ROOT / "docs" not in path.parents  # where a made-up page may speak of a home folder
        for word in FOREIGN
        if word in path.read_bytes().decode("utf-8", "ignore")
    ]
    assert found == []


def links(path):
    text = re.sub(r"^(```|~~~).*?^\1", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"\]\(([^)\s#]+)(?:#[^)]*)?\)", re.sub(r"`[^`\n]*`", "", text))


def test_links_between_files_lead_somewhere():
    pages = [path for path in tracked() if path.suffix == ".md"]
    broken = [
        f"{page.relative_to(ROOT)}: {link}"
        for page in pages
        for link in links(page)
        if "://" not in link and not link.startswith("mailto:") and not (page.parent / link).exists()
    ]
    assert broken == []


def test_the_code_is_tidy():
    for command in (["check", "--quiet", "--output-format=concise"], ["format", "--check", "--quiet"]):
        run = subprocess.run([sys.executable, "-m", "ruff", *command, "."], cwd=ROOT, capture_output=True, text=True)
        assert run.stdout + run.stderr == "" and run.returncode == 0


def test_the_readme_gives_the_two_commands_that_ci_runs():
    assert "python3 course.py start" in read("README.md") and "python3 course.py test" in read("README.md")
    assert "python3 course.py test" in read(".ci/run")


def test_the_line_that_installs_the_openai_client_has_the_bounds_of_the_extra():
    (wanted,) = tomllib.loads(read("pyproject.toml"))["project"]["optional-dependencies"]["openai"]
    assert f'pip install "{wanted}"' in read("README.md")
    assert f'pip install "{wanted}"' in read("raglab/models/openai.py")


def test_versions_agree():
    import raglab

    assert tomllib.loads(read("pyproject.toml"))["project"]["version"] == raglab.__version__
    assert f"## {raglab.__version__}" in read("CHANGELOG.md")


def test_the_readmes_first_answer_is_what_the_command_prints(mock, monkeypatch):
    import os
    import shlex

    command, expected = re.search(
        r"\$ \.venv/bin/python (-m raglab ask .*)\n((?:.+\n|\n(?!```))+?)```", read("README.md")
    ).groups()
    run = subprocess.run(
        [sys.executable, *shlex.split(command)],
        env={**os.environ, "RAGLAB_MOCK_URL": mock.url},
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert run.stdout == expected
