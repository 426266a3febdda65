from __future__ import annotations

from typing import Any

import pytest

from streamkit.messages import FinishReason
from streamkit.protocols.openai_responses.finish import incomplete_reason, read_finish

CASES: list[tuple[str, tuple[Any, Any, bool, bool], FinishReason]] = [
    ("completed", ("completed", None, False, False), FinishReason("stop", "completed")),
    ("completed with calls", ("completed", None, True, False), FinishReason("tool_call", "completed")),
    ("completed with a refusal", ("completed", None, False, True), FinishReason("refusal", "completed")),
    ("a refusal and calls", ("completed", None, True, True), FinishReason("tool_call", "completed")),
    (
        "no more tokens, with calls",
        ("incomplete", "max_output_tokens", True, False),
        FinishReason("length", "incomplete", "max_output_tokens"),
    ),
    (
        "no more tokens by another word",
        ("incomplete", "max_tokens", False, False),
        FinishReason("length", "incomplete", "max_tokens"),
    ),
    (
        "a filter",
        ("incomplete", "content_filter", False, False),
        FinishReason("refusal", "incomplete", "content_filter"),
    ),
    (
        "too many messages",
        ("incomplete", "max_messages", False, False),
        FinishReason("other", "incomplete", "max_messages"),
    ),
    ("incomplete for no reason", ("incomplete", None, False, False), FinishReason("other", "incomplete")),
    ("cancelled", ("cancelled", None, True, False), FinishReason("aborted", "cancelled")),
    ("an unknown status", ("odd", None, True, True), FinishReason("other", "odd")),
    ("none", (None, None, False, False), FinishReason("stop", synthesized=True)),
    ("none, with calls", (None, None, True, False), FinishReason("tool_call", synthesized=True)),
]


@pytest.mark.parametrize(("given", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_status_tells_why_an_answer_ended(given: tuple[Any, Any, bool, bool], expected: FinishReason) -> None:
    status, reason, calls, refused = given
    assert read_finish(status, reason, calls=calls, refused=refused) == expected


@pytest.mark.parametrize(
    ("details", "reason"),
    [({"reason": "x"}, "x"), ({"reason": ""}, None), ({"reason": 5}, None), ({}, None), (None, None), ("x", None)],
)
def test_the_reason_of_an_incomplete_response(details: Any, reason: str | None) -> None:
    assert incomplete_reason({"incomplete_details": details}) == reason
    assert incomplete_reason({}) is None
