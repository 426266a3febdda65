"""Where streams of Responses differ from what one expects: a row each, and what a user sees of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.deltas import UnknownFrame
from streamkit.errors import APIError, TruncatedStream
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, FunctionCall, FunctionPart, ImagePart, ServerToolPart, TextPart
from streamkit.protocols import Request, get_protocol
from streamkit.protocols.openai_responses.events import is_progress
from streamkit.protocols.openai_responses.parser import _HANDLERS
from streamkit.providers import get_provider
from streamkit.usage import Usage
from tests.protocols.edges import read, told

STOP = ("stop", "completed")


def event(type: str, **fields: Any) -> dict[str, Any]:
    return {"type": f"response.{type}", **fields}


def opened(at: int, type: str, **fields: Any) -> dict[str, Any]:
    return event("output_item.added", output_index=at, item={"type": type, "id": f"{type}_{at}", **fields})


def closed(at: int, type: str, **fields: Any) -> dict[str, Any]:
    return event("output_item.done", output_index=at, item={"type": type, "id": f"{type}_{at}", **fields})


def said(delta: str, at: int = 0, **more: Any) -> dict[str, Any]:
    return event("output_text.delta", output_index=at, content_index=0, delta=delta, **more)


def refused(delta: str, at: int = 0, part: int = 0) -> dict[str, Any]:
    return event("refusal.delta", output_index=at, content_index=part, delta=delta)


def thought(delta: str, part: int) -> dict[str, Any]:
    return event("reasoning_summary_text.delta", output_index=0, summary_index=part, delta=delta)


def called(at: int, name: str, id: str) -> dict[str, Any]:
    return opened(at, "function_call", call_id=id, name=name, arguments="")


def argued(at: int, delta: str) -> dict[str, Any]:
    return event("function_call_arguments.delta", output_index=at, delta=delta)


def ended(word: str = "completed", **fields: Any) -> dict[str, Any]:
    return event(word, response={"id": "r", "status": word, "output": [], **fields})


def body(*events: Any, names: bool = True) -> bytes:
    frames = [f"event: {each['type']}\n" * names + f"data: {json.dumps(each)}\n\n" for each in events]
    return "".join(frames).encode()


CREATED = event("created", response={"id": "r", "model": "m", "status": "in_progress", "output": []})
MESSAGE = opened(0, "message", role="assistant", content=[])
HI = [CREATED, MESSAGE, said("Hi"), closed(0, "message", content=[{"type": "output_text", "text": "Hi"}])]
STOPPED_SHORT = ended("incomplete", incomplete_details={"reason": "max_output_tokens"})
SUMMARY = [{"type": "summary_text", "text": "One."}, {"type": "summary_text", "text": "Two."}]


def whole(text: str) -> list[dict[str, Any]]:
    return [*HI[:3], event("output_text.done", output_index=0, content_index=0, text=text), ended()]


EDGES: list[tuple[str, bytes, dict[str, Any]]] = [
    (
        "an error with its fields at the top",
        body(*HI[:3], {"type": "error", "code": "server_error", "message": "no", "param": None}),
        {"text": "Hi", "error": "ServerError"},
    ),
    (
        "an error in an object of its own",
        body(*HI[:3], {"type": "error", "error": {"code": "rate_limit_exceeded", "message": "no"}}),
        {"text": "Hi", "error": "RateLimited"},
    ),
    (
        "an overflow inside the stream",
        body(CREATED, {"type": "error", "code": "context_length_exceeded", "message": "no"}),
        {"error": "ContextOverflow"},
    ),
    (
        "a failure that gives no reason",
        body(*HI[:3], ended("failed", error=None)),
        {"text": "Hi", "error": "ServerError"},
    ),
    (
        "two calls in turns, told apart by their place",
        body(
            *(CREATED, called(0, "f", "x"), called(1, "g", "y")),
            *(argued(0, '{"a"'), argued(1, '{"b"'), argued(0, ":1}"), argued(1, ":2}"), ended()),
        ),
        {"calls": [("f", {"a": 1}), ("g", {"b": 2})], "finish": ("tool_call", "completed")},
    ),
    ("a whole text that is what came", body(*whole("Hi")), {"text": "Hi", "finish": STOP}),
    ("a whole text that is longer than what came", body(*whole("Hi you")), {"text": "Hi you", "finish": STOP}),
    ("a whole text that is another", body(*whole("Ho")), {"text": "Ho", "finish": STOP}),
    (
        "a summary in several parts",
        body(CREATED, opened(0, "reasoning", summary=[]), thought("One.", 0), thought("Two.", 1), ended()),
        {"thinking": "One.\n\nTwo.", "finish": STOP},
    ),
    (
        "a refusal alone",
        body(CREATED, MESSAGE, refused("I can't."), ended()),
        {"parts": ["RefusalPart"], "finish": ("refusal", "completed")},
    ),
    (
        "a refusal after text",
        body(*HI[:3], refused("I can't.", part=1), ended()),
        {"text": "Hi", "parts": ["RefusalPart"], "finish": ("refusal", "completed")},
    ),
    (
        "a limit in the middle of a call",
        body(CREATED, called(0, "f", "x"), argued(0, '{"a":'), STOPPED_SHORT),
        {"cut calls": [("f", '{"a":')], "finish": ("length", "incomplete")},
    ),
    (
        "a limit before the arguments of a call",
        body(CREATED, called(0, "f", "x"), STOPPED_SHORT),
        {"cut calls": [("f", "{")], "finish": ("length", "incomplete")},
    ),
    (
        "a limit before the arguments of a call that ends as incomplete",
        body(
            *(CREATED, called(0, "f", "x")),
            closed(0, "function_call", call_id="x", name="f", arguments="", status="incomplete"),
            STOPPED_SHORT,
        ),
        {"cut calls": [("f", "{")], "finish": ("length", "incomplete")},
    ),
    (
        "the end of input before the last event",
        body(*HI),
        {"text": "Hi", "error": "TruncatedStream"},
    ),
    ("[DONE] after the last event", body(*HI, ended()) + b"data: [DONE]\n\n", {"text": "Hi", "finish": STOP}),
    ("events without names", body(*HI, ended(), names=False), {"text": "Hi", "finish": STOP}),
    (
        "padding against listeners",
        body(*HI[:2], said("Hi", obfuscation="x8Jk"), ended()),
        {"text": "Hi", "finish": STOP},
    ),
    (
        "an event and an item of types that nobody knows",
        body(*HI, event("hologram.delta", delta="x"), closed(1, "hologram", x=1), ended()),
        {
            "text": "Hi",
            "parts": ["RawPart"],
            "finish": STOP,
            "unknown": ['{"type": "response.hologram.delta", "delta": "x"}'],
        },
    ),
    (
        "token counts without details",
        body(*HI, ended(usage={"input_tokens": 3, "output_tokens": 2, "total_tokens": 5})),
        {"text": "Hi", "finish": STOP, "usage": Usage(3, 2)},
    ),
    (
        "token counts with what was read from and written to a cache",
        body(
            *HI,
            ended(
                usage={
                    "input_tokens": 9,
                    "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 2},
                    "output_tokens": 5,
                    "output_tokens_details": {"reasoning_tokens": 3},
                }
            ),
        ),
        {"text": "Hi", "finish": STOP, "usage": Usage(3, 5, 4, 2, 3)},
    ),
    ("token counts that are null", body(*HI, ended(usage=None)), {"text": "Hi", "finish": STOP}),
    (
        "a call of a tool without parameters",
        body(CREATED, called(0, "f", "x"), closed(0, "function_call", call_id="x", name="f", arguments=""), ended()),
        {"calls": [("f", {})], "finish": ("tool_call", "completed")},
    ),
    (
        "arguments that come with the item alone",
        body(CREATED, closed(0, "function_call", call_id="x", name="f", arguments='{"a":1}'), ended()),
        {"calls": [("f", {"a": 1})], "finish": ("tool_call", "completed")},
    ),
    (
        "arguments that are an object",
        body(CREATED, closed(0, "function_call", call_id="x", name="f", arguments={"a": 1}), ended()),
        {"calls": [("f", {"a": 1})], "finish": ("tool_call", "completed")},
    ),
    ("text of an item that was never announced", body(CREATED, said("Hi"), ended()), {"text": "Hi", "finish": STOP}),
    (
        "an id that is another on each event",
        body(CREATED, MESSAGE, said("H", item_id="a"), said("i", item_id="b"), ended()),
        {"text": "Hi", "finish": STOP},
    ),
    (
        "thinking and text under one place",
        body(CREATED, opened(0, "reasoning", summary=[]), thought("Hm.", 0), said("Hi"), ended()),
        {"thinking": "Hm.", "text": "Hi", "finish": STOP},
    ),
]


@pytest.mark.parametrize(("data", "seen"), [edge[1:] for edge in EDGES], ids=[edge[0] for edge in EDGES])
def test_an_edge_case_is_seen_as_it_is_meant(data: bytes, seen: dict[str, Any]) -> None:
    assert told(read(data, "openai-responses")) == seen


def test_the_encrypted_thinking_is_that_of_the_end_and_goes_back() -> None:
    item = {"type": "reasoning", "id": "reasoning_0", "summary": SUMMARY, "encrypted_content": "whole"}
    first = opened(0, "reasoning", summary=[], encrypted_content="half")
    done = event("output_item.done", output_index=0, item=item)
    message = read(body(CREATED, first, done, said("Hi", at=1), ended()), "openai-responses").outputs[0].message
    assert [block.signature for block in message.iter_blocks()] == ["whole", None]
    request = Request(model="m", messages=[Message("user", "hi"), message])
    assert get_protocol("openai-responses").encode(request).body["input"][1] == item


SEARCH = {"call_id": "xs_call_1", "name": "x_keyword_search", "input": '{"query":"x"}', "status": "completed"}


def test_a_custom_tool_that_the_provider_runs_is_no_call_of_the_callers() -> None:
    data = body(
        CREATED,
        opened(0, "custom_tool_call", **SEARCH | {"input": ""}),
        event("custom_tool_call_input.delta", output_index=0, delta=SEARCH["input"]),
        event("custom_tool_call_input.done", output_index=0, input=SEARCH["input"]),
        closed(0, "custom_tool_call", **SEARCH),
        *(said("Found.", at=1), ended()),
    )
    asked = told(read(data, "openai-responses"))
    assert asked["finish"] == ("tool_call", "completed")
    row = get_provider("xai-responses")
    outcome = read(data, "openai-responses", quirks=row.quirks)
    assert told(outcome) == {"text": "Found.", "parts": ["ServerToolPart"], "finish": STOP}
    (ran,) = (part for part in outcome.outputs[0].message.contents if isinstance(part, ServerToolPart))
    assert (ran.phase, ran.id, ran.name) == ("call", "xs_call_1", "x_keyword_search")
    messages = [Message("user", "hi"), outcome.outputs[0].message]
    sent = get_protocol("openai-responses").encode(Request(model="m", messages=messages), row.quirks).body["input"]
    assert sent[1] == {"type": "custom_tool_call", "id": "custom_tool_call_0", **SEARCH}


def test_previews_of_an_image_are_no_image() -> None:
    previews = [
        event("image_generation_call.partial_image", output_index=0, partial_image_index=at, partial_image_b64="bm8=")
        for at in range(2)
    ]
    done = closed(0, "image_generation_call", status="completed", result="aGk=", output_format="webp")
    outcome = read(body(CREATED, opened(0, "image_generation_call"), *previews, done, ended()), "openai-responses")
    images = [part for part in outcome.outputs[0].message.contents if isinstance(part, ImagePart)]
    assert images == [ImagePart(EmbeddedImage("image/webp", b"hi"))]


def test_what_came_before_the_connection_broke_is_not_read_again() -> None:
    events = [{**each, "sequence_number": at} for at, each in enumerate([*HI, ended()])]
    unnumbered = said(" there")
    parser = get_protocol("openai-responses").parser()
    deltas = parser.feed(body(*events[:3]))
    with pytest.raises(TruncatedStream):
        parser.finish()
    assert parser.resume().path.endswith("&starting_after=2")
    again = parser.feed(body(*events[1:3], unnumbered, event("progress", n=1), *events[4:])) + parser.finish()
    texts = [delta.text for delta in [*deltas, *again] if hasattr(delta, "text")]
    assert texts == ["Hi", " there"]
    assert sum(isinstance(delta, UnknownFrame) for delta in again) == 1


def test_a_result_is_of_its_call_by_the_calls_own_id() -> None:
    call = closed(0, "function_call", call_id="call_9", name="f", arguments="{}")
    message = read(body(CREATED, call, ended()), "openai-responses").outputs[0].message
    messages = [Message("user", "hi"), message, Message("tool", [TextPart("1")], id="call_9")]
    _, sent, result = get_protocol("openai-responses").encode(Request(model="m", messages=messages)).body["input"]
    assert (sent["id"], sent["call_id"]) == ("function_call_0", "call_9")
    assert result == {"type": "function_call_output", "call_id": "call_9", "output": "1"}
    foreign = Message("assistant", tool_calls=[FunctionPart("x", FunctionCall("f", {}))])
    messages[1:] = [foreign, Message("tool", [TextPart("1")], id="x")]
    _, sent, result = get_protocol("openai-responses").encode(Request(model="m", messages=messages)).body["input"]
    assert "id" not in sent
    assert sent["call_id"] == result["call_id"] == "x"


# The events of the API by group, from the types of the `openai` package 3.57.0, checked 2026-11-30.
EVENTS = """
created queued in_progress completed incomplete failed
output_item.added output_item.done content_part.added content_part.done
output_text.delta output_text.done output_text.annotation.added refusal.delta refusal.done
reasoning_summary_part.added reasoning_summary_part.done reasoning_summary_text.delta reasoning_summary_text.done
reasoning_text.delta reasoning_text.done
function_call_arguments.delta function_call_arguments.done custom_tool_call_input.delta custom_tool_call_input.done
mcp_call_arguments.delta mcp_call_arguments.done mcp_call.in_progress mcp_call.completed mcp_call.failed
mcp_list_tools.in_progress mcp_list_tools.completed mcp_list_tools.failed
web_search_call.in_progress web_search_call.searching web_search_call.completed
file_search_call.in_progress file_search_call.searching file_search_call.completed
code_interpreter_call.in_progress code_interpreter_call.interpreting code_interpreter_call.completed
code_interpreter_call_code.delta code_interpreter_call_code.done
image_generation_call.in_progress image_generation_call.generating image_generation_call.partial_image
image_generation_call.completed
shell_call_command.added shell_call_command.delta shell_call_command.done
shell_call_output_content.delta shell_call_output_content.done
compaction.compacting audio.delta audio.done audio.transcript.delta audio.transcript.done
""".split()


@pytest.mark.parametrize("name", EVENTS)
def test_every_event_of_the_api_is_known(name: str) -> None:
    kind = f"response.{name}"
    assert (kind in _HANDLERS) != is_progress(kind)


# What can stand as `code` in the `error` of a response, from the same types.
OF_INPUT = """
invalid_prompt data_residency_mismatch invalid_image invalid_image_format invalid_base64_image invalid_image_url
image_too_large image_too_small image_parse_error invalid_image_mode image_file_too_large unsupported_image_media_type
empty_image_file failed_to_download_image image_file_not_found
"""
CODES = [
    ("server_error vector_store_timeout", "ServerError", True),
    ("rate_limit_exceeded", "RateLimited", True),
    ("context_length_exceeded", "ContextOverflow", False),
    ("bio_policy misalignment_policy_violation image_content_policy_violation", "ContentFiltered", False),
    (OF_INPUT, "InvalidRequest", False),
]


@pytest.mark.parametrize(
    ("code", "kind", "again"), [(code, kind, again) for codes, kind, again in CODES for code in codes.split()]
)
def test_every_code_of_a_failed_response_has_its_class(code: str, kind: str, again: bool) -> None:
    parser = get_protocol("openai-responses").parser()
    parser.feed(body(*HI[:3], ended("failed", error={"code": code, "message": "no"})))
    with pytest.raises(APIError) as caught:
        parser.finish()
    assert (type(caught.value).__name__, caught.value.code, caught.value.retryable) == (kind, code, again)
