from __future__ import annotations

import pytest

from streamkit import FinishReason, Message, MessageOutput
from streamkit.interop.foundation.convert import from_answer
from streamkit.interop.foundation.stops import error_of, finish_of, stop_of
from streamkit.parts import TextPart

STOPS = [
    (FinishReason("stop", "end_turn"), "stop", FinishReason("stop", "stop")),
    (FinishReason("length", "max_tokens"), "length", FinishReason("length", "length")),
    (FinishReason("tool_call", "tool_calls"), "tool_use", FinishReason("tool_call", "tool_use")),
    (FinishReason("error", "boom", "no capacity"), "error", FinishReason("error", "error", "no capacity")),
    (FinishReason("aborted"), "aborted", FinishReason("aborted", "aborted")),
    (None, "aborted", FinishReason("aborted", "aborted")),
    (FinishReason("other", "pause_turn"), "pause_turn", FinishReason("other", "pause_turn")),
    (FinishReason("refusal", "safety", "violence"), "refusal", FinishReason("refusal", "refusal", "violence")),
]


@pytest.mark.feature("3.22")
@pytest.mark.parametrize(("finish", "stop", "again"), STOPS)
def test_each_reason_to_stop_has_its_word(finish: FinishReason | None, stop: str, again: FinishReason) -> None:
    (message,) = from_answer(MessageOutput(Message("assistant", [TextPart("a")]), finish))
    assert message.stop_reason == stop
    assert finish_of(message) == again
    assert stop_of(finish) == stop
    assert error_of(finish) == (finish.reason if stop == "error" else None)
