"""Errors: one tree, and a notebook shows the sentence alone."""

import pytest
from IPython.core.interactiveshell import InteractiveShell

from raglab import DocumentError, ModelError, RaglabError, SettingError
from raglab.errors import did_you_mean


@pytest.mark.parametrize("kind", [DocumentError, ModelError, SettingError])
def test_every_error_is_caught_by_the_root(kind):
    with pytest.raises(RaglabError, match="what and how"):
        raise kind("what and how")


def test_a_notebook_shows_the_sentence_without_paths(capsys):
    shell = InteractiveShell()
    shell.run_cell("import raglab; raglab.build_prompt('Why?', [], 'numberd')")
    shown = capsys.readouterr().out
    assert "SettingError: There is no style 'numberd': did you mean 'numbered'?" in shown
    assert "Traceback" not in shown and ".py" not in shown


def test_valid_names_are_sorted_and_the_nearest_named():
    assert did_you_mean("b", ["c", "aaa"]) == "valid: aaa, c"
    assert did_you_mean("NUMBERD", ["tagged", "numbered"]) == "did you mean 'numbered'? Valid: numbered, tagged"
