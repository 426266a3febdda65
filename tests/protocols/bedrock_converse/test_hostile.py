"""Events whose frames are sound and whose JSON is anything: deltas that fit together, or a typed error."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from streamkit.deltas import BlockAdded, MessageEnd, MessageStart, UnknownFrame, UsageSnapshot
from streamkit.protocols import get_protocol
from streamkit.testing.event_stream import event_message
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces

NAMES = [
    "messageStart",
    "contentBlockStart",
    "contentBlockDelta",
    "contentBlockStop",
    "messageStop",
    "metadata",
    "x",
    "",
]
ODD = st.sampled_from([None, True, -1, 1e300, "", "a", [], {}, [None], {"a": None}])


def either(*wanted: Any) -> st.SearchStrategy[Any]:
    """What belongs there, and now and then what does not."""
    return st.integers(0, 9).flatmap(lambda luck: ODD if luck == 0 else st.sampled_from(wanted))


def one_of(members: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[Any]:
    return st.fixed_dictionaries({}, optional=members)


THOUGHT = one_of({"text": either("hm", ""), "signature": either("s"), "redactedContent": either("AAEC", "?")})
DELTA = one_of(
    {
        "text": either("a", ""),
        "toolUse": one_of({"input": either("{", "}", "")}),
        "reasoningContent": THOUGHT,
        "citation": either({"title": "t"}),
        "toolResult": either([{"text": "a"}]),
        "image": either({"source": {"bytes": "AAEC"}}, {"source": {"s3Location": {"uri": "s3://a"}}}),
    }
)
CALL = one_of({"toolUseId": either("t"), "name": either("f"), "type": either("server_tool_use", "tool_use")})
START = one_of({"toolUse": CALL, "toolResult": CALL, "image": either({"format": "png"})})
EVENT = one_of(
    {
        "contentBlockIndex": either(0, 1, 2),
        "delta": DELTA,
        "start": START,
        "role": either("assistant", "user"),
        "stopReason": either("end_turn", "tool_use"),
        "usage": one_of({"inputTokens": either(1), "outputTokens": either(2)}),
        "trace": either({"guardrail": {"actionReason": "a"}}),
        "output": one_of({"message": one_of({"content": st.lists(DELTA | START, max_size=3)})}),
    }
)
EVENTS = st.lists(st.tuples(st.sampled_from(NAMES), EVENT), max_size=12)


def read(pieces: list[bytes]) -> Outcome:
    return read_pieces(pieces, get_protocol("bedrock-converse").parser(mint=numbered_ids()))


def assert_well_formed(outcome: Outcome) -> None:
    blocks: list[bool] = []  # whether each is still open
    for at, delta in enumerate(outcome.deltas):
        assert not isinstance(delta, MessageEnd) or (at == len(outcome.deltas) - 1 and not any(blocks))
        if isinstance(delta, (MessageStart, MessageEnd, UnknownFrame, UsageSnapshot)):
            continue
        kind, index = type(delta).__name__, delta.index
        if kind.endswith("Start") or isinstance(delta, BlockAdded):
            assert index == len(blocks)
            blocks.append(not isinstance(delta, BlockAdded))
        else:
            assert blocks[index]
            blocks[index] = not kind.endswith("End")


@given(EVENTS)
def test_any_events_are_deltas_that_fit_together_or_a_typed_error(events: list[tuple[str, Any]]) -> None:
    frames = [event_message(name, msgspec.json.encode(event)) for name, event in events]
    outcome = read(frames)
    assert_well_formed(outcome)
    assert msgspec.json.encode(outcome.outputs)
    assert read([b"".join(frames)]) == outcome
