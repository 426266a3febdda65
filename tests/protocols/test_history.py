"""Histories that no provider would take as they are."""

from __future__ import annotations

import hashlib
import re
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamkit.errors import ConfigError, HistoryWarning
from streamkit.messages import Message, Meta, Origin
from streamkit.parts import FunctionCall, FunctionPart, TextPart
from streamkit.protocols.history import NO_RESULT, fit_history, is_own


def calls(*ids: str) -> Message:
    return Message("assistant", [], tool_calls=[FunctionPart(id, FunctionCall("f")) for id in ids])


def result(id: str | None, text: str = "") -> Message:
    return Message("tool", [text or f"result of {id}"], id=id)


def missing(id: str) -> Message:
    return Message("tool", [TextPart(NO_RESULT)], id=id, meta=Meta(is_error=True))


USER = Message("user", "go on")
DONE = Message("assistant", "done")

CASES: list[tuple[str, list[Message], list[Message]]] = [
    ("what is whole stays as it is", [USER, calls("a"), result("a"), DONE], [USER, calls("a"), result("a"), DONE]),
    ("a call without a result", [USER, calls("a"), USER], [USER, calls("a"), missing("a"), USER]),
    ("a call without a result at the end", [USER, calls("a")], [USER, calls("a"), missing("a")]),
    (
        "one result of two",
        [calls("a", "b"), result("b"), USER],
        [calls("a", "b"), missing("a"), result("b"), USER],
    ),
    (
        "results in another order",
        [calls("a", "b"), result("b"), result("a")],
        [calls("a", "b"), result("a"), result("b")],
    ),
    ("a result that comes after the user", [calls("a"), USER, result("a")], [calls("a"), result("a"), USER]),
    (
        "a system message between call and result",
        [calls("a"), Message("system", "x"), result("a")],
        [calls("a"), result("a"), Message("system", "x")],
    ),
    (
        "a result without an id",
        [calls("a", "b"), result("b"), result(None, "of a")],
        [calls("a", "b"), result("a", "of a"), result("b")],
    ),
]


@pytest.mark.parametrize("case", CASES, ids=[case[0] for case in CASES])
def test_every_call_is_followed_by_its_result(case: tuple[str, list[Message], list[Message]]) -> None:
    assert fit_history(case[1]) == case[2]


STRAYS = [
    ("a result of no call", [USER, result("x"), DONE], [USER, DONE]),
    ("a result before its call", [result("a"), calls("a")], [calls("a"), missing("a")]),
    ("a second result", [calls("a"), result("a", "1"), result("a", "2")], [calls("a"), result("a", "1")]),
    ("a result without an id too many", [calls("a"), result("a"), result(None, "?")], [calls("a"), result("a")]),
]


@pytest.mark.parametrize("case", STRAYS, ids=[case[0] for case in STRAYS])
def test_a_result_that_answers_no_call_is_left_out_with_a_warning(
    case: tuple[str, list[Message], list[Message]],
) -> None:
    with pytest.warns(HistoryWarning, match=r"message \d is a tool's result"):
        assert fit_history(case[1]) == case[2]


@pytest.mark.feature("D: pi#6796")
def test_ids_that_come_again_are_made_unique_on_the_call_and_its_own_result() -> None:
    first, one, second, two = fit_history([calls("a"), result("a", "1"), calls("a"), result("a", "2")])
    assert first.tool_calls and second.tool_calls
    assert (first.tool_calls[0].id, one.id, one.text) == ("a", "a", "1")
    assert second.tool_calls[0].id == two.id != "a"
    assert two.text == "2"


def test_an_id_that_comes_again_and_again_is_replaced_at_the_same_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some backends number the calls of each answer from the same id on."""
    tried: list[bytes] = []

    def sha256(data: bytes) -> Any:
        tried.append(data)
        return hashlib.sha256(data)

    monkeypatch.setattr("streamkit.protocols.history.hashlib", SimpleNamespace(sha256=sha256))
    talk = [message for _ in range(500) for message in (calls("call_0"), result("call_0"))]
    ids = [message.id for message in fit_history(talk) if message.role == "tool"]
    assert len(set(ids)) == 500
    assert len(tried) == 499


def test_a_call_does_not_take_the_result_of_a_later_call_with_its_id() -> None:
    fitted = fit_history([calls("a"), USER, calls("a"), result("a", "2")])
    assert [message.text for message in fitted if message.role == "tool"] == [NO_RESULT, "2"]


def test_two_calls_of_one_message_with_one_id_take_the_results_in_order() -> None:
    message, one, two = fit_history([calls("a", "a"), result("a", "1"), result("a", "2")])
    assert message.tool_calls
    assert [call.id for call in message.tool_calls] == [one.id, two.id]
    assert (one.id, one.text, two.text) == ("a", "1", "2")
    assert two.id != "a"


PATTERNS = [
    ("mistral", "[A-Za-z0-9]{9}"),
    ("anthropic", "[A-Za-z0-9_-]+"),
    ("openai", ".{1,40}"),
    ("digits and letters of any number", "[a-z0-9]{64}"),
]


@pytest.mark.feature("D: pi#198")
@pytest.mark.parametrize("case", PATTERNS, ids=[case[0] for case in PATTERNS])
def test_ids_match_the_pattern_the_same_way_each_time(case: tuple[str, str]) -> None:
    history = [calls("functions.f:0", "", "x" * 70), result("x" * 70), result("functions.f:0"), result(None, "last")]
    fitted = fit_history(history, case[1])
    message, *results = fitted
    ids = [call.id for call in message.tool_calls or ()]
    assert len(set(ids)) == 3
    assert all(re.fullmatch(case[1], id) for id in ids)
    assert [result.id for result in results] == ids
    assert [result.text for result in results] == ["result of functions.f:0", "last", "result of " + "x" * 70]
    assert fit_history(history, case[1]) == fitted


def test_ids_that_match_stay() -> None:
    fitted = fit_history([calls("abc123DEF"), result("abc123DEF")], "[A-Za-z0-9]{9}")
    assert fitted == [calls("abc123DEF"), result("abc123DEF")]


def test_a_pattern_that_nothing_matches_is_a_config_error() -> None:
    with pytest.raises(ConfigError, match=r"no call id can be made that matches the pattern 'zz\+'"):
        fit_history([calls("a")], "zz+")


def test_the_messages_given_are_not_changed() -> None:
    given_calls, given_result = calls("a:1"), result("a:1")
    fit_history([given_calls, given_result], "[a-z0-9]{9}")
    assert (given_calls, given_result) == (calls("a:1"), result("a:1"))


IDS = st.sampled_from(["a", "b", "c", ""])
STEPS = st.one_of(
    st.just(USER),
    st.lists(IDS, min_size=1, max_size=3).map(lambda ids: calls(*ids)),
    IDS.map(lambda id: result(id or None, f"of {id}")),
)


@given(st.lists(STEPS, max_size=12))
@pytest.mark.filterwarnings("ignore::streamkit.errors.HistoryWarning")  # of results that answer nothing
def test_any_history_becomes_one_in_which_calls_and_results_pair_off(history: list[Message]) -> None:
    fitted = fit_history(history)
    seen: set[str] = set()
    at = 0
    while at < len(fitted):
        message = fitted[at]
        assert message.role != "tool"
        ids = [call.id for call in message.tool_calls or ()]
        assert all(ids)
        assert not seen & set(ids)
        seen |= set(ids)
        assert [answer.id for answer in fitted[at + 1 : at + 1 + len(ids)]] == ids
        at += 1 + len(ids)
    assert [message for message in fitted if message.role == "user"] == [m for m in history if m.role == "user"]
    assert fit_history(fitted) == fitted


OWNERS = [
    ("nothing is known", None, "", True),
    ("an empty origin", Origin(), "x", True),
    ("the dialect", Origin("anthropic"), "", True),
    ("the dialect of a vendor, sent to any", Origin("anthropic", "acme"), "", True),
    ("the dialect and the vendor", Origin("anthropic", "acme"), "acme", True),
    ("another dialect", Origin("openai-chat"), "", False),
    ("another vendor of the dialect", Origin("anthropic", "acme"), "anthropic", False),
    ("the vendor alone", Origin(provider="acme"), "acme", True),
    ("another vendor alone", Origin(provider="acme"), "anthropic", False),
]


@pytest.mark.parametrize("case", OWNERS, ids=[case[0] for case in OWNERS])
def test_a_message_goes_back_whole_to_its_origin_only(case: tuple[str, Origin | None, str, bool]) -> None:
    _, origin, provider, own = case
    message = Message("assistant", "hi", meta=Meta(origin) if origin is not None else None)
    assert is_own(message, "anthropic", provider) is own
