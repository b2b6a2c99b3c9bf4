"""Any service that speaks OpenAI's chat completions, through the official `openai` client (extra `openai`)."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from raglab.errors import ModelError, SettingError
from raglab.records import Delta, Prompt, Reply, Usage


class OpenAIModel:
    """A model behind chat completions; `base_url=None` means the client's own default.

    `remedy` is the sentence a person reads when the server cannot be reached or refuses the key. `thinking` is the
    room, in tokens, for what the model thinks before it answers; it is added to the style's `max_tokens`.

    >>> OpenAIModel("any-model", api_key="test-key", base_url="http://127.0.0.1:8787/v1")
    OpenAIModel('any-model')
    """

    def __init__(self, model: str, *, api_key: str, base_url: str | None = None, remedy: str = "", thinking: int = 0):
        self.model = model
        self._thinking = thinking
        self._api_key, self._base_url, self._remedy = api_key, base_url, remedy
        self._client: Any = None

    def complete(self, prompt: Prompt) -> Reply:
        """The service's reply; `ModelError`, with the remedy, when there is none."""
        with self._errors():
            reply = self._create(self._request(prompt))
            choice = reply.choices[0]
            return _reply(choice.message.content or "", reply.usage, choice.finish_reason, reply._request_id)

    def stream(self, prompt: Prompt) -> Iterator[Delta]:
        """The same reply in pieces as they come; the last piece holds it whole."""
        pieces, usage, reason = [], None, None
        with self._errors():
            request = {**self._request(prompt), "stream": True, "stream_options": {"include_usage": True}}
            for chunk in self._create(request):
                usage = chunk.usage or usage
                for choice in chunk.choices[:1]:
                    reason = choice.finish_reason or reason
                    if choice.delta.content:
                        pieces.append(choice.delta.content)
                        yield Delta(choice.delta.content)
            if reason is None:
                raise ModelError("The stream of the model broke off before its reply was whole; ask again.")
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

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Every way a request can fail, as one error with its remedy."""
        try:
            import openai
        except ImportError:
            raise SettingError('The openai client is not installed; run: pip install "openai>=3.57,<4"') from None
        import httpx

        try:
            yield
        except openai.APIConnectionError:
            raise ModelError(f"The model cannot be reached. {self._remedy}".strip()) from None
        except httpx.HTTPError:
            raise ModelError("The stream of the model broke off before its reply was whole; ask again.") from None
        except openai.AuthenticationError:
            raise ModelError(f"The model refused the key (401). {self._remedy}".strip()) from None
        except openai.APIStatusError as error:
            reason = error.body.get("message") if isinstance(error.body, dict) else None
            raise ModelError(
                f"The model refused the request ({error.status_code}): {reason or 'no reason given'}"
            ) from None
        except (openai.OpenAIError, ValueError) as error:
            if isinstance(error, SettingError):
                raise
            raise ModelError(f"The model sent a reply that cannot be read. {self._remedy}".strip()) from None
        except (AttributeError, TypeError, IndexError):  # the client hands on whatever JSON the server sent
            raise ModelError(f"What answered does not speak chat completions. {self._remedy}".strip()) from None

    def _connected(self) -> Any:
        if self._client is None:
            import openai

            self._client = openai.OpenAI(api_key=self._api_key, base_url=self._base_url)
        return self._client

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_client": None}  # a connection stays in its process

    def __repr__(self) -> str:
        return f"OpenAIModel({self.model!r})"


def _reply(text: str, usage: Any, reason: str | None, request_id: str | None) -> Reply:
    counted = Usage(usage.prompt_tokens, usage.completion_tokens) if usage else None
    block = {"type": "text", "text": text, "citations": []}
    return Reply(text, (block,), counted, reason, request_id)
