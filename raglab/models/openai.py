"""Any service that speaks OpenAI's chat completions, through the official `openai` client (extra `openai`)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from raglab.errors import ModelError, SettingError
from raglab.models.service import BROKEN_STREAM, ClientErrors, ServiceModel
from raglab.records import Delta, Prompt, Reply, Usage

if TYPE_CHECKING:
    import openai


class OpenAIModel(ServiceModel["openai.OpenAI"]):
    """A model behind chat completions; for the arguments see `ServiceModel`.

    >>> OpenAIModel("any-model", api_key="test-key", base_url="http://127.0.0.1:8787/v1")
    OpenAIModel('any-model')
    """

    api = "chat completions"

    def complete(self, prompt: Prompt) -> Reply:
        """The service's reply; `ModelError`, with the remedy, when there is none."""
        request = self._request(prompt)
        with self._calling():
            reply = self._create(request)
        with self._reading():
            choice = reply.choices[0]
            return _reply(choice.message.content or "", reply.usage, choice.finish_reason, reply._request_id)

    def stream(self, prompt: Prompt) -> Iterator[Delta]:
        """The same reply in pieces as they come; the last piece holds it whole."""
        pieces: list[str] = []
        usage, reason = None, None
        request = {**self._request(prompt), "stream": True, "stream_options": {"include_usage": True}}
        with self._calling(), self._reading():
            for chunk in self._create(request):
                usage = chunk.usage or usage
                for choice in chunk.choices[:1]:
                    reason = choice.finish_reason or reason
                    if choice.delta.content:
                        pieces.append(choice.delta.content)
                        yield Delta(choice.delta.content)
            if reason is None:
                raise ModelError(BROKEN_STREAM)
            yield Delta(ends_block=True, reply=_reply("".join(pieces), usage, reason, None))

    def _request(self, prompt: Prompt) -> dict[str, Any]:
        style = prompt.style
        if not isinstance(prompt.content, str):
            raise SettingError(
                f"The style {style.name} sends documents, which only Claude's service takes; "
                "use another style, such as numbered, or set RAGLAB_LLM=claude."
            )
        temperature = {} if style.temperature is None else {"temperature": style.temperature}
        limit = {"max_completion_tokens": style.max_tokens + self._thinking}
        return {"model": self.model, "messages": prompt.messages(), **limit, **temperature}

    def _create(self, request: dict[str, Any]) -> Any:
        """The service's answer; asked again without a temperature where the model takes none, as a thinking one."""
        import openai

        create = self._connected().chat.completions.create
        try:
            return create(**request)
        except openai.BadRequestError as error:
            if "temperature" not in request or "temperature" not in str(error):
                raise
            return create(**{name: value for name, value in request.items() if name != "temperature"})

    def _new_client(self) -> "openai.OpenAI":
        import openai

        return openai.OpenAI(api_key=self._api_key, base_url=self._base_url)

    def _client_errors(self) -> ClientErrors:
        try:
            import httpx
            import openai
        except ImportError:
            raise SettingError('The openai client is not installed; run: pip install "openai>=3.57,<4"') from None
        return ClientErrors(
            unreachable=openai.APIConnectionError,
            broken=httpx.HTTPError,
            wrong_key=openai.AuthenticationError,
            refused=openai.APIStatusError,
            other=openai.OpenAIError,
        )


def _reply(text: str, usage: Any, reason: str | None, request_id: str | None) -> Reply:
    counted = Usage(usage.prompt_tokens, usage.completion_tokens) if usage else None
    block = {"type": "text", "text": text, "citations": []}
    return Reply(text, (block,), counted, reason, request_id)
