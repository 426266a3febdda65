"""Conversations in the form of Anthropic messages."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from streamkit.blocks import BlockRef
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
from streamkit.protocols.anthropic.messages import encode_messages
from streamkit.protocols.history import NO_RESULT

PLAIN = Quirks()
IMAGE = ImagePart(EmbeddedImage("image/png", b"\x00"))
IMAGE_BLOCK = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA=="}}
CACHE = {"cache_control": {"type": "ephemeral"}}
HERE = Meta(Origin("anthropic", "anthropic", "claude"))
ELSEWHERE = Meta(Origin("openai-chat", "openai", "gpt"))
HI = Message("user", "hi")


def text(value: str, **fields: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **fields}


def user(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(blocks)}


def turns(*messages: Message, quirks: Quirks = PLAIN, provider: str = "") -> list[dict[str, Any]]:
    system, encoded = encode_messages(messages, quirks, provider)
    assert system is None
    return encoded


def answer_blocks(message: Message, **options: Any) -> list[dict[str, Any]]:
    """The blocks of an answer in the middle of a conversation."""
    encoded = turns(HI, message, HI, **options)
    return [block for turn in encoded if turn["role"] == "assistant" for block in turn["content"]]


def call(id: str = "toolu_1", **fields: Any) -> FunctionPart:
    return FunctionPart(id, FunctionCall("f", fields.pop("arguments", {"x": 1})), **fields)


def tool_use(id: str = "toolu_1", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": "f", "input": {"x": 1}, **fields}


def tool_result(id: str = "toolu_1", **fields: Any) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, **fields}


SYSTEMS: list[tuple[str, list[Message], Any]] = [
    ("none", [HI], None),
    ("one", [Message("system", "Be brief."), HI], "Be brief."),
    ("several", [Message("system", ["a", "b"]), HI, Message("system", "c")], [text("a"), text("b"), text("c")]),
    ("a blank one", [Message("system", " "), HI], None),
    (
        "with a cache mark",
        [Message("system", "a", blocks=[BlockRef("contents", 0, extra=CACHE)]), HI],
        [text("a", **CACHE)],
    ),
]


@pytest.mark.parametrize("case", SYSTEMS, ids=[case[0] for case in SYSTEMS])
def test_system_messages_are_a_field_of_their_own(case: tuple[str, list[Message], Any]) -> None:
    assert encode_messages(case[1], PLAIN) == (case[2], [user(text("hi"))])


def test_a_later_system_message_stays_in_place_where_it_may() -> None:
    history = [Message("system", "a"), HI, Message("system", "b")]
    system, encoded = encode_messages(history, Quirks(inline_system=True))
    assert system == "a"
    assert encoded == [user(text("hi")), {"role": "system", "content": [text("b")]}]


def test_it_comes_before_an_answer_or_last_where_alone_the_api_takes_it() -> None:
    system, hi = Message("system", "b"), user(text("hi"))
    said, told = Message("assistant", "a"), {"role": "system", "content": [text("b")]}
    answered = {"role": "assistant", "content": [text("a")]}
    places = [
        ([HI, said, system, HI], [hi, answered, hi, told]),
        ([HI, said, system, HI, said], [hi, answered, hi, told, answered]),
        ([HI, system, said], [hi, told, answered]),
        ([HI, system, Message("assistant", [], "hm"), HI], [user(text("hi"), text("hi")), told]),
    ]
    for history, expected in places:
        assert encode_messages(history, Quirks(inline_system=True))[1] == expected


def test_an_image_in_a_system_message_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match="a system message holds text only"):
        encode_messages([Message("system", [IMAGE]), HI], PLAIN)


TURNS: list[tuple[str, list[Message], list[dict[str, Any]]]] = [
    ("text and image", [Message("user", ["look", IMAGE])], [user(text("look"), IMAGE_BLOCK)]),
    ("a value", [Message("user", [ValuePart([1])])], [user(text("[1]"))]),
    ("blank texts are left out", [Message("user", ["", "a", " "])], [user(text("a"))]),
    ("users one after another", [HI, Message("user", "there")], [user(text("hi"), text("there"))]),
    (
        "answers one after another",
        [HI, Message("assistant", "a"), Message("assistant", "b"), HI],
        [user(text("hi")), assistant(text("a"), text("b")), user(text("hi"))],
    ),
    ("an empty answer", [HI, Message("assistant", []), HI], [user(text("hi"), text("hi"))]),
    (
        "the assistant first",
        [Message("assistant", "Welcome."), HI],
        [
            user(text("(The conversation begins with the assistant.)")),
            assistant(text("Welcome.")),
            user(text("hi")),
        ],
    ),
    (
        "an answer to go on with",
        [HI, Message("assistant", ["a ", "b \n"])],
        [user(text("hi")), assistant(text("a "), text("b"))],
    ),
    (
        "only the last answer loses its white space",
        [HI, Message("assistant", "a "), HI],
        [user(text("hi")), assistant(text("a ")), user(text("hi"))],
    ),
    ("nothing at all", [Message("user", "")], []),
    (
        "results come first in the next turn, all together",
        [
            HI,
            Message("assistant", ["ok"], tool_calls=[call("a"), call("b")]),
            Message("user", "hurry"),
            Message("tool", "2", id="b"),
            Message("tool", "1", id="a"),
        ],
        [
            user(text("hi")),
            assistant(text("ok"), tool_use("a"), tool_use("b")),
            user(tool_result("a", content="1"), tool_result("b", content="2"), text("hurry")),
        ],
    ),
    (
        "a call that was interrupted",
        [HI, Message("assistant", [], tool_calls=[call()]), HI],
        [
            user(text("hi")),
            assistant(tool_use()),
            user(tool_result(content=NO_RESULT, is_error=True), text("hi")),
        ],
    ),
]


@pytest.mark.parametrize("case", TURNS, ids=[case[0] for case in TURNS])
def test_a_conversation_is_turns(case: tuple[str, list[Message], list[dict[str, Any]]]) -> None:
    assert turns(*case[1]) == case[2]


RESULTS: list[tuple[str, Message, dict[str, Any]]] = [
    ("text", Message("tool", "ok", id="toolu_1"), {"content": "ok"}),
    ("a string", Message("tool", [ValuePart("ok")], id="toolu_1"), {"content": "ok"}),
    ("an object", Message("tool", [ValuePart({"a": None})], id="toolu_1"), {"content": '{"a":null}'}),
    ("several parts", Message("tool", ["a", IMAGE], id="toolu_1"), {"content": [text("a"), IMAGE_BLOCK]}),
    ("nothing", Message("tool", [ValuePart("")], id="toolu_1"), {}),
    (
        "a failure",
        Message("tool", "boom", id="toolu_1", meta=Meta(is_error=True)),
        {"content": "boom", "is_error": True},
    ),
    (
        "a failure without a word",
        Message("tool", "", id="toolu_1", meta=Meta(is_error=True)),
        {"content": "The tool failed.", "is_error": True},
    ),
    (
        "a cache mark",
        Message(
            "tool", ["a", IMAGE], id="toolu_1", blocks=[BlockRef("contents", 0), BlockRef("contents", 1, extra=CACHE)]
        ),
        {"content": [text("a"), IMAGE_BLOCK], **CACHE},
    ),
]


@pytest.mark.parametrize("case", RESULTS, ids=[case[0] for case in RESULTS])
def test_a_result(case: tuple[str, Message, dict[str, Any]]) -> None:
    encoded = turns(HI, Message("assistant", [], tool_calls=[call()]), case[1])
    assert encoded[2] == user(tool_result(**case[2]))


CALLS: list[tuple[str, FunctionPart, dict[str, Any]]] = [
    ("arguments are an object", call(), tool_use()),
    ("no arguments", call(arguments={}), tool_use(input={})),
    (
        "arguments that were cut short",
        call(arguments={}, raw_arguments='{"x":', error="the call was cut short"),
        tool_use(input={}),
    ),
    ("a custom tool", call(arguments={}, raw_arguments="ls", custom=True), tool_use(input={"input": "ls"})),
]


@pytest.mark.parametrize("case", CALLS, ids=[case[0] for case in CALLS])
def test_a_call(case: tuple[str, FunctionPart, dict[str, Any]]) -> None:
    assert answer_blocks(Message("assistant", [], tool_calls=[case[1]])) == [case[2]]


def test_the_id_of_a_call_is_made_to_match_on_the_call_and_its_result() -> None:
    history = [
        HI,
        Message("assistant", [], tool_calls=[call("functions.f:0")]),
        Message("tool", "1", id="functions.f:0"),
    ]
    _, called, answered = turns(*history)
    id = called["content"][0]["id"]
    assert id.replace("_", "").isalnum()
    assert answered["content"] == [tool_result(id, content="1")]


def test_what_came_with_a_call_goes_back_to_its_origin_only() -> None:
    extra = {"caller": {"type": "direct"}, "toolset_name": "t"}
    blocks = [BlockRef("tool_calls", 0, extra=extra)]
    here = Message("assistant", [], tool_calls=[call()], blocks=blocks, meta=HERE)
    elsewhere = Message("assistant", [], tool_calls=[call()], blocks=blocks, meta=ELSEWHERE)
    assert answer_blocks(here) == [tool_use(**extra)]
    assert answer_blocks(elsewhere) == [tool_use()]


REDACTED = {"type": "redacted_thinking", "data": "ZGF0YQ=="}
SEARCH = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "q"}}
FOUND = {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"encrypted_content": "x"}]}
CITATION = {"type": "web_search_result_location", "cited_text": "c", "encrypted_index": "e", "title": "t", "url": "u"}


def interleaved(meta: Meta | None) -> Message:
    """Thinking, redacted thinking, a search, thinking, a cited text, a call."""
    return Message(
        "assistant",
        [
            ServerToolPart("call", "srvtoolu_1", "web_search", SEARCH),
            ServerToolPart("result", "srvtoolu_1", "web_search", FOUND),
            RawPart({"type": "container_upload", "file_id": "file_1"}),
            TextPart("Ann won."),
            CitationPart(CITATION),
        ],
        thinking="firstlast",
        tool_calls=[call()],
        blocks=[
            BlockRef("thinking", 0, 5, signature="s1"),
            BlockRef("opaque", data=REDACTED),
            BlockRef("contents", 0),
            BlockRef("contents", 1),
            BlockRef("contents", 2),
            BlockRef("thinking", 5, 9, signature="s2"),
            BlockRef("contents", 3),
            BlockRef("contents", 4),
            BlockRef("tool_calls", 0),
        ],
        meta=meta,
    )


def test_blocks_go_back_to_their_origin_in_order_and_unchanged() -> None:
    assert answer_blocks(interleaved(HERE)) == [
        {"type": "thinking", "thinking": "first", "signature": "s1"},
        REDACTED,
        SEARCH,
        FOUND,
        {"type": "container_upload", "file_id": "file_1"},
        {"type": "thinking", "thinking": "last", "signature": "s2"},
        text("Ann won.", citations=[CITATION]),
        tool_use(),
    ]


SEARCHING = ServerToolPart("call", "srvtoolu_1", "web_search", SEARCH)
FOUND_PART = ServerToolPart("result", "srvtoolu_1", "web_search", FOUND)


def test_a_search_that_was_cut_off_is_left_out_once_the_user_goes_on() -> None:
    cut = Message("assistant", ["Let me see.", SEARCHING], meta=HERE)
    assert answer_blocks(cut) == [text("Let me see.")]
    assert turns(HI, cut)[1] == assistant(text("Let me see."), SEARCH)
    rest = Message("assistant", [FOUND_PART, "Ann."], meta=HERE)
    assert turns(HI, cut, rest, HI)[1] == assistant(text("Let me see."), SEARCH, FOUND, text("Ann."))


def test_code_that_waits_for_a_tool_which_it_called_stays() -> None:
    code = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "code_execution", "input": {"code": "f(x=1)"}}
    caller = {"caller": {"type": "code_execution_20260120", "tool_id": "srvtoolu_1"}}
    called = Message(
        "assistant",
        [ServerToolPart("call", "srvtoolu_1", "code_execution", code)],
        tool_calls=[call()],
        blocks=[BlockRef("contents", 0), BlockRef("tool_calls", 0, extra=caller)],
        meta=HERE,
    )
    assert turns(HI, called, Message("tool", "1", id="toolu_1"))[1] == assistant(code, tool_use(**caller))


def test_another_dialects_blocks_leave_text_and_calls() -> None:
    assert answer_blocks(interleaved(ELSEWHERE)) == [text("Ann won."), tool_use()]
    assert answer_blocks(interleaved(HERE), provider="other") == answer_blocks(interleaved(ELSEWHERE))


def test_a_message_that_was_kept_as_json_goes_back_the_same() -> None:
    kept = json.loads(msgspec.json.encode(interleaved(HERE)))
    assert answer_blocks(msgspec.convert(kept, Message)) == answer_blocks(interleaved(HERE))


def test_encoding_leaves_the_message_as_it_is() -> None:
    message = interleaved(HERE)
    answer_blocks(message)
    assert message == interleaved(HERE)


THINKING: list[tuple[str, Message, Quirks, list[dict[str, Any]]]] = [
    (
        "signed, without an overlay",
        Message("assistant", "a", thinking="hm", signature="s"),
        PLAIN,
        [{"type": "thinking", "thinking": "hm", "signature": "s"}, text("a")],
    ),
    (
        "signed, its text left out by the provider",
        Message("assistant", "a", signature="s", meta=HERE),
        PLAIN,
        [{"type": "thinking", "thinking": "", "signature": "s"}, text("a")],
    ),
    (
        "signed by another dialect",
        Message("assistant", "a", thinking="hm", signature="s", meta=ELSEWHERE),
        PLAIN,
        [text("a")],
    ),
    ("unsigned", Message("assistant", "a", thinking="hm", meta=HERE), PLAIN, [text("a")]),
    (
        "unsigned, where nothing is signed",
        Message("assistant", "a", thinking="hm", meta=HERE),
        Quirks(unsigned_thinking=True),
        [{"type": "thinking", "thinking": "hm", "signature": ""}, text("a")],
    ),
    ("alone", Message("assistant", [], thinking="hm", signature="s"), PLAIN, []),
    (
        "last",
        Message(
            "assistant",
            "a",
            thinking="hm",
            blocks=[
                BlockRef("contents", 0),
                BlockRef("thinking", 0, 2, signature="s"),
                BlockRef("opaque", data=REDACTED),
            ],
        ),
        PLAIN,
        [text("a")],
    ),
    (
        "redacted, of another dialect",
        Message("assistant", "a", blocks=[BlockRef("opaque", data=REDACTED), BlockRef("contents", 0)], meta=ELSEWHERE),
        PLAIN,
        [text("a")],
    ),
]


@pytest.mark.parametrize("case", THINKING, ids=[case[0] for case in THINKING])
def test_thinking(case: tuple[str, Message, Quirks, list[dict[str, Any]]]) -> None:
    _, message, quirks, expected = case
    assert answer_blocks(message, quirks=quirks) == expected


def test_white_space_before_dropped_thinking_is_trimmed_too() -> None:
    blocks = [BlockRef("contents", 0), BlockRef("thinking", 0, 2, signature="s")]
    message = Message("assistant", "a ", thinking="hm", blocks=blocks)
    assert turns(HI, message) == [user(text("hi")), assistant(text("a"))]


ANSWERS: list[tuple[str, list[Any], list[dict[str, Any]]]] = [
    ("a refusal", [RefusalPart("no")], [text("no")]),
    ("an image", [IMAGE], [text("[image]")]),
    ("a file", [FilePart(name="a.txt"), FilePart()], [text("[file a.txt]"), text("[file]")]),
    ("speech", [AudioPart(b"\x00", "hello"), AudioPart(b"\x00")], [text("hello")]),
    ("a value", [ValuePart(1)], [text("1")]),
    (
        "citations follow their text",
        [TextPart("a"), CitationPart(CITATION), CitationPart(CITATION), TextPart("b"), CitationPart(CITATION)],
        [text("a", citations=[CITATION, CITATION]), text("b", citations=[CITATION])],
    ),
    ("a citation of another dialect", [TextPart("a"), CitationPart({"type": "url_citation", "url": "u"})], [text("a")]),
    ("a citation whose type is no word", [TextPart("a"), CitationPart({"type": {}})], [text("a")]),
    ("a citation of no text", [CitationPart(CITATION), TextPart("a")], [text("a")]),
    ("a citation of a blank text", [TextPart(" "), CitationPart(CITATION), TextPart("a")], [text("a")]),
]


@pytest.mark.parametrize("case", ANSWERS, ids=[case[0] for case in ANSWERS])
def test_an_answer_of_unknown_origin(case: tuple[str, list[Any], list[dict[str, Any]]]) -> None:
    assert answer_blocks(Message("assistant", case[1])) == case[2]
