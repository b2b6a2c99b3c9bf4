"""Claude, or anything that speaks its Messages API, through the official `anthropic` client."""

from typing import Any

from raglab.errors import ModelError
from raglab.records import Prompt, Reply, Usage


class ClaudeModel:
    """A model behind the Messages API.

    `base_url=None` means the service itself. `remedy` is the sentence a person reads when the server cannot be
    reached or refuses the key. The key is kept by the client alone and stands in no repr or message.

    >>> ClaudeModel("mock", api_key="test-key", base_url="http://127.0.0.1:8787")
    ClaudeModel('mock')
    """

    def __init__(self, model: str, *, api_key: str, base_url: str | None = None, remedy: str = ""):
        self.model = model
        self._api_key, self._base_url, self._remedy = api_key, base_url, remedy
        self._client: Any = None

    def complete(self, prompt: Prompt) -> Reply:
        """The service's reply; `ModelError`, with the remedy, when there is none."""
        import anthropic

        messages = [message for message in prompt.messages() if message["role"] != "system"]
        system = prompt.system if prompt.system else anthropic.omit
        try:
            message = self._connected().messages.create(
                model=self.model, max_tokens=prompt.style.max_tokens, system=system, messages=messages
            )
        except anthropic.APIConnectionError:
            raise ModelError(f"The model cannot be reached. {self._remedy}".strip()) from None
        except anthropic.AuthenticationError:
            raise ModelError(f"The model refused the key (401). {self._remedy}".strip()) from None
        except anthropic.APIStatusError as error:
            raise ModelError(f"The model refused the request ({error.status_code}): {_reason(error)}") from None
        except (anthropic.AnthropicError, ValueError):  # ValueError: the body is no JSON
            raise ModelError(f"The model sent a reply that cannot be read. {self._remedy}".strip()) from None
        try:
            return Reply(
                text="".join(block.text for block in message.content if block.type == "text"),
                blocks=tuple(message.content),
                usage=Usage(message.usage.input_tokens, message.usage.output_tokens),
                stop_reason=message.stop_reason,
                request_id=message._request_id,
            )
        except (AttributeError, TypeError):  # the client hands on whatever JSON the server sent
            raise ModelError(f"What answered does not speak the Messages API. {self._remedy}".strip()) from None

    def _connected(self) -> Any:
        if self._client is None:
            import anthropic

            # A proxy from the environment must not stand between a notebook and a server on loopback.
            http = anthropic.DefaultHttpxClient(trust_env=False) if self._base_url else None
            self._client = anthropic.Anthropic(api_key=self._api_key, base_url=self._base_url, http_client=http)
        return self._client

    def __repr__(self) -> str:
        return f"ClaudeModel({self.model!r})"


def _reason(error: Any) -> str:
    body = error.body if isinstance(error.body, dict) else {}
    detail = body.get("error")
    return str(detail.get("message")) if isinstance(detail, dict) else "no reason given"
