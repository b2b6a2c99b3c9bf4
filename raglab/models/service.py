"""What the models behind an official client have in common: how they are made, and how their errors are worded."""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from raglab.errors import ModelError

Client = TypeVar("Client")
BROKEN_STREAM = "The stream of the model broke off before its reply was whole; ask again."


@dataclass(frozen=True, slots=True)
class ClientErrors:
    """The exceptions of an official client, by what they mean."""

    unreachable: type[Exception]
    broken: type[Exception]  # of its transport, in the middle of a reply
    wrong_key: type[Exception]
    refused: type[Exception]  # any other status of an error
    other: type[Exception]


class ServiceModel(ABC, Generic[Client]):
    """A model behind a service.

    `base_url=None` means the service itself. `remedy` is the sentence a person reads when the server cannot be
    reached or refuses the key. `thinking` is the room, in tokens, for what the model thinks before it answers; it is
    added to the style's `max_tokens`. The key is kept for the client alone and is in no repr or message.
    """

    api: str  # what a reply should be, for the error when it is not

    def __init__(self, model: str, *, api_key: str, base_url: str | None = None, remedy: str = "", thinking: int = 0):
        self.model = model
        self._thinking = thinking
        self._api_key, self._base_url, self._remedy = api_key, base_url, remedy
        self._client: Client | None = None

    @abstractmethod
    def _new_client(self) -> Client: ...

    @abstractmethod
    def _client_errors(self) -> ClientErrors: ...

    def _connected(self) -> Client:
        if self._client is None:
            self._client = self._new_client()
        return self._client

    @contextmanager
    def _calling(self) -> Iterator[None]:
        """Every way a request can fail, as one error with its remedy."""
        errors = self._client_errors()
        try:
            yield
        except errors.unreachable:
            raise self._error("The model cannot be reached.") from None
        except errors.broken:
            raise ModelError(BROKEN_STREAM) from None
        except errors.wrong_key:
            raise self._error("The model refused the key (401).") from None
        except errors.refused as error:
            status = getattr(error, "status_code", "no status")
            raise ModelError(f"The model refused the request ({status}): {_reason(error)}") from None
        except (errors.other, UnicodeError, ValueError):  # ValueError: the body is not JSON
            raise self._error("The model sent a reply that cannot be read.") from None

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """A reply of another shape than the API's: the client hands on whatever JSON the server sent."""
        try:
            yield
        except (AttributeError, TypeError, IndexError):
            raise self._error(f"The reply is not in {self.api} format.") from None

    def _error(self, what: str) -> ModelError:
        return ModelError(f"{what} {self._remedy}".strip())

    def __getstate__(self) -> dict[str, object]:
        return {**self.__dict__, "_client": None}  # a connection stays in its process

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.model!r})"


def _reason(error: Exception) -> str:
    """What the service says, in the envelope of either API."""
    body: Any = getattr(error, "body", None)
    detail = body.get("error", body) if isinstance(body, dict) else None
    message = detail.get("message") if isinstance(detail, dict) else None
    return str(message or "no reason given")
