from __future__ import annotations

import logging
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit import FinishReason, Message, MessageOutput, accumulate, get_protocol
from streamkit.errors import ConfigError, HistoryWarning, ImageNotEmbedded
from streamkit.interop.foundation.content import (
    Embedding,
    ExecutionHint,
    ImageContent,
    LogProbs,
    RefusalReason,
    TextContent,
    ThinkingContent,
    ToolCall,
    UsageReport,
)
from streamkit.interop.foundation.convert import from_answer, from_foundation, to_answer, to_foundation
from streamkit.interop.foundation.messages import Assistant, Messages, ToolResult, User, system, user
from streamkit.messages import Meta
from streamkit.models import ModelId
from streamkit.parts import (
    EmbeddedImage,
    FunctionCall,
    FunctionPart,
    ImagePart,
    ImageUrl,
    RawPart,
    RefusalPart,
    TextPart,
    ValuePart,
)
from streamkit.testing import Answer, Call, Text, Thinking, render
from streamkit.testing.strategies import answers, arguments, texts

PNG = ImagePart(EmbeddedImage("image/png", b"hi"))
CALL = FunctionPart("c", FunctionCall("f", {"x": [1, None]}))


def without_ids(messages: list[Any]) -> list[Any]:
    return [msgspec.structs.replace(message, id="") for message in messages]


def read(answer: Answer, protocol: str = "anthropic") -> MessageOutput:
    parser = get_protocol(protocol).parser()
    return accumulate([*parser.feed(render(answer, protocol)), *parser.finish()])


CONVERSATIONS = [
    ("a question", [Message("user", [TextPart("Hi")])], [user("Hi")]),
    ("an instruction", [Message("system", [TextPart("Be brief.")])], [system("Be brief.")]),
    (
        "a peer",
        [Message("user", [TextPart("Stop.")], meta=Meta(name="agent"))],
        [User(TextContent("Stop."), "agent")],
    ),
    ("an image", [Message("user", [PNG])], [User(ImageContent("aGk=", "image/png"))]),
    (
        "an answer",
        [Message("assistant", [TextPart("Let me see.")], thinking="hm", tool_calls=[CALL])],
        [
            Assistant(ThinkingContent("hm"), stop_reason="tool_use"),
            Assistant(TextContent("Let me see."), stop_reason="tool_use"),
            Assistant(ToolCall("c", "f", {"x": [1, None]}), stop_reason="tool_use"),
        ],
    ),
    (
        "calls in an order",
        [
            Message(
                "assistant",
                tool_calls=[
                    CALL,
                    FunctionPart("d", FunctionCall("g"), depends_on=("c",), execution_hint="sequential"),
                    FunctionPart("e", FunctionCall("h"), execution_hint="parallel"),
                ],
            )
        ],
        [
            Assistant(ToolCall("c", "f", {"x": [1, None]}), stop_reason="tool_use"),
            Assistant(ToolCall("d", "g", {}, None, ["c"], "sequential"), stop_reason="tool_use"),
            Assistant(ToolCall("e", "h", {}, execution_hint="parallel"), stop_reason="tool_use"),
        ],
    ),
    (
        "a result",
        [Message("tool", [TextPart("12.3"), PNG], id="c", meta=Meta(name="f", details="d", timestamp=7))],
        [
            ToolResult("c", "f", TextContent("12.3"), timestamp=7, details="d"),
            ToolResult("c", "f", ImageContent("aGk=", "image/png"), timestamp=7, details="d"),
        ],
    ),
    (
        "a failure",
        [Message("tool", [TextPart("no such city")], id="c", meta=Meta(name="f", is_error=True))],
        [ToolResult("c", "f", TextContent("no such city"), error_detail="no such city")],
    ),
    (
        "a vector",
        [Message("assistant", [ValuePart({"dimensions": 1, "values": [0.5]})])],
        [Assistant(Embedding(1, [0.5]))],
    ),
    ("silence", [Message("assistant")], [Assistant(TextContent(""))]),
]


@pytest.mark.feature("3.21")
@pytest.mark.parametrize(
    ("ours", "theirs"), [case[1:] for case in CONVERSATIONS], ids=[case[0] for case in CONVERSATIONS]
)
def test_a_conversation_goes_there_and_back(ours: list[Message], theirs: list[Messages]) -> None:
    assert without_ids(to_foundation(ours)) == without_ids(theirs)
    assert from_foundation(theirs) == ours


def test_the_results_of_two_calls_stay_two() -> None:
    results = [ToolResult("a", "f", TextContent("1")), ToolResult("b", "f", TextContent("2"))]
    assert [message.id for message in from_foundation(results)] == ["a", "b"]


@pytest.mark.feature("3.13")
def test_a_string_is_what_a_human_says() -> None:
    assert from_foundation(["Hi"]) == [Message("user", [TextPart("Hi")])]


def normal(output: MessageOutput) -> MessageOutput:
    """What foundation's form keeps of an answer."""
    message = msgspec.structs.replace(output.message, meta=None, tool_calls=_calls(output.message.tool_calls))
    finish = FinishReason(output.finish_reason.type, reason=output.finish_reason.reason or None)
    usage = output.usage and msgspec.structs.replace(output.usage, reasoning_tokens=None)
    return MessageOutput(message, finish, usage, model=output.model)


def _calls(calls: list[FunctionPart] | None) -> list[FunctionPart] | None:
    """A call with arguments that are no object has none, whatever they were."""
    return calls and [
        msgspec.structs.replace(call, raw_arguments="null", error="") if call.error else call for call in calls
    ]


@pytest.mark.feature("3.16")
@given(answers("anthropic"))
def test_an_answer_of_a_model_comes_back_with_its_order_and_its_signatures(answer: Answer) -> None:
    output = read(answer)
    messages = from_answer(output)
    assert all(message.model == ModelId("scripted-model") for message in messages)
    assert normal(to_answer(messages)) == normal(output)


_messages = st.lists(
    st.builds(User, st.builds(TextContent, texts()), st.sampled_from(["user", "agent", "system", "tool", "reviewer"]))
    | st.builds(ToolResult, st.sampled_from(["a", "b"]), st.just("f"), st.builds(TextContent, texts()))
    | st.builds(
        Assistant,
        st.builds(
            ToolCall,
            texts(1),
            st.just("f"),
            arguments(),
            depends_on=st.lists(texts(1), max_size=2),
            execution_hint=st.sampled_from(get_args(ExecutionHint)),
        ),
        stop_reason=st.just("tool_use"),
    ),
    max_size=5,
)


@given(_messages)
def test_foundations_messages_come_back_but_for_their_ids(messages: list[Messages]) -> None:
    assert without_ids(to_foundation(from_foundation(messages))) == without_ids(messages)


@pytest.mark.feature("3.19")
def test_a_refusal_is_told_by_its_reason_and_its_metadata_and_its_words_are_text() -> None:
    output = MessageOutput(Message("assistant", [RefusalPart("I won't.")]), FinishReason("refusal", reason="violence"))
    (message,) = from_answer(output)
    assert (message.content, message.stop_reason) == (TextContent("I won't."), "refusal")
    assert message.metadata == [RefusalReason("violence")]


@pytest.mark.feature("3.20")
def test_log_probabilities_are_metadata() -> None:
    output = MessageOutput(Message("assistant", [TextPart("a")]), FinishReason("stop"), logprobs=[{"token": "a"}])
    messages = from_answer(output)
    assert messages[-1].metadata == [LogProbs([{"token": "a"}])]
    assert to_answer(messages).logprobs == [{"token": "a"}]


def test_the_usage_is_counted_once_however_many_blocks_there_are() -> None:
    messages = from_answer(read(Answer([Thinking("hm"), Text("a"), Call("f", {})])))
    assert [message.usage.total_tokens for message in messages] == [0.0, 0.0, 19.0]
    for message in messages:
        message.usage = UsageReport(12.0, 7.0, 0.0, 0.0, 19.0)  # as backends do that report it with every chunk
    assert to_answer(messages).usage.total_tokens == 19


@pytest.mark.feature("3.25")
def test_arguments_that_are_no_object_are_logged_and_left_out(caplog: pytest.LogCaptureFixture) -> None:
    output = read(Answer([Call("f", "[1]")]))
    with caplog.at_level(logging.WARNING, "streamkit"):
        (message,) = from_answer(output)
    assert message.content == ToolCall("call_0", "f", None)
    assert "call_0 of f has no arguments: the arguments are not a JSON object" in caplog.text
    (call,) = to_answer([message]).message.tool_calls or []
    assert call.error is not None


def test_an_image_must_be_bytes() -> None:
    with pytest.raises(ImageNotEmbedded, match="https://x/y.png") as caught:
        to_foundation([Message("user", [ImagePart(ImageUrl("https://x/y.png"))])])
    assert caught.value.url == "https://x/y.png"
    with pytest.raises(ConfigError, match="image/png is no base64"):
        from_foundation([User(ImageContent("no base64", "image/png"))])


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_part_without_a_place_is_warned_of(role: Any) -> None:
    with pytest.warns(HistoryWarning, match="RawPart"):
        made = to_foundation([Message(role, [TextPart("a"), RawPart({"type": "new"})])])
    assert [message.content for message in made] == [TextContent("a")]


ERRORS = [
    ("that is not its text", ["partial"], "boom", ["partial", "boom"]),
    ("where it has no text", [""], "boom", ["boom"]),
    ("that is its text", ["boom"], "boom", ["boom"]),
    ("without words", ["partial"], "", ["partial"]),
]


@pytest.mark.feature("3.4")
@pytest.mark.parametrize(
    ("contents", "error", "texts"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS]
)
def test_the_model_is_told_the_error_of_a_result(contents: list[str], error: str, texts: list[str]) -> None:
    parts = [ToolResult("c", "add", TextContent(text), error_detail=error) for text in contents]
    (message,) = from_foundation(parts)
    assert [part.text for part in message.contents if isinstance(part, TextPart)] == texts
    assert message.meta is not None
    assert message.meta.is_error
    assert from_foundation(to_foundation([message])) == [message]


@pytest.mark.parametrize("data", ["!!", "é", "YQ", "YQ==\n"])
def test_an_image_that_is_no_base64_is_told(data: str) -> None:
    with pytest.raises(ConfigError, match="an image of type image/png is no base64"):
        from_foundation([User(ImageContent(data, "image/png"))])


def test_what_is_no_message_and_no_answer_is_told() -> None:
    with pytest.raises(ConfigError, match="no message of foundation's: int"):
        from_foundation([5])
    with pytest.raises(ConfigError, match="at least one message"):
        to_answer([])
