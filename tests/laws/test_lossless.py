"""The lossless law: what is unknown is passed through and kept, and what is broken only a little is read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamkit.accumulator import coalesce
from streamkit.deltas import Delta, RawFrame, UnknownFrame
from streamkit.limits import Limits
from streamkit.protocols import get_protocol
from streamkit.testing.answers import Answer, Call, Refusal, Text, Thinking
from streamkit.testing.mutations import (
    HARMLESS,
    HARMLESS_ELEMENTS,
    HARMLESS_LINES,
    HARMLESS_MESSAGES,
    HARMLESS_OBJECTS,
    heartbeats,
    rewrite,
    split_frames,
    unknown_event,
)
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.testing.scripts import RENDERED, SCRIPTED, framing_of, render
from streamkit.testing.strategies import answers
from streamkit.wire import new_decoder

LINES = ("ndjson", "json-lines")
LONG = 100_000  # a recording of so many bytes is changed in a few ways only
UNHEARD_OF = '{"type":"streamkit.unheard_of","n":1}'
# Characters that stand for the halves of surrogate pairs until a body is rendered: those of the private use area.
HALVES = 0xE000 - 0xD800
# An item of Responses and a block of Anthropic's go back with all that they came with, so unknown fields are their
# `extra`; a call's arguments are an object at Ollama and Gemini.
KEPT_WITH_ALL_FIELDS = {"item", "output", "content_block", "arguments", "args"}


def read(pieces: Iterable[bytes], protocol: str, **options: Any) -> Outcome:
    return read_pieces(pieces, get_protocol(protocol).parser(mint=numbered_ids(), **options))


def draw_body(data: st.DataObject, protocol: str, strategy: st.SearchStrategy[Answer] | None = None) -> bytes:
    answer = data.draw(strategy or answers(protocol))
    return render(answer, protocol, piece=data.draw(st.integers(1, 5)), interleave=data.draw(st.booleans()))


def in_json(body: bytes, protocol: str, change: Callable[[Any], Any], **options: Any) -> bytes:
    """The body with each record's JSON changed and written anew."""

    def anew(match: re.Match[bytes]) -> bytes:
        return match[1] + json.dumps(change(json.loads(match[2])), **options).encode()

    record = rb"(?m)(?:^|(?<=\0))(data: |)(\{[^\n\0]*)"
    return rewrite(body, lambda text: re.sub(record, anew, text), framing_of(protocol))


def heard(outcome: Outcome) -> Outcome:
    """What was said, without what depends on how it was spelt: heartbeats, the bytes of an error, lines of a frame."""
    error = outcome.error and {fact: value for fact, value in outcome.error.items() if fact != "body"}
    deltas: list[Delta] = [
        UnknownFrame(delta.raw.replace("\n", ""), delta.event) if isinstance(delta, UnknownFrame) else delta
        for delta in outcome.deltas
    ]
    return msgspec.structs.replace(outcome, deltas=deltas, heartbeats=0, error=error)


def without(kind: type, deltas: list[Delta]) -> list[Delta]:
    return [delta for delta in deltas if not isinstance(delta, kind)]


WAYS_OF = {
    "sse": HARMLESS,
    "ndjson": HARMLESS_LINES,
    "json-lines": HARMLESS_LINES,
    "json-array": HARMLESS_ELEMENTS,
    "nul": HARMLESS_OBJECTS,
    "aws-eventstream": HARMLESS_MESSAGES,
}
WAYS = [(protocol, name) for protocol in RENDERED for name in WAYS_OF[framing_of(protocol)]]


@pytest.mark.parametrize(("protocol", "name"), WAYS)
@settings(max_examples=settings.default.max_examples // 3)  # of each way
@given(data=st.data())
def test_what_the_way_does_to_a_body_changes_nothing(protocol: str, name: str, data: st.DataObject) -> None:
    mutate = WAYS_OF[framing_of(protocol)][name]
    body = draw_body(data, protocol)
    assert heard(read([mutate(body)], protocol)) == heard(read([body], protocol))


@pytest.mark.parametrize("protocol", RENDERED)
@given(data=st.data())
def test_an_unknown_event_is_kept_and_changes_nothing_else(protocol: str, data: st.DataObject) -> None:
    body = draw_body(data, protocol)
    framing = framing_of(protocol)
    plain, spiked = read([body], protocol), read([unknown_event(body, framing=framing)], protocol)
    kept = [delta for delta in spiked.deltas if isinstance(delta, UnknownFrame)]
    name = "" if framing in ("ndjson", "nul") else "streamkit.unheard_of"
    assert kept == [UnknownFrame(UNHEARD_OF, name)]
    assert without(UnknownFrame, spiked.deltas) == plain.deltas
    assert spiked.outputs == plain.outputs


@pytest.mark.parametrize("protocol", RENDERED)
@given(data=st.data())
def test_unknown_fields_change_nothing(protocol: str, data: st.DataObject) -> None:
    def spike(value: Any) -> Any:
        """Put an unknown field into each object but those of which every field is kept."""
        if isinstance(value, list):
            return [spike(item) for item in value]
        if not isinstance(value, dict):
            return value
        spiked = {key: item if key in KEPT_WITH_ALL_FIELDS else spike(item) for key, item in value.items()}
        return {**spiked, "x_new": [None, {"a": 1}]}

    body = draw_body(data, protocol)
    assert read([in_json(body, protocol, spike)], protocol) == read([body], protocol)


@pytest.mark.parametrize("protocol", RENDERED)
@given(data=st.data())
def test_the_frames_are_there_where_they_are_asked_for(protocol: str, data: st.DataObject) -> None:
    body = unknown_event(draw_body(data, protocol), framing=framing_of(protocol))
    raw, plain = read([body], protocol, include_raw=True), read([body], protocol)
    frames = [
        RawFrame(frame.data.decode(), frame.event) for frame in new_decoder(framing_of(protocol), Limits()).feed(body)
    ]
    kept = [delta for delta in raw.deltas if isinstance(delta, RawFrame)]
    assert kept == frames[: len(kept)]
    assert len(kept) >= len(frames) - 1  # a sentinel behind the end is not read
    assert isinstance(raw.deltas[0], RawFrame)
    assert raw.outputs == plain.outputs
    assert coalesce(without(RawFrame, raw.deltas)) == plain.deltas


@pytest.mark.parametrize("protocol", RENDERED)
@given(data=st.data())
def test_escaped_and_bare_characters_are_the_same(protocol: str, data: st.DataObject) -> None:
    body = draw_body(data, protocol)
    assert read([in_json(body, protocol, lambda value: value, ensure_ascii=True)], protocol) == read([body], protocol)


# Words of a model, thick with characters beyond the basic plane.
WIDE = st.text("a é漢😀👩🏽𝄞", max_size=8)
WIDE_CALLS = st.builds(Call, st.just("f"), st.dictionaries(WIDE, WIDE, max_size=2))
WIDE_BLOCKS = st.lists(st.builds(Text, WIDE) | st.builds(Thinking, WIDE) | WIDE_CALLS, max_size=4)
WIDE_ANSWERS = WIDE_BLOCKS.map(Answer) | WIDE.map(lambda text: Answer([Refusal("no" + text)]))


def halved(text: str) -> str:
    """The text with each wide character as two that stand for its halves."""
    units = text.encode("utf-16-le")
    codes = [int.from_bytes(units[at : at + 2], "little") for at in range(0, len(units), 2)]
    return "".join(chr(code + HALVES if 0xD800 <= code < 0xE000 else code) for code in codes)


def with_escaped_halves(body: bytes, protocol: str) -> bytes:
    halves = re.compile("[\ue000-\ue7ff]")

    def escaped(text: bytes) -> bytes:
        return halves.sub(lambda half: f"\\u{ord(half[0]) - HALVES:04x}", text.decode()).encode()

    return rewrite(body, escaped, framing_of(protocol))


def map_text(answer: Answer, change: Callable[[str], str]) -> Answer:
    blocks: list[Any] = []
    for block in answer.parts():
        if isinstance(block, Call):
            blocks.append(Call(block.name, change(block.text), block.id))
        else:
            blocks.append(msgspec.structs.replace(block, text=change(block.text)))
    return msgspec.structs.replace(answer, blocks=blocks)


@pytest.mark.parametrize("protocol", SCRIPTED)
@given(answer=WIDE_ANSWERS, piece=st.integers(1, 3))
def test_a_character_cut_in_two_halves_is_joined_again(protocol: str, answer: Answer, piece: int) -> None:
    whole = read([render(map_text(answer, str), protocol, piece=piece)], protocol)
    cut = read([with_escaped_halves(render(map_text(answer, halved), protocol, piece=piece), protocol)], protocol)
    assert cut == whole


@pytest.mark.parametrize("protocol", SCRIPTED)
@given(answer=WIDE_ANSWERS, piece=st.integers(1, 3))
def test_half_a_character_is_replaced(protocol: str, answer: Answer, piece: int) -> None:
    def first_halves(text: str) -> str:
        return re.sub("[\U00010000-\U0010ffff]", "\ue03d", text)

    def replaced(text: str) -> str:
        return re.sub("[\U00010000-\U0010ffff]", "\ufffd", text)

    whole = read([render(map_text(answer, replaced), protocol, piece=piece)], protocol)
    halves = read(
        [with_escaped_halves(render(map_text(answer, first_halves), protocol, piece=piece), protocol)], protocol
    )
    assert halves.outputs == whole.outputs
    assert halves.error is None
    assert msgspec.json.encode(halves.outputs)  # a message is JSON, whatever came


LITTLE_BROKEN: list[tuple[str, bytes, str]] = [
    ("a raw control character", b"a\x01b\tc", "a\x01b\tc"),
    ("bad UTF-8", b"a\xffb\xc3", "a\ufffdb\ufffd"),
    ("half of a pair", b"a\\ud83db", "a\ufffdb"),
    ("the second half alone", b"a\\ude00b", "a\ufffdb"),
    ("a pair within one piece", b"a\\ud83d\\ude00b", "a😀b"),
    ("an encoded surrogate", b"a\xed\xa0\xbdb", "a\ufffd\ufffd\ufffdb"),
    ("a null character", b"a\\u0000b", "a\x00b"),
]


@pytest.mark.parametrize(
    ("said", "text"), [case[1:] for case in LITTLE_BROKEN], ids=[case[0] for case in LITTLE_BROKEN]
)
@pytest.mark.parametrize(
    ("protocol", "block"), [*((name, Text) for name in RENDERED), *((name, Thinking) for name in SCRIPTED)]
)
def test_a_piece_that_a_strict_reader_refuses_is_read(block: Any, protocol: str, said: bytes, text: str) -> None:
    body = render(Answer([block("before "), block("HERE"), block(" after")]), protocol, piece=100)
    outcome = read([rewrite(body, lambda text: text.replace(b"HERE", said), framing_of(protocol))], protocol)
    assert outcome.error is None
    message = outcome.outputs[0].message
    assert (message.text if block is Text else message.thinking) == f"before {text} after"


@pytest.mark.parametrize("protocol", RENDERED)
@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e999"])
def test_a_number_that_json_has_not_spoils_nothing_where_it_is_not_read(protocol: str, number: bytes) -> None:
    body = render(Answer(["one two"]), protocol, piece=3)
    number = b'{"latency":' + number + b","
    spiked = rewrite(body, lambda text: re.sub(rb"(?m)^(data: |)\{", rb"\1" + number, text), framing_of(protocol))
    assert read([spiked], protocol) == read([body], protocol)


def read_recording(recording: Any, body: bytes) -> Outcome:
    return read([body], recording.protocol, **recording.options)


def with_its_last_end(recording: Any) -> bytes:
    """The body with the end of its last frame, which some servers leave out."""
    end = b"\n\n" if recording.framing == "sse" else b"\n" if recording.framing in LINES else b""
    body: bytes = recording.body
    return body.rstrip(b"\r\n") + end if end else body


def test_what_the_way_does_to_a_recording_changes_nothing(recording: Any) -> None:
    body = with_its_last_end(recording)
    whole = heard(read_recording(recording, body))
    ways = list(WAYS_OF[recording.framing].items())
    for name, mutate in ways if len(body) < LONG else Random(recording.path.stem).sample(ways, 3):
        assert heard(read_recording(recording, mutate(body))) == whole, name


def test_heartbeats_in_a_recording_are_counted(recording: Any) -> None:
    body, framing = with_its_last_end(recording), recording.framing
    before, after = (read_recording(recording, each) for each in (body, heartbeats(body, framing=framing)))
    beats = len(split_frames(body, framing)) + (framing not in LINES)  # a blank line before the first is none
    assert after.heartbeats - before.heartbeats == (0 if framing == "json-array" else beats)


def test_an_unknown_event_in_a_recording_is_kept(recording: Any) -> None:
    body, framing = with_its_last_end(recording), recording.framing
    frames = split_frames(body, framing)
    plain = read_recording(recording, body)
    last = len(frames) - (framing == "json-array")  # its closing bracket is a frame of its own
    for at in {1, *Random(recording.path.stem).choices(range(1, max(last, 1) + 1), k=2)}:
        spiked = read_recording(recording, unknown_event(body, framing=framing, at=at))
        extra = [delta for delta in spiked.deltas if isinstance(delta, UnknownFrame) and delta.raw == UNHEARD_OF]
        parser = get_protocol(recording.protocol).parser(**recording.options)
        parser.feed(b"".join(frames[:at]))
        assert len(extra) == (not parser.ended)
        rest = [delta for delta in spiked.deltas if delta not in extra]
        assert coalesce(rest) == coalesce(plain.deltas)
        assert spiked.outputs == plain.outputs
        assert spiked.error == plain.error
