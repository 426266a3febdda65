"""The form in which what was said is recorded, and who decides that it is."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from streamkit.errors import ConfigError
from streamkit.messages import Message, MessageOutput
from streamkit.parts import (
    AudioPart,
    FunctionCall,
    FunctionPart,
    ImagePart,
    ImageUrl,
    RefusalPart,
    ServerToolPart,
    TextPart,
    ValuePart,
)
from streamkit.telemetry.content import VARIABLE, Content, as_text, content_of, said, told

CHOICES: list[tuple[str | None, str, Content]] = [
    (None, "", Content(False, False)),
    (None, "NO_CONTENT", Content(False, False)),
    (None, "SPAN_ONLY", Content(True, False)),
    (None, "event_only", Content(False, True)),
    (None, " Span_And_Event ", Content(True, True)),
    ("none", "SPAN_ONLY", Content(False, False)),
    ("both", "", Content(True, True)),
]


@pytest.mark.parametrize(("asked", "word", "content"), CHOICES)
def test_the_argument_decides_and_then_the_environment(
    asked: str | None, word: str, content: Content, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, word)
    assert content_of(asked) == content


def test_a_word_that_nobody_knows_means_none(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv(VARIABLE, "true")
    with caplog.at_level(logging.WARNING, "streamkit"):
        assert content_of(None) == Content(False, False)
    assert "NO_CONTENT, SPAN_ONLY, EVENT_ONLY, SPAN_AND_EVENT" in caplog.text
    with pytest.raises(ConfigError, match="none, span, event, both, not 'all'"):
        content_of("all")


CALL = FunctionPart("c1", FunctionCall("go", {"to": "Oslo"}))
BROKEN = FunctionPart("c2", FunctionCall("go"), raw_arguments='{"to":', error="cut short")
FORMS: list[tuple[Message, list[dict[str, Any]]]] = [
    (Message("user", [TextPart("Hi")]), [{"type": "text", "content": "Hi"}]),
    (
        Message("assistant", [TextPart("Hi")], thinking="Hm.", tool_calls=[CALL, BROKEN]),
        [
            {"type": "reasoning", "content": "Hm."},
            {"type": "text", "content": "Hi"},
            {"type": "tool_call", "id": "c1", "name": "go", "arguments": {"to": "Oslo"}},
            {"type": "tool_call", "id": "c2", "name": "go", "arguments": '{"to":'},
        ],
    ),
    (
        Message("user", [ImagePart(ImageUrl("https://x.dev/a.png")), ImagePart(ImageUrl("data:image/png;base64,AA"))]),
        [{"type": "uri", "modality": "image", "uri": "https://x.dev/a.png"}, {"type": "image"}],
    ),
    (
        Message("tool", [ValuePart({"a": [1]})], id="c1"),
        [{"type": "tool_call_response", "id": "c1", "response": {"a": [1]}}],
    ),
    (
        Message("tool", [TextPart("It is"), ValuePart(1)], id="c1"),
        [
            {
                "type": "tool_call_response",
                "id": "c1",
                "response": [{"type": "text", "content": "It is"}, {"type": "value", "value": 1}],
            }
        ],
    ),
    (
        Message("assistant", [RefusalPart("No"), ServerToolPart("call", "s", "search", {"q": 1})]),
        [
            {"type": "refusal", "text": "No"},
            {"type": "server_tool", "phase": "call", "id": "s", "name": "search", "raw": {"q": 1}},
        ],
    ),
    (Message("assistant", [AudioPart(b"abc", "Hi", "wav")]), [{"type": "audio", "transcript": "Hi", "format": "wav"}]),
]


@pytest.mark.parametrize(("message", "parts"), FORMS)
def test_a_message_has_the_form_of_the_conventions(message: Message, parts: list[dict[str, Any]]) -> None:
    assert told([message]) == [{"role": message.role, "parts": parts}]
    assert said([MessageOutput(message)], ["stop"]) == [{"role": "assistant", "parts": parts, "finish_reason": "stop"}]
    assert as_text(told([message])).startswith('[{"role":')
