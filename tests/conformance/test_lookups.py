"""What both clients ask besides plain replies: values, tokens, models, vectors, and the id of every request."""

import math
from typing import Literal

import pydantic
import pytest

import mock_llm

TEXTS = ["The tea room opens at 8.", "When does the tea room open?", "Parking is free."]
MODELS = [f"mock-{persona}" for persona in mock_llm.PERSONAS]
HI = [{"role": "user", "content": "Hello, you!"}]  # 11 characters


class Stay(pydantic.BaseModel):
    """What a reply is to be parsed to."""

    city: Literal["Hué", "Sapa"]
    nights: int
    guests: list[str]


def nearest(vectors):
    """The index of the vector that is nearest to the first."""
    return max(range(1, len(vectors)), key=lambda i: sum(a * b for a, b in zip(vectors[0], vectors[i], strict=True)))


def embedded(client, **options):
    data = client.embeddings.create(model="text-embedding-3-small", input=TEXTS, **options).data
    return [one.embedding for one in data]


def lengths(vectors):
    return [round(math.hypot(*vector), 5) for vector in vectors]


STAY = Stay(city="Hué", nights=0, guests=[])

# What is asked, of which client, and what must come back. To add one, add a line.
LOOKUPS = {
    "a parsed message": (
        "anthropic",
        lambda client: client.messages.parse(model="m", max_tokens=99, messages=HI, output_format=Stay).parsed_output,
        STAY,
    ),
    "a parsed completion": (
        "openai",
        lambda client: (
            client.chat.completions.parse(model="m", messages=HI, response_format=Stay).choices[0].message.parsed
        ),
        STAY,
    ),
    "a parsed response": (
        "openai", lambda client: client.responses.parse(model="m", input="Hello", text_format=Stay).output_parsed, STAY
    ),
    "tokens of a message": (
        "anthropic", lambda client: client.messages.count_tokens(model="m", messages=HI).input_tokens, 3
    ),
    "tokens with a system prompt": (
        "anthropic",
        lambda client: client.messages.count_tokens(model="m", messages=HI, system="Short.").input_tokens,
        5,
    ),
    "models, page by page": ("anthropic", lambda client: [one.id for one in client.models.list(limit=2)], MODELS),
    "models": ("openai", lambda client: [one.id for one in client.models.list()][: len(MODELS)], MODELS),
    "a model of Anthropic": ("anthropic", lambda client: client.models.retrieve("mock-padding").display_name,
                             "Mock padding"),
    "a model of OpenAI": ("openai", lambda client: client.models.retrieve("mock-padding").owned_by, "mock_llm"),
    "a vector's size": ("openai", lambda client: len(embedded(client)[0]), 1536),
    "a vector's size as asked": ("openai", lambda client: len(embedded(client, dimensions=64)[0]), 64),
    "a vector's length": ("openai", lambda client: lengths(embedded(client)), [1.0, 1.0, 1.0]),
    "the nearest vector": ("openai", lambda client: nearest(embedded(client)), 1),
    "floats and base64": (
        "openai", lambda client: embedded(client, encoding_format="float") == embedded(client), True
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOKUPS)
def test_a_lookup(official, name):
    api, ask, due = LOOKUPS[name]
    assert ask(official[api]) == due


# Calls of which the client tells the id.
IDENTIFIED = {
    "message": ("anthropic", lambda client: client.messages.create(model="m", max_tokens=9, messages=HI)),
    "tokens": ("anthropic", lambda client: client.messages.count_tokens(model="m", messages=HI)),
    "model of Anthropic": ("anthropic", lambda client: client.models.retrieve("mock-reader")),
    "completion": ("openai", lambda client: client.chat.completions.create(model="m", messages=HI)),
    "response": ("openai", lambda client: client.responses.create(model="m", input="Hello")),
    "vectors": ("openai", lambda client: client.embeddings.create(model="m", input="Hello")),
    "model of OpenAI": ("openai", lambda client: client.models.retrieve("mock-reader")),
}


@pytest.mark.parametrize("name", IDENTIFIED)
def test_every_request_has_an_id(official, name):
    api, ask = IDENTIFIED[name]
    assert ask(official[api])._request_id.startswith("req_")
