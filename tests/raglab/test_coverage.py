"""Which sentences name a missing part."""

import pytest

from raglab.coverage import PHRASES, is_partial, names_missing_part

NAMING = [
    "The tutorials don't cover how to detach.",
    "The tutorials on this site do not show the commands themselves.",
    "The excerpts don’t include the build method.",
    "These excerpts do not mention Windows.",
    "They don't explain why.",
    "However, they do not contain the exact command.",
    "The provided excerpts stop at the heading for the second part.",
    "The excerpt about tmux ends right at the heading “Commands”.",
    "None of the excerpts explains the second step.",
    "No tutorial covers that.",
    "How to freeze it is not covered in the tutorials.",
    "The second part isn't explained by the excerpts.",
    "The sources say nothing about conflicts.",
    "Our tutorials never show how to attach again.",
    "The post does not go into indexes.",
]
NOT_NAMING = [
    "The command does not cover the screen.",
    "Docker does not include a shell in this image.",
    "The tutorials cover both parts.",
    "The excerpts show how to stop a container.",
    "Use `--no-cache` so that the layers are not included.",
    "You don't need to mention the port.",
    "It stops at the first error.",
    "They run in the background.",
    "The tutorial explains what the flag does not do.",
    "",
]


@pytest.mark.parametrize("sentence", NAMING)
def test_sentences_that_name_a_missing_part(sentence):
    assert names_missing_part(sentence)


@pytest.mark.parametrize("sentence", NOT_NAMING)
def test_sentences_that_do_not(sentence):
    assert not names_missing_part(sentence)


def test_every_phrase_is_needed():
    for name, phrase in PHRASES.items():
        others = [other for key, other in PHRASES.items() if key != name]
        folded = [sentence.replace("’", "'").casefold() for sentence in NAMING]
        assert any(phrase.search(s) and not any(other.search(s) for other in others) for s in folded), name


def test_only_uncited_text_outside_code_counts():
    said = "The tutorials don't cover that."
    assert is_partial([("Use tmux. ", True), (said, False)])
    assert not is_partial([(said, True)])
    assert not is_partial([(f"```\n{said}\n```\n", False)])
