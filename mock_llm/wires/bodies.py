"""Bodies as bytes: read, written, and the ids that they decide."""

from hashlib import blake2b

import msgspec

from mock_llm.errors import RequestError
from mock_llm.records import Json, JsonObject

TOO_DEEP = "The request body is nested too deeply"


def decoded(raw: bytes) -> JsonObject:
    """The JSON object of a body.

    >>> decoded(b"[]")
    Traceback (most recent call last):
    mock_llm.errors.RequestError: The request body is not a JSON object
    """
    try:
        body = msgspec.json.decode(raw)
    except RecursionError:
        raise RequestError(TOO_DEEP) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RequestError(f"The request body is not valid JSON: {error}") from None
    if not isinstance(body, dict):
        raise RequestError("The request body is not a JSON object")
    return body


def encoded(body: Json) -> bytes:
    """The bytes of a value, whatever the order of its keys.

    >>> encoded({"b": 1, "a": 2}) == encoded({"a": 2, "b": 1})
    True
    """
    try:
        return msgspec.json.encode(body, order="deterministic")
    except RecursionError:
        raise RequestError(TOO_DEEP) from None
    except (TypeError, ValueError, msgspec.MsgspecError) as error:
        raise RequestError(f"The request cannot be written as JSON: {error}") from None


def identity(kind: str, raw: bytes) -> str:
    """An id that the bytes alone decide: no clock, no random.

    >>> identity("req", b"")
    'req_cae66941d9efbd404e4d88758ea67670'
    """
    return f"{kind}_{blake2b(raw, digest_size=16).hexdigest()}"
