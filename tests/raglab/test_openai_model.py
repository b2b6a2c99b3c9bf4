"""Chat completions through the official client, against the mock's own OpenAI wire."""

import pytest

from raglab import DOCUMENTS, HELPDESK, Hit, ModelError, SettingError, ask, build_prompt, connect
from raglab.models.openai import OpenAIModel

HITS = [Hit.of("fees.md#0", "The membership fee is ten dollars per term.")]
QUESTION = "What is the membership fee per term?"
INDEX = type("Index", (), {"search": lambda self, question, k: HITS})()


@pytest.fixture
def openai_model(mock):
    return OpenAIModel("mock", api_key=mock.api_key, base_url=f"{mock.url}/v1", remedy="Check it.")


def test_a_grounded_answer_whole_and_streamed(openai_model):
    pieces = []
    streamed = ask(QUESTION, INDEX, openai_model, on_token=pieces.append)
    whole = ask(QUESTION, INDEX, openai_model)
    assert whole == streamed and "".join(pieces) == whole.text == "The membership fee is ten dollars per term. [1]"
    assert len(pieces) > 3 and whole.usage.output_tokens == 12


def test_both_services_give_the_same_answer_and_tokens(openai_model, model):
    ours, theirs = ask(QUESTION, INDEX, openai_model), ask(QUESTION, INDEX, model)
    assert (ours.text, ours.usage, ours.prompt) == (theirs.text, theirs.usage, theirs.prompt)


def test_the_environment_chooses_it(mock, monkeypatch):
    monkeypatch.setenv("RAGLAB_LLM", "openai")
    with pytest.raises(SettingError, match="OPENAI_API_KEY"):
        connect()
    monkeypatch.setenv("OPENAI_BASE_URL", f"{mock.url}/v1")
    monkeypatch.setenv("OPENAI_API_KEY", mock.api_key)
    assert ask(QUESTION, INDEX).status == "answered"


def test_a_style_of_documents_is_refused_with_the_remedy(openai_model):
    with pytest.raises(SettingError, match="numbered"):
        ask(QUESTION, INDEX, openai_model, style=DOCUMENTS)


def test_the_temperature_of_a_style_is_sent():
    prompt = build_prompt(QUESTION, HITS, HELPDESK)
    assert OpenAIModel("m", api_key="k")._request(prompt)["temperature"] == 0.2
    assert "temperature" not in OpenAIModel("m", api_key="k")._request(build_prompt(QUESTION, HITS))


def test_a_wrong_key_and_a_dead_server_are_said_without_the_key(mock):
    prompt = build_prompt(QUESTION, HITS)
    with pytest.raises(ModelError, match=r"refused the key \(401\)\. Check it\.") as caught:
        OpenAIModel("mock", api_key="sk-secret", base_url=f"{mock.url}/v1", remedy="Check it.").complete(prompt)
    assert "secret" not in str(caught.value)
    with pytest.raises(ModelError, match="cannot be reached"):
        OpenAIModel("mock", api_key="k", base_url="http://127.0.0.1:9/v1").complete(prompt)


def test_a_missing_client_gives_the_install_line(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "openai", None)  # what Python sees when the package is not there
    with pytest.raises(SettingError, match=r'pip install "openai>=3\.57,<4"'):
        OpenAIModel("m", api_key="k").complete(build_prompt(QUESTION, HITS))
