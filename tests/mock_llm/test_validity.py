"""What fits a schema, and what is one, held against an independent validator."""

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mock_llm.patterns import Budget
from mock_llm.validity import Rules, SchemaError, check_schema

SCHEMAS = [
    {"type": "integer"},
    {"type": ["number", "null"]},
    {"const": 1},
    {"enum": [[1], True, {"a": None}]},
    {"minimum": 1, "exclusiveMaximum": 3},
    {"multipleOf": 0.5},
    {"minLength": 1, "maxLength": 2},
    {"pattern": "^a"},
    {"minItems": 1, "maxItems": 2},
    {"uniqueItems": True},
    {"prefixItems": [{"type": "null"}], "items": {"type": "boolean"}},
    {"contains": {"const": 1}, "minContains": 0, "maxContains": 1},
    {"contains": {"type": "boolean"}},
    {"minProperties": 1, "maxProperties": 1},
    {"required": ["a"]},
    {"properties": {"a": {"type": "null"}, "b": False}, "additionalProperties": {"type": "integer"}},
    {"patternProperties": {"^a": {"type": "null"}}, "additionalProperties": False},
    {"propertyNames": {"maxLength": 1}},
    {"dependentRequired": {"a": ["b"]}},
    {"dependentSchemas": {"a": {"maxProperties": 1}}},
    {"allOf": [{"type": "array"}, {"minItems": 1}]},
    {"anyOf": [{"type": "string"}, {"minimum": 2}]},
    {"oneOf": [{"type": "integer"}, {"maximum": 1}]},
    {"not": {"type": "object"}},
    {"if": {"type": "object"}, "then": {"required": ["b"]}, "else": {"type": "array"}},
    {"then": False, "else": False},
    {"items": {"$ref": "#/$defs/list"}, "$defs": {"list": {"type": "array", "items": {"$ref": "#/$defs/list"}}}},
    {"format": "date", "x-remark": {"minimum": "3"}},
]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 4) | st.sampled_from([0.5, 1.0, 2.5]) | st.text("ab", max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", "ab"]), inner, max_size=3),
    max_leaves=6,
)


@pytest.mark.parametrize("schema", SCHEMAS, ids=lambda schema: " ".join(schema))
@given(value=VALUES)
def test_what_fits(schema, value):
    check_schema(schema)
    fits = Rules(schema, Budget(10**6)).fits(value, schema)
    assert fits == jsonschema.Draft202012Validator(schema).is_valid(value)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"minimum": "3"}, "'minimum' in the schema should be a number"),
        ({"properties": {"a": {"type": "text"}}}, "'type' in properties.a should be one of object, array, string, "
         "integer, number, boolean, null, or a list of these"),
        ({"properties": {"a": 5}}, "properties.a should be an object, true or false"),
        ({"items": [{}]}, "items should be an object, true or false"),
        ({"anyOf": []}, "'anyOf' in the schema should be a list of schemas"),
        ({"anyOf": [{"required": "a"}]}, "'required' in anyOf.0 should be a list of strings"),
        ({"multipleOf": 0}, "'multipleOf' in the schema should be a number above 0"),
        ({"minLength": -1}, "'minLength' in the schema should be a whole number from 0 on"),
        ({"uniqueItems": "yes"}, "'uniqueItems' in the schema should be true or false"),
        ({"exclusiveMinimum": True}, "'exclusiveMinimum' in the schema should be a number"),
    ],
)  # fmt: skip
def test_what_is_no_schema_is_named(schema, reason):
    with pytest.raises(jsonschema.SchemaError):
        jsonschema.Draft202012Validator.check_schema(schema)
    with pytest.raises(SchemaError) as refusal:
        check_schema(schema)
    assert str(refusal.value) == reason
