"""Conversations in the form of Converse."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.blocks import BlockRef, thinking_ref
from streamkit.errors import ConfigError
from streamkit.messages import Message, Meta, Origin
from streamkit.parts import (
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
from streamkit.protocols import Quirks, get_protocol
from streamkit.protocols.bedrock_converse.messages import encode_messages, used_tools
from streamkit.protocols.history import NO_RESULT
from streamkit.testing import Answer, Call, Thinking, render
from streamkit.testing.event_stream import event_message
from streamkit.testing.outcome import read_pieces

PLAIN = Quirks()
HERE = Meta(Origin("bedrock-converse", "bedrock", "claude"))
OTHER_VENDOR = Meta(Origin("bedrock-converse", "elsewhere", "claude"))
ELSEWHERE = Meta(Origin("anthropic", "anthropic", "claude"))
HI = Message("user", "hi")
SAID = {"role": "user", "content": [{"text": "hi"}]}
PDF = FilePart("application/pdf", b"%PDF-", name="a.pdf")


def turns(*messages: Message, quirks: Quirks = PLAIN, provider: str = "bedrock") -> list[dict[str, Any]]:
    return encode_messages(messages, quirks, provider)[1]


def answer_blocks(message: Message, **options: Any) -> list[dict[str, Any]]:
    """The blocks of an answer in the middle of a conversation."""
    encoded = turns(HI, message, HI, **options)
    return [block for turn in encoded if turn["role"] == "assistant" for block in turn["content"]]


def call(id: str = "t1", **fields: Any) -> FunctionPart:
    return FunctionPart(id, FunctionCall("f", {"x": 1}), **fields)


def use(id: str = "t1", **fields: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": id, "name": "f", "input": {"x": 1}, **fields}}


def thought(text: str, signature: str | None = None) -> dict[str, Any]:
    signed = {} if signature is None else {"signature": signature}
    return {"reasoningContent": {"reasoningText": {"text": text, **signed}}}


SEARCH = ServerToolPart("call", "s1", "g", {"toolUse": {"toolUseId": "s1", "name": "g", "type": "server_tool_use"}})
FOUND = ServerToolPart("result", "s1", "g", {"toolResult": {"toolUseId": "s1", "content": []}})
REDACTED = {"reasoningContent": {"redactedContent": "AAEC"}}

ANSWERS: list[tuple[str, Message, list[dict[str, Any]]]] = [
    ("text", Message("assistant", "a"), [{"text": "a"}]),
    ("blank text", Message("assistant", ["a", " \n"]), [{"text": "a"}]),
    ("a refusal", Message("assistant", [RefusalPart("no")]), [{"text": "no"}]),
    ("an image", Message("assistant", [ImagePart(EmbeddedImage("image/png", b"a"))]), [{"text": "[image]"}]),
    ("a file", Message("assistant", [PDF]), [{"text": "[file a.pdf]"}]),
    (
        "signed thinking of here",
        Message("assistant", "a", "hm", None, None, "sig", None, HERE),
        [thought("hm", "sig"), {"text": "a"}],
    ),
    (
        "signed thinking of another vendor",
        Message("assistant", "a", "hm", None, None, "sig", None, OTHER_VENDOR),
        [{"text": "a"}],
    ),
    (
        "signed thinking of another dialect",
        Message("assistant", "a", "hm", None, None, "sig", None, ELSEWHERE),
        [{"text": "a"}],
    ),
    ("thinking without a signature", Message("assistant", "a", "hm", meta=HERE), [{"text": "a"}]),
    ("thinking alone", Message("assistant", [], "hm", signature="sig", meta=HERE), []),
    (
        "redacted thinking before text",
        Message("assistant", "a", blocks=[BlockRef("opaque", data=REDACTED), BlockRef("contents")], meta=HERE),
        [REDACTED, {"text": "a"}],
    ),
    (
        "redacted thinking of another dialect",
        Message("assistant", "a", blocks=[BlockRef("opaque", data=REDACTED), BlockRef("contents")], meta=ELSEWHERE),
        [{"text": "a"}],
    ),
    ("a server's tool", Message("assistant", [SEARCH, FOUND, "a"], meta=HERE), [SEARCH.raw, FOUND.raw, {"text": "a"}]),
    ("a server's tool that was cut off", Message("assistant", [SEARCH, "a"], meta=HERE), [{"text": "a"}]),
    ("a server's tool of another dialect", Message("assistant", [SEARCH, FOUND, "a"], meta=ELSEWHERE), [{"text": "a"}]),
    (
        "a raw part of here",
        Message("assistant", [RawPart({"dance": {}}), "a"], meta=HERE),
        [{"dance": {}}, {"text": "a"}],
    ),
    (
        "citations",
        Message("assistant", ["a", CitationPart({"title": "t"}), CitationPart({"title": "u"}), "b"], meta=HERE),
        [
            {"citationsContent": {"content": [{"text": "a"}], "citations": [{"title": "t"}, {"title": "u"}]}},
            {"text": "b"},
        ],
    ),
    (
        "citations of another dialect",
        Message("assistant", ["a", CitationPart({"t": 1})], meta=ELSEWHERE),
        [{"text": "a"}],
    ),
    (
        "a citation that belongs to no text",
        Message("assistant", [CitationPart({"t": 1}), "a"], meta=HERE),
        [{"text": "a"}],
    ),
    ("a call", Message("assistant", "a", tool_calls=[call()]), [{"text": "a"}, use()]),
    (
        "a custom call",
        Message("assistant", [], tool_calls=[FunctionPart("t1", FunctionCall("f"), raw_arguments="x", custom=True)]),
        [use(input={"input": "x"})],
    ),
]


@pytest.mark.parametrize(("message", "blocks"), [case[1:] for case in ANSWERS], ids=[case[0] for case in ANSWERS])
def test_an_answer_becomes_blocks(message: Message, blocks: list[dict[str, Any]]) -> None:
    assert answer_blocks(message) == blocks


def test_unsigned_thinking_goes_back_where_the_row_says_so() -> None:
    message = Message("assistant", "a", "hm", meta=HERE)
    assert answer_blocks(message, quirks=Quirks(unsigned_thinking=True)) == [thought("hm"), {"text": "a"}]


def test_interleaved_thinking_keeps_its_order_and_its_signatures() -> None:
    refs = [
        thinking_ref("onetwo", 0, 3, "s1", None),
        BlockRef("tool_calls", 0),
        thinking_ref("onetwo", 3, 6, "s2", None),
        BlockRef("contents", 0),
    ]
    message = Message("assistant", "a", "onetwo", [call()], blocks=refs, meta=HERE)
    assert answer_blocks(message) == [thought("one", "s1"), use(), thought("two", "s2"), {"text": "a"}]


def test_an_answer_goes_back_byte_for_byte() -> None:
    said = Answer([Thinking("Hm.", "sig=="), "It is ", Call("f", {"x": 1}, "t1"), Thinking("", "b"), "b"])
    outcome = read_pieces(
        [render(said, "bedrock-converse")], get_protocol("bedrock-converse").parser(provider="bedrock")
    )
    expected = [thought("Hm.", "sig=="), {"text": "It is "}, use(), thought("", "b"), {"text": "b"}]
    assert answer_blocks(outcome.outputs[0].message) == expected
    kept = msgspec.json.decode(msgspec.json.encode(outcome.outputs[0].message), type=Message)
    assert answer_blocks(kept) == expected


def test_redacted_thinking_goes_back_as_it_came() -> None:
    payload = b'{"contentBlockIndex":0,"delta":{"reasoningContent":{"redactedContent":"AAEC/+=="}}}'
    said = render(Answer(["a"]), "bedrock-converse")
    first = len(event_message("messageStart", b'{"role":"assistant","p":"a"}'))
    body = said[:first] + event_message("contentBlockDelta", payload) + said[first:]
    outcome = read_pieces([body], get_protocol("bedrock-converse").parser(provider="bedrock"))
    back = answer_blocks(outcome.outputs[0].message)
    assert back == [{"reasoningContent": {"redactedContent": "AAEC/+=="}}, {"text": "a"}]


def result(id: str = "t1", *content: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": id, "content": list(content), **fields}}


CALLED = Message("assistant", [], tool_calls=[call()])
HISTORIES: list[tuple[str, list[Message], list[dict[str, Any]]]] = [
    (
        "neighbours of one role",
        [HI, Message("user", "there")],
        [{"role": "user", "content": [{"text": "hi"}, {"text": "there"}]}],
    ),
    (
        "results of two calls, then the user",
        [
            HI,
            Message("assistant", [], tool_calls=[call("a"), call("b")]),
            Message("tool", "1", id="a"),
            Message("tool", [ValuePart({"n": 2})], id="b"),
            HI,
        ],
        [
            SAID,
            {"role": "assistant", "content": [use("a"), use("b")]},
            {"role": "user", "content": [result("a", {"text": "1"}), result("b", {"text": '{"n":2}'}), {"text": "hi"}]},
        ],
    ),
    (
        "a failed tool",
        [HI, CALLED, Message("tool", "no", id="t1", meta=Meta(is_error=True))],
        [
            SAID,
            {"role": "assistant", "content": [use()]},
            {"role": "user", "content": [result("t1", {"text": "no"}, status="error")]},
        ],
    ),
    (
        "a tool that says nothing",
        [HI, CALLED, Message("tool", [], id="t1")],
        [
            SAID,
            {"role": "assistant", "content": [use()]},
            {"role": "user", "content": [result("t1", {"text": "(no output)"})]},
        ],
    ),
    (
        "a tool that gives an image",
        [HI, CALLED, Message("tool", [ImagePart(EmbeddedImage("image/png", b"a"))], id="t1")],
        [
            SAID,
            {"role": "assistant", "content": [use()]},
            {"role": "user", "content": [result("t1", {"image": {"format": "png", "source": {"bytes": "YQ=="}}})]},
        ],
    ),
    (
        "a call without its result",
        [HI, CALLED, HI],
        [
            SAID,
            {"role": "assistant", "content": [use()]},
            {"role": "user", "content": [result("t1", {"text": NO_RESULT}, status="error"), {"text": "hi"}]},
        ],
    ),
    (
        "an answer first, and one to be gone on from",
        [Message("assistant", "Well  ")],
        [
            {"role": "user", "content": [{"text": "(The conversation begins with the assistant.)"}]},
            {"role": "assistant", "content": [{"text": "Well"}]},
        ],
    ),
    (
        "documents of one name, without a text",
        [Message("user", [PDF, PDF])],
        [
            {
                "role": "user",
                "content": [
                    {"document": {"format": "pdf", "name": "a", "source": {"bytes": "JVBERi0="}}},
                    {"document": {"format": "pdf", "name": "a (2)", "source": {"bytes": "JVBERi0="}}},
                    {"text": "(See the attached file.)"},
                ],
            }
        ],
    ),
]


@pytest.mark.parametrize(("messages", "encoded"), [case[1:] for case in HISTORIES], ids=[case[0] for case in HISTORIES])
def test_a_conversation_becomes_turns(messages: list[Message], encoded: list[dict[str, Any]]) -> None:
    assert turns(*messages) == encoded


def test_ids_of_calls_are_made_to_fit() -> None:
    _, answer, answered = turns(
        HI, Message("assistant", [], tool_calls=[call("a b" * 40)]), Message("tool", "1", id="a b" * 40)
    )
    id = answer["content"][0]["toolUse"]["toolUseId"]
    assert len(id) <= 64
    assert " " not in id
    assert answered["content"][0]["toolResult"]["toolUseId"] == id


def test_the_system_prompt_is_blocks_with_cache_points() -> None:
    cached = Message(
        "system", "a", blocks=[BlockRef("contents", extra={"cache_control": {"type": "ephemeral", "ttl": "1h"}})]
    )
    system, encoded = encode_messages([cached, HI, Message("system", "b")], PLAIN)
    assert system == [{"text": "a"}, {"cachePoint": {"type": "default", "ttl": "1h"}}, {"text": "b"}]
    assert encoded == [SAID]
    with pytest.raises(ConfigError, match="text only"):
        encode_messages([Message("system", [PDF]), HI], PLAIN)


def test_a_cache_point_follows_a_result_as_a_whole() -> None:
    marked = Message(
        "tool", "1", id="t1", blocks=[BlockRef("contents", extra={"cache_control": {"type": "ephemeral"}})]
    )
    assert turns(HI, CALLED, marked)[-1]["content"] == [
        result("t1", {"text": "1"}),
        {"cachePoint": {"type": "default"}},
    ]


def test_a_call_among_the_contents_is_refused() -> None:
    with pytest.raises(ConfigError, match="tool_calls"):
        turns(Message("user", [call()]))


def test_the_tools_that_were_called_are_named_once_and_the_servers_are_not() -> None:
    calls = [call("a"), call("b"), FunctionPart("c", FunctionCall("g"))]
    history = [HI, Message("assistant", [SEARCH, FOUND], tool_calls=calls, meta=HERE), HI]
    assert used_tools(turns(*history)) == ["f", "g"]
    assert used_tools(turns(HI, Message("assistant", [TextPart("a")]), HI)) == []
