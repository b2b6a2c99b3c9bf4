"""Claude, or anything that speaks its Messages API, through the official `anthropic` client."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from raglab.errors import ModelError
from raglab.records import Delta, Prompt, Reply, Usage


class ClaudeModel:
    """A model behind the Messages API.

    `base_url=None` means the service itself. `remedy` is the sentence a person reads when the server cannot be
    reached or refuses the key. `thinking` is the room, in tokens, for what the model thinks before it answers; it is
    added to the style's `max_tokens`. The key is kept by the client alone and stands in no repr or message.

    >>> ClaudeModel("mock", api_key="test-key", base_url="http://127.0.0.1:8787")
    ClaudeModel('mock')
    """

    def __init__(self, model: str, *, api_key: str, base_url: str | None = None, remedy: str = "", thinking: int = 0):
        self.model = model
        self._thinking = thinking
        self._api_key, self._base_url, self._remedy = api_key, base_url, remedy
        self._client: Any = None

    def complete(self, prompt: Prompt) -> Reply:
        """The service's reply; `ModelError`, with the remedy, when there is none."""
        with self._errors():
            return _reply(self._connected().messages.create(**self._request(prompt)))

    def stream(self, prompt: Prompt) -> Iterator[Delta]:
        """The same reply in pieces as they come; the last piece holds it whole."""
        with self._errors(), self._connected().messages.stream(**self._request(prompt)) as events:
            for event in events:
                if event.type == "content_block_delta":
                    citation = getattr(event.delta, "citation", None)
                    yield Delta(getattr(event.delta, "text", ""), (citation,) if citation else ())
                elif event.type == "content_block_stop":
                    yield Delta(ends_block=True)
            yield Delta(reply=_reply(events.get_final_message()))

    def _request(self, prompt: Prompt) -> dict[str, Any]:
        messages = [message for message in prompt.messages() if message["role"] != "system"]
        system = {"system": prompt.system} if prompt.system else {}
        limit = prompt.style.max_tokens + self._thinking
        return {"model": self.model, "max_tokens": limit, "messages": messages, **system}

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Every way a request can fail, as one error with its remedy."""
        import anthropic
        import httpx2

        try:
            yield
        except anthropic.APIConnectionError:
            raise ModelError(f"The model cannot be reached. {self._remedy}".strip()) from None
        except httpx2.HTTPError:
            raise ModelError("The stream of the model broke off before its reply was whole; ask again.") from None
        except anthropic.AuthenticationError:
            raise ModelError(f"The model refused the key (401). {self._remedy}".strip()) from None
        except anthropic.APIStatusError as error:
            raise ModelError(f"The model refused the request ({error.status_code}): {_reason(error)}") from None
        except (anthropic.AnthropicError, ValueError):  # ValueError: the body is no JSON
            raise ModelError(f"The model sent a reply that cannot be read. {self._remedy}".strip()) from None
        except (AttributeError, TypeError):  # the client hands on whatever JSON the server sent
            raise ModelError(f"What answered does not speak the Messages API. {self._remedy}".strip()) from None

    def _connected(self) -> Any:
        if self._client is None:
            import anthropic

            # A proxy from the environment must not stand between a notebook and a server on loopback.
            http = anthropic.DefaultHttpxClient(trust_env=False) if self._base_url else None
            self._client = anthropic.Anthropic(api_key=self._api_key, base_url=self._base_url, http_client=http)
        return self._client

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_client": None}  # a connection stays in its process

    def __repr__(self) -> str:
        return f"ClaudeModel({self.model!r})"


def _reply(message: Any) -> Reply:
    blocks = tuple(_block(block) for block in message.content)
    return Reply(
        text="".join(block["text"] for block in blocks if block["type"] == "text"),
        blocks=blocks,
        usage=Usage(message.usage.input_tokens, message.usage.output_tokens),
        stop_reason=message.stop_reason,
        request_id=getattr(message, "_request_id", None),  # a streamed message has none
    )


def _block(block: Any) -> dict[str, Any]:
    """A content block as plain data, the same whether it was streamed or not."""
    if block.type != "text":
        return block.to_dict()
    return {"type": "text", "text": block.text, "citations": [each.to_dict() for each in block.citations or ()]}


def _reason(error: Any) -> str:
    body = error.body if isinstance(error.body, dict) else {}
    detail = body.get("error")
    return str(detail.get("message")) if isinstance(detail, dict) else "no reason given"
