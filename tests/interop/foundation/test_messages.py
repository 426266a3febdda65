from __future__ import annotations

import msgspec
import pytest

from streamkit.interop.foundation.content import ImageContent, TextContent, UsageReport
from streamkit.interop.foundation.messages import (
    Assistant,
    Messages,
    ToolResult,
    User,
    agent,
    as_messages,
    is_context_overflow,
    system,
    user,
)
from streamkit.models import ModelId

KINDS = [
    user("Hi"),
    User(ImageContent("aGk=", "image/png"), "reviewer", signature="sig"),
    Assistant(TextContent("4"), ModelId("m"), "p", "pause_turn", UsageReport(1.0), error_detail="x", timestamp=5),
    ToolResult("c", "f", TextContent("12.3"), details="d", error_detail="e"),
]


@pytest.mark.feature("3.5", "3.14")
@pytest.mark.parametrize("message", KINDS, ids=lambda message: type(message).__name__)
def test_a_message_is_decoded_as_it_was_with_its_id(message: Messages) -> None:
    again = msgspec.json.decode(msgspec.json.encode(message), type=Messages)
    assert again == message
    assert again.id


@pytest.mark.feature("3.12")
@pytest.mark.parametrize(
    ("make", "role"), [(user, "user"), (agent, "agent"), (system, "system"), (as_messages, "user")]
)
def test_a_text_becomes_a_message_of_its_role_with_a_fresh_id(make: object, role: str) -> None:
    first, second = make("Hi"), make("Hi")
    assert (first.role, first.content) == (role, TextContent("Hi"))
    assert first.id < second.id


def test_a_message_goes_through_as_messages_as_it_is() -> None:
    assert as_messages(KINDS[2]) is KINDS[2]


@pytest.mark.feature("3.5")
def test_a_message_stored_without_an_id_gets_a_fresh_one() -> None:
    stored = b'{"type":"user","role":"user","content":{"type":"text","content":"Hi"}}'
    first, second = (msgspec.json.decode(stored, type=Messages) for _ in range(2))
    assert first.id != second.id


@pytest.mark.feature("3.6")
@pytest.mark.parametrize("role", ["user", "agent", "system", "tool", "reviewer"])
def test_a_role_is_its_bare_word_in_json(role: str) -> None:
    message = User(TextContent("Hi"), role)
    assert msgspec.to_builtins(message).get("role", "user") == role
    assert msgspec.convert(msgspec.to_builtins(message), Messages) == message


OVERFLOWS = [
    "This model's maximum context length is 8192 tokens",
    "Your input exceeds the context window of this model",
    "prompt is too long: 250000 tokens > 200000 maximum",
    "Input is too long for requested model",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)",
    "Please reduce the length of the messages or completion",
    "too many tokens: 5000",
    "This model's maximum prompt length is 131072",
    "the request exceeds the available context size",
    "Range of input length should be [1, 30720]",
    "Your request exceeded model token limit: 8192",
    "invalid params, context window exceeds limit",
    "Prompt exceeds max length",
    "input length 9000 exceeds the maximum allowed length 8192",
    "the prompt is greater than the context length",
]


@pytest.mark.feature("3.11")
@pytest.mark.parametrize("text", OVERFLOWS)
def test_an_error_of_a_conversation_that_is_too_long_is_known(text: str) -> None:
    assert is_context_overflow(Assistant(TextContent(""), stop_reason="error", error_detail=text))


@pytest.mark.feature("3.11")
@pytest.mark.parametrize(
    ("message", "window", "full"),
    [
        (Assistant(TextContent(""), usage=UsageReport(900.0, 0.0, 200.0)), 1000, True),
        (Assistant(TextContent(""), usage=UsageReport(900.0, 0.0, 50.0)), 1000, False),
        (Assistant(TextContent(""), usage=UsageReport(900.0, 0.0, 200.0)), None, False),
        (Assistant(TextContent(""), error_detail="Too many tokens, please wait"), 1000, False),
        (Assistant(TextContent("fine")), 1000, False),
        (user("prompt is too long"), 1000, False),
    ],
)
def test_usage_above_the_window_is_too_long_and_a_rate_limit_is_not(
    message: Messages, window: int | None, full: bool
) -> None:
    assert is_context_overflow(message, window) is full


@pytest.mark.feature("3.22")
def test_tool_calls_is_a_reason_to_use_tools_wherever_it_comes_from() -> None:
    body = b'{"type":"assistant","content":{"type":"text","content":"hi"},"stop_reason":"tool_calls"}'
    assert msgspec.json.decode(body, type=Assistant).stop_reason == "tool_use"
    assert Assistant(TextContent("hi"), stop_reason="tool_calls").stop_reason == "tool_use"


BARE_OVERFLOWS = [
    ("context_length_exceeded", ""),
    ("Context length exceeded", ""),
    ("model_context_window_exceeded", ""),
    ("Token limit exceeded for this model", ""),
    ('413 {"error":{"type":"request_too_large"}}', "anthropic"),
    ("413 status code (no body)", "cerebras"),
    ("400 (no body)", "cerebras"),
]


@pytest.mark.feature("3.11")
@pytest.mark.parametrize(("detail", "provider"), BARE_OVERFLOWS)
def test_an_overflow_is_seen_where_only_its_code_or_status_is_told(detail: str, provider: str) -> None:
    answer = Assistant(TextContent(""), provider=provider, stop_reason="error", error_detail=detail)
    assert is_context_overflow(answer)
    answer.error_detail = f"Too many requests: {detail}"
    assert not is_context_overflow(answer)
