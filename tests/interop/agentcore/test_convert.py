from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit import FinishReason, Message, MessageOutput, accumulate, get_protocol
from streamkit import usage as ours
from streamkit.custom import BashExecution, convert_to_llm, custom_message
from streamkit.errors import HistoryWarning
from streamkit.interop.agentcore.convert import (
    from_agentcore,
    from_answer,
    from_usage,
    to_agentcore,
    to_answer,
    to_usage,
)
from streamkit.interop.agentcore.messages import (
    AssistantMessage,
    BashExecutionMessage,
    ImageContent,
    LlmMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from streamkit.messages import Meta, Origin
from streamkit.parts import EmbeddedImage, FunctionCall, FunctionPart, ImagePart, RawPart, TextPart
from streamkit.testing import Answer, Call, Text, Thinking, render
from streamkit.testing.strategies import answers, arguments, texts, usages

HELLO = UserMessage([TextContent("Hi")])
PNG = ImagePart(EmbeddedImage("image/png", b"hi"))

CONVERSATIONS: list[tuple[str, Message, LlmMessage]] = [
    (
        "a question",
        Message("user", [TextPart("Hi"), PNG]),
        UserMessage([TextContent("Hi"), ImageContent("aGk=", "image/png")]),
    ),
    ("when", Message("user", [TextPart("Hi")], meta=Meta(timestamp=5)), UserMessage([TextContent("Hi")], 5)),
    (
        "an answer",
        Message(
            "assistant",
            [TextPart("Let me see.")],
            tool_calls=[FunctionPart("c", FunctionCall("f", {"x": [1, None]}))],
            meta=Meta(Origin("openai-chat", "openai", "gpt-5"), timestamp=5),
        ),
        AssistantMessage(
            [TextContent("Let me see."), ToolCall("c", "f", {"x": [1, None]})],
            "openai-chat",
            "openai",
            "gpt-5",
            timestamp=5,
        ),
    ),
    (
        "a result",
        Message("tool", [TextPart("no")], id="c", meta=Meta(is_error=True, name="f", details={"x": 1}, timestamp=7)),
        ToolResultMessage("c", "f", [TextContent("no")], {"x": 1}, is_error=True, timestamp=7),
    ),
    ("a bare result", Message("tool", [TextPart("a")], id="c"), ToolResultMessage("c", "", [TextContent("a")])),
]


@pytest.mark.parametrize(
    ("message", "theirs"), [case[1:] for case in CONVERSATIONS], ids=[case[0] for case in CONVERSATIONS]
)
def test_a_message_goes_there_and_back(message: Message, theirs: LlmMessage) -> None:
    assert to_agentcore([message]) == [theirs]
    assert from_agentcore([theirs]) == [message]


def test_messages_of_an_application_are_custom_ones_in_their_places() -> None:
    history = from_agentcore([HELLO, BashExecutionMessage("ls", "a"), HELLO])
    assert history[1] == custom_message(BashExecution("ls", "a"))
    assert [message.text for message in convert_to_llm(history)] == ["Hi", "Ran `ls`\n```\na\n```\n", "Hi"]
    assert to_agentcore(history) == [HELLO, BashExecutionMessage("ls", "a"), HELLO]


_llm = st.lists(
    st.builds(UserMessage, st.lists(st.builds(TextContent, texts()), max_size=2), st.integers(0, 2**41))
    | st.builds(ToolResultMessage, texts(1), st.just("f"), st.lists(st.builds(TextContent, texts()), max_size=2))
    | st.builds(
        AssistantMessage,
        st.lists(
            st.builds(TextContent, texts(1)) | st.builds(ToolCall, texts(1), st.just("f"), arguments()), max_size=3
        ),
        st.sampled_from(["", "openai-chat"]),
        st.sampled_from(["", "openai"]),
        st.just("m"),
    ),
    max_size=4,
)


@given(_llm)
def test_agentcores_messages_come_back_as_they_were(messages: list[LlmMessage]) -> None:
    assert to_agentcore(from_agentcore(messages)) == messages


def read(answer: Answer, protocol: str = "anthropic") -> MessageOutput:
    parser = get_protocol(protocol).parser()
    return accumulate([*parser.feed(render(answer, protocol)), *parser.finish()])


@given(answers("anthropic"))
def test_an_answer_keeps_its_text_its_calls_and_their_order(answer: Answer) -> None:
    output = read(answer)
    back = to_answer(from_answer(output))
    assert back.message.contents == output.message.contents
    assert [_call(call) for call in back.message.tool_calls or []] == [
        _call(call) for call in output.message.tool_calls or []
    ]
    order = [
        type(block.part) for block in output.message.iter_blocks() if isinstance(block.part, (TextPart, FunctionPart))
    ]
    assert [type(block.part) for block in back.message.iter_blocks()] == order
    expected = "error" if output.finish_reason.type == "refusal" else output.finish_reason.type
    assert back.finish_reason.type == expected
    assert back.usage == (output.usage and msgspec.structs.replace(output.usage, reasoning_tokens=None))
    assert (back.model, back.provider) == (output.model, output.provider)


def _call(call: FunctionPart) -> tuple[Any, ...]:
    return call.id, call.function, call.raw_arguments, call.error is None


def test_thinking_has_no_place() -> None:
    message = from_answer(read(Answer([Thinking("hm", "c2ln"), Text("a"), Call("f", {})])))
    assert message.content == [TextContent("a"), ToolCall("call_0", "f")]
    assert message.stop_reason == "done"


@pytest.mark.feature("4.5")
def test_a_call_that_was_cut_short_is_never_made_whole() -> None:
    call = FunctionPart("c", FunctionCall("f"), '{"x":1}', "the call was cut short")
    message = from_answer(MessageOutput(Message("assistant", tool_calls=[call]), FinishReason("length")))
    assert message.content == [ToolCall("c", "f", {}, '{"x":1}')]
    assert to_answer(message).message.tool_calls == [call]


STOPS = [
    (FinishReason("stop", "end_turn"), "done", None, FinishReason("stop", "done")),
    (FinishReason("length", "max_tokens"), "length", None, FinishReason("length", "length")),
    (FinishReason("aborted"), "aborted", None, FinishReason("aborted", "aborted")),
    (None, "aborted", None, FinishReason("aborted", "aborted")),
    (FinishReason("error", "boom", "no room"), "error", "no room", FinishReason("error", "error", "no room")),
    (FinishReason("refusal", "safety"), "error", "safety", FinishReason("error", "error", "safety")),
    (FinishReason("other", "pause_turn"), "pause_turn", None, FinishReason("other", "pause_turn")),
]


@pytest.mark.feature("4.7")
@pytest.mark.parametrize(("finish", "word", "error", "again"), STOPS)
def test_each_reason_to_stop_has_its_word(
    finish: FinishReason | None, word: str, error: str | None, again: FinishReason
) -> None:
    message = from_answer(MessageOutput(Message("assistant", [TextPart("a")]), finish))
    assert (message.stop_reason, message.error_message) == (word, error)
    assert to_answer(message).finish_reason == again


@pytest.mark.parametrize("word", ["done", "stop", "toolUse"])
def test_done_is_a_stop_or_a_call_by_what_was_said(word: str) -> None:
    text, call = TextContent("a"), ToolCall("c", "f")
    assert to_answer(AssistantMessage([text], stop_reason=word)).finish_reason == FinishReason("stop", word)
    assert to_answer(AssistantMessage([text, call], stop_reason=word)).finish_reason == FinishReason("tool_call", word)


@pytest.mark.feature("4.27")
@given(usages())
def test_all_counts_but_those_of_reasoning_come_back(usage: ours.Usage) -> None:
    assert to_usage(from_usage(usage)) == msgspec.structs.replace(usage, reasoning_tokens=None)


@pytest.mark.feature("4.27")
def test_costs_come_back_and_nothing_is_nothing() -> None:
    usage = ours.Usage(3, 4, cost=ours.UsageCost(0.1, 0.2, 0.0, 0.0, 0.3))
    assert to_usage(from_usage(usage)) == usage
    assert (from_usage(None), to_usage(Usage())) == (Usage(), None)


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_part_without_a_place_is_warned_of(role: Any) -> None:
    with pytest.warns(HistoryWarning, match="RawPart"):
        (message,) = to_agentcore([Message(role, [TextPart("a"), RawPart({"type": "new"})])])
    assert message.content == [TextContent("a")]
