"""Values made of schemas, held against an independent validator."""

import jsonschema
import pytest

import mock_llm
from mock_llm.schemas import example

DEFS = {"$defs": {"hour": {"type": "integer", "minimum": 8}, "node": {"type": "object", "required": ["next"],
        "properties": {"next": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]}}}}}  # fmt: skip


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object"},
        {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "number"}}, "required": ["b"]},
        {"properties": {"a": {"enum": ["x", "y"]}, "b": {"const": 7}}, "required": ["a", "b"]},
        {"type": ["null", "string"], "minLength": 12},
        {"type": "string", "maxLength": 2},
        {"type": "string", "format": "date"},
        {"type": "integer", "minimum": 3, "multipleOf": 5},
        {"type": "integer", "exclusiveMinimum": 3},
        {"type": "integer", "maximum": -4},
        {"type": "integer", "exclusiveMaximum": 0},
        {"type": "number", "minimum": 0.2, "maximum": 0.4},
        {"type": "number", "exclusiveMinimum": 0.2, "exclusiveMaximum": 0.4},
        {"type": "array", "items": {"type": "boolean"}, "minItems": 2},
        {"type": "array", "prefixItems": [{"const": 1}], "items": {"type": "null"}, "minItems": 3},
        {"anyOf": [{"type": "integer"}, {"type": "null"}]},
        {"oneOf": [{"type": "object", "required": ["a"], "properties": {"a": {"type": "array"}}}]},
        {"allOf": [{"required": ["a"]}, {"properties": {"a": {"type": "integer"}}, "required": ["b"]}]},
        {"type": "object", "required": ["h"], "properties": {"h": {"$ref": "#/$defs/hour"}}, **DEFS},
        {"$ref": "#/$defs/node", **DEFS},
        {"allOf": [{"$ref": "#/$defs/node"}, {"required": ["x"]}], **DEFS},
    ],
)
def test_the_value_fits_the_schema(schema):
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(example(schema))) == []


def test_only_what_is_required_is_filled_in_order():
    schema = {"properties": {"a": {}, "b": {"type": "string"}, "c": {"type": "boolean"}}, "required": ["c", "b"]}
    assert list(example(schema).items()) == [("c", True), ("b", "b")]


def doubling(depth):
    """A small schema whose smallest value has 2**depth parts."""
    step = {}
    for i in range(depth):
        properties = dict.fromkeys("ab", {"$ref": f"#/$defs/d{i + 1}"})
        step[f"d{i}"] = {"type": "object", "required": ["a", "b"], "properties": properties}
    return {"$ref": "#/$defs/d0", "$defs": {**step, f"d{depth}": {"const": 1}}}


def nested(depth):
    schema = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "required": ["a"], "properties": {"a": schema}}
    return schema


@pytest.mark.parametrize(
    "schema",
    [
        {"$ref": "#"},
        {"type": "object", "required": ["a"], "properties": {"a": {"$ref": "#"}}},
        {"allOf": [{"$ref": "#"}]},
        {"$ref": "#/$defs/none"},
        {"$ref": "https://example.org/schema"},
        {"type": "array", "minItems": 10**9},
        {"type": "string", "minLength": 10**12},
        {"type": "tuple"},
        {"enum": 5},
        {"type": "integer", "minimum": "3"},
        {"required": 5},
        doubling(40),
        nested(20_000),
    ],
)
def test_a_schema_without_a_small_value_is_refused(schema):
    with pytest.raises(mock_llm.RequestError, match="^tools: "):
        example(schema)


LONG = {"type": "string", "minLength": 9_000}


@pytest.mark.parametrize(
    "item",
    [LONG, {"const": "x" * 9_000}, {"enum": [["x" * 9_000]]}, {"type": "object", "required": ["k" * 9_000]}],
)
def test_the_characters_of_one_example_are_limited(item):
    small = {"type": "array", "items": item, "minItems": 5}
    jsonschema.Draft202012Validator(small).validate(example(small))
    with pytest.raises(mock_llm.RequestError, match="^tools: "):
        example({**small, "minItems": 12})
