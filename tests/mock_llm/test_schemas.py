"""Values made of schemas, held against an independent validator."""

import json
import time

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mock_llm
from mock_llm.examples import example
from mock_llm.schemas import SchemaError, check_schema

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
        # strings
        {"type": "string", "pattern": "^[A-Z]{3}-\\d{4}$", "examples": ["ABC-0001"]},
        {"type": "string", "pattern": "^[a-z]+$", "minLength": 9, "maxLength": 9},
        {"type": "string", "pattern": "^https?:\\/\\/\\S+$", "format": "uri"},
        {"allOf": [{"pattern": "^a"}, {"pattern": "z$"}, {"type": "string", "default": "abz"}]},
        {"type": "string", "pattern": "^(?=.*[A-Z])(?=.*\\d)[A-Za-z\\d]{8,64}$", "enum": ["abc", "Password1"]},
        {"type": "string", "pattern": "^(?!admin$)[a-z]{3,}$", "minLength": 8},
        {"type": "string", "pattern": "^(['\"])x\\1$", "const": "'x'"},
        {"type": "string", "format": "email", "minLength": 40},
        {"type": "string", "format": "date", "pattern": "^2026"},
        {"type": "string", "not": {"enum": ["value", "value2"]}},
        {"type": "string", "minLength": 1.0, "maxLength": 2.0},
        {"type": "array", "minItems": 2.0, "maxItems": 3.0, "items": {"type": "string", "minLength": 7.0}},
        {"type": "object", "minProperties": 1.0, "maxProperties": 1.0},
        # numbers
        {"type": "integer", "multipleOf": 7, "exclusiveMinimum": 14, "maximum": 30},
        {"type": "number", "multipleOf": 0.01, "exclusiveMinimum": 0.05},
        {"allOf": [{"type": "number", "multipleOf": 4}, {"multipleOf": 6}, {"minimum": 1}]},
        {"allOf": [{"minimum": 3}, {"minimum": 9}, {"type": "integer", "maximum": 12}, {"maximum": 10}]},
        {"type": "integer", "minimum": 2.5},
        {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e-9},
        {"type": "integer", "not": {"const": 0}},
        # arrays
        {"type": "array", "minItems": 5, "uniqueItems": True},
        {"type": "array", "items": {"type": "integer"}, "minItems": 60, "uniqueItems": True},
        {"type": "array", "items": {"enum": ["a", "b", "c"]}, "minItems": 3, "uniqueItems": True},
        {"type": "array", "items": {"type": "boolean"}, "minItems": 2, "uniqueItems": True},
        {"type": "array", "items": {"type": "string", "pattern": "^\\w+$"}, "minItems": 3, "uniqueItems": True},
        {"type": "array", "items": {"type": "string", "format": "email"}, "minItems": 3, "uniqueItems": True},
        {"type": "array", "items": {"type": "object", "required": ["n"], "properties": {"n": {"type": "number"}}},
         "minItems": 3, "uniqueItems": True},
        {"type": "array", "contains": {"const": 9}, "minContains": 2, "prefixItems": [{"const": 1}]},
        {"type": "array", "contains": {"type": "null"}},
        # objects
        {"type": "object", "minProperties": 2},
        {"type": "object", "minProperties": 3, "properties": {"a": {"type": "null"}},
         "additionalProperties": {"const": 1}},
        {"type": "object", "minProperties": 2, "properties": {"a": {}, "b": {}, "c": False},
         "additionalProperties": False},
        {"type": "object", "minProperties": 2, "propertyNames": {"pattern": "^[a-z]"}},
        {"type": "object", "minProperties": 2, "patternProperties": {"^k": {"type": "integer"}},
         "additionalProperties": False},
        {"type": "object", "required": ["n1"], "patternProperties": {"^n": {"type": "integer"}}},
        {"type": "object", "required": ["a"], "dependentRequired": {"a": ["b"], "b": ["c"]}},
        {"type": "object", "required": ["a"], "dependentSchemas": {"a": {"required": ["b"]}}},
        # choices
        {"enum": [True, 1, "x"], "type": "integer"},
        {"enum": ["low", "high"], "not": {"const": "low"}},
        {"enum": ["abc", "xyz"], "pattern": "^x"},
        {"allOf": [{"enum": [1, 2, 3]}, {"enum": [3, 4]}]},
        {"const": {"a": [1, None]}},
        {"type": "object", "anyOf": [{"required": ["a"], "not": {"required": ["a"]}}, {"required": ["b"]}]},
        {"oneOf": [{"type": "number"}, {"type": "integer"}]},
        {"type": "object", "required": ["kind"], "properties": {"kind": {"enum": ["card", "cash"]}},
         "if": {"properties": {"kind": {"const": "card"}}}, "then": {"required": ["number"]},
         "else": {"required": ["till"]}},
        {"$ref": "#/$defs/pair/prefixItems/1", "$defs": {"pair": {"prefixItems": [{}, {"type": "integer"}]}}},
        {"$ref": "#/$defs/a%20b~1c", "$defs": {"a b/c": {"type": "null"}}},
        {"$ref": "#/$defs/base", "properties": {"part": {"$ref": "#/$defs/base"}}, "required": ["part"],
         "$defs": {"base": {"type": "object", "required": ["id"]}}},
        {"allOf": [{"$ref": "#/$defs/node"}, {"$ref": "#/$defs/node"}], **DEFS},
        {"$ref": "#named", "$defs": {"x": {"$anchor": "named", "type": "integer"}}},
        {"$id": "https://example.org/stay", "$ref": "#/$defs/hour", **DEFS},
        {"type": "object", "required": ["a"], "allOf": [{"properties": {"a": {"type": "null"}}}],
         "unevaluatedProperties": False},
        # given
        {"type": "string", "default": "UTC", "minLength": 3},
        {"type": "string", "default": "x", "examples": ["y", "CET"], "minLength": 3},
    ],
)  # fmt: skip
def test_the_value_fits_the_schema(schema):
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(example(schema))) == []


@pytest.mark.parametrize(
    ("schema", "value"),
    [
        ({"type": "string", "pattern": "^[A-Z]{2}-[0-9]{3}$", "examples": ["x", "AB-001"]}, "AB-001"),
        ({"pattern": "^[a-z]+$"}, "value"),
        ({"anyOf": [{"type": "integer", "minimum": 4}, {"type": "null"}]}, 4),
        ({"type": "array", "items": {"type": "integer", "minimum": 3}, "minItems": 3, "uniqueItems": True}, [3, 4, 5]),
        ({"type": "integer", "multipleOf": 7, "exclusiveMinimum": 14}, 21),
        ({"type": "integer", "multipleOf": 5, "maximum": -4}, -5),
        ({"type": "string", "default": "UTC"}, "UTC"),
        ({"type": "string", "format": "email"}, "a@example.org"),
        ({"type": "string", "format": "date"}, "2026-01-01"),
    ],
)
def test_the_simplest_value_is_taken(schema, value):
    assert example(schema) == value


@pytest.mark.parametrize("form", ["date", "email", "ipv4", "ipv6", "uuid"])
def test_there_are_many_values_of_a_format(form):
    schema = {"type": "array", "items": {"type": "string", "format": form}, "minItems": 30, "uniqueItems": True}
    checker = jsonschema.FormatChecker([form])
    assert list(jsonschema.Draft202012Validator(schema, format_checker=checker).iter_errors(example(schema))) == []


def test_only_what_is_required_is_filled_in_order():
    schema = {"properties": {"a": {}, "b": {"type": "string"}, "c": {"type": "boolean"}}, "required": ["c", "b"]}
    assert list(example(schema).items()) == [("c", True), ("b", "b")]


def shape(**properties):
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


def text(pattern, **more):
    return {"type": "string", "pattern": pattern, **more}


NULL = {"type": "null"}
TEXT = {"type": "string"}
NUMBER = {"type": "number"}
EMAIL = r"^(?!\.)(?!.*\.\.)([A-Za-z0-9_'+\-\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\-]*\.)+[A-Za-z]{2,}$"
IP = r"^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$"
DATE = (r"(?:(?:\d\d[2468][048]|\d\d[13579][26]|\d\d0[48]|[02468][048]00|[13579][26]00)-02-29|\d{4}-"
        r"(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)|"
        r"(?:02)-(?:0[1-9]|1\d|2[0-8])))")  # fmt: skip
SEMVER = (r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
          r"(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$")  # fmt: skip
LINE = {"type": "object", "required": ["sku", "count"], "title": "Line", "properties": {
    "sku": {"type": "string", "pattern": r"^\w{3,10}$", "title": "Sku"},
    "count": {"type": "integer", "default": 1}}}  # fmt: skip
TREE = shape(name=TEXT, children={"type": "array", "items": {"$ref": "#/$defs/Tree"}},
             above={"anyOf": [{"$ref": "#/$defs/Tree"}, NULL]})  # fmt: skip
TEST = shape(field=TEXT, equals={"anyOf": [TEXT, NUMBER, {"type": "boolean"}, NULL]})
BOTH = {"type": "object", "required": ["and"], "properties": {
    "and": {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/Filter"}}}}  # fmt: skip

# What applications send: shapes as written by hand, by Pydantic, by Zod, and for the strict mode of OpenAI.
REAL = {
    "weather": shape(place={"type": "string", "description": "A city"}, unit={"enum": ["celsius", "fahrenheit"]}),
    "booking": shape(
        guest=shape(name={"type": "string", "minLength": 1}, email={"type": "string", "format": "email"}),
        arrival={"type": "string", "format": "date"},
        nights={"type": "integer", "minimum": 1, "maximum": 30},
        rooms={"type": "array", "minItems": 1, "items": shape(kind={"enum": ["single", "double"]})},
    ),
    "filters": shape(
        filters={"type": "array", "minItems": 2, "items": shape(
            field=TEXT, value={"anyOf": [TEXT, NUMBER, {"type": "array", "items": TEXT}]})},
    ),
    "payment": shape(amount={"type": "number", "exclusiveMinimum": 0, "multipleOf": 0.01},
                     currency=text("^[A-Z]{3}$", minLength=3, maxLength=3, examples=["EUR"])),
    "order": shape(order=text(r"^ORD-\d{6}$", examples=["ORD-000001"]), labels={"type": "array", "minItems": 2,
                   "uniqueItems": True, "items": text("^[a-z0-9]+(?:-[a-z0-9]+)*$")}),
    "release": shape(version=text(SEMVER, default="1.0.0"), commit=text("^[0-9a-f]{40}$", examples=["0" * 40])),
    "account": shape(password=text(r"^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z\d]{8,64}$", examples=["Password1"]),
                     user=text("^(?!admin$)[a-z_][a-z0-9_]{2,31}$")),
    "web": shape(url=text(r"^(https?:\/\/)?([\da-z\.-]+)\.([a-z\.]{2,6})([\/\w \.-]*)*\/?$", format="uri"),
                 host=text(r"^(([a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9\-]*[a-zA-Z0-9])\.)*[A-Za-z]+$", format="hostname"),
                 role=text(r"^arn:aws[a-zA-Z-]*:iam::\d{12}:role/?[\w+=,.@\-/]+$", minLength=20, maxLength=2048,
                           examples=["arn:aws:iam::000000000000:role/reader"])),
    "opening": shape(hours={"type": "array", "minItems": 2, "uniqueItems": True,
                            "items": text(r"^([01]\d|2[0-3]):[0-5]\d$", examples=["08:00", "18:00"])}),
    "pays": {"type": "object", "required": ["by"], "properties": {
        "by": {"enum": ["card", "iban"]}, "card": text(r"^\d{16}$", default="0" * 16),
        "iban": text("^[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}$")},
        "if": {"properties": {"by": {"const": "card"}}}, "then": {"required": ["card"]},
        "else": {"required": ["iban"]}},
    "contact": {**shape(name=TEXT), "properties": {"name": TEXT, "email": TEXT, "phone": TEXT},
                "anyOf": [{"required": ["email"]}, {"required": ["phone"]}]},
    "place": shape(at=shape(latitude={"type": "number", "minimum": -90, "maximum": 90}, zoom={"type": "integer",
                   "minimum": 1, "maximum": 20})),
    "patch": {"type": "array", "minItems": 1, "items": {"oneOf": [
        shape(op={"const": "add"}, path=text("^/", default="/a"), value={}),
        shape(op={"const": "remove"}, path=TEXT)]}},
    "update": {"type": "object", "properties": {"name": TEXT}, "minProperties": 1, "additionalProperties": False},
    "variables": {"type": "object", "patternProperties": {"^[A-Za-z_]+$": TEXT}, "additionalProperties": False,
                  "minProperties": 1},
    "strict": shape(steps={"type": "array", "items": shape(why=TEXT)}, final={"type": ["string", "null"]}),
    "pydantic": {**shape(
        lines={"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/Line"}},
        state={"allOf": [{"$ref": "#/$defs/State"}], "default": "open"},
        note={"anyOf": [TEXT, NULL], "title": "Note"},
        total={"anyOf": [NUMBER, text(r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$")]},
        box={"type": "array", "minItems": 2, "maxItems": 2, "prefixItems": [NUMBER, NUMBER]},
    ), "$defs": {"Line": LINE, "State": {"enum": ["open", "paid"], "type": "string"}}},
    "pydantic union": {**shape(pet={"discriminator": {"propertyName": "kind", "mapping": {"cat": "#/$defs/Cat"}},
                                    "oneOf": [{"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}]}),
                       "$defs": {"Cat": shape(kind={"const": "cat", "type": "string"}, lives={"type": "integer"}),
                                 "Dog": shape(kind={"const": "dog", "type": "string"}, barks={"type": "boolean"})}},
    "pydantic tree": {"$ref": "#/$defs/Tree", "$defs": {"Tree": TREE}},
    "recursive filter": {**shape(where={"$ref": "#/$defs/Filter"}), "$defs": {"Filter": {"anyOf": [BOTH, TEST]}}},
    "zod": {"$schema": "https://json-schema.org/draft/2020-12/schema", **shape(
        id={"type": "string", "format": "uuid", "pattern": "^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[1-8][0-9a-fA-F]{3}-"
            "[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}|00000000-0000-0000-0000-000000000000)$"},
        email=text(EMAIL, format="email"),
        born=text(f"^{DATE}$", format="date"),
        made=text(rf"^{DATE}T(?:(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d+)?)?(?:Z))$", format="date-time"),
        ip=text(IP, format="ipv4"), site={"type": "string", "format": "uri"},
        age={"type": "integer", "exclusiveMinimum": 0, "maximum": 9007199254740991},
        scores={"type": "object", "propertyNames": TEXT, "additionalProperties": NUMBER},
    )},
    "zod ids": shape(nano=text("^[a-zA-Z0-9_-]{21}$", minLength=21), ulid=text("^[0-9A-HJKMNP-TV-Za-hjkmnp-tv-z]{26}$",
                   examples=["0" * 26]),
                     phone=text(r"^\+(?:[0-9]){6,14}[0-9]$", examples=["+10000000"]),
                   token=text(r"^[\w-]+\.[\w-]+\.[\w-]+$", minLength=20, format="hostname"),
                     data=text(r"^$|^(?:[0-9a-zA-Z+/]{4})*(?:(?:[0-9a-zA-Z+/]{2}==)|(?:[0-9a-zA-Z+/]{3}=))?$")),
    "typebox": {"type": "object", "unevaluatedProperties": False, "allOf": [
        {"type": "object", "required": ["a"], "properties": {"a": TEXT}}, {"type": "object", "required": ["b"],
         "properties": {"b": {"type": "array", "contains": {"const": "x"}}}}]},
}  # fmt: skip


@pytest.mark.parametrize("schema", REAL.values(), ids=REAL)
def test_what_applications_send_has_a_value(schema):
    checker = jsonschema.FormatChecker(["date", "email", "ipv4", "uuid"])
    assert list(jsonschema.Draft202012Validator(schema, format_checker=checker).iter_errors(example(schema))) == []


def doubling(depth):
    """A small schema whose smallest value has 2**depth parts."""
    step = {}
    for i in range(depth):
        properties = dict.fromkeys("ab", {"$ref": f"#/$defs/d{i + 1}"})
        step[f"d{i}"] = {"type": "object", "required": ["a", "b"], "properties": properties}
    return {"$ref": "#/$defs/d0", "$defs": {**step, f"d{depth}": {"const": 1}}}


def branching(depth):
    """A small schema that a value is held against 2**depth times."""
    steps = {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(depth)}
    return {**steps, f"d{depth}": False}


def nested(depth):
    schema = {"type": "string"}
    for _ in range(depth):
        schema = {"type": "object", "required": ["a"], "properties": {"a": schema}}
    return schema


def test_a_pattern_that_could_be_slow_is_read_all_the_same():
    name = "a" * 60
    assert example({"type": "object", "required": [name], "properties": {name: text("^((a{0,900}){0,900}){0,900}$")}})
    value = {"a" * 60 + "!": 1}
    assert example({"const": value, "patternProperties": {"^(a+)+$": {}}}) == value


SLOW = [
    ("^(a+)+$", "a" * 60 + "!"),
    ("^(a|aa)+$", "a" * 60 + "!"),
    ("^(a?){60}a{60}$", "a" * 59),
    ("a*a*a*a*a*b", "a" * 300),
    ("a?" * 28 + "b", "a" * 28),
    (r"(?:a|.|\w)" * 16 + "b", "a" * 16),
    ("^(?:a?){40}b", "a" * 40),
    ("^(?:a(?:|||||||)){12}b", "a" * 16),
    ("^(?:a(?:|||||||))*b", "a" * 16),
    (r"(a)(?:\1?){40}b", "a" * 40),
    ("(" * 30 + "a+" + ")+" * 30 + "b", "a" * 30),
    ("^((a{900}){900}){900}$", "a"),
    ("^((){65000}){65000}b$", "a"),
]


@pytest.mark.parametrize(("pattern", "value"), SLOW)
def test_a_slow_pattern_is_given_up_soon(pattern, value):
    """Whether it is slow is the library's matter; that it ends is ours, wherever the pattern is."""
    name = {"type": "object", "required": [value], "additionalProperties": False}
    for schema in (
        {"enum": [value] * 50, "pattern": pattern},
        {"$schema": "https://json-schema.org/draft/2020-12/schema", "enum": [value], "pattern": pattern},
        {"allOf": [{"$schema": "http://json-schema.org/draft-07/schema#", "enum": [value], "pattern": pattern}]},
        {**name, "patternProperties": {pattern: {}}},
        {**name, "propertyNames": {"pattern": pattern}},
        {**name, "additionalProperties": {}, "patternProperties": {pattern: {}}, "unevaluatedProperties": False},
    ):
        start = time.thread_time()
        with pytest.raises(mock_llm.RequestError, match="^tools: "):
            example(schema)
        assert time.thread_time() - start < 3


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
        {"type": "string", "pattern": "^a$", "minLength": 2},
        {"type": "string", "pattern": "(a"},
        {"type": "string", "pattern": "^(?=b)a$"},
        {"type": "string", "pattern": "^\\p{Lu}$"},
        *({"type": "string", "pattern": wrong} for wrong in ("a)", "[a", "*a", "a{3,2}", "[z-a]", "a\\", "(?x)a #b")),
        {"type": "string", "pattern": "a{99999999999}"},
        {"type": "string", "pattern": "^((a{900}){900}){900}$"},
        {"enum": ["a" * 60 + "!"], "pattern": "^(a|aa)+$"},
        {"enum": ["a" * 60 + "!"], "pattern": "^(a+)+$"},
        {"type": "integer", "minimum": 5, "maximum": 4},
        {"type": "integer", "exclusiveMinimum": 4, "exclusiveMaximum": 5},
        {"type": "number", "multipleOf": 0},
        {"type": "integer", "exclusiveMinimum": True},
        {"type": "array", "items": {"type": "boolean"}, "minItems": 3, "uniqueItems": True},
        {"type": "array", "items": [{"type": "null"}]},
        {"type": "array", "minItems": 2, "maxItems": 1},
        {"type": "object", "required": ["a"], "properties": {"a": False}},
        {"type": "object", "minProperties": 2, "properties": {"a": {}}, "additionalProperties": False},
        {"type": "object", "minProperties": 10**9},
        {"not": {"$ref": "#/$defs/d0"}, "$defs": branching(40)},
        {"type": "object", "properties": {f"a{i}": {} for i in range(10_000)}},
        {"$id": "http://[", "required": ["a"], "properties": {"a": {"$id": "b"}}},
        {"$ref": "#/enum/0", "enum": [{"type": "tuple"}]},
        {"enum": []},
        {"not": {}},
        False,
    ],
)
def test_a_schema_without_a_small_value_is_refused(schema):
    with pytest.raises(mock_llm.RequestError, match="^tools: "):
        example(schema)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"minimum": "3"}, "'3' is not of type 'number' in 'minimum'"),
        ({"properties": {"a": {"type": "text"}}}, "'text' is not one of ['array', 'boolean', 'integer', 'null', "
         "'number', 'object', 'string'] in 'properties.a.type'"),
        ({"properties": {"a": 5}}, "5 is not of type 'object', 'boolean' in 'properties.a'"),
        ({"anyOf": [{"required": "a"}]}, "'a' is not of type 'array' in 'anyOf.0.required'"),
    ],
)  # fmt: skip
def test_what_is_no_schema_is_named(schema, reason):
    with pytest.raises(SchemaError) as refusal:
        check_schema(schema)
    assert str(refusal.value) == reason


NO_VALUE = "no small value fits the schema: it contradicts itself, or asks for too much"
NO_TEXT = (
    "this mock invents no text for the pattern '^[A-Z]{3}$': add an example, a default or an enum, or script the "
    "reply with mock.script"
)


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "integer", "minimum": 5, "maximum": 4}, NO_VALUE),
        ({"type": "string", "pattern": "(a"}, "this mock cannot read the pattern '(a': missing ) at position 2"),
        (text("^[A-Z]{3}$"), NO_TEXT),
        ({"pattern": "^[A-Z]{3}$"}, NO_TEXT),
        (text("^[A-Z]{3}$", enum=["eur"]), NO_VALUE),
        ({"type": "object", "required": ["c"], "patternProperties": {"(a": {}}},
         "this mock cannot read the pattern '(a': missing ) at position 2"),
        (text("^[A-Z]{3}$", examples=["eur"], format="date"), NO_TEXT),
        (text("^(a|aa)+$", enum=["a" * 60 + "!"]), "the pattern '^(a|aa)+$' takes too long to match: simplify it, or "
         "script the reply with mock.script"),
    ],
)  # fmt: skip
def test_a_refusal_names_the_place_and_the_reason(schema, reason):
    inner = {"type": "object", "required": ["b"], "properties": {"b": schema}}
    with pytest.raises(mock_llm.RequestError) as refusal:
        example({"type": "object", "required": ["a"], "properties": {"a": inner}}, "text.format.schema")
    assert str(refusal.value) == f"text.format.schema: {reason} (at 'a.b')"


def test_the_value_is_the_callers_own():
    schema = {"type": "array", "minItems": 1}
    example(schema).append(1)
    assert example(schema) == ["value"]


LONG = {"type": "string", "minLength": 9_000}


@pytest.mark.parametrize(
    "item",
    [LONG, {"const": "x" * 9_000}, {"enum": [["x" * 9_000]]}, {"type": "object", "required": ["k" * 9_000]}],
)
def test_the_characters_of_one_example_are_limited(item):
    small = {"type": "array", "items": item, "minItems": 5}
    jsonschema.Draft202012Validator(small).validate(example(small))
    with pytest.raises(mock_llm.RequestError, match="^tools: "):
        example({**small, "minItems": 60})


NAMES = st.sampled_from(["a", "b", "c"])
PATTERNS = st.sampled_from(["^a+$", "b", "^[A-Z]{2}-\\d{3}$", "^(foo|bar)", "z$", "^[^a]*$", ".", "^.{3,5}$"])
KINDS = st.sampled_from(["string", "integer", "number", "boolean", "null", "object", "array"])
SMALL = st.integers(0, 4)
NUMBERS = st.integers(-20, 20) | st.sampled_from([0.5, -0.5, 0.1, 1e3])
PLAIN = st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab", max_size=3) | st.just(0.5)
DEFINED = st.sampled_from([{"$ref": "#/$defs/hour"}, {"$ref": "#/$defs/node"}])


def schemas_of(inner):
    """Schemas of any few keywords, whatever they hold."""
    within = inner | DEFINED  # a schema may be part of itself only where a value goes on
    deeper = within | st.just({"$ref": "#"})
    keywords = {
        "type": KINDS | st.lists(KINDS, min_size=1, max_size=3, unique=True),
        "properties": st.dictionaries(NAMES, deeper, max_size=3),
        "required": st.lists(NAMES, max_size=3, unique=True),
        "additionalProperties": within,
        "patternProperties": st.dictionaries(PATTERNS, within, max_size=1),
        "propertyNames": st.fixed_dictionaries({"pattern": PATTERNS}),
        "minProperties": SMALL,
        "maxProperties": SMALL,
        "dependentRequired": st.dictionaries(NAMES, st.lists(NAMES, max_size=2, unique=True), max_size=1),
        "items": deeper,
        "prefixItems": st.lists(within, min_size=1, max_size=2),
        "minItems": SMALL,
        "maxItems": SMALL,
        "uniqueItems": st.booleans(),
        "contains": within,
        "minimum": NUMBERS,
        "maximum": NUMBERS,
        "exclusiveMinimum": NUMBERS,
        "exclusiveMaximum": NUMBERS,
        "multipleOf": st.sampled_from([1, 2, 3, 0.5, 0.1, 0.01, 7]),
        "minLength": SMALL,
        "maxLength": SMALL,
        "pattern": PATTERNS,
        "enum": st.lists(PLAIN, min_size=1, max_size=3),
        "const": PLAIN,
        **{name: st.lists(within, min_size=1, max_size=2) for name in ("allOf", "anyOf", "oneOf")},
        **{name: within for name in ("not", "if", "then", "else")},
    }
    few = st.lists(st.sampled_from(sorted(keywords)), min_size=1, max_size=5, unique=True)
    return few.flatmap(lambda names: st.fixed_dictionaries({name: keywords[name] for name in names}))


ANY = st.recursive(st.booleans() | schemas_of(st.booleans()), schemas_of, max_leaves=4).filter(
    lambda one: one is not False
)


@settings(max_examples=2 * settings.default.max_examples)
@given(ANY.map(lambda one: {**one, **DEFS} if isinstance(one, dict) else one))
def test_a_value_fits_whatever_the_keywords_or_is_refused(schema):
    try:
        value = example(schema)
    except mock_llm.RequestError as refusal:
        assert str(refusal).startswith("tools: ")
    else:
        jsonschema.Draft202012Validator(schema).validate(json.loads(json.dumps(value)))
