"""Which answers show by their counts that the conversation did not fit, and which do not."""

from __future__ import annotations

import pytest

from streamkit import is_overflow
from streamkit.errors import ContextOverflow, InvalidRequest, StreamkitError, TruncatedStream
from streamkit.messages import FinishReason, Message, MessageOutput
from streamkit.usage import Usage

STOP, LENGTH = FinishReason("stop", "stop"), FinishReason("length", "length")
WINDOW = 1000


def answer(finish: FinishReason | None, usage: Usage | None) -> MessageOutput:
    return MessageOutput(Message("assistant", []), finish, usage)


# name, finish reason, usage, whether it overflowed a window of 1000
CASES: list[tuple[str, FinishReason | None, Usage | None, bool]] = [
    ("a prompt that fits", STOP, Usage(900, 50), False),
    ("a prompt as long as the window", STOP, Usage(1000, 5), False),
    ("a longer one", STOP, Usage(1001, 5), True),
    ("a longer one with its caches", STOP, Usage(1, 5, 500, 500), True),
    ("a prompt and an answer beyond it", STOP, Usage(900, 500), False),
    ("a longer prompt with a call", FinishReason("tool_call", "tool_calls"), Usage(2000, 5), True),
    ("a longer prompt and no reason", None, Usage(1001), True),
    ("cut before the first token", LENGTH, Usage(990, 0), True),
    ("the same without a count of output", LENGTH, Usage(995), True),
    ("cut before the first token by the caller's limit", LENGTH, Usage(500, 0), False),
    ("cut after some", LENGTH, Usage(995, 5), False),
    ("a full window that answered", STOP, Usage(995, 0), False),
    ("no usage", STOP, None, False),
    ("no counts", LENGTH, Usage(), False),
    ("anthropic's word", FinishReason("length", "model_context_window_exceeded"), None, True),
]


@pytest.mark.feature("D: senpi#1466")
@pytest.mark.parametrize(("finish", "usage", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_an_answer_overflowed_where_its_usage_says_so(
    finish: FinishReason | None, usage: Usage | None, expected: bool
) -> None:
    assert is_overflow(answer(finish, usage), WINDOW) is expected


def test_without_a_window_only_words_tell() -> None:
    assert not is_overflow(answer(STOP, Usage(10**9)))
    assert not is_overflow(answer(LENGTH, Usage(10**9)), 0)
    assert is_overflow(answer(FinishReason("length", "model_context_window_exceeded"), None))


ERRORS: list[tuple[str, StreamkitError, bool]] = [
    ("an overflow", ContextOverflow("too long"), True),
    ("another error", InvalidRequest("no"), False),
    ("a cut stream", TruncatedStream("cut"), False),
]


@pytest.mark.parametrize(("error", "expected"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS])
def test_an_error_overflowed_where_it_is_of_that_class(error: StreamkitError, expected: bool) -> None:
    assert is_overflow(error, WINDOW) is expected


def test_an_error_overflowed_where_the_usage_of_what_came_before_it_says_so() -> None:
    error = TruncatedStream("cut")
    error.partial = answer(None, Usage(2000, 1))
    assert is_overflow(error, WINDOW)
    assert not is_overflow(error)
