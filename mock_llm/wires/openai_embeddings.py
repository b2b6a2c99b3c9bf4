"""The OpenAI embeddings API: vectors made of hashes of words, so that texts sharing words are near.

a text's vector  the sum of the vectors of its words, scaled to length 1
a word's vector  +1 or -1 in SPREAD places, which the hash of the word alone decides
near             the cosine of two texts is about the share of words that they have in common
"""

import base64
import math
import struct
from collections.abc import Iterable
from hashlib import blake2b
from typing import NamedTuple

from mock_llm.core import tokens
from mock_llm.records import Json, JsonObject
from mock_llm.wires.bodies import decoded
from mock_llm.wires.fields import Check, fields, filled, integer, list_of, one_of, optional, refuse, string
from mock_llm.words import words

SPREAD = 8  # places per word; the more, the less two words are alike by chance
MOST_INPUTS = 2_048  # this and the next two are the real service's limits
MOST_TOKENS = 8_192  # of one input
MOST_IN_ALL = 300_000  # tokens of all inputs

# Dimensions of the models. To add one, add a line here; any other model has the first number.
DIMENSIONS = {"text-embedding-3-small": 1_536, "text-embedding-3-large": 3_072, "text-embedding-ada-002": 1_536}


class Embedded(NamedTuple):
    """What became of one body."""

    model: str
    input_tokens: int
    response: JsonObject


def serve(raw: bytes) -> Embedded:
    """Read a body and embed its inputs, each in the order given."""
    body = decoded(raw)
    fields(body, "", REQUEST_FIELDS, ("input", "model"))
    size = body.get("dimensions") or DIMENSIONS.get(body["model"], DIMENSIONS["text-embedding-3-small"])
    inputs = _inputs(body["input"])
    written = _base64 if body.get("encoding_format") == "base64" else list
    spent = sum(_tokens(one, f"input.{i}") for i, one in enumerate(inputs))
    if spent > MOST_IN_ALL:
        raise refuse("input", f"{spent} tokens are more than the {MOST_IN_ALL} of one request")
    vectors = [
        {"object": "embedding", "index": i, "embedding": written(embedded(_terms(one), size))}
        for i, one in enumerate(inputs)
    ]
    usage = {"prompt_tokens": spent, "total_tokens": spent}
    return Embedded(body["model"], spent, {"object": "list", "data": vectors, "model": body["model"], "usage": usage})


def embedded(terms: Iterable[str], size: int) -> tuple[float, ...]:
    """The vector of some words, of length 1, as float32 values.

    >>> near, far = embedded(["open", "room"], 256), embedded(["tea"], 256)
    >>> [round(sum(a * b for a, b in zip(v, embedded(["open"], 256))), 1) for v in (near, far)]
    [0.7, 0.0]
    """
    vector = [0.0] * size
    for term in terms:
        for place in struct.unpack(f"<{SPREAD}I", blake2b(term.encode(), digest_size=4 * SPREAD).digest()):
            vector[(place >> 1) % size] += 1.0 if place & 1 else -1.0
    if not any(vector):  # with few dimensions, words can cancel each other out
        vector[0] = 1.0
    length = math.sqrt(sum(value * value for value in vector))
    return struct.unpack(f"<{size}f", struct.pack(f"<{size}f", *(value / length for value in vector)))


def _terms(one: str | list[int]) -> list[str]:
    """The words of a text, or its token numbers. A text without words counts as one word."""
    if isinstance(one, str):
        return words(one) or [one]
    return [f"token {number}" for number in one]


def _base64(vector: tuple[float, ...]) -> str:
    """Little-endian float32."""
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def _tokens(one: str | list[int], path: str) -> int:
    spent = tokens(len(one)) if isinstance(one, str) else len(one)
    if not spent:
        raise refuse(path, "Input cannot be empty")
    if spent > MOST_TOKENS:
        raise refuse(path, f"{spent} tokens are more than the {MOST_TOKENS} of one input")
    return spent


def _inputs(given: str | list[Json]) -> list[str | list[int]]:
    """The texts or lists of token numbers that were given, one or many."""
    if isinstance(given, str):
        return [given]
    return [given] if isinstance(given[0], int) else given


def _embeddable(value: object, path: str) -> None:
    """A text, a list of texts, a list of token numbers, or a list of such lists."""
    if isinstance(value, str):
        return
    if not isinstance(value, list) or not value:
        raise refuse(path, "Input should be a string, or a list of strings or of token numbers that is not empty")
    if isinstance(value[0], int):
        list_of(_TOKEN)(value, path)
        return
    if len(value) > MOST_INPUTS:
        raise refuse(path, f"List should have at most {MOST_INPUTS} items")
    list_of(string if isinstance(value[0], str) else list_of(_TOKEN))(value, path)


_TOKEN = integer(0)

REQUEST_FIELDS: dict[str, Check] = {
    "input": _embeddable,
    "model": filled,
    "dimensions": optional(integer(1, max(DIMENSIONS.values()))),
    "encoding_format": optional(one_of("float", "base64")),
    "user": optional(string),
}
