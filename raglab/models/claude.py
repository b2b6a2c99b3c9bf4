"""Claude, or anything that speaks its Messages API, through the official `anthropic` client."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from raglab.models.service import ClientErrors, ServiceModel
from raglab.records import Delta, Prompt, Reply, Usage

if TYPE_CHECKING:
    import anthropic


class ClaudeModel(ServiceModel["anthropic.Anthropic"]):
    """A model behind the Messages API; for the arguments see `ServiceModel`.

    >>> ClaudeModel("mock", api_key="test-key", base_url="http://127.0.0.1:8787")
    ClaudeModel('mock')
    """

    api = "Messages API"

    def complete(self, prompt: Prompt) -> Reply:
        """The service's reply; `ModelError`, with the remedy, when there is none."""
        request = self._request(prompt)
        with self._calling():
            message = self._connected().messages.create(**request)
        with self._reading():
            return _reply(message)

    def stream(self, prompt: Prompt) -> Iterator[Delta]:
        """The same reply in pieces as they come; the last piece holds it whole."""
        request = self._request(prompt)
        with self._calling(), self._reading(), self._connected().messages.stream(**request) as events:
            for event in events:
                if event.type == "content_block_delta":
                    citation = getattr(event.delta, "citation", None)
                    yield Delta(getattr(event.delta, "text", ""), (citation,) if citation else ())
                elif event.type == "content_block_stop":
                    yield Delta(ends_block=True)
            yield Delta(reply=_reply(events.get_final_message()))

    def _request(self, prompt: Prompt) -> dict[str, Any]:
        messages = [message for message in prompt.messages() if message["role"] != "system"]
        request = {
            "model": self.model,
            "max_tokens": prompt.style.max_tokens + self._thinking,
            "messages": messages,
        }
        return request | ({"system": prompt.system} if prompt.system else {})

    def _new_client(self) -> "anthropic.Anthropic":
        import anthropic

        # A proxy from the environment must not stand between a notebook and a server on loopback.
        http = anthropic.DefaultHttpxClient(trust_env=False) if self._base_url else None
        return anthropic.Anthropic(api_key=self._api_key, base_url=self._base_url, http_client=http)

    def _client_errors(self) -> ClientErrors:
        import anthropic
        import httpx2

        return ClientErrors(
            unreachable=anthropic.APIConnectionError,
            broken=httpx2.HTTPError,
            wrong_key=anthropic.AuthenticationError,
            refused=anthropic.APIStatusError,
            other=anthropic.AnthropicError,
        )


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
