"""The models of the Anthropic API: one for each persona."""

from collections.abc import Mapping, Sequence

from mock_llm.core import MOST_TOKENS
from mock_llm.errors import RequestError
from mock_llm.personas import PERSONAS, PREFIX
from mock_llm.records import JsonObject
from mock_llm.wires.fields import refuse

MOST_LISTED = 1_000  # on a page
LISTED = 20  # where the request names no limit
RELEASED = "1970-01-01T00:00:00Z"  # how the service writes that it is unknown


def page(query: Mapping[str, list[str]]) -> JsonObject:
    """A page of `GET /v1/models`: `limit` models after the id `after_id`, or before the id `before_id`.

    `query` holds the values of each parameter, as `urllib.parse.parse_qs` gives them.

    >>> first = page({"limit": ["1"]})
    >>> first["last_id"], first["has_more"], page({"after_id": [first["last_id"]]})["data"][0]["display_name"]
    ('mock-reader', True, 'Mock lost-in-the-middle')
    """
    ids = [PREFIX + name for name in PERSONAS] if "active" in query.get("lifecycle[]", ["active"]) else []
    limit = _page_limit(query.get("limit", [str(LISTED)])[-1])
    after, before = (query.get(name, [""])[-1] for name in ("after_id", "before_id"))
    if after and before:
        raise RequestError("after_id and before_id: only one of them can be given")
    if before:
        left = ids[: _place(ids, before, "before_id")]
        listed, more = left[-limit:], len(left) > limit
    else:
        left = ids[_place(ids, after, "after_id") + 1 :] if after else ids
        listed, more = left[:limit], len(left) > limit
    return {
        "data": [model(one) for one in listed],
        "has_more": more,
        "first_id": listed[0] if listed else None,
        "last_id": listed[-1] if listed else None,
    }


def model(name: str) -> JsonObject:
    """The answer of `GET /v1/models/{name}`. Raises RequestError, status 404, for an unknown one."""
    persona = name.removeprefix(PREFIX)
    if not name.startswith(PREFIX) or persona not in PERSONAS:
        raise RequestError(f"model: {name[:80]}", status=404, kind="not_found_error")
    return {
        "type": "model",
        "id": name,
        "display_name": f"Mock {persona}",
        "created_at": RELEASED,
        "lifecycle": "active",
        "max_input_tokens": MOST_TOKENS,
        "max_tokens": None,
        "line": None,
        "capabilities": None,
        "deprecated_at": None,
        "retires_at": None,
    }


def _page_limit(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise refuse("limit", "Input should be a valid integer")
    limit = int(text[:9])
    if not 1 <= limit <= MOST_LISTED:
        raise refuse("limit", f"Input should be 1 to {MOST_LISTED}")
    return limit


def _place(ids: Sequence[str], name: str, field: str) -> int:
    if name not in ids:
        raise refuse(field, f"there is no model {name[:80]!r}")
    return ids.index(name)
