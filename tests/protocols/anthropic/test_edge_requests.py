"""What else a request of the Messages API may have: fields by keyword, blocks of a user, versions, betas and doors."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.blocks import BlockRef
from streamkit.messages import Message, Meta, as_message
from streamkit.params import build_request
from streamkit.parts import FilePart, FunctionCall, FunctionPart, RawPart, TextPart
from streamkit.protocols import Quirks, Request, ToolSpec, get_protocol


# What only one version of the API takes, and what must not stand in the body at other doors.
@pytest.mark.filterwarnings("ignore::streamkit.errors.UnsupportedParameterWarning")  # of what is left out
def test_sampling_is_left_out_where_the_version_refuses_it() -> None:
    asked = Request(model="m", messages=[as_message("q")], temperature=0.5, top_p=0.9, top_k=4)
    sampling = {"temperature", "top_p", "top_k"}
    for version, kept in (("2023-06-01", sampling), ("2026-10-21", set()), ("vertex-2023-10-16", sampling)):
        encoded = get_protocol("anthropic").encode(asked, Quirks(anthropic_version=version))
        assert encoded.body.keys() & sampling == kept
        assert encoded.headers == {"anthropic-version": version}


@pytest.mark.parametrize(("door", "in_header"), [("", True), ("vertex", True), ("bedrock", False)])
def test_betas_are_asked_for_in_the_form_of_each_door(door: str, in_header: bool) -> None:
    betas = ["context-management-2025-06-27", "files-api-2025-04-14"]
    asked = Request(model="m", messages=[as_message("q")], extra={"betas": betas})
    encoded = get_protocol("anthropic").encode(asked, Quirks(anthropic_version="v", anthropic_door=door))
    assert encoded.headers.get("anthropic-beta") == (",".join(betas) if in_header else None)
    assert encoded.body.get("anthropic_beta") == (None if in_header else betas)
    assert "betas" not in encoded.body
    assert ("model" in encoded.body) is (not door)
    assert encoded.body.get("anthropic_version") == ("v" if door else None)


MARK = {"type": "ephemeral", "ttl": "1h"}
SERVER_TOOLS = [
    {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
    {"type": "mcp_toolset", "mcp_server_name": "s"},
]
# What a caller asks for by keyword, and what of it the body holds.
ASKED: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("a mark for the cache of all", {"cache_control": MARK}, {"cache_control": MARK}),
    ("servers of tools", {"mcp_servers": [{"type": "url", "url": "https://m.test", "name": "s"}]}, {}),
    ("a container", {"container": "container_1"}, {}),
    ("a container with skills", {"container": {"id": "c", "skills": [{"type": "anthropic", "skill_id": "pptx"}]}}, {}),
    ("what may be cleared", {"context_management": {"edits": [{"type": "clear_thinking_20251015"}]}}, {}),
    ("models to fall back to", {"fallbacks": [{"model": "n"}]}, {}),
    ("a place and a pace", {"inference_geo": "us", "speed": "fast"}, {}),
    ("a diagnosis", {"diagnostics": {"previous_message_id": "msg_0"}}, {}),
    ("only to warm the cache", {"max_tokens": 0}, {}),
    ("thinking that is shown", {"thinking": {"type": "adaptive", "display": "summarized"}}, {}),
    ("thinking between tools", {"thinking": {"type": "between_tools"}}, {}),
    ("its own tools", {"tools": SERVER_TOOLS}, {}),
    (
        "a tool with all that a tool may have",
        {
            "tools": [
                ToolSpec(
                    name="f",
                    strict=True,
                    extra={
                        "cache_control": MARK,
                        "defer_loading": True,
                        "eager_input_streaming": True,
                        "allowed_callers": ["code_execution_20250825"],
                    },
                )
            ]
        },
        {
            "tools": [
                {
                    "name": "f",
                    "input_schema": {"type": "object", "properties": {}},
                    "strict": True,
                    "cache_control": MARK,
                    "defer_loading": True,
                    "eager_input_streaming": True,
                    "allowed_callers": ["code_execution_20250825"],
                }
            ]
        },
    ),
    (
        "effort beside a form",
        {"output_schema": {"type": "string"}, "output_config": {"effort": "low"}},
        {"output_config": {"effort": "low", "format": {"type": "json_schema", "schema": {"type": "string"}}}},
    ),
]


@pytest.mark.parametrize(("params", "held"), [case[1:] for case in ASKED], ids=[case[0] for case in ASKED])
def test_what_is_asked_for_by_keyword_is_in_the_body(params: dict[str, Any], held: dict[str, Any]) -> None:
    params = dict(params)
    request = build_request("m", "q", params.pop("tools", None), params)
    body = get_protocol("anthropic").encode(request).body
    for name, value in (held or params or {"tools": SERVER_TOOLS}).items():
        assert body[name] == value


def marked(*parts: Any, role: Any = "user", **extra: Any) -> Message:
    """A message whose last part has this beside it."""
    refs = [BlockRef("contents", at) for at in range(len(parts) - 1)]
    return Message(role, list(parts), blocks=[*refs, BlockRef("contents", len(parts) - 1, extra=extra)])


FOUND = {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "x"}]}
PDF = b"%PDF-1.4"
# What a user shows, and the block that it is.
SHOWN: list[tuple[str, Message, dict[str, Any]]] = [
    (
        "a document that may be cited",
        marked(FilePart(name="a.txt", mime_type="text/plain", data=b"x"), citations={"enabled": True}, context="c"),
        {
            "type": "document",
            "source": {"type": "text", "media_type": "text/plain", "data": "x"},
            "title": "a.txt",
            "citations": {"enabled": True},
            "context": "c",
        },
    ),
    (
        "a document by its bytes",
        marked(FilePart(data=PDF)),
        {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0xLjQ="}},
    ),
    (
        "a document by its address",
        marked(FilePart(url="https://d.test/a.pdf")),
        {"type": "document", "source": {"type": "url", "url": "https://d.test/a.pdf"}},
    ),
    (
        "an image by its id",
        marked(FilePart(file_id="file_1", mime_type="image/png")),
        {"type": "image", "source": {"type": "file", "file_id": "file_1"}},
    ),
    ("what a search found", marked(RawPart(FOUND)), FOUND),
    (
        "a text with a mark",
        marked(TextPart("x"), cache_control=MARK),
        {"type": "text", "text": "x", "cache_control": MARK},
    ),
]


@pytest.mark.parametrize(("message", "block"), [case[1:] for case in SHOWN], ids=[case[0] for case in SHOWN])
def test_what_a_user_shows_is_a_block(message: Message, block: dict[str, Any]) -> None:
    body = get_protocol("anthropic").encode(Request(model="m", messages=[message])).body
    assert body["messages"] == [{"role": "user", "content": [block]}]


def test_a_result_may_hold_blocks_and_a_failure_says_so() -> None:
    call = FunctionPart("toolu_1", FunctionCall("f", {}))
    history = [
        as_message("q"),
        Message("assistant", [], tool_calls=[call]),
        Message("tool", [RawPart(FOUND)], id="toolu_1", meta=Meta(is_error=True)),
        as_message("more"),
    ]
    body = get_protocol("anthropic").encode(Request(model="m", messages=history)).body
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [FOUND], "is_error": True}
    assert body["messages"][2] == {"role": "user", "content": [result, {"type": "text", "text": "more"}]}
