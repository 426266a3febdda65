"""Conversations that hold all that a message can, and parameters, as the tests of request bodies need them."""

from __future__ import annotations

from typing import Any

from streamkit.blocks import BlockRef
from streamkit.messages import Message, Meta, Origin
from streamkit.parts import (
    AudioPart,
    CitationPart,
    EmbeddedImage,
    FilePart,
    FunctionCall,
    FunctionPart,
    ImagePart,
    ImageUrl,
    RefusalPart,
    ServerToolPart,
    ValuePart,
)
from streamkit.protocols import ToolSpec

__all__ = ["ADD", "COMMON", "EMBEDDED", "PNG", "SEARCHED", "SPEECH", "TALK"]

PNG = EmbeddedImage("image/png", b"\x89PNG")
ADD = ToolSpec(name="add", description="Adds.", parameters={"type": "object", "properties": {"a": {"type": "number"}}})
CALLS = [
    FunctionPart("call_1", FunctionCall("add", {"a": 1})),
    FunctionPart("functions.add:1", FunctionCall("add"), raw_arguments='{"a":', error="the call was cut short"),
]

TALK = [
    Message("system", ["Be brief."]),
    Message("user", ["What is this?", ImagePart(PNG), ImagePart(ImageUrl("https://example.org/a.png"))]),
    Message("assistant", ["A picture."], thinking="Look.", signature="c2ln", tool_calls=CALLS),
    Message("tool", [ValuePart({"sum": 1})], id="call_1"),
    Message("tool", [ImagePart(PNG)], id="functions.add:1", meta=Meta(is_error=True)),
    Message("user", [FilePart("application/pdf", b"%PDF-1.7", name="a.pdf"), FilePart(file_id="file_1")]),
    Message("assistant", [RefusalPart("No.")]),
    Message("user", ["Why?"], meta=Meta(name="ann")),
]
# For those that fetch no addresses and keep no files.
EMBEDDED = [
    TALK[0],
    Message("user", ["What is this?", ImagePart(PNG)]),
    *TALK[2:5],
    Message("user", [FilePart("application/pdf", b"%PDF-1.7", name="a.pdf")]),
    *TALK[6:],
]
SPEECH = [
    Message("user", [AudioPart(b"RIFF", format="wav")]),
    Message("assistant", [AudioPart(b"", "Hello.", id="audio_1")]),
    Message("user", "Go on."),
    Message("assistant", [], tool_calls=[FunctionPart("c1", FunctionCall("sh"), raw_arguments="ls", custom=True)]),
    Message("tool", "a.txt", id="c1"),
]
SEARCHED = [
    Message("user", "Who won?"),
    Message(
        "assistant",
        [
            ServerToolPart(
                "call",
                "srvtoolu_1",
                "web_search",
                {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}},
            ),
            ServerToolPart(
                "result",
                "srvtoolu_1",
                "web_search",
                {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []},
            ),
            {"type": "text", "text": "Ann."},
            CitationPart(
                {
                    "type": "web_search_result_location",
                    "cited_text": "x",
                    "encrypted_index": "e",
                    "title": None,
                    "url": "u",
                }
            ),
        ],
        thinking="Search.",
        blocks=[
            BlockRef("opaque", data={"type": "redacted_thinking", "data": "ZGF0YQ=="}),
            BlockRef("contents", 0),
            BlockRef("contents", 1),
            BlockRef("thinking", 0, 7, signature="c2ln"),
            BlockRef("contents", 2, extra={"cache_control": {"type": "ephemeral"}}),
            BlockRef("contents", 3),
        ],
        meta=Meta(Origin("anthropic")),
    ),
    Message("user", "Sure?"),
]

COMMON: dict[str, Any] = {
    "tools": [ADD],
    "tool_choice": "add",
    "parallel_tool_calls": False,
    "max_tokens": 100,
    "stop": ["END"],
    "thinking": "high",
    "output_schema": {"type": "object", "properties": {}, "required": [], "additionalProperties": False},
    "user": "u1",
    "service_tier": "auto",
}
