from __future__ import annotations

import msgspec
import pytest

from streamkit.interop.foundation.content import UsageReport
from streamkit.interop.foundation.messages import user
from streamkit.interop.foundation.records import Conversation, GeneratingTokens, Initializing, Summary
from streamkit.interop.foundation.stream import (
    AgentStream,
    Delayed,
    Ignore,
    Init,
    ModelStream,
    Next,
    Pending,
    Spread,
    Wait,
    items,
)

HI, BYE = user("Hi"), user("Bye")
MODEL: list[ModelStream] = [
    Init(),
    Pending(GeneratingTokens(UsageReport(1.0))),
    Wait(),
    Next(HI),
    Delayed(5),
    Spread([BYE, HI]),
    Ignore(),
]


@pytest.mark.feature("3.36", "3.37")
def test_a_stream_of_a_model_yields_its_messages_in_order() -> None:
    assert list(items(MODEL)) == [HI, BYE, HI]
    assert msgspec.json.decode(msgspec.json.encode(MODEL), type=list[ModelStream]) == MODEL


@pytest.mark.feature("3.36", "3.38")
def test_a_stream_of_an_agent_yields_its_records_in_order() -> None:
    stream: list[AgentStream] = [Pending(Initializing("tools")), Spread([Conversation(HI), Summary(1)])]
    assert list(items(stream)) == [Conversation(HI), Summary(1)]
    assert msgspec.json.decode(msgspec.json.encode(stream), type=list[AgentStream]) == stream


@pytest.mark.feature("3.48")
@pytest.mark.parametrize("progress", [b'{"type":"dreaming"}', b"[]", b"null"])
def test_a_hint_of_an_unknown_kind_does_not_break_the_stream(progress: bytes) -> None:
    item = b'{"type":"pending","progress":' + progress + b"}"
    decoded = msgspec.json.decode(item, type=AgentStream)
    assert msgspec.json.encode(decoded) == item
