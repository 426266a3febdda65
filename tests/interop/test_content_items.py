from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit import Client, FinishReason, MessageOutput, Usage, accumulate, get_protocol, messages
from streamkit.errors import HistoryWarning
from streamkit.interop.content_items import (
    ContentItem,
    LlmRequest,
    LlmResponse,
    Message,
    ToolCall,
    ToolResult,
    build_messages,
    from_items,
    from_request,
    from_response,
    to_items,
    to_request,
    to_response,
)
from streamkit.messages import Meta
from streamkit.parts import FunctionCall, FunctionPart, ImagePart, ImageUrl, RefusalPart, TextPart, ValuePart
from streamkit.testing import Answer, Call, ReplayServer, Text, Thinking, render
from streamkit.testing.strategies import answers, arguments, json_values, texts

SEOUL = ToolCall("call_1", "get_weather", {"city": "Seoul", "days": [1, 2]})
BUSAN = ToolCall("call_2", "get_weather", {"city": "부산"})


def call_dict(id: str, arguments: str) -> dict[str, object]:
    return {"id": id, "type": "function", "function": {"name": "get_weather", "arguments": arguments}}


SEOUL_DICT = call_dict("call_1", '{"city": "Seoul", "days": [1, 2]}')
BUSAN_DICT = call_dict("call_2", '{"city": "\\ubd80\\uc0b0"}')

LISTING = [
    pytest.param(LlmRequest(), [], id="nothing"),
    pytest.param(
        LlmRequest(["Be brief.", "Speak English."], [Message("user", "What is 2 + 2?")]),
        [
            {"role": "system", "content": "Be brief."},
            {"role": "system", "content": "Speak English."},
            {"role": "user", "content": "What is 2 + 2?"},
        ],
        id="each instruction is a dict, in order and first",
    ),
    pytest.param(
        LlmRequest(contents=[Message("assistant", "Let me check."), SEOUL, BUSAN]),
        [{"role": "assistant", "content": "Let me check.", "tool_calls": [SEOUL_DICT, BUSAN_DICT]}],
        id="calls join the assistant's dict before them",
    ),
    pytest.param(
        LlmRequest(contents=[Message("user", "Weather?"), SEOUL, BUSAN]),
        [
            {"role": "user", "content": "Weather?"},
            {"role": "assistant", "content": None, "tool_calls": [SEOUL_DICT, BUSAN_DICT]},
        ],
        id="calls after another role make a dict without content",
    ),
    pytest.param(
        LlmRequest(contents=[SEOUL, ToolResult("call_1", ["12.3", "unread"]), BUSAN, ToolResult("call_2", [])]),
        [
            {"role": "assistant", "content": None, "tool_calls": [SEOUL_DICT]},
            {"role": "tool", "tool_call_id": "call_1", "content": "12.3"},
            {"role": "assistant", "content": None, "tool_calls": [BUSAN_DICT]},
            {"role": "tool", "tool_call_id": "call_2", "content": ""},
        ],
        id="a result is its first item as text, or none",
    ),
    pytest.param(
        LlmRequest(contents=[ToolResult("a", [{"ok": True}]), ToolResult("b", [12.5]), ToolResult("c", [None])]),
        [
            {"role": "tool", "tool_call_id": "a", "content": "{'ok': True}"},
            {"role": "tool", "tool_call_id": "b", "content": "12.5"},
            {"role": "tool", "tool_call_id": "c", "content": "None"},
        ],
        id="a result that is no string is what Python prints",
    ),
]


@pytest.mark.feature("1.5", "1.9", "1.10", "1.11", "1.12", "1.13", "1.14")
@pytest.mark.parametrize(("request_", "dicts"), LISTING)
def test_the_dicts_of_a_request(request_: LlmRequest, dicts: list[dict[str, object]]) -> None:
    before = msgspec.json.encode(request_)
    assert build_messages(request_) == dicts
    assert msgspec.json.encode(request_) == before
    assert [list(made) for made in build_messages(request_)] == [list(made) for made in dicts]


TOOL_TURN = [
    messages.Message("system", [TextPart("Be brief.")]),
    messages.Message("user", [TextPart("Weather?")]),
    messages.Message(
        "assistant",
        [TextPart("Let me check.")],
        tool_calls=[FunctionPart("call_1", FunctionCall("get_weather", {"city": "Seoul", "days": [1, 2]}))],
    ),
    messages.Message("tool", [ValuePart(12.3)], id="call_1", meta=Meta(name="get_weather")),
    messages.Message("assistant", [TextPart("12.3 °C.")]),
]


@pytest.mark.feature("1.1", "1.4", "1.8")
def test_a_conversation_with_a_tool_is_a_request_and_back() -> None:
    request = to_request(TOOL_TURN)
    assert request == LlmRequest(
        ["Be brief."],
        [
            Message("user", "Weather?"),
            Message("assistant", "Let me check."),
            SEOUL,
            ToolResult("call_1", [12.3], "get_weather"),
            Message("assistant", "12.3 °C."),
        ],
    )
    assert from_request(request) == TOOL_TURN


_items = st.lists(
    st.builds(Message, st.sampled_from(["system", "user", "assistant"]), texts())
    | st.builds(ToolCall, texts(1), st.sampled_from(["f", "g"]), arguments())
    | st.builds(
        ToolResult,
        texts(),
        st.lists(json_values(), max_size=2),
        st.none() | st.just("f"),
        st.sampled_from(["success", "error"]),
    ),
    max_size=6,
)


@pytest.mark.feature("1.1", "1.2", "1.3", "1.4")
@given(_items)
def test_items_come_back_from_messages_as_they_were(items: list[ContentItem]) -> None:
    assert to_items(from_items(items)) == items
    assert msgspec.json.decode(msgspec.json.encode(items), type=list[ContentItem]) == items


@pytest.mark.feature("1.5", "1.6")
@given(_items)
def test_a_request_has_the_same_dicts_after_a_round_trip(items: list[ContentItem]) -> None:
    request = LlmRequest(["Be brief."], items)
    assert build_messages(to_request(from_request(request))) == build_messages(request)


@given(answers("openai-chat", choices=False))
def test_an_answer_of_a_model_keeps_its_text_and_its_calls(answer: Answer) -> None:
    parser = get_protocol("openai-chat").parser()
    output = accumulate([*parser.feed(render(answer, "openai-chat")), *parser.finish()])
    response = to_response(output)
    back = from_response(response)
    said = [part.text for part in output.message.contents if isinstance(part, (TextPart, RefusalPart))]
    assert back.message.text == "".join(said)
    calls = [(call.id, call.function) for call in output.message.tool_calls or []]
    assert [(call.id, call.function) for call in back.message.tool_calls or []] == calls
    assert (response.error_message is not None) == (output.finish_reason.type == "refusal")
    if output.usage is not None:
        assert (back.usage.input_tokens, back.usage.output_tokens) == (
            output.usage.input_tokens,
            output.usage.output_tokens,
        )


@pytest.mark.feature("1.1", "1.6", "1.7")
async def test_a_question_is_answered_by_an_item() -> None:
    request = LlmRequest(contents=[Message("user", "What is 2 + 2?")])
    async with ReplayServer(Answer(["4"])) as server, Client("openai/x", api_key="k", base_url=server.url) as client:
        response = to_response(await client.send(from_request(request)))
    assert response == LlmResponse([Message("assistant", "4")], None, {"input_tokens": 12, "output_tokens": 7})


@pytest.mark.feature("1.8")
def test_an_answer_with_tools_is_text_and_calls_in_the_order_of_the_stream() -> None:
    answer = Answer([Thinking("hm"), Text("One. "), Call("f", {"x": 1}), Text("Two."), Call("g", {})])
    parser = get_protocol("anthropic").parser()
    output = accumulate([*parser.feed(render(answer, "anthropic")), *parser.finish()])
    assert to_response(output).content == [
        Message("assistant", "One. "),
        ToolCall("call_0", "f", {"x": 1}),
        Message("assistant", "Two."),
        ToolCall("call_1", "g", {}),
    ]


@pytest.mark.parametrize(
    ("finish", "error"),
    [
        (None, None),
        (FinishReason("stop", "stop"), None),
        (FinishReason("length", "length"), None),
        (FinishReason("error", "boom", "no capacity"), "no capacity"),
        (FinishReason("aborted"), "aborted"),
        (FinishReason("refusal", "content_filter"), "content_filter"),
    ],
)
def test_what_went_wrong_is_the_error_of_the_response(finish: FinishReason | None, error: str | None) -> None:
    output = MessageOutput(messages.Message("assistant", [TextPart("so far")]), finish, Usage(3))
    response = to_response(output)
    assert response == LlmResponse([Message("assistant", "so far")], error, {"input_tokens": 3})
    back = from_response(response)
    assert back.finish_reason == FinishReason("error" if error else "stop", reason=error, synthesized=True)


def test_a_part_without_an_item_is_warned_of() -> None:
    picture = messages.Message("user", [TextPart("a"), ImagePart(ImageUrl("https://x/y.png")), TextPart("b")])
    with pytest.warns(HistoryWarning, match="ImagePart"):
        assert to_items([picture]) == [Message("user", "ab")]
    with pytest.warns(HistoryWarning, match="ImagePart"):
        result = to_items([messages.Message("tool", [ImagePart(ImageUrl("https://x/y.png"))], id="c")])
    assert result == [ToolResult("c", [])]
