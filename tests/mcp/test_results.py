"""Answers of MCP servers as results of tools."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from mcp.types import CallToolResult

from streamkit.errors import ProtocolError
from streamkit.mcp.results import tool_result
from streamkit.parts import AudioPart, EmbeddedImage, FilePart, ImagePart, Part, TextPart, ValuePart
from streamkit.tools import ToolResult

PNG = b"\x89PNG"
DATA = b64encode(PNG).decode()


def read(**answer: Any) -> ToolResult:
    return tool_result(CallToolResult.model_validate({"content": [], **answer}, by_name=False))


def text(*texts: str) -> list[dict[str, Any]]:
    return [{"type": "text", "text": text} for text in texts]


@pytest.mark.parametrize(
    ("block", "part"),
    [
        ({"type": "text", "text": "é"}, TextPart("é")),
        ({"type": "image", "data": DATA, "mimeType": "image/png"}, ImagePart(EmbeddedImage("image/png", PNG))),
        ({"type": "audio", "data": DATA, "mimeType": "audio/x-wav; rate=8"}, AudioPart(PNG, format="wav")),
        ({"type": "resource", "resource": {"uri": "a:b", "text": "inside"}}, TextPart("inside")),
        (
            {"type": "resource", "resource": {"uri": "a:b", "blob": DATA}},
            FilePart("application/octet-stream", PNG, name="a:b"),
        ),
        (
            {"type": "resource", "resource": {"uri": "a:b", "blob": DATA, "mimeType": "image/gif"}},
            ImagePart(EmbeddedImage("image/gif", PNG)),
        ),
        (
            {"type": "resource", "resource": {"uri": "a:b", "blob": DATA, "mimeType": "audio/mpeg"}},
            AudioPart(PNG, format="mpeg"),
        ),
        (
            {"type": "resource_link", "uri": "https://example.org/a", "name": "a", "mimeType": "text/csv"},
            ValuePart({"name": "a", "uri": "https://example.org/a", "mimeType": "text/csv", "type": "resource_link"}),
        ),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_each_block_is_a_part(block: dict[str, Any], part: Part) -> None:
    assert read(content=[block]) == ToolResult([part], is_error=False)


@pytest.mark.parametrize(
    ("content", "structured", "value"),
    [
        ([], {"n": 1}, ValuePart({"n": 1})),
        (text('{"n": 1}'), {"n": 1}, ValuePart({"n": 1})),
        (text("one row"), {"n": 1}, [TextPart("one row"), ValuePart({"n": 1})]),
        (text("3"), {"result": 3}, ValuePart(3)),
        (text("done"), {"result": "done"}, [TextPart("done")]),
        (text("a", "b"), {"result": ["a", "b"]}, ValuePart(["a", "b"])),
        (text("a"), {"result": "b"}, [TextPart("a"), ValuePart({"result": "b"})]),
        (text("1", "2"), [1, 2], ValuePart([1, 2])),
        ([], None, None),
    ],
)
def test_what_is_said_twice_is_told_once(content: Any, structured: Any, value: Any) -> None:
    assert read(content=content, structuredContent=structured).value == value


def test_a_failure_is_one() -> None:
    assert read(content=text("disk full"), isError=True) == ToolResult([TextPart("disk full")], is_error=True)


def test_what_a_server_adds_for_the_application_is_in_the_details() -> None:
    meta = {"trace": "t1", "io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}
    assert read(content=text("a"), _meta=meta).details == {"_meta": {"trace": "t1"}}


def test_data_that_is_no_base64_is_an_error_that_shows_it() -> None:
    with pytest.raises(ProtocolError, match="no base64"):
        read(content=[{"type": "image", "data": "?", "mimeType": "image/png"}])
