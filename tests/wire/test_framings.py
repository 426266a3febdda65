"""Which framing has which decoder."""

from __future__ import annotations

import pytest

from streamkit.errors import ConfigError
from streamkit.limits import Limits
from streamkit.wire import new_decoder
from streamkit.wire.aws import EventStreamDecoder
from streamkit.wire.json_array import JSONArrayDecoder
from streamkit.wire.ndjson import NDJSONDecoder
from streamkit.wire.nul import NulDecoder
from streamkit.wire.sse import SSEDecoder

DECODERS = [
    ("sse", SSEDecoder),
    ("ndjson", NDJSONDecoder),
    ("json-lines", NDJSONDecoder),
    ("json-array", JSONArrayDecoder),
    ("nul", NulDecoder),
    ("aws-eventstream", EventStreamDecoder),
]


@pytest.mark.parametrize(("framing", "kind"), DECODERS)
def test_a_framing_has_its_decoder(framing: str, kind: type) -> None:
    decoder = new_decoder(framing, Limits())
    assert type(decoder) is kind
    assert (decoder.error, decoder.heartbeats) == (None, 0)


@pytest.mark.parametrize("framing", ["sse", "ndjson"])
def test_a_decoder_obeys_the_limit_that_it_is_made_with(framing: str) -> None:
    decoder = new_decoder(framing, Limits(max_event_bytes=10))
    assert decoder.feed(b"data: " + b"x" * 10) == []
    assert "max_event_bytes = 10 bytes" in str(decoder.error)


def test_an_unknown_framing_is_refused_with_the_known_ones() -> None:
    known = "sse, ndjson, json-lines, json-array, nul, aws-eventstream"
    with pytest.raises(ConfigError, match=f"unknown framing 'xml'; known are {known}"):
        new_decoder("xml", Limits())
