"""Recorded answers sent back: whole to their origin, acceptable to the other dialect."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from streamkit.accumulator import Accumulator
from streamkit.errors import StreamkitError
from streamkit.messages import Message
from streamkit.protocols import Quirks, Request, get_protocol
from streamkit.providers import PROVIDERS, get_provider

HI = Message("user", "hi")
THINKING = ("thinking", "redacted_thinking")


def recorded_answer(recording: Any) -> Message:
    """What was said before the stream ended, be it whole or broken off."""
    options = {name: value for name, value in recording.options.items() if value is not None}
    parser = get_protocol(recording.protocol).parser(provider=recording.provider, **options)
    accumulator = Accumulator()
    for delta in parser.feed(recording.body):
        accumulator.feed(delta)
    try:
        for delta in parser.finish():
            accumulator.feed(delta)
    except StreamkitError as error:
        for delta in error.deltas:
            accumulator.feed(delta)
    return accumulator.snapshot().message


def body_of(message: Message, protocol: str, quirks: Quirks, provider: str, *after: Message) -> dict[str, Any]:
    request = Request(model="m", messages=[HI, message, *after], provider=provider)
    return get_protocol(protocol).encode(request, quirks).body


def test_an_answer_goes_on_as_an_anthropic_conversation(recording: Any) -> None:
    turns = body_of(recorded_answer(recording), "anthropic", Quirks(), "elsewhere", HI)["messages"]
    roles = [turn["role"] for turn in turns]
    assert roles == ["user", "assistant", "user"][: len(roles)] or roles == ["user"]
    open_calls: list[str] = []
    for turn in turns:
        results = [block["tool_use_id"] for block in turn["content"] if block["type"] == "tool_result"]
        assert results == open_calls
        assert [block["type"] for block in turn["content"][: len(results)]] == ["tool_result"] * len(results)
        open_calls = [block["id"] for block in turn["content"] if block["type"] == "tool_use"]
        assert all(re.fullmatch("[A-Za-z0-9_-]+", id) for id in open_calls)
        assert all(isinstance(block["input"], dict) for block in turn["content"] if block["type"] == "tool_use")
        assert all(block["text"].strip() for block in turn["content"] if block["type"] == "text")
        assert not {block["type"] for block in turn["content"]} - {"text", "tool_use", "tool_result"}
    assert not open_calls


CHAT_VENDORS = [name for name in PROVIDERS if get_provider(name).protocol == "openai-chat"]


def test_an_answer_goes_on_at_every_vendor_of_chat_completions(recording: Any) -> None:
    message = recorded_answer(recording)
    for vendor in CHAT_VENDORS:
        quirks = get_provider(vendor).quirks
        open_calls: list[str] = []
        for sent in body_of(message, "openai-chat", quirks, vendor, HI)["messages"]:
            if sent["role"] == "tool":
                assert sent["tool_call_id"] == open_calls.pop(0)
                continue
            assert not open_calls
            calls = sent.get("tool_calls", [])
            open_calls = [call["id"] for call in calls]
            assert all(re.fullmatch(quirks.tool_id_pattern or ".+", id) for id in open_calls)
            functions = [call["function"] for call in calls if call["type"] == "function"]
            assert all(isinstance(json.loads(function["arguments"]), dict) for function in functions)
            assert sent["content"] or calls or "refusal" in sent or "audio" in sent
        assert not open_calls


def test_an_answer_goes_on_as_a_conversation_of_responses(recording: Any) -> None:
    row = get_provider("openai-responses")
    items = body_of(recorded_answer(recording), "openai-responses", row.quirks, "elsewhere", HI)["input"]
    open_calls: list[str] = []
    for item in items:
        kind = item.get("type", "message")
        if kind.endswith("_call_output"):
            assert item["call_id"] == open_calls.pop(0)
        elif kind.endswith("_call"):
            assert 0 < len(item["call_id"]) <= 64
            assert kind == "custom_tool_call" or isinstance(json.loads(item["arguments"]), dict)
            assert not item.keys() & {"id", "status"}
            open_calls.append(item["call_id"])
        else:
            assert kind == "message"
            assert item["content"]
            assert "id" not in item
    assert not open_calls


@pytest.mark.recordings(lambda recording: recording.protocol == "anthropic" and recording.framing == "sse")
def test_an_anthropic_answer_goes_back_as_it_came(recording: Any) -> None:
    message = recorded_answer(recording)
    if message.meta is None or message.meta.origin is None:
        expected = [block for block in recorded_blocks(recording.body) if block["type"] in ("text", "tool_use")]
    else:
        expected = list(recorded_blocks(recording.body))
    while expected and expected[-1]["type"] in THINKING:
        expected.pop()
    if expected and expected[-1]["type"] == "text":
        expected[-1]["text"] = expected[-1]["text"].rstrip()
    turns = body_of(message, "anthropic", Quirks(), recording.provider)["messages"]
    assert [block for turn in turns if turn["role"] == "assistant" for block in turn["content"]] == expected


def recorded_blocks(body: bytes) -> Iterator[dict[str, Any]]:
    """The blocks of a recorded answer as they are to be sent back, read straight from its events."""
    blocks: dict[int, dict[str, Any]] = {}
    pieces: dict[int, str] = {}
    for line in body.decode("utf-8", "replace").splitlines():
        event = json.loads(line[5:]) if re.match(r"data: ?\{", line) else {}
        at, delta = event.get("index"), event.get("delta", {})
        match event.get("type"), delta.get("type"):
            case "content_block_start", _:
                blocks[at] = {name: value for name, value in event["content_block"].items() if value is not None}
            case "content_block_delta", ("text_delta" | "thinking_delta") as kind:
                field = kind.removesuffix("_delta")
                blocks[at][field] = blocks[at].get(field, "") + delta[field]
            case "content_block_delta", "signature_delta":
                blocks[at]["signature"] = delta["signature"]
            case "content_block_delta", "citations_delta":
                blocks[at].setdefault("citations", []).append(delta["citation"])
            case "content_block_delta", "input_json_delta":
                pieces[at] = pieces.get(at, "") + delta["partial_json"]
            case "content_block_delta", _:
                blocks[at] |= {name: value for name, value in delta.items() if name != "type"}
    for at, block in blocks.items():
        if pieces.get(at):
            block["input"] = parsed(pieces[at])
        if block["type"] == "text" and not block.get("citations"):
            block.pop("citations", None)
        if not (block["type"] == "text" and not block["text"].strip()):
            yield block


def parsed(arguments: str) -> Any:
    try:
        return json.loads(arguments)
    except ValueError:
        return {}  # a call that was cut short
