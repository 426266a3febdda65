from __future__ import annotations

from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.accumulator import accumulate
from streamkit.agent.results import as_json, describe, is_error, not_run, result_deltas, result_message
from streamkit.errors import ToolError
from streamkit.messages import FinishReason, Message
from streamkit.parts import FunctionCall, FunctionPart, ImagePart, ImageUrl, RawPart, RefusalPart, TextPart

CALL = FunctionPart("c1", FunctionCall("f"))

VALUES: list[tuple[str, Any]] = [
    ("a value", {"x": [1, None]}),
    ("null", None),
    ("two texts", [TextPart("a"), TextPart("b")]),
    ("an empty text", TextPart("")),
    ("an image", ImagePart(ImageUrl("https://example.org/a.png"))),
    ("parts of all kinds", [RawPart({"type": "new"}), RefusalPart("no"), CALL]),
    ("a message without contents", Message("assistant")),
]


@pytest.mark.parametrize("failed", [False, True])
@pytest.mark.parametrize("value", [case[1] for case in VALUES], ids=[case[0] for case in VALUES])
def test_a_result_folds_from_its_deltas(value: Any, failed: bool) -> None:
    message = result_message(CALL, value, failed=failed)
    assert is_error(message) is failed
    deltas = result_deltas(message)
    output = accumulate(deltas)
    assert output.message == message
    assert output.finish_reason is not None and output.finish_reason.type == "stop"
    assert (output.usage, output.id) == (None, None)


def test_deltas_hold_nothing_of_the_message_that_can_change() -> None:
    message = result_message(CALL, 1)
    start = result_deltas(message)[0]
    assert message.meta is not None
    message.meta.is_error = True
    assert start.meta.is_error is False


def test_a_value_is_copied() -> None:
    value = {"x": [1]}
    copy = as_json(value)
    value["x"].append(2)
    assert copy == {"x": [1]}


@pytest.mark.parametrize(
    "value", ["a\ud800", ["a\ud800"], ("a\ud800",), {"a\ud800"}, {1: {"a\ud800": "a\ud800"}}], ids=ascii
)
def test_lone_surrogates_are_replaced_wherever_they_are(value: Any) -> None:
    text = str(as_json(value))
    assert "a\ufffd" in text and "\ud800" not in text


def loop() -> list[Any]:
    endless: list[Any] = []
    endless.append(endless)
    return endless


NO_JSON = [("an object", object()), ("a key", {(1, 2): 3}), ("a loop", loop())]


@pytest.mark.parametrize("value", [case[1] for case in NO_JSON], ids=[case[0] for case in NO_JSON])
def test_what_has_no_json_form_is_named(value: Any) -> None:
    with pytest.raises(ToolError, match=f"{type(value).__name__} has no JSON form: "):
        as_json(value)


def test_a_chain_of_groups_is_told_flat() -> None:
    error = ExceptionGroup("a", [ValueError("x"), ExceptionGroup("b", [ToolError("y"), OSError()])])
    assert describe(error) == "ValueError: x; y; OSError"


@given(st.lists(st.text("ab", max_size=40), max_size=4), st.integers(1, 90))
def test_the_text_of_a_result_fits_its_limit_whole_or_with_a_note(texts: list[str], limit: int) -> None:
    parts = [TextPart(text) for text in texts]
    kept = result_message(CALL, parts or "", max_chars=limit).text
    whole = "".join(texts)
    assert len(kept) <= limit
    if len(whole) <= limit:
        assert kept == whole
    elif "[" in kept:
        start, _, told = kept.partition("\n[")
        assert whole.startswith(start)
        assert told.startswith(f"{len(whole) - len(start)} of {len(whole)} characters")
    else:
        assert kept == whole[: limit - 1] + "…"


NOT_RUN: list[tuple[str | None, bool, str]] = [
    ("length", False, "the answer reached its limit of length"),
    ("length", True, "the answer reached its limit of length"),
    ("refusal", False, "the answer was refused or blocked"),
    ("error", False, "an error cut off the answer"),
    ("aborted", True, "the user ended the run"),
    ("tool_call", True, "the user ended the run"),
    ("tool_call", False, "a message from the user came first"),
    (None, False, "the answer was cut off"),
]


@pytest.mark.parametrize(("ended", "aborted", "why"), NOT_RUN)
def test_a_call_that_was_not_run_says_why(ended: str | None, aborted: bool, why: str) -> None:
    assert not_run(ended, aborted=aborted) == f"The call was not run, because {why}."


def test_every_finish_reason_is_told() -> None:
    told = {not_run(finish) for finish in get_args(get_type_hints(FinishReason)["type"])}
    assert len(told) == 7 and not_run(None) not in told
