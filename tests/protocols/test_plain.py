"""The choices of a response of text."""

from __future__ import annotations

import pytest

from streamkit.deltas import Delta, Logprobs, MessageEnd, MessageStart, TextDelta, TextEnd, TextStart, UsageSnapshot
from streamkit.limits import Limits
from streamkit.messages import FinishReason
from streamkit.protocols import Quirks
from streamkit.protocols.plain import PlainChoices
from streamkit.usage import Usage


def new(quirks: Quirks | None = None) -> PlainChoices:
    return PlainChoices("p", "acme", quirks or Quirks(), Limits())


def test_a_choice_begins_once_and_ends_with_the_others_after_the_usage() -> None:
    choices, out = new(), list[Delta]()
    choices.begin(1, out, id="r", model="").say(out, "b")
    choices.begin(0, out, id=5).say(out, "a")
    assert choices.begin(1, out) is choices.writers[1]
    choices.reasons[0] = FinishReason("length", "limit")
    assert choices.unfinished == {1}
    choices.usage = Usage(1, 2)
    choices.close(out, choices.writers)
    assert out == [
        MessageStart(id="r", provider="acme", protocol="p", choice=1),
        *(TextStart(0, choice=1), TextDelta(0, "b", choice=1)),
        MessageStart(provider="acme", protocol="p"),
        *(TextStart(0), TextDelta(0, "a")),
        *(TextEnd(0), TextEnd(0, choice=1), UsageSnapshot(Usage(1, 2))),
        MessageEnd(FinishReason("length", "limit")),
        MessageEnd(FinishReason("stop", synthesized=True), choice=1),
    ]


def test_usage_is_told_where_it_has_changed() -> None:
    choices, out = new(), list[Delta]()
    choices.tell_usage(out)
    choices.usage = Usage(1, 2)
    choices.tell_usage(out)
    choices.tell_usage(out)
    assert out == [UsageSnapshot(Usage(1, 2))]


def test_what_is_held_back_is_given_out_where_the_stream_breaks_off() -> None:
    choices, out = new(Quirks(think_tags=True)), list[Delta]()
    choices.begin(0, out).say(out, "a<th")
    choices.release(out)
    assert [delta.text for delta in out if isinstance(delta, TextDelta)] == ["a", "<th"]


@pytest.mark.parametrize(("tokens", "told"), [([], []), ([{"t": "\ud83d"}], [Logprobs([{"t": "\ufffd"}], choice=2)])])
def test_log_probabilities_are_told_of_a_choice(tokens: list[object], told: list[Delta]) -> None:
    out = list[Delta]()
    new().tell_logprobs(2, tokens, out)
    assert out == told
