"""A body in one of several dialects."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols import get_protocol
from streamkit.protocols.anthropic import AnthropicParser
from streamkit.protocols.either import EitherParser
from streamkit.protocols.openai_chat.parser import ChatParser
from streamkit.protocols.openai_responses import ResponsesParser
from streamkit.providers import PROVIDERS, Provider, get_provider
from streamkit.testing.answers import Answer, Call, Thinking
from streamkit.testing.chunking import CHUNKINGS, splits
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.testing.scripts import render, render_error
from streamkit.wire import Frame

ANSWER = Answer([Thinking("Hm."), "It is ", Call("weather", {"city": "Oslo"})])
KINDS = {"openai-chat": ChatParser, "openai-responses": ResponsesParser}
RESPONSE = (
    b'{"object":"response","id":"r","status":"completed","output":[{"type":"message","role":"assistant",'
    b'"content":[{"type":"output_text","text":"hi"}]}]}'
)
UNHEARD_OF = b'event: gateway.hello\ndata: {"gateway":"acme"}\n\n'
BODIES = [
    ("chat", "openai-chat", render(ANSWER, "openai-chat")),
    ("responses", "openai-responses", render(ANSWER, "openai-responses")),
    ("events without names", "openai-responses", render(ANSWER, "openai-responses").replace(b"event: ", b": ")),
    ("a comment first", "openai-responses", b": hello\n\n" + render(ANSWER, "openai-responses")),
    ("an unknown event first", "openai-responses", UNHEARD_OF + render(ANSWER, "openai-responses")),
    ("the same in chat", "openai-chat", UNHEARD_OF + render(ANSWER, "openai-chat")),
    ("unknown events only", "openai-chat", UNHEARD_OF * 2),
    ("a response that was not streamed", "openai-responses", RESPONSE),
    ("a first event that is cut short", "openai-chat", b'event: response.created\ndata: {"type":"respo'),
    ("an error alone, which every dialect reads", "openai-chat", b'{"error":{"message":"no","code":"server_error"}}'),
    ("an error as an event", "openai-chat", render_error("openai-chat")),
    ("another dialect's answer", "openai-chat", render(ANSWER, "anthropic")),
    ("nothing", "openai-chat", b""),
    ("no JSON", "openai-chat", b"data: hello\n\n"),
]

bodies = pytest.mark.parametrize(("protocol", "body"), [case[1:] for case in BODIES], ids=[case[0] for case in BODIES])


def either(**options: object) -> EitherParser:
    return EitherParser(ChatParser, ResponsesParser, provider="acme", mint=numbered_ids(), **options)


@bodies
@pytest.mark.parametrize("cut", CHUNKINGS)
def test_a_body_is_read_in_the_dialect_that_its_first_known_frame_names(protocol: str, body: bytes, cut: str) -> None:
    parser = either()
    plain = KINDS[protocol](provider="acme", mint=numbered_ids())
    expected: Outcome = read_pieces(CHUNKINGS[cut](body), plain)
    assert read_pieces(CHUNKINGS[cut](body), parser) == expected
    assert (parser.ended, parser.heartbeats) == (plain.ended, plain.heartbeats)
    if len(body.split(b"\n\n")) > 2:
        assert parser.protocol == protocol


def test_frames_are_there_where_they_are_asked_for() -> None:
    body = render(ANSWER, "openai-responses")
    plain = ResponsesParser(provider="acme", mint=numbered_ids(), include_raw=True)
    assert read_pieces([body], either(include_raw=True)) == read_pieces([body], plain)


def test_the_framing_is_the_first_dialects_or_the_one_that_is_given() -> None:
    lines = b"".join(line[6:] for line in render(ANSWER, "openai-responses").splitlines(True) if line[:5] == b"data:")
    outcome = read_pieces([lines], either(framing="json-lines"))
    assert outcome == read_pieces([render(ANSWER, "openai-responses")], either())


CLAIMS = [
    ("an event by its type", Frame(b'{"type":"response.created"}'), True),
    ("by its name alone", Frame(b"{}", "response.in_progress"), True),
    ("a whole response", Frame(b'{"object":"response"}'), True),
    ("a chunk of chat", Frame(b'{"object":"chat.completion.chunk"}'), False),
    ("an error", Frame(b'{"type":"error"}', "error"), False),
    ("a list", Frame(b'["response.created"]'), False),
    ("no JSON", Frame(b"[DONE]"), False),
    ("deep nesting", Frame(b"[" * 100_000), False),
]


@pytest.mark.parametrize(("frame", "claimed"), [case[1:] for case in CLAIMS], ids=[case[0] for case in CLAIMS])
def test_a_dialect_claims_what_names_it(frame: Frame, claimed: bool) -> None:
    assert ResponsesParser.claims(frame) is claimed
    assert not AnthropicParser.claims(frame)


def by_row(recording: Any) -> Provider | None:
    row = get_provider(recording.provider) if recording.provider in PROVIDERS else None
    spoken = (row.protocol, *row.also) if row and row.also and recording.mode is None else ()
    return row if recording.protocol in spoken else None


@pytest.mark.recordings(lambda recording: by_row(recording) is not None)
def test_a_recording_of_a_vendor_is_read_in_its_dialect_by_the_row_alone(recording: Any) -> None:
    row = by_row(recording)
    assert row is not None
    named = get_protocol(recording.protocol).parser(
        provider=row.name, quirks=row.quirks, framing=recording.framing, mint=numbered_ids()
    )
    known = read_pieces([recording.body], named)
    for pieces in ([recording.body], *splits(recording.body, count=1)):
        parser = row.parser(framing=recording.framing, mint=numbered_ids())
        outcome = read_pieces(pieces, parser)
        assert (outcome.deltas, outcome.outputs, outcome.error) == (known.deltas, known.outputs, known.error)
