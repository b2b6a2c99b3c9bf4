"""Chat completions through the official client, against the mock's own OpenAI wire."""

import pytest

from raglab import DOCUMENTS, HELPDESK, Hit, ModelError, SettingError, ask, build_prompt, connect
from raglab.models import OPENAI_MODEL
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


def strict(sent, refusal):
    """A model whose service refuses every request with a temperature, and answers the others."""
    import json

    import httpx
    import openai

    def serve(request):
        sent.append(json.loads(request.content))
        if "temperature" in sent[-1]:
            return httpx.Response(400, json={"error": {"message": refusal, "type": "invalid_request_error"}})
        message = {"role": "assistant", "content": "Ten dollars [1]."}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return httpx.Response(200, json={"id": "x", "object": "chat.completion", "model": "m", "choices": [choice]})

    model = OpenAIModel("m", api_key="k")
    model._client = openai.OpenAI(api_key="k", http_client=httpx.Client(transport=httpx.MockTransport(serve)))
    return model


def test_a_model_that_takes_no_temperature_is_asked_again_without_it():
    sent = []
    model = strict(sent, "Unsupported value: 'temperature' does not support 0.2 with this model.")
    assert model.complete(build_prompt(QUESTION, HITS, HELPDESK)).text == "Ten dollars [1]."
    assert [("temperature" in body) for body in sent] == [True, False]
    assert sent[1] == {name: value for name, value in sent[0].items() if name != "temperature"}


def test_any_other_refusal_is_not_asked_again():
    sent = []
    with pytest.raises(ModelError, match="no such model"):
        strict(sent, "no such model").complete(build_prompt(QUESTION, HITS, HELPDESK))
    assert len(sent) == 1


def test_the_service_gets_room_for_thinking_and_a_server_of_ones_own_does_not(monkeypatch):
    monkeypatch.setenv("RAGLAB_LLM", "openai")
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    prompt = build_prompt(QUESTION, HITS)
    assert connect()._request(prompt)["max_completion_tokens"] == 1024 + 8000
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert connect()._request(prompt)["max_completion_tokens"] == 1024


def test_the_model_that_is_asked_by_default_is_one_that_its_client_knows():
    from typing import get_args

    from openai.types import ChatModel

    assert OPENAI_MODEL in get_args(ChatModel)


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
