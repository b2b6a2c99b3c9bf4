"""The tools of the Anthropic API: the caller's own, the service's, and which one must be called."""

import re

from mock_llm.records import JsonObject, Tool
from mock_llm.wires.anthropic_blocks import CACHE
from mock_llm.wires.fields import (
    Check,
    anything,
    boolean,
    by_type,
    fields,
    filled,
    json_schema,
    list_of,
    mapping,
    one_of,
    optional,
    record,
    refuse,
    string,
)


def forced(tools: list[JsonObject], choice: JsonObject) -> Tool | None:
    """The tool that must be called: the one named, or the first. Raises RequestError where there is none."""
    if choice["type"] not in ("any", "tool"):
        return None
    if not tools:
        raise refuse("tool_choice", "may only be specified while providing tools")
    own = {tool["name"]: tool for tool in tools if "input_schema" in tool}
    name = choice["name"] if choice["type"] == "tool" else next(iter(own), "")
    if name not in own:
        raise refuse("tool_choice", f"Tool {name[:80]!r} not found in provided tools")
    return Tool(name, {**own[name]["input_schema"], "type": "object"})


def checked_tools(value: object, path: str) -> None:
    """A list of tools with different names."""
    names = [tool["name"] for tool in list_of(_tool)(value, path) if "name" in tool]  # a toolset has none
    if len(set(names)) < len(names):
        raise refuse(path, "Tool names must be unique.")


def _tool(value: object, path: str) -> None:
    """A tool of the caller's own. The service's tools are accepted and never called."""
    tool = mapping(value, path)
    kind = "custom" if tool.get("type") is None else string(tool["type"], f"{path}.type")
    if kind == "custom":
        fields(tool, f"{path}.custom", TOOL_FIELDS, ("name", "input_schema"))
    elif kind not in SERVICE_TOOLS:
        known = ", ".join(f"'{one}'" for one in ("custom", *SERVICE_TOOLS))
        raise refuse(
            path, f"Input tag {kind[:80]!r} found using 'type' does not match any of the expected tags: {known}"
        )
    elif name := SERVICE_TOOLS[kind]:
        if "name" not in tool:
            raise refuse(f"{path}.{kind}.name", "Field required")
        one_of(name)(tool["name"], f"{path}.{kind}.name")


def _tool_name(value: object, path: str) -> None:
    if not _TOOL_NAME.fullmatch(string(value, path)):
        raise refuse(path, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")


def _input_schema(value: object, path: str) -> None:
    if json_schema(value, path).get("type", "object") != "object":
        raise refuse(f"{path}.type", "Input should be 'object'")


_TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,128}")
_PARALLEL: dict[str, Check] = {"disable_parallel_tool_use": boolean}

TOOL_FIELDS: dict[str, Check] = {
    "name": _tool_name,
    "input_schema": _input_schema,
    "type": anything,
    "description": string,
    "allowed_callers": list_of(string),
    "cache_control": CACHE,
    "defer_loading": boolean,
    "eager_input_streaming": optional(boolean),
    "input_examples": list_of(mapping),
    "strict": boolean,
}

TOOL_CHOICE = by_type(
    {
        "auto": record("auto", _PARALLEL),
        "any": record("any", _PARALLEL),
        "tool": record("tool", {"name": filled, **_PARALLEL}, "name"),
        "none": record("none", {}),
    }
)


# The service's own tools, as its client knows them, and the name that each must have; "" where it has none.
# To add one, add a line.
SERVICE_TOOLS = {
    "advisor_20260301": "advisor",
    "bash_20241022": "bash",
    "bash_20250124": "bash",
    "browser_toolset_20260801": "",
    "code_execution_20250522": "code_execution",
    "code_execution_20250825": "code_execution",
    "code_execution_20260120": "code_execution",
    "code_execution_20260521": "code_execution",
    "computer_20241022": "computer",
    "computer_20250124": "computer",
    "computer_20251124": "computer",
    "computer_toolset_20260801": "",
    "mcp_toolset": "",
    "memory_20250818": "memory",
    "text_editor_20241022": "str_replace_editor",
    "text_editor_20250124": "str_replace_editor",
    "text_editor_20250429": "str_replace_based_edit_tool",
    "text_editor_20250728": "str_replace_based_edit_tool",
    "tool_search_tool_bm25": "tool_search_tool_bm25",
    "tool_search_tool_bm25_20251119": "tool_search_tool_bm25",
    "tool_search_tool_regex": "tool_search_tool_regex",
    "tool_search_tool_regex_20251119": "tool_search_tool_regex",
    "web_fetch_20250910": "web_fetch",
    "web_fetch_20260209": "web_fetch",
    "web_fetch_20260309": "web_fetch",
    "web_fetch_20260318": "web_fetch",
    "web_search_20250305": "web_search",
    "web_search_20260209": "web_search",
    "web_search_20260318": "web_search",
}
