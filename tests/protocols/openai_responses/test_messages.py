from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from streamkit.accumulator import accumulate
from streamkit.blocks import BlockRef
from streamkit.errors import ConfigError, HistoryWarning
from streamkit.messages import Message, Meta, Origin
from streamkit.parts import (
    AudioPart,
    CitationPart,
    EmbeddedImage,
    FunctionCall,
    FunctionPart,
    ImagePart,
    ImageUrl,
    RawPart,
    RefusalPart,
    ServerToolPart,
    TextPart,
    ValuePart,
)
from streamkit.protocols import Quirks, get_protocol
from streamkit.protocols.history import NO_RESULT
from streamkit.protocols.openai_responses.messages import encode_messages
from streamkit.protocols.openai_responses.server_tools import IN_ONE_ITEM

OWN = Meta(Origin("openai-responses", "acme", "m"))
ELSEWHERE = Meta(Origin("anthropic", "anthropic", "m"))


def encode(*messages: Message, provider: str = "acme", stored: bool = False, **quirks: Any) -> list[dict[str, Any]]:
    return encode_messages(messages, Quirks(**quirks), provider, stored=stored)


def said(text: str, **fields: Any) -> dict[str, Any]:
    return {"type": "message", "role": "assistant", **fields, "content": text}


def called(id: str = "c", arguments: str = "{}", **fields: Any) -> dict[str, Any]:
    return {"type": "function_call", **fields, "call_id": id, "name": "f", "arguments": arguments}


def output(id: str = "c", value: Any = "r") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": id, "output": value}


CALL = FunctionPart("c", FunctionCall("f", {}))
PNG = ImagePart(EmbeddedImage("image/png", b"\x89PNG"))
IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw==", "detail": "auto"}
WORDS = {"type": "input_text", "text": "a"}
SHOT = {"type": "computer_call_output", "call_id": "x", "output": {"type": "computer_screenshot", "file_id": "f"}}
APPROVED = {"type": "mcp_approval_response", "approval_request_id": "y", "approve": True}
TRIGGER = {"type": "compaction_trigger"}

CASES: list[tuple[str, list[Message], list[dict[str, Any]]]] = [
    ("a user", [Message("user", ["a"])], [{"role": "user", "content": "a"}]),
    ("a user who says nothing", [Message("user", [])], [{"role": "user", "content": ""}]),
    ("a user with an image", [Message("user", ["a", PNG])], [{"role": "user", "content": [WORDS, IMAGE]}]),
    (
        "instructions, where they stand",
        [Message("user", ["a"]), Message("system", ["b"])],
        [{"role": "user", "content": "a"}, {"role": "system", "content": "b"}],
    ),
    (
        "what a user gives in an item of its own",
        [Message("user", ["a", RawPart(SHOT), RawPart(APPROVED), "b"]), Message("user", [RawPart(TRIGGER)])],
        [{"role": "user", "content": "a"}, SHOT, APPROVED, {"role": "user", "content": "b"}, TRIGGER],
    ),
    ("an answer by hand", [Message("assistant", ["a"])], [said("a")]),
    ("an answer in pieces", [Message("assistant", ["a", "b"])], [said("ab")]),
    ("an answer that says nothing", [Message("assistant", [])], []),
    ("a refusal by hand", [Message("assistant", [RefusalPart("no")])], [said("no")]),
    ("what only words can tell", [Message("assistant", [PNG, "a", AudioPart(transcript="b")])], [said("[image]ab")]),
    (
        "a call and its result",
        [Message("assistant", ["a"], tool_calls=[CALL]), Message("tool", ["r"], id="c")],
        [said("a"), called(), output()],
    ),
    (
        "a result with an image",
        [Message("assistant", [], tool_calls=[CALL]), Message("tool", ["a", PNG], id="c")],
        [called(), output(value=[WORDS, IMAGE])],
    ),
    (
        "a result that is a value",
        [Message("assistant", [], tool_calls=[CALL]), Message("tool", [ValuePart([1])], id="c")],
        [called(), output(value="[1]")],
    ),
    (
        "an empty result",
        [Message("assistant", [], tool_calls=[CALL]), Message("tool", [], id="c")],
        [called(), output(value="")],
    ),
    ("a call without a result", [Message("assistant", [], tool_calls=[CALL])], [called(), output(value=NO_RESULT)]),
    (
        "a call that was cut short",
        [Message("assistant", [], tool_calls=[FunctionPart("c", FunctionCall("f"), '{"a"', "cut")])],
        [called(), output(value=NO_RESULT)],
    ),
    (
        "a custom tool",
        [
            Message("assistant", [], tool_calls=[FunctionPart("c", FunctionCall("f"), "ls", custom=True)]),
            Message("tool", ["r"], id="c"),
        ],
        [
            {"type": "custom_tool_call", "call_id": "c", "name": "f", "input": "ls"},
            {"type": "custom_tool_call_output", "call_id": "c", "output": "r"},
        ],
    ),
    (
        "another dialect's answer",
        [
            Message(
                "assistant",
                [
                    ServerToolPart("call", "s", "web", {"type": "server_tool_use"}),
                    RawPart({"type": "container_upload"}),
                    TextPart("a"),
                    CitationPart({"type": "url_citation"}),
                ],
                thinking="Hm",
                signature="sig",
                tool_calls=[CALL],
                blocks=[
                    BlockRef("opaque", data={"type": "redacted_thinking"}),
                    BlockRef("thinking", 0, 2, "sig"),
                    BlockRef("contents", 0),
                    BlockRef("contents", 1),
                    BlockRef("contents", 2, extra={"id": "x"}),
                    BlockRef("contents", 3),
                    BlockRef("tool_calls", 0, extra={"id": "x"}),
                ],
                meta=ELSEWHERE,
            ),
            Message("tool", ["r"], id="c"),
        ],
        [said("a"), called(), output()],
    ),
]


@pytest.mark.parametrize(("messages", "items"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_messages_become_items(messages: list[Message], items: list[dict[str, Any]]) -> None:
    assert encode(*messages) == items


def test_a_long_id_is_shortened_on_both_sides() -> None:
    long = "c" * 65
    call, result = encode(
        Message("assistant", [], tool_calls=[FunctionPart(long, FunctionCall("f"))]), Message("tool", ["r"], id=long)
    )
    assert call["call_id"] == result["call_id"]
    assert len(call["call_id"]) <= 64


def test_a_result_of_no_call_is_left_out() -> None:
    with pytest.warns(HistoryWarning):
        assert encode(Message("user", ["a"]), Message("tool", ["r"], id="x")) == [{"role": "user", "content": "a"}]


def test_the_role_of_instructions_is_the_vendors() -> None:
    assert encode(Message("system", ["b"]), system_role="developer") == [{"role": "developer", "content": "b"}]
    with pytest.raises(ConfigError, match="system"):
        encode(Message("system", [PNG]))


def answer(*items: dict[str, Any], provider: str = "acme") -> Message:
    """The message that the parser makes of an output."""
    parser = get_protocol("openai-responses").parser(provider=provider)
    body = {"object": "response", "id": "r", "model": "m", "status": "completed", "output": list(items)}
    return accumulate(parser.feed(json.dumps(body).encode()) + parser.finish()).message


THOUGHT = {
    "type": "reasoning",
    "id": "rs",
    "summary": [{"type": "summary_text", "text": "Hm"}],
    "encrypted_content": "sig",
}
TEXT = {"type": "output_text", "text": "a", "annotations": []}
CITED = {**TEXT, "annotations": [{"type": "url_citation", "url": "u"}]}
MESSAGE = {"type": "message", "role": "assistant", "id": "msg", "status": "completed", "content": [CITED, TEXT]}
COMMENT = {**MESSAGE, "id": "msg_2", "phase": "commentary", "content": [TEXT, {"type": "refusal", "refusal": "no"}]}
FUNCTION = called(id="c", arguments='{"a":1}') | {"id": "fc", "status": "completed", "namespace": "n"}
SEARCH = {"type": "web_search_call", "id": "ws", "status": "completed", "action": {"query": "q"}}
DRAWN = {"type": "image_generation_call", "id": "ig", "status": "completed", "result": "iVBORw=="}
COMPACTED = {"type": "compaction", "id": "cmp", "encrypted_content": "x"}
ITEMS = [THOUGHT, SEARCH, THOUGHT | {"id": "rs_2"}, MESSAGE, COMMENT, DRAWN, COMPACTED, FUNCTION]


def test_an_answer_goes_back_to_its_origin_as_it_came() -> None:
    assert encode(answer(*ITEMS)) == [*ITEMS, output(value=NO_RESULT)]
    assert encode(answer(*ITEMS), provider="") == [*ITEMS, output(value=NO_RESULT)]


def test_to_another_vendor_an_answer_goes_without_what_only_its_origin_reads() -> None:
    call = {name: value for name, value in FUNCTION.items() if name not in ("id", "status", "namespace")}
    assert encode(answer(*ITEMS), provider="elsewhere") == [said("aaano[image]"), call, output(value=NO_RESULT)]


def test_a_history_keeps_what_it_needs_through_its_own_json() -> None:
    message = msgspec.json.decode(msgspec.json.encode(answer(*ITEMS)), type=Message)
    assert encode(message) == [*ITEMS, output(value=NO_RESULT)]


def test_an_answer_that_was_edited_goes_without_its_ids() -> None:
    message = answer(THOUGHT, MESSAGE)
    message.thinking = "[removed]"
    assert encode(message) == [said("aa")]


def test_ids_stay_behind_where_the_thinking_before_them_cannot_be_sent() -> None:
    bare = {name: value for name, value in THOUGHT.items() if name != "encrypted_content"}
    message = answer(bare, SEARCH, MESSAGE | {"phase": "final_answer"}, FUNCTION)
    call = {name: value for name, value in FUNCTION.items() if name != "id"}
    assert encode(message) == [said("aa", phase="final_answer"), call, output(value=NO_RESULT)]
    kept = [bare, SEARCH, MESSAGE | {"phase": "final_answer"}, FUNCTION, output(value=NO_RESULT)]
    assert encode(message, stored=True) == kept


def test_thinking_that_led_to_nothing_stays_behind() -> None:
    assert encode(answer(MESSAGE, THOUGHT, THOUGHT | {"id": "rs_2"})) == [MESSAGE]
    assert encode(answer(THOUGHT), stored=True) == []


@pytest.mark.parametrize("kind", sorted(IN_ONE_ITEM))
def test_the_call_of_a_server_tool_goes_back_with_its_result_alone(kind: str) -> None:
    begun = ServerToolPart("call", "a", "x", {"type": kind, "id": "a"})
    ended = ServerToolPart("result", "a", "x", {"type": kind, "id": "a", "status": "completed"})
    assert encode(Message("assistant", [begun, ended, "a"], meta=OWN)) == [ended.raw, said("a")]
    assert encode(Message("assistant", [begun], meta=OWN)) == []


def test_an_image_that_no_tool_of_the_provider_made_is_told_in_words() -> None:
    assert encode(Message("assistant", [ImagePart(ImageUrl("https://x.org/a.png"))], meta=OWN)) == [said("[image]")]


def test_a_part_of_an_unknown_type_goes_back_in_its_message() -> None:
    odd = {**MESSAGE, "content": [TEXT, {"type": "hologram", "x": 1}]}
    assert encode(answer(odd)) == [odd]
    assert encode(answer(odd), provider="elsewhere") == [said("a")]


@pytest.mark.recordings(lambda recording: recording.protocol == "openai-responses" and recording.framing == "sse")
def test_a_recorded_answer_goes_back_as_it_came(recording: Any) -> None:
    parser = get_protocol("openai-responses").parser(provider=recording.provider)
    deltas = parser.feed(recording.body) + parser.finish()
    sent = encode(accumulate(deltas).message, provider=recording.provider, stored=True)
    came, in_order = recorded_items(recording.body)
    found = [plain(item) for item in sent if not item["type"].endswith("_call_output")]
    expected = [plain(item) for item in came]
    assert found == expected if in_order else sorted(found, key=str) == sorted(expected, key=str)


def recorded_items(body: bytes) -> tuple[list[dict[str, Any]], bool]:
    """The items of a recorded answer, read straight from its events, and whether each came to an end of its own."""
    events = [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith('data: {"')]
    ends = [event for event in events if event["type"] == "response.output_item.done"]
    order = {event.get("output_index", at): event["item"] for at, event in enumerate(ends)}
    output = events[-1]["response"]["output"]
    return (output, False) if len(output) > len(order) else ([order[at] for at in sorted(order)], True)


def plain(item: dict[str, Any]) -> dict[str, Any]:
    """An item without what says nothing, its arguments as the value that they are."""
    out = {name: value for name, value in item.items() if value not in (None, "")}
    if item["type"] == "message":
        out["content"] = [
            {name: value for name, value in part.items() if name != "logprobs"} for part in item["content"]
        ]
    if "arguments" in out and item["type"] == "function_call":
        try:
            out["arguments"] = json.loads(out["arguments"])
        except ValueError:
            out["arguments"] = {}  # it was cut short
    return out
