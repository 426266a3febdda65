"""Conversations in the form of chat completions."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.blocks import BlockRef, thinking_ref
from streamkit.errors import ConfigError
from streamkit.messages import Message, Meta, Origin
from streamkit.parts import (
    AudioPart,
    CitationPart,
    EmbeddedImage,
    FilePart,
    FunctionCall,
    FunctionPart,
    ImagePart,
    RawPart,
    RefusalPart,
    ServerToolPart,
    TextPart,
    ValuePart,
)
from streamkit.protocols import Quirks
from streamkit.protocols.history import NO_RESULT
from streamkit.protocols.openai_chat.messages import encode_messages
from streamkit.providers import get_provider

PLAIN = Quirks()
IMAGE = ImagePart(EmbeddedImage("image/png", b"\x00"))
IMAGE_PART = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}
HERE = Meta(Origin("openai-chat", "acme", "m"))
ELSEWHERE = Meta(Origin("anthropic", "anthropic", "claude"))


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


def call(id: str = "a", **fields: Any) -> FunctionPart:
    return FunctionPart(id, FunctionCall("f", fields.pop("arguments", {"x": 1})), **fields)


def encoded_call(id: str = "a", arguments: str = '{"x":1}') -> dict[str, Any]:
    return {"id": id, "type": "function", "function": {"name": "f", "arguments": arguments}}


def calling(*ids: str) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": [encoded_call(id) for id in ids]}


def answer(*ids: str) -> Message:
    return Message("assistant", [], tool_calls=[call(id) for id in ids])


SPOKEN: list[tuple[str, Message, Quirks, dict[str, Any]]] = [
    ("a system message", Message("system", "Be brief."), PLAIN, {"role": "system", "content": "Be brief."}),
    ("a developer's", Message("system", "x"), Quirks(system_role="developer"), {"role": "developer", "content": "x"}),
    ("a user's text", Message("user", "hi"), PLAIN, {"role": "user", "content": "hi"}),
    ("an empty message", Message("user", []), PLAIN, {"role": "user", "content": ""}),
    ("a value", Message("user", [ValuePart([1, None])]), PLAIN, {"role": "user", "content": "[1,null]"}),
    ("two texts", Message("user", ["a", "b"]), PLAIN, {"role": "user", "content": [text("a"), text("b")]}),
    (
        "two texts as one string",
        Message("user", ["a", "b"]),
        Quirks(string_content=True),
        {"role": "user", "content": "a\n\nb"},
    ),
    ("an image", Message("user", ["look", IMAGE]), PLAIN, {"role": "user", "content": [text("look"), IMAGE_PART]}),
    (
        "an image where texts are strings",
        Message("user", ["look", IMAGE]),
        Quirks(string_content=True),
        {"role": "user", "content": [text("look"), IMAGE_PART]},
    ),
    (
        "a speaker",
        Message("user", "hi", meta=Meta(name="Ann <a>")),
        PLAIN,
        {"role": "user", "content": "hi", "name": "Ann_a_"},
    ),
    (
        "a speaker where names are refused",
        Message("user", "hi", meta=Meta(name="ann")),
        Quirks(names=False),
        {"role": "user", "content": "hi"},
    ),
    (
        "a cache mark",
        Message("user", "hi", blocks=[BlockRef("contents", 0, extra={"cache_control": {"type": "ephemeral"}})]),
        Quirks(cache_control=True),
        {"role": "user", "content": [text("hi") | {"cache_control": {"type": "ephemeral"}}]},
    ),
]


@pytest.mark.parametrize("case", SPOKEN, ids=[case[0] for case in SPOKEN])
def test_a_message_of_a_user_or_the_system(case: tuple[str, Message, Quirks, dict[str, Any]]) -> None:
    _, message, quirks, expected = case
    assert encode_messages([message], quirks) == [expected]


def test_an_image_in_a_system_message_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="a system message holds text only"):
        encode_messages([Message("system", ["x", IMAGE])], PLAIN)


ANSWERS: list[tuple[str, Message, dict[str, Any] | None]] = [
    ("text", Message("assistant", "hi"), {"role": "assistant", "content": "hi"}),
    ("pieces of one text", Message("assistant", ["a", "b"]), {"role": "assistant", "content": "ab"}),
    (
        "a cited text",
        Message("assistant", ["a", CitationPart({"url": "u"}), "b"]),
        {"role": "assistant", "content": "ab"},
    ),
    ("a refusal", Message("assistant", [RefusalPart("no")]), {"role": "assistant", "content": None, "refusal": "no"}),
    (
        "text and a refusal",
        Message("assistant", ["a", RefusalPart("no")]),
        {"role": "assistant", "content": "a", "refusal": "no"},
    ),
    (
        "speech at its origin",
        Message("assistant", [AudioPart(b"\x00", "hello", id="audio_1")], meta=HERE),
        {"role": "assistant", "content": None, "audio": {"id": "audio_1"}},
    ),
    (
        "speech of another provider",
        Message("assistant", [AudioPart(b"\x00", "hello", id="audio_1")], meta=ELSEWHERE),
        {"role": "assistant", "content": "hello"},
    ),
    ("an image", Message("assistant", ["see ", IMAGE]), {"role": "assistant", "content": "see [image]"}),
    ("a file", Message("assistant", [FilePart(name="a.txt")]), {"role": "assistant", "content": "[file a.txt]"}),
    ("a file without a name", Message("assistant", [FilePart()]), {"role": "assistant", "content": "[file]"}),
    ("a value", Message("assistant", [ValuePart({"a": 1})]), {"role": "assistant", "content": '{"a":1}'}),
    (
        "a part of its own",
        Message("assistant", ["a", RawPart({"type": "x"})], meta=HERE),
        {"role": "assistant", "content": [text("a"), {"type": "x"}]},
    ),
    (
        "a part of another's own",
        Message("assistant", ["a", RawPart({"type": "x"})], meta=ELSEWHERE),
        {"role": "assistant", "content": "a"},
    ),
    (
        "a search that another provider did",
        Message("assistant", [ServerToolPart("call", "1", "search", {}), "found"], meta=ELSEWHERE),
        {"role": "assistant", "content": "found"},
    ),
    ("nothing", Message("assistant", []), None),
    ("an empty text", Message("assistant", [TextPart("")]), None),
    ("thinking alone", Message("assistant", [], thinking="hm"), None),
]


@pytest.mark.parametrize("case", ANSWERS, ids=[case[0] for case in ANSWERS])
def test_an_answer(case: tuple[str, Message, dict[str, Any] | None]) -> None:
    _, message, expected = case
    assert encode_messages([message], PLAIN) == ([] if expected is None else [expected])


def test_a_refusal_is_text_where_there_is_no_field_for_it() -> None:
    message = Message("assistant", [RefusalPart("no")])
    encoded = encode_messages([message], Quirks(refusal_as_text=True))
    assert encoded == [{"role": "assistant", "content": "no"}]


CALLS: list[tuple[str, FunctionPart, dict[str, Any]]] = [
    ("arguments as text", call(), encoded_call()),
    ("no arguments", call(arguments={}), encoded_call(arguments="{}")),
    ("a big integer", call(arguments={"n": 2**70}), encoded_call(arguments='{"n":1180591620717411303424}')),
    (
        "arguments that were cut short",
        call(arguments={}, raw_arguments='{"x":', error="the call was cut short"),
        encoded_call(arguments="{}"),
    ),
    (
        "a custom tool, told as a function's",
        FunctionPart("a", FunctionCall("sh"), raw_arguments="ls -l", custom=True),
        {"id": "a", "type": "function", "function": {"name": "sh", "arguments": '{"input":"ls -l"}'}},
    ),
]


@pytest.mark.parametrize("case", CALLS, ids=[case[0] for case in CALLS])
def test_a_call(case: tuple[str, FunctionPart, dict[str, Any]]) -> None:
    _, given, expected = case
    encoded = encode_messages([Message("assistant", [], tool_calls=[given]), Message("tool", "ok", id="a")], PLAIN)
    assert encoded == [
        {"role": "assistant", "content": None, "tool_calls": [expected]},
        {"role": "tool", "tool_call_id": "a", "content": "ok"},
    ]


def test_a_call_of_a_custom_tool_goes_back_where_it_is_known() -> None:
    call = FunctionPart("a", FunctionCall("sh"), raw_arguments="ls -l", custom=True)
    history = [Message("assistant", [], tool_calls=[call]), Message("tool", "ok", id="a")]
    encoded = encode_messages(history, Quirks(custom_calls=True))
    assert encoded[0]["tool_calls"] == [{"id": "a", "type": "custom", "custom": {"name": "sh", "input": "ls -l"}}]


def test_what_came_with_a_call_goes_back_to_its_origin_only() -> None:
    extra = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
    message = Message("assistant", [], tool_calls=[call()], blocks=[BlockRef("tool_calls", 0, extra=extra)], meta=HERE)
    assert encode_messages([message], PLAIN, "acme")[0]["tool_calls"] == [encoded_call() | extra]
    assert encode_messages([message], PLAIN, "openai")[0]["tool_calls"] == [encoded_call()]


def test_the_first_call_of_a_message_has_what_stands_for_its_signature_where_it_has_none() -> None:
    unsigned, signed = {"extra_content": "none"}, {"extra_content": "signed"}
    quirks = Quirks(unsigned_call=unsigned)
    foreign = Message("assistant", [], tool_calls=[call("a"), call("b")], meta=ELSEWHERE)
    assert encode_messages([foreign], quirks)[0]["tool_calls"] == [encoded_call("a") | unsigned, encoded_call("b")]
    refs = [BlockRef("tool_calls", 0, extra=signed), BlockRef("tool_calls", 1)]
    own = Message("assistant", [], tool_calls=[call("a"), call("b")], blocks=refs, meta=HERE)
    assert encode_messages([own], quirks, "acme")[0]["tool_calls"] == [encoded_call("a") | signed, encoded_call("b")]


RESULTS: list[tuple[str, list[Any], Any]] = [
    ("a string as it is", [ValuePart("plain")], "plain"),
    ("an object as JSON", [ValuePart({"a": [1]})], '{"a":[1]}'),
    ("nothing as null", [ValuePart(None)], "null"),
    ("several lines", ["a", ValuePart(2)], "a\n2"),
    ("no parts", [], ""),
]


@pytest.mark.parametrize("case", RESULTS, ids=[case[0] for case in RESULTS])
def test_a_result(case: tuple[str, list[Any], Any]) -> None:
    encoded = encode_messages([answer("a"), Message("tool", case[1], id="a")], PLAIN)
    assert encoded == [calling("a"), {"role": "tool", "tool_call_id": "a", "content": case[2]}]


PICTURES = [
    answer("a", "b"),
    Message("tool", ["one", IMAGE], id="a"),
    Message("tool", [IMAGE], id="b"),
    Message("user", "so?"),
]


def test_images_of_results_follow_the_whole_run_as_a_user_message() -> None:
    assert encode_messages(PICTURES, PLAIN) == [
        calling("a", "b"),
        {"role": "tool", "tool_call_id": "a", "content": "one"},
        {"role": "tool", "tool_call_id": "b", "content": "The result follows as an attachment."},
        {"role": "user", "content": [text("The attachments of the tool results:"), IMAGE_PART, IMAGE_PART]},
        {"role": "user", "content": "so?"},
    ]
    assert encode_messages(PICTURES[:3], PLAIN) == encode_messages(PICTURES, PLAIN)[:4]


def test_images_of_results_stay_where_tool_messages_take_them() -> None:
    assert encode_messages(PICTURES[:3], Quirks(tool_attachments=True)) == [
        calling("a", "b"),
        {"role": "tool", "tool_call_id": "a", "content": [text("one"), IMAGE_PART]},
        {"role": "tool", "tool_call_id": "b", "content": [IMAGE_PART]},
    ]


def test_the_assistant_says_something_between_results_and_user_where_it_must() -> None:
    history = [answer("a"), Message("tool", "1", id="a"), Message("user", "so?")]
    roles = [message["role"] for message in encode_messages(history, Quirks(assistant_after_tool=True))]
    assert roles == ["assistant", "tool", "assistant", "user"]
    assert [message["role"] for message in encode_messages(history, PLAIN)] == ["assistant", "tool", "user"]


def test_ids_are_fitted_and_calls_without_a_result_get_one() -> None:
    history = [answer("functions.f:0", "b"), Message("tool", "1", id="functions.f:0"), Message("user", "so?")]
    first, one, two, _ = encode_messages(history, Quirks(tool_id_pattern="[A-Za-z0-9]{9}"))
    ids = [made["id"] for made in first["tool_calls"]]
    assert all(len(id) == 9 for id in ids)
    assert [one["tool_call_id"], two["tool_call_id"]] == ids
    assert (one["content"], two["content"]) == ("1", NO_RESULT)


def thoughtful(meta: Meta | None = None, **fields: Any) -> Message:
    return Message("assistant", "hi", thinking="hm", signature="c2ln", meta=meta, **fields)


THINKING: list[tuple[str, Message, Quirks, dict[str, Any]]] = [
    ("where no field takes it", thoughtful(), PLAIN, {"content": "hi"}),
    ("in its field", thoughtful(HERE), Quirks(thinking_field="reasoning"), {"content": "hi", "reasoning": "hm"}),
    ("of unknown origin", thoughtful(), Quirks(thinking_field="reasoning"), {"content": "hi", "reasoning": "hm"}),
    ("of another dialect", thoughtful(ELSEWHERE), Quirks(thinking_field="reasoning"), {"content": "hi"}),
    (
        "as a part of the content",
        thoughtful(HERE),
        Quirks(thinking_field="content"),
        {"content": [{"type": "thinking", "thinking": [text("hm")], "signature": "c2ln"}, text("hi")]},
    ),
    (
        "as a part, of another dialect",
        thoughtful(ELSEWHERE),
        Quirks(thinking_field="content"),
        {"content": "hi"},
    ),
]


@pytest.mark.parametrize("case", THINKING, ids=[case[0] for case in THINKING])
def test_thinking_goes_back(case: tuple[str, Message, Quirks, dict[str, Any]]) -> None:
    _, message, quirks, expected = case
    assert encode_messages([message], quirks, "acme") == [{"role": "assistant", **expected}]


def test_thinking_keeps_its_place_among_the_parts_of_the_content() -> None:
    blocks = [
        BlockRef("thinking", 0, 2),
        BlockRef("contents", 0),
        BlockRef("thinking", 2, 4),
        BlockRef("contents", 1),
    ]
    message = Message("assistant", ["a", "b"], thinking="t1t2", blocks=blocks)
    (encoded,) = encode_messages([message], Quirks(thinking_field="content"))
    said = [part.get("text") or part["thinking"][0]["text"] for part in encoded["content"]]
    assert said == ["t1", "a", "t2", "b"]


def test_a_message_with_calls_has_the_thinking_field_even_empty_where_it_must() -> None:
    quirks = Quirks(thinking_field="reasoning_content", thinking_required=True)
    history = [answer("a"), Message("tool", "1", id="a"), Message("assistant", "done")]
    called, _, said = encode_messages(history, quirks)
    assert called["reasoning_content"] == ""
    assert "reasoning_content" not in said


DETAILS = [
    {"type": "reasoning.text", "text": "hm", "signature": "c2ln", "index": 0},
    {"type": "reasoning.encrypted", "data": "ZGF0YQ==", "index": 1},
]
DETAILED = [
    ("in one block", [BlockRef("thinking", 0, 2, extra={"reasoning_details": DETAILS})]),
    (
        "in two blocks",
        [
            BlockRef("thinking", 0, 2, extra={"reasoning_details": DETAILS[:1]}),
            BlockRef("opaque", data=DETAILS[1]),
        ],
    ),
    ("whole in an opaque block", [BlockRef("thinking", 0, 2), BlockRef("opaque", data=DETAILS)]),
]


@pytest.mark.parametrize("case", DETAILED, ids=[case[0] for case in DETAILED])
def test_reasoning_details_go_back_unchanged_and_alone_to_their_origin(case: tuple[str, list[BlockRef]]) -> None:
    message = Message("assistant", ["hi"], thinking="hm", blocks=[*case[1], BlockRef("contents", 0)], meta=HERE)
    quirks = Quirks(thinking_field="reasoning", reasoning_details=True)
    told = {"role": "assistant", "content": "hi"}
    assert encode_messages([message], quirks, "acme") == [told | {"reasoning_details": DETAILS}]
    assert encode_messages([message], quirks, "other") == [told]
    assert encode_messages([message], PLAIN, "acme") == [told]


@pytest.mark.parametrize("edited", ["redacted", "**"], ids=["of another length", "of the same length"])
def test_edited_thinking_takes_its_details_along_no_more(edited: str) -> None:
    thought = thinking_ref("hm", 0, 2, None, {"reasoning_details": DETAILS})
    message = Message("assistant", ["hi"], thinking="hm", blocks=[thought, BlockRef("contents", 0)], meta=HERE)
    quirks = Quirks(thinking_field="reasoning", reasoning_details=True)
    assert encode_messages([message], quirks)[0]["reasoning_details"] == DETAILS
    message.thinking = edited
    assert encode_messages([message], quirks) == [{"role": "assistant", "content": "hi", "reasoning": edited}]


# One conversation written by Anthropic's model, as it goes to some vendors.
FOREIGN = [
    Message("system", "Be brief."),
    Message("user", "Sum?"),
    Message("assistant", ["I add."], thinking="hm", signature="c2ln", tool_calls=[call("toolu_1")], meta=ELSEWHERE),
    Message("tool", [ValuePart(3)], id="toolu_1"),
]
VENDORS: list[tuple[str, str, dict[str, Any]]] = [
    ("openai", "developer", {}),
    ("deepseek", "system", {"reasoning_content": ""}),
    ("openrouter", "system", {}),
    ("vllm", "system", {}),
]


@pytest.mark.parametrize("case", VENDORS, ids=[case[0] for case in VENDORS])
def test_a_conversation_goes_on_at_another_vendor(case: tuple[str, str, dict[str, Any]]) -> None:
    vendor, role, extra = case
    assert encode_messages(FOREIGN, get_provider(vendor).quirks, vendor) == [
        {"role": role, "content": "Be brief."},
        {"role": "user", "content": "Sum?"},
        {"role": "assistant", "content": "I add.", "tool_calls": [encoded_call("toolu_1")], **extra},
        {"role": "tool", "tool_call_id": "toolu_1", "content": "3"},
    ]


def test_anthropics_blocks_go_back_to_their_origin_where_they_are_taken() -> None:
    redacted = {"type": "redacted_thinking", "data": "x"}
    blocks = [
        BlockRef("thinking", 0, 2, signature="sig"),
        BlockRef("opaque", data=redacted),
        BlockRef("contents"),
    ]
    message = Message("assistant", "Hi", thinking="hm", blocks=blocks, meta=HERE)
    taken = [{"type": "thinking", "thinking": "hm", "signature": "sig"}, redacted]
    blocks_too = Quirks(thinking_blocks=True, thinking_field="reasoning_content")
    assert encode_messages([message], blocks_too, "acme") == [
        {"role": "assistant", "content": "Hi", "thinking_blocks": taken}
    ]
    unsigned = Message("assistant", "Hi", thinking="hm", meta=HERE)
    assert encode_messages([unsigned], blocks_too, "acme") == [
        {"role": "assistant", "content": "Hi", "reasoning_content": "hm"}
    ]
