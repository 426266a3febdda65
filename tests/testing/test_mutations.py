import pytest

from streamkit.deltas import UnknownFrame
from streamkit.errors import ConfigError
from streamkit.protocols import get_protocol
from streamkit.testing.event_stream import event_message
from streamkit.testing.mutations import (
    HARMLESS,
    HARMLESS_ELEMENTS,
    HARMLESS_LINES,
    HARMLESS_MESSAGES,
    HARMLESS_OBJECTS,
    UNKNOWN,
    bare_cr,
    bom,
    corrupt_frame,
    crlf,
    fail,
    heartbeats,
    ids,
    many_data_lines,
    no_last_blank_line,
    no_space,
    rewrite,
    split_frames,
    truncations,
    unknown_event,
)
from streamkit.testing.outcome import read_pieces
from streamkit.testing.scripts import SCRIPTED, Answer, Call, Thinking, framing_of, render, render_error

A, B = b'event: a\ndata: {"n":1}\n\n', b'data: {"n":2}\n\n'
BODY = A + B

SPLITS = [
    ("line feeds", "sse", BODY, [A, B]),
    ("carriage returns", "sse", b"a\r\rb\r\r", [b"a\r\r", b"b\r\r"]),
    ("both", "sse", b"a\r\n\r\nb\r\n\r\n", [b"a\r\n\r\n", b"b\r\n\r\n"]),
    ("no end", "sse", b"a\n\nb", [b"a\n\n", b"b"]),
    ("empty", "sse", b"", []),
    ("objects", "nul", b'{"n":1}\0\n{"n":2}\0{', [b'{"n":1}\0', b'\n{"n":2}\0', b"{"]),
    ("lines", "ndjson", b'{"n":1}\n{"n":2}\n', [b'{"n":1}\n', b'{"n":2}\n']),
    ("elements", "json-array", b'[{"n":1}\n,{"n":2}\n]', [b'[{"n":1}', b'\n,{"n":2}', b"\n]"]),
    ("lengths", "aws-eventstream", b"\0\0\0\6ab\0\0\0\5c", [b"\0\0\0\6ab", b"\0\0\0\5c"]),
    ("a length that runs over the end", "aws-eventstream", b"\0\0\0\x10ab", [b"\0\0\0\x10ab"]),
    ("a length of nothing", "aws-eventstream", b"\0\0\0\0\0\0\0\0", [b"\0\0\0\0", b"\0\0\0\0"]),
]

CASES = [
    ("crlf", crlf(BODY), b'event: a\r\ndata: {"n":1}\r\n\r\ndata: {"n":2}\r\n\r\n'),
    ("crlf twice", crlf(crlf(BODY)), crlf(BODY)),
    ("bare CR", bare_cr(BODY), b'event: a\rdata: {"n":1}\r\rdata: {"n":2}\r\r'),
    ("byte order mark", bom(BODY), b"\xef\xbb\xbf" + BODY),
    ("comments", heartbeats(BODY, b":\n\n"), b":\n\n" + A + b":\n\n" + B + b":\n\n"),
    ("unknown event", unknown_event(BODY), A + UNKNOWN + B),
    ("unknown event at the end", unknown_event(BODY, at=2), A + B + UNKNOWN),
    (
        "unknown element",
        unknown_event(b'[{"n":1}\n,{"n":2}\n]', framing="json-array"),
        b'[{"n":1},{"type":"streamkit.unheard_of","n":1}\n\n,{"n":2}\n]',
    ),
    ("corrupt frame", corrupt_frame(BODY, 1), A + b'data: {"n":2\n\n'),
    ("error at the end", fail(BODY, 1, b"data: oops\n\n"), A + b"data: oops\n\n"),
    ("ids", ids(B), b'id: 0\nretry: 3000\ndata: {"n":2}\n\n: c\n\n'),
    ("no space", no_space(BODY), b'event:a\ndata:{"n":1}\n\ndata:{"n":2}\n\n'),
    ("many data lines", many_data_lines(B), b'data: {\ndata: "n":2}\n\n'),
    ("no last blank line", no_last_blank_line(BODY), BODY[:-1]),
]


@pytest.mark.parametrize(("framing", "body", "frames"), [case[1:] for case in SPLITS], ids=[case[0] for case in SPLITS])
def test_frames_are_split_with_their_ends(framing, body, frames):
    assert split_frames(body, framing) == frames


@pytest.mark.parametrize(("mutated", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_mutation_does_what_it_says(mutated, expected):
    assert mutated == expected


def test_text_is_rewritten_and_binary_messages_are_framed_anew():
    assert rewrite(A, bytes.upper) == A.upper()
    one, two = event_message("a", b'{"n":1}'), event_message("b", b'{"n":2}')
    assert rewrite(one + two, lambda payload: payload + b" ", "aws-eventstream") == event_message(
        "a", b'{"n":1} '
    ) + event_message("b", b'{"n":2} ')


def test_a_body_is_truncated_before_each_frame():
    assert truncations(BODY) == [b"", A]
    assert truncations(b"1\n2\n3\n", "ndjson") == [b"", b"1\n", b"1\n2\n"]


def test_every_harmless_mutation_changes_the_bytes():
    assert all(mutate(BODY) != BODY for mutate in HARMLESS.values())
    array = b'[{"n":1}\n,{"n":2}\n]'
    assert all(mutate(array) != array for mutate in HARMLESS_ELEMENTS.values())
    objects = b'{"n":1}\0{"n":2}\0'
    assert all(mutate(objects) != objects for mutate in HARMLESS_OBJECTS.values())


def test_what_cannot_be_done_is_said():
    with pytest.raises(ConfigError, match="framing 'morse'"):
        split_frames(BODY, "morse")
    with pytest.raises(ConfigError, match="frame 0 holds no JSON object"):
        corrupt_frame(b"data: [DONE]\n\n", 0)


# What each says must become of a body, by the pipeline.

ANSWER = Answer([Thinking("Hm. Hm.", "sig"), "Bonjour, ça va ?", Call("f", {"a": [1, 2], "b": "{}"})])


def read(body, protocol):
    return read_pieces([body], get_protocol(protocol).parser())


def said(outcome):
    """All but the heartbeats."""
    return outcome.deltas, outcome.outputs, outcome.error


def text_of(outcome):
    message = outcome.outputs[0].message
    return (message.thinking or "") + message.text


WAYS = [("openai-chat", name, mutate) for name, mutate in HARMLESS.items()]
WAYS += [("anthropic", name, mutate) for name, mutate in HARMLESS.items()]
WAYS += [("ollama", name, mutate) for name, mutate in HARMLESS_LINES.items()]
WAYS += [("bedrock-converse", name, mutate) for name, mutate in HARMLESS_MESSAGES.items()]


@pytest.mark.parametrize(("protocol", "mutate"), [(way[0], way[2]) for way in WAYS], ids=[way[1] for way in WAYS])
def test_a_harmless_mutation_changes_nothing(protocol, mutate):
    body = render(ANSWER, protocol)
    assert mutate(body) != body
    assert said(read(mutate(body), protocol)) == said(read(body, protocol))


def test_a_ping_between_frames_changes_nothing():
    body = render(ANSWER, "anthropic")
    pinged = heartbeats(body, b'event: ping\ndata: {"type":"ping"}\n\n')
    assert said(read(pinged, "anthropic")) == said(read(body, "anthropic"))
    assert read(pinged, "anthropic").heartbeats == len(split_frames(body))  # the one after the end is not read


@pytest.mark.parametrize("protocol", SCRIPTED)
def test_an_unknown_event_is_passed_on_and_changes_nothing_else(protocol):
    body = render(ANSWER, protocol)
    outcome, before = read(unknown_event(body, framing=framing_of(protocol)), protocol), read(body, protocol)
    assert (outcome.outputs, outcome.error) == (before.outputs, None)
    assert [delta for delta in outcome.deltas if type(delta) is not UnknownFrame] == before.deltas
    assert len(outcome.deltas) == len(before.deltas) + 1


@pytest.mark.parametrize("protocol", SCRIPTED)
def test_a_truncated_body_is_an_error_that_keeps_what_came(protocol):
    body = render(ANSWER, protocol)
    texts = []
    for part in truncations(body, framing_of(protocol)):
        outcome = read(part, protocol)
        has_ended = any(
            end in part
            for end in (
                b'finish_reason":"tool_calls',
                b"message_delta",
                b"message-end",
                b"messageStop",
                b'"done":true',
                b"interaction.completed",
            )
        )
        assert has_ended or outcome.error["kind"] == "TruncatedStream"
        texts.append(text_of(outcome))
    assert all(later.startswith(earlier) for earlier, later in zip(texts, texts[1:], strict=False))
    assert texts[-1] == text_of(read(body, protocol)) == "Hm. Hm.Bonjour, ça va ?"


@pytest.mark.parametrize("protocol", SCRIPTED)
def test_a_corrupt_frame_is_an_error_that_keeps_what_came_before(protocol):
    body = render(ANSWER, protocol)
    framing = framing_of(protocol)
    at = next(at for at, frame in enumerate(split_frames(body, framing)) if b"Bonj" in frame)
    outcome = read(corrupt_frame(body, at, framing), protocol)
    assert outcome.error["kind"] == "ProtocolError"
    assert b"Bonj" in outcome.error["frame"]
    assert text_of(outcome) == "Hm. Hm."


@pytest.mark.parametrize("protocol", SCRIPTED)
def test_an_error_of_the_provider_keeps_what_came_before(protocol):
    body = render(ANSWER, protocol)
    framing = framing_of(protocol)
    at = next(at for at, frame in enumerate(split_frames(body, framing)) if b"Bonj" in frame)
    outcome = read(fail(body, at, render_error(protocol, "at capacity"), framing), protocol)
    assert outcome.error["message"] == "at capacity"
    assert text_of(outcome) == "Hm. Hm."
