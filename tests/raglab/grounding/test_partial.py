"""Which sentences name a missing part."""

import pytest

from raglab import load_documents
from raglab.grounding.partial import PHRASES, is_partial, names_missing_part

NAMING = [
    "The tutorials don't cover how to detach.",
    "The tutorials on this site do not show the commands themselves.",
    "The excerpts don’t include the build method.",
    "These excerpts do not mention Windows.",
    "They don't explain why.",
    "However, they do not contain the exact command.",
    "As for detaching, the excerpts don't say.",
    "The second part about detaching from a session is not covered.",
    "The excerpt cuts off before the commands.",
    "The excerpts show how to start a session, but not how to detach.",
    "The site doesn't cover it.",
    "Detaching isn't covered here.",
    "That's outside the scope of these tutorials.",
    "The excerpts aren't enough to answer the second part.",
    "The excerpts do not extend to detaching.",
    "The tutorials haven't covered this step.",
    "The tutorials fail to mention the flag.",
    "The excerpts won't tell you which key.",
    "The tutorials don't currently cover it.",
    "The provided excerpts stop at the heading for the second part.",
    "The excerpt about tmux ends right at the heading “Commands”.",
    "None of the excerpts explains the second step.",
    "No tutorial covers that.",
    "How to freeze it is not covered in the tutorials.",
    "The second part isn't explained by the excerpts.",
    "The sources say nothing about conflicts.",
    "Our tutorials never show how to attach again.",
    "The post does not go into indexes.",
    "The excerpts do not cover this part: which command starts a session.",
    "The excerpts do not cover this part: How do I resolve a conflict in a file.",
    "The tutorials don't cover this part: how do services wait for the database.",
    "The tutorials on this site don’t cover which key to press.",
    "The tutorials on this site do not explain how to detach.",
    "The provided tutorials don't actually show how the method checks its values.",
    "None of these excerpts shows the command itself.",
    "None of the provided excerpts mention Windows.",
    "No excerpt mentions it.",
    "No tutorial on this site covers operators.",
    "There is no tutorial on this site about operators.",
    "There's nothing in the excerpts about conflicts.",
    "The excerpts contain nothing about conflicts.",
    "The excerpts say nothing about how to detach.",
    "The excerpts are silent on the second part.",
    "How to detach is not covered by the tutorials.",
    "How to detach isn't covered in these excerpts.",
    "That part is not covered.",
    "The second part of your question is not covered here.",
    "Which hook reads the value is not shown in the excerpts.",
    'The excerpt stops at the heading "Commands", so the command itself is missing.',
    "The passage breaks off at the heading “Freeze it”.",
    "The excerpts end before the commands are shown.",
    "The excerpts stop short of showing the commands.",
    "They do not say which command builds images.",
    "They don't show the command.",
    "It doesn't cover which hook reads the value.",
    "The excerpts only cover the first part.",
    "The excerpts cover only how to start a session, not how to detach.",
    "The excerpts lack the exact command.",
    "The excerpts do not include the code for that step.",
    "I couldn't find the second part in the tutorials.",
    "The tutorials do not go into that.",
    "Neither excerpt explains how the value is read.",
    "The commands are not included in the excerpts.",
    "The exact syntax isn't given in the tutorials.",
    "The tutorials do not provide the command.",
    "The excerpts don't specify which flag does that.",
    "The documents don't tell you how to attach.",
    "Unfortunately, the sources do not state what happens to the output.",
    "However, the excerpts leave out the commands themselves.",
    "The post mentions rebasing but does not explain how to resolve a conflict.",
    "The tutorial doesn't get into indexes.",
    "Details of the health check are not part of the excerpts.",
    "The tutorials on this site have no information on freezing a dataclass.",
    "The rest of your question goes beyond what the tutorials cover.",
    "What the tutorials don't cover is how to detach.",
    "The second question isn't answered by the excerpts.",
    "The excerpts do not answer the second part.",
    "The tutorials never mention it.",
    "The excerpts do not discuss or describe how to detach.",
    "Note that these excerpts didn't mention the flag.",
    "The excerpt ends at the heading before its commands.",
    "I can only tell you about the first part: the tutorials don't say which key detaches.",
    "As for the second part, the tutorials don't cover it.",
    "The tutorials here do not, however, show how to restart a session.",
    "Unfortunately the excerpts do not reach the section on conflicts.",
    "The excerpt on Dockerfiles ends at its heading “Build it”, before any command.",
    "These tutorials don't cover the activation command.",
    "How to freeze a dataclass isn't described in the provided excerpts.",
    "The tutorials on this site do not cover which statement adds one.",
    "The excerpts you gave me do not include that section.",
    "The part about activation is not in the excerpts.",
    "The tutorials cover what a rebase is, but they don't show how to resolve a conflict.",
    "The excerpts introduce the pattern, but don't show the check itself.",
    "The excerpts mention volumes but never explain how to back them up.",
    "Nothing in the excerpts explains how to switch it on.",
    "None of the tutorials here covers that.",
    "The excerpts do not show any command for this.",
    "The tutorials don't contain an example for that.",
    "The provided text does not explain the second step.",
    "No further details are given in the excerpts.",
    "The tutorials stop there and do not show the command.",
    "The command itself isn’t shown in the excerpts I have.",
    "The excerpts stop at the heading for it.",
    "The excerpts don't give the command.",
    "I don't see that in the excerpts.",
    "The excerpts do **not** cover the second part.",
]
# Sentences of technical prose with the same words.
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
    "They do not give their password to anybody.",
    "Named volumes do not show up in the folder.",
    "The sections of the file do not include comments.",
    "If the containers do not say they are healthy, they are stopped.",
    "Sources that do not include a header are skipped by the compiler.",
    "The documents in the index do not contain the word.",
    "They never cover more than one row.",
    "Posts do not show up until they are published.",
    "The fields are not included in the output by default.",
    "A row is not shown in the result when it has no partner.",
    "Untracked files are not included by default.",
    "Passwords are not shown on the screen.",
    "The exception is not explained by its message alone.",
    "The stash does not include untracked files.",
    "The excerpts show that the container does not include a shell.",
    "The tutorial explains why the image does not contain a compiler.",
    "The tutorial shows how to stop at the heading with a breakpoint.",
    "Effects do not cover the screen.",
    "They do not tell Git to forget the branch.",
    "The commit is not mentioned in the log.",
    "The material does not give way under load.",
    "Rows with NULL are not covered by the index.",
    "A covering index contains all columns, so the table is not touched.",
    "No section of memory is shared.",
    "Neither branch contains the commit.",
    "Your site does not show the change until it is built again.",
    "The document does not contain the key, so None is returned.",
    "The article's author does not need to mention the source.",
    "Sections that never include a return are skipped.",
    "The tests do not cover this branch.",
    "Your tests do not cover this part: the error branch.",
    "These tools do not include a debugger.",
    "The tutorials show how to do it, and they do not need root.",
    "The build stage is not included in the final image.",
    "They contain nothing but names.",
    "The value is not given in the call, so the default is used.",
    "A container does not include the files of the host.",
    "Make sure your key is not shown in the log.",
    "If they don't match, the merge stops.",
    "This does not include hidden files.",
    "It never covers the whole table.",
    "The tutorial shows a list that does not contain duplicates.",
    "The flag tells Docker not to include the cache.",
    "The excerpts explain that a stash does not include untracked files.",
    "As the tutorial says, effects are not included in the first render.",
    "The passage of time is not covered.",
    "There is no need to list the tutorials.",
    "The tutorial uses only one file.",
    "You can only mention a column once.",
    "There is no shell in this image.",
    "The steps of the tutorial end before the cleanup runs if you press Ctrl-C.",
    "Your question is answered by the first post.",
    "The post explains why keys are not covered by the hash.",
    "They do not run at the same time.",
    "Sections cannot be nested.",
    "These articles describe how commits that are not mentioned are dropped.",
    "The tutorial's image omits the compiler.",
    "Add a heading where the excerpts start.",
    "The tutorial says there is nothing to configure.",
    "Both tutorials only need Python.",
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
        folded = [sentence.replace("’", "'").replace("*", "").casefold() for sentence in NAMING]
        assert any(phrase.search(s) and not any(other.search(s) for other in others) for s in folded), name


def test_only_uncited_text_outside_code_counts():
    said = "The tutorials don't cover that."
    assert is_partial([("Use tmux. ", True), (said, False)])
    assert not is_partial([(said, True)])
    assert not is_partial([(f"```\n{said}\n```\n", False)])


def test_no_prose_of_the_corpora_names_a_missing_part(docs):
    texts = [document.text for folder in ("tutorials", "nimbus", "club") for document in load_documents(docs / folder)]
    assert len(texts) > 40
    assert not any(is_partial([(text, False)]) for text in texts)


@pytest.mark.parametrize(
    "asked", ["which command starts a session", "How do I resolve a conflict in a file", "who pays"]
)
def test_the_stand_in_models_own_sentence_counts(asked):
    assert is_partial([("Use tmux. ", True), (f"\n\nThe excerpts do not cover this part: {asked}.", False)])
