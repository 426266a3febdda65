"""Each kind of block of an Anthropic answer, and what becomes of it."""

import msgspec
import pytest

from streamkit.deltas import (
    BlockAdded,
    CitationAdded,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from streamkit.parts import RawPart, ServerToolPart
from streamkit.protocols.anthropic.blocks import Blocks


def play(block, *deltas, key=0):
    """Return what one block gives from its start to its stop."""
    blocks, out = Blocks(1000, lambda: "minted"), []
    blocks.start(key, block, out)
    for delta in deltas:
        assert blocks.delta(key, delta, out)
    blocks.stop(key, out)
    assert not blocks.open
    return out


def text(piece):
    return {"type": "text_delta", "text": piece}


def thinking(piece):
    return {"type": "thinking_delta", "thinking": piece}


def signature(value):
    return {"type": "signature_delta", "signature": value}


def arguments(piece):
    return {"type": "input_json_delta", "partial_json": piece}


def citation(value):
    return {"type": "citations_delta", "citation": value}


def call(**fields):
    return {"type": "tool_use", "id": "c", "name": "f", **fields}


REDACTED = {"type": "redacted_thinking", "data": "opaque"}
CALLED = [ToolCallStart(0, "c", "f")]

STREAMED = [
    (
        "text",
        {"type": "text", "text": ""},
        [text("a"), text("b")],
        [TextStart(0), TextDelta(0, "a"), TextDelta(0, "b"), TextEnd(0)],
    ),
    ("text at the start", {"type": "text", "text": "a"}, [], [TextStart(0), TextDelta(0, "a"), TextEnd(0)]),
    ("text without text", {"type": "text"}, [], [TextStart(0), TextEnd(0)]),
    (
        "text with citations at the start and later",
        {"type": "text", "text": "", "citations": [{"n": 1}]},
        [text("a"), citation({"n": 2})],
        [TextStart(0), CitationAdded(0, {"n": 1}), TextDelta(0, "a"), CitationAdded(0, {"n": 2}), TextEnd(0)],
    ),
    ("text with null citations", {"type": "text", "text": "", "citations": None}, [], [TextStart(0), TextEnd(0)]),
    (
        "thinking",
        {"type": "thinking", "thinking": "", "signature": ""},
        [thinking("a"), signature("s")],
        [ThinkingStart(0), ThinkingDelta(0, "a"), ThinkingEnd(0, signature="s")],
    ),
    (
        "thinking at the start",
        {"type": "thinking", "thinking": "a", "signature": "s"},
        [],
        [ThinkingStart(0), ThinkingDelta(0, "a"), ThinkingEnd(0, signature="s")],
    ),
    (
        "a signature alone",
        {"type": "thinking", "thinking": "", "signature": ""},
        [thinking(""), signature("s")],
        [ThinkingStart(0), ThinkingEnd(0, signature="s")],
    ),
    (
        "a later signature, which replaces",
        {"type": "thinking", "thinking": "", "signature": "first"},
        [signature("s1"), thinking("a"), signature("s2"), signature("")],
        [ThinkingStart(0), ThinkingDelta(0, "a"), ThinkingEnd(0, signature="s2")],
    ),
    ("thinking without a signature", {"type": "thinking"}, [], [ThinkingStart(0), ThinkingEnd(0)]),
    ("redacted thinking", REDACTED, [], [ThinkingStart(0), ThinkingEnd(0, extra={"opaque": REDACTED})]),
    (
        "a call whose input is a placeholder",
        call(input={}),
        [arguments(""), arguments('{"a"'), arguments(": 1}")],
        [*CALLED, ToolCallDelta(0, '{"a"'), ToolCallDelta(0, ": 1}"), ToolCallEnd(0)],
    ),
    ("a call without deltas", call(input={}), [], [*CALLED, ToolCallEnd(0)]),
    ("a call without input", call(), [arguments("{}")], [*CALLED, ToolCallDelta(0, "{}"), ToolCallEnd(0)]),
    ("a call with null input", call(input=None), [], [*CALLED, ToolCallEnd(0)]),
    (
        "a call with its input at the start",
        call(input={"b": 1, "a": [2**70, "é"]}),
        [arguments("")],
        [*CALLED, ToolCallDelta(0, '{"b":1,"a":[1180591620717411303424,"é"]}'), ToolCallEnd(0)],
    ),
    (
        "a call with its input at the start and again",
        call(input={"a": 1}),
        [arguments(""), arguments('{"a":'), arguments(" 1}")],
        [*CALLED, ToolCallDelta(0, '{"a":'), ToolCallDelta(0, " 1}"), ToolCallEnd(0)],
    ),
    (
        "a call with its input as text",
        call(input='{"a": 1}'),
        [],
        [*CALLED, ToolCallDelta(0, '{"a": 1}'), ToolCallEnd(0)],
    ),
    ("a call without an id", {"type": "tool_use", "name": "f"}, [], [ToolCallStart(0, "minted", "f"), ToolCallEnd(0)]),
    ("a call with an empty id", call(id=""), [], [ToolCallStart(0, "minted", "f"), ToolCallEnd(0)]),
    (
        "a call with more to it",
        call(input={}, caller={"type": "direct"}, toolset_name="t", other=None),
        [],
        [*CALLED, ToolCallEnd(0, extra={"caller": {"type": "direct"}, "toolset_name": "t"})],
    ),
]


@pytest.mark.parametrize(("block", "deltas", "expected"), [case[1:] for case in STREAMED], ids=[c[0] for c in STREAMED])
def test_text_thinking_and_calls_go_out_piece_by_piece(block, deltas, expected):
    assert play(block, *deltas) == expected


SERVER_CALL = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}, "caller": {"type": "direct"}}
COMPACTION = {"type": "compaction", "content": None, "encrypted_content": None}

# name, block at its start, deltas, the block in the end
COLLECTED = [
    (
        "a server's call",
        SERVER_CALL,
        [arguments(""), arguments('{"query": '), arguments('"x"}')],
        {**SERVER_CALL, "input": {"query": "x"}},
    ),
    ("a server's call without deltas", SERVER_CALL, [], SERVER_CALL),
    (
        "a server's call with its input",
        {**SERVER_CALL, "input": {"url": "u"}},
        [],
        {**SERVER_CALL, "input": {"url": "u"}},
    ),
    ("a server's call cut short", SERVER_CALL, [arguments('{"query": "x')], {**SERVER_CALL, "input": '{"query": "x'}),
    ("a server's call with NaN", SERVER_CALL, [arguments('{"n": NaN}')], {**SERVER_CALL, "input": {"n": None}}),
    (
        "a call of an MCP server",
        {"type": "mcp_tool_use", "id": "m", "name": "echo", "server_name": "e", "input": {}},
        [arguments('{"a":1}')],
        {"type": "mcp_tool_use", "id": "m", "name": "echo", "server_name": "e", "input": {"a": 1}},
    ),
    (
        "a compaction, whose delta replaces",
        COMPACTION,
        [
            {"type": "compaction_delta", "content": "old"},
            {"type": "compaction_delta", "content": "sum", "encrypted_content": "e"},
        ],
        {"type": "compaction", "content": "sum", "encrypted_content": "e"},
    ),
    ("a compaction without content", COMPACTION, [{"type": "compaction_delta", "content": None}], COMPACTION),
    ("a compaction without a delta", COMPACTION, [], COMPACTION),
    (
        "a change of model",
        {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}, "trigger": {"type": "refusal"}},
        [],
        {"type": "fallback", "from": {"model": "a"}, "to": {"model": "b"}, "trigger": {"type": "refusal"}},
    ),
    ("an upload", {"type": "container_upload", "file_id": "f"}, [], {"type": "container_upload", "file_id": "f"}),
    (
        "an image",
        {"type": "image", "source": {"type": "url", "url": "u"}},
        [],
        {"type": "image", "source": {"type": "url", "url": "u"}},
    ),
    (
        "a block to come with every known delta",
        {"type": "novelty", "text": "a", "citations": [1]},
        [text("b"), thinking("t"), signature("s"), citation(2), arguments("[1]"), text("c")],
        {"type": "novelty", "text": "abc", "citations": [1, 2], "thinking": "t", "signature": "s", "input": [1]},
    ),
    (
        "a block to come with other values in its fields",
        {"type": "novelty", "text": 5, "citations": "x"},
        [text("b"), citation(2)],
        {"type": "novelty", "text": "b", "citations": [2]},
    ),
]


@pytest.mark.parametrize(("block", "deltas", "whole"), [case[1:] for case in COLLECTED], ids=[c[0] for c in COLLECTED])
def test_all_else_goes_out_whole_with_what_its_deltas_said(block, deltas, whole):
    if "tool_use" in block["type"]:
        part = ServerToolPart("call", block["id"], block["name"], whole)
    else:
        part = RawPart(whole)
    given = msgspec.json.encode(block)
    assert play(block, *deltas) == [BlockAdded(0, part)]
    assert msgspec.json.encode(block) == given


RESULTS = [
    ("web_search_tool_result", [{"type": "web_search_result", "url": "u"}]),
    ("web_search_tool_result", {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}),
    ("web_fetch_tool_result", {"type": "web_fetch_result"}),
    ("code_execution_tool_result", {"type": "code_execution_result"}),
    ("bash_code_execution_tool_result", {"type": "bash_code_execution_result"}),
    ("text_editor_code_execution_tool_result", {"type": "x"}),
    ("tool_search_tool_result", {"type": "tool_search_tool_search_result"}),
    ("mcp_tool_result", [{"type": "text", "text": "t"}]),
    ("advisor_tool_result", {"type": "advisor_result"}),
    ("novel_tool_result", None),
]


@pytest.mark.parametrize(("kind", "content"), RESULTS, ids=[f"{k}-{type(c).__name__}" for k, c in RESULTS])
def test_a_result_goes_out_at_its_start(kind, content):
    block = {"type": kind, "tool_use_id": "s", "content": content}
    blocks, out = Blocks(1000, lambda: "minted"), []
    blocks.start(0, block, out)
    assert out == [BlockAdded(0, ServerToolPart("result", "s", kind.removesuffix("_tool_result"), block))]
    blocks.stop(0, out)
    assert len(out) == 1


def test_a_result_has_the_name_of_its_call():
    blocks, out = Blocks(1000, lambda: "minted"), []
    blocks.start(0, {"type": "server_tool_use", "id": "s", "name": "tool_search_tool_bm25", "input": {}}, out)
    blocks.stop(0, out)
    blocks.start(1, {"type": "tool_search_tool_result", "tool_use_id": "s", "content": {}}, out)
    assert [(d.index, d.part.phase, d.part.id, d.part.name) for d in out] == [
        (0, "call", "s", "tool_search_tool_bm25"),
        (1, "result", "s", "tool_search_tool_bm25"),
    ]


def test_an_unknown_delta_is_not_taken():
    blocks, out = Blocks(1000, lambda: "minted"), []
    blocks.start(0, {"type": "text", "text": ""}, out)
    assert not blocks.delta(0, {"type": "novelty_delta"}, out)
    assert not blocks.delta(5, {"type": "novelty_delta"}, out)
    assert out == [TextStart(0)]


def test_what_was_held_back_is_given_out_without_an_end():
    blocks, out = Blocks(1000, lambda: "minted"), []
    blocks.start(0, {"type": "text", "text": ""}, out)
    blocks.delta(0, text("a\ud83d"), out)
    blocks.start(1, call(input={"a": 1}), out)
    blocks.start(2, SERVER_CALL, out)
    del out[:]
    blocks.flush(out)
    assert out == [TextDelta(0, "\ufffd"), ToolCallDelta(1, '{"a":1}')]


def test_nothing_goes_past_what_was_held_back():
    blocks, out = Blocks(1000, lambda: "minted"), []
    blocks.start(0, {"type": "text", "text": ""}, out)
    assert blocks.open[0].fast == "text_delta"
    blocks.delta(0, text("a\ud83d"), out)
    assert blocks.open[0].fast == ""
    blocks.delta(0, text("\ude00"), out)
    assert blocks.open[0].fast == "text_delta"
    blocks.start(1, call(input={"a": 1}), out)
    assert blocks.open[1].fast == ""
    blocks.delta(1, arguments("{"), out)
    assert blocks.open[1].fast == "input_json_delta"


def test_blocks_are_forgotten():
    blocks, out = Blocks(1000, lambda: "minted"), []
    blocks.start(0, call(), out)
    blocks.start(1, SERVER_CALL, out)
    blocks.reset()
    assert (blocks.open, blocks.has_calls, blocks.count) == ({}, False, 0)
    del out[:]
    blocks.stop_all(out)
    blocks.start(0, {"type": "text"}, out)
    assert out == [TextStart(0)]
