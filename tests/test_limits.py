"""Each limit stops what goes over it, says which it was, and lets everything up to it through."""

from __future__ import annotations

import pytest

from streamkit.errors import ProtocolError
from streamkit.limits import Limits
from streamkit.protocols import PROTOCOLS, get_protocol
from streamkit.testing import Answer, Call, render
from streamkit.testing.scripts import PLAIN, SCRIPTED


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_event_over_its_limit_is_refused_by_name(protocol: str) -> None:
    body = render(Answer(["x" * 500]), protocol, piece=500)
    largest = max(map(len, body.split(b"\n\n")))
    parser = get_protocol(protocol).parser(limits=Limits(max_event_bytes=largest))
    assert len(parser.feed(body) + parser.finish()) > 3
    parser = get_protocol(protocol).parser(limits=Limits(max_event_bytes=300))
    parser.feed(body)
    with pytest.raises(ProtocolError, match="max_event_bytes"):
        parser.finish()


@pytest.mark.parametrize("protocol", sorted(SCRIPTED.keys() - PLAIN))
def test_arguments_over_their_limit_are_refused_by_name(protocol: str) -> None:
    body = render(Answer([Call("save", {"text": "x" * 500})]), protocol)
    parser = get_protocol(protocol).parser(limits=Limits(max_argument_bytes=600))
    assert len(parser.feed(body) + parser.finish()) > 3
    parser = get_protocol(protocol).parser(limits=Limits(max_argument_bytes=100))
    parser.feed(body)
    with pytest.raises(ProtocolError, match="max_argument_bytes"):
        parser.finish()
