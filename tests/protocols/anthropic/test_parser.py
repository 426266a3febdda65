"""The grammar of Anthropic's stream, its errors and its ends."""

import json
from base64 import b64encode

import msgspec
import pytest

from streamkit.accumulator import accumulate, coalesce
from streamkit.deltas import (
    CitationAdded,
    MessageEnd,
    MessageStart,
    RawFrame,
    Retract,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UnknownFrame,
    UsageSnapshot,
)
from streamkit.errors import (
    ContextOverflow,
    InvalidRequest,
    Overloaded,
    ProtocolError,
    RateLimited,
    ServerError,
    StreamkitError,
    TruncatedStream,
)
from streamkit.limits import Limits
from streamkit.messages import FinishReason
from streamkit.protocols import Quirks, get_protocol
from streamkit.providers import get_provider
from streamkit.testing.chunking import bytewise, splits
from streamkit.usage import Usage

START = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [],
        "stop_reason": None,
        "usage": {"input_tokens": 12, "output_tokens": 1},
    },
}
STOP = {"type": "message_stop"}


def begin(index, type, **fields):
    return {"type": "content_block_start", "index": index, "content_block": {"type": type, **fields}}


def delta(index, type, **fields):
    return {"type": "content_block_delta", "index": index, "delta": {"type": type, **fields}}


def text(index, text):
    return delta(index, "text_delta", text=text)


def arguments(index, text):
    return delta(index, "input_json_delta", partial_json=text)


def end(index):
    return {"type": "content_block_stop", "index": index}


def stop(reason="end_turn", usage=None, **fields):
    record = {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None, **fields}}
    return record if usage is None else {**record, "usage": usage}


def sse(*records, names=True):
    frames = []
    for record in records:
        name = f"event: {record['type']}\n" if names and "type" in record else ""
        frames.append(f"{name}data: {json.dumps(record)}\n\n".encode())
    return b"".join(frames)


def read(body, pieces=None, **options):
    """Return the deltas of a body, and the error that ended it."""
    parser = get_protocol("anthropic").parser(mint=lambda: "minted", **options)
    out = []
    try:
        for piece in pieces or [body]:
            out += parser.feed(piece)
        out += parser.finish()
    except StreamkitError as error:
        return out + error.deltas, error
    return out, None


def blocks_of(*records):
    """Return the deltas of some records between the start and a stop, without those two's."""
    deltas, error = read(sse(START, *records, stop(), STOP))
    assert error is None
    assert [type(d) for d in deltas[:2]] == [MessageStart, UsageSnapshot]
    return deltas[2:-1]


HELLO = (begin(0, "text", text=""), text(0, "Hel"), text(0, "lo"), end(0))


def test_a_text_answer_is_read():
    deltas, error = read(sse(START, *HELLO, stop(usage={"output_tokens": 5}), STOP))
    assert error is None
    assert deltas == [
        MessageStart("assistant", "msg_1", "claude-x", protocol="anthropic"),
        UsageSnapshot(Usage(12, 1)),
        TextStart(0),
        TextDelta(0, "Hel"),
        TextDelta(0, "lo"),
        TextEnd(0),
        UsageSnapshot(Usage(12, 5)),
        MessageEnd(FinishReason("stop", "end_turn")),
    ]


def test_the_provider_is_named():
    start = get_provider("anthropic").parser().feed(sse(START))[0]
    assert (start.provider, start.protocol) == ("anthropic", "anthropic")


GRAMMAR = [
    (
        "indices with a gap that do not start at zero",
        [begin(3, "text", text=""), text(3, "a"), end(3), begin(7, "text", text=""), text(7, "b"), end(7)],
        [TextStart(0), TextDelta(0, "a"), TextEnd(0), TextStart(1), TextDelta(1, "b"), TextEnd(1)],
    ),
    (
        "calls that overlap and stop at the end",
        [
            begin(0, "tool_use", id="a", name="f"),
            arguments(0, "{"),
            begin(1, "tool_use", id="b", name="g"),
            arguments(1, "{}"),
            arguments(0, "}"),
            end(0),
            end(1),
        ],
        [
            ToolCallStart(0, "a", "f"),
            ToolCallDelta(0, "{"),
            ToolCallStart(1, "b", "g"),
            ToolCallDelta(1, "{}"),
            ToolCallDelta(0, "}"),
            ToolCallEnd(0),
            ToolCallEnd(1),
        ],
    ),
    (
        "an index that comes again after its stop",
        [begin(0, "text", text=""), end(0), begin(0, "thinking", thinking="t"), end(0)],
        [TextStart(0), TextEnd(0), ThinkingStart(1), ThinkingDelta(1, "t"), ThinkingEnd(1)],
    ),
    (
        "an index that comes again without a stop",
        [begin(0, "text", text="a"), begin(0, "text", text="b"), end(0)],
        [TextStart(0), TextDelta(0, "a"), TextEnd(0), TextStart(1), TextDelta(1, "b"), TextEnd(1)],
    ),
    (
        "text and thinking that never started",
        [delta(0, "thinking_delta", thinking="t"), text(1, "a"), end(0), end(1)],
        [ThinkingStart(0), ThinkingDelta(0, "t"), TextStart(1), TextDelta(1, "a"), ThinkingEnd(0), TextEnd(1)],
    ),
    (
        "thinking under the index of an open text",
        [begin(0, "text", text=""), delta(0, "thinking_delta", thinking="t"), text(0, "a"), end(0)],
        [
            TextStart(0),
            TextEnd(0),
            ThinkingStart(1),
            ThinkingDelta(1, "t"),
            ThinkingEnd(1),
            TextStart(2),
            TextDelta(2, "a"),
            TextEnd(2),
        ],
    ),
    (
        "no indices at all",
        [
            {"type": "content_block_start", "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "a"}},
            {"type": "content_block_stop"},
        ],
        [TextStart(0), TextDelta(0, "a"), TextEnd(0)],
    ),
    ("a stop of a block that is not open", [end(4)], []),
    ("blocks without a stop", [begin(0, "text", text="a")], [TextStart(0), TextDelta(0, "a"), TextEnd(0)]),
    (
        "a ping inside a call",
        [begin(0, "tool_use", id="a", name="f", input={}), {"type": "ping"}, arguments(0, "{}"), end(0)],
        [ToolCallStart(0, "a", "f"), ToolCallDelta(0, "{}"), ToolCallEnd(0)],
    ),
    (
        "a text of null and deltas that say nothing",
        [begin(0, "text", text=None), text(0, ""), delta(0, "text_delta", text=None), end(0)],
        [TextStart(0), TextEnd(0)],
    ),
    (
        "a citation before any text",
        [begin(0, "text", text=""), delta(0, "citations_delta", citation={"url": "u"}), text(0, "a"), end(0)],
        [TextStart(0), CitationAdded(0, {"url": "u"}), TextDelta(0, "a"), TextEnd(0)],
    ),
]


@pytest.mark.parametrize(("records", "expected"), [case[1:] for case in GRAMMAR], ids=[case[0] for case in GRAMMAR])
def test_blocks_are_told_apart(records, expected):
    assert blocks_of(*records) == expected
    deltas, error = read(sse(START, *records, stop(), STOP, names=False))
    assert error is None
    assert deltas[2:-1] == expected


def test_thinking_calls_and_text_take_turns():
    deltas = blocks_of(
        begin(0, "thinking", thinking="", signature=""),
        delta(0, "thinking_delta", thinking="a"),
        delta(0, "signature_delta", signature="s0"),
        end(0),
        begin(1, "tool_use", id="c", name="f", input={}),
        arguments(1, ""),
        arguments(1, '{"x": 1}'),
        end(1),
        begin(2, "thinking", thinking="", signature=""),
        delta(2, "thinking_delta", thinking="b"),
        delta(2, "signature_delta", signature="s2"),
        end(2),
        begin(3, "text", text=""),
        text(3, "c"),
        end(3),
    )
    output = accumulate(deltas)
    assert [(type(b.part).__name__, b.signature) for b in output.message.iter_blocks()] == [
        ("ThinkingPart", "s0"),
        ("FunctionPart", None),
        ("ThinkingPart", "s2"),
        ("TextPart", None),
    ]
    assert output.message.tool_calls[0].function.arguments == {"x": 1}


UNKNOWN = [
    ("an event", {"type": "novelty", "delta": "of another form"}),
    ("an event with the fields of a known one", {"type": "novelty", "index": "a", "delta": {"type": 5}}),
    ("a delta", delta(0, "novelty_delta", text={"not": "a text"})),
    ("a delta of a block that is not open", delta(9, "novelty_delta")),
    ("a whole message inside a stream", {"type": "message", "id": "msg_2", "content": []}),
]


@pytest.mark.parametrize("record", [case[1] for case in UNKNOWN], ids=[case[0] for case in UNKNOWN])
def test_what_is_unknown_is_passed_through(record):
    frame = UnknownFrame(json.dumps(record), record["type"])
    assert blocks_of(begin(0, "text", text="a"), record, text(0, "b"), end(0)) == [
        TextStart(0),
        TextDelta(0, "a"),
        frame,
        TextDelta(0, "b"),
        TextEnd(0),
    ]


def test_an_unknown_block_is_kept_and_an_unknown_stop_reason_too():
    deltas, error = read(sse(START, begin(0, "novelty", x=[1]), end(0), stop("novelty"), STOP))
    assert error is None
    output = accumulate(deltas)
    assert output.message.contents[0].raw == {"type": "novelty", "x": [1]}
    assert output.finish_reason == FinishReason("other", "novelty")


BROKEN = [
    ("a start without a block", {"type": "content_block_start", "index": 0}),
    ("a block without a type", {"type": "content_block_start", "index": 0, "content_block": {}}),
    ("a call without a name", begin(0, "tool_use", id="a")),
    ("a server's call without a name", begin(0, "server_tool_use", id="a")),
    ("a text that is none", begin(0, "text", text=["a"])),
    ("citations that are none", begin(0, "text", text="", citations="x")),
    ("a delta that is a text", {"type": "content_block_delta", "index": 0, "delta": "x"}),
    ("a delta without its text", delta(0, "text_delta")),
    ("a delta with a number for its text", delta(0, "text_delta", text=5)),
    ("a citation that is missing", delta(0, "citations_delta")),
    ("an index that is no number", {"type": "content_block_stop", "index": "a"}),
    ("arguments of a call that never started", arguments(0, "{}")),
    ("a message that is none", {"type": "message_start", "message": None}),
    ("counts that are none", stop(usage={"output_tokens": "many"})),
    ("a record that is a list of texts", ["x"]),
]


@pytest.mark.parametrize("record", [case[1] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_a_known_record_with_a_broken_form_is_an_error_with_the_frame(record):
    name = record["type"] if isinstance(record, dict) else "message_delta"
    frame = json.dumps(record).encode()
    body = sse(START) + f"event: {name}\n".encode() + b"data: " + frame + b"\n\n" + sse(stop(), STOP)
    deltas, error = read(body)
    assert type(error) is ProtocolError
    assert error.frame == frame
    assert deltas[0] == MessageStart("assistant", "msg_1", "claude-x", protocol="anthropic")
    assert read(body, bytewise(body))[1].frame == frame


def test_text_for_an_open_call_is_an_error_and_does_not_end_the_call():
    deltas, error = read(sse(START, begin(0, "tool_use", id="a", name="f"), text(0, "x")))
    assert type(error) is ProtocolError
    assert deltas[2:] == [ToolCallStart(0, "a", "f")]


def test_json_that_is_none_is_an_error():
    deltas, error = read(sse(START, *HELLO) + b'data: {"type": "content_block_delta", \n\n' + sse(STOP))
    assert type(error) is ProtocolError
    assert accumulate(deltas).message.text == "Hello"


def test_nesting_without_end_is_an_error():
    for deep in (b"[" * 100_000, b'{"a":' * 100_000):
        body = b'data: {"type":"content_block_delta","index":0,"delta":' + deep + b"\n\n"
        assert type(read(sse(START) + body)[1]) is ProtocolError


@pytest.mark.parametrize("depth", [100, 300, 450, 600, 900, 980, 990, 2000])
@pytest.mark.parametrize("score", ["1", "NaN", '"\\ud83d"'])
def test_nesting_of_any_depth_is_read_or_an_error(depth, score):
    deep = '{"a":' * depth + score + "}" * depth
    for record in (
        f'{{"type":"content_block_start","index":0,"content_block":{{"type":"novelty","x":{deep}}}}}',
        f'{{"type":"content_block_start","index":0,"content_block":{{"type":"tool_use","name":"f","input":{deep}}}}}',
        f'{{"type":"novelty","x":{deep}}}',
        f'{{"type":"error","error":{{"message":"m","details":{deep}}}}}',
        f'{{"type":"error","error":{{"message":"m","details":[{deep}]}}}}',
    ):
        deltas, error = read(sse(START) + f"data: {record}\n\n".encode() + sse(stop(), STOP))
        assert deltas[0] == MessageStart("assistant", "msg_1", "claude-x", protocol="anthropic")
        assert error is None or type(error) in (ProtocolError, ServerError)


def test_the_events_name_stands_in_for_a_missing_type():
    body = b"".join(
        f"event: {record.pop('type')}\ndata: {json.dumps(record)}\n\n".encode()
        for record in (dict(r) for r in (START, *HELLO, {"type": "ping"}, stop(), STOP))
    )
    deltas, error = read(body)
    assert error is None
    assert accumulate(deltas).message.text == "Hello"


def test_the_type_wins_over_another_event_name():
    body = b"".join(b"event: message\ndata: " + json.dumps(r).encode() + b"\n\n" for r in (START, *HELLO, stop(), STOP))
    assert read(body) == read(sse(START, *HELLO, stop(), STOP))


@pytest.mark.parametrize("data", ['{"type": "ping"}', "{}", "ping"])
def test_pings_are_heartbeats_and_no_deltas(data):
    parser = get_protocol("anthropic").parser()
    assert parser.feed(f"event: ping\ndata: {data}\n\n".encode()) == []
    assert parser.heartbeats == 1


def test_records_without_blank_lines_between_are_each_read():
    body = b"".join(b"data: " + json.dumps(r).encode() + b"\n" for r in (START, *HELLO, stop(), STOP)) + b"\n"
    assert read(body) == read(sse(START, *HELLO, stop(), STOP))
    done = b"data: " + json.dumps(STOP).encode() + b"\ndata: [DONE]\n\n"
    assert read(sse(START, *HELLO, stop()) + done) == read(sse(START, *HELLO, stop(), STOP))


# Ends.


def test_the_end_without_message_stop_after_a_stop_reason_is_an_end():
    deltas, error = read(sse(START, begin(0, "text", text="a"), stop("max_tokens")))
    assert error is None
    assert deltas[-2:] == [TextEnd(0), MessageEnd(FinishReason("length", "max_tokens"))]


def test_the_end_without_any_reason_is_truncation():
    for at in range(len(HELLO)):
        deltas, error = read(sse(START, *HELLO[:at]))
        assert type(error) is TruncatedStream
        assert not any(isinstance(d, MessageEnd) for d in deltas)
    assert type(read(b"", [b""])[1]) is TruncatedStream
    assert type(read(b"event: ping\ndata: {}\n\n")[1]) is TruncatedStream


def test_a_vendor_may_end_without_a_reason():
    quirks = Quirks(end_without_finish=True)
    deltas, error = read(sse(START, *HELLO), quirks=quirks)
    assert error is None
    assert deltas[-1] == MessageEnd(FinishReason("stop", synthesized=True))
    assert type(read(b"event: ping\ndata: {}\n\n", quirks=quirks)[1]) is TruncatedStream


def test_a_call_cut_short_has_no_end():
    deltas, error = read(sse(START, begin(0, "tool_use", id="a", name="f", input={}), arguments(0, '{"x": 1}')))
    assert type(error) is TruncatedStream
    assert deltas[2:] == [ToolCallStart(0, "a", "f"), ToolCallDelta(0, '{"x": 1}')]


def test_done_is_an_end_of_its_own():
    for done in (b"data: [DONE]\n\n", b"data:  [DONE] \n\n"):
        deltas, error = read(sse(START, *HELLO) + done)
        assert error is None
        assert deltas[-1] == MessageEnd(FinishReason("stop", synthesized=True))
        assert read(sse(START, *HELLO, stop(), STOP) + done)[1] is None
    assert type(read(b"data: [DONE]\n\n")[1]) is TruncatedStream


def test_message_stop_without_a_reason_makes_one():
    assert read(sse(START, *HELLO, stop(None), STOP))[0][-1] == MessageEnd(FinishReason("stop", synthesized=True))
    call = (begin(0, "tool_use", id="a", name="f"), end(0))
    assert read(sse(START, *call, STOP))[0][-1] == MessageEnd(FinishReason("tool_call", synthesized=True))


def test_nothing_that_follows_the_end_counts():
    parser = get_protocol("anthropic").parser()
    parser.feed(sse(START, *HELLO, stop(), STOP, {"type": "error", "error": {"message": "late"}}))
    assert parser.ended
    assert parser.feed(sse(START, *HELLO)) == []
    assert parser.feed(b"\xff garbage\n\n") == []
    assert parser.finish() == []


def test_two_message_deltas_overwrite_and_do_not_add():
    deltas, _ = read(
        sse(
            START,
            *HELLO,
            stop(None, {"output_tokens": 3}),
            stop("end_turn", {"input_tokens": 20, "output_tokens": 7}),
            STOP,
        )
    )
    output = accumulate(deltas)
    assert output.usage == Usage(20, 7)
    assert output.finish_reason == FinishReason("stop", "end_turn")
    assert (
        accumulate(read(sse(START, *HELLO, stop("max_tokens"), stop(None), STOP))[0]).finish_reason.raw == "max_tokens"
    )


def test_counts_that_say_nothing_new_are_not_repeated():
    same = {"input_tokens": 12, "output_tokens": 1}
    nothing = {"input_tokens": 0, "output_tokens": 0, "cache_read_input_tokens": None}
    deltas, _ = read(sse(START, stop(None, same), stop(None, nothing), stop("end_turn"), STOP))
    assert [d for d in deltas if isinstance(d, UsageSnapshot)] == [UsageSnapshot(Usage(12, 1))]


def test_a_message_start_that_comes_again_is_one():
    deltas, error = read(sse(START, START, *HELLO, START, stop(), STOP))
    assert error is None
    assert [type(d) for d in deltas].count(MessageStart) == 1
    assert accumulate(deltas).message.text == "Hello"
    start = {"type": "message_start", "message": WHOLE}
    assert read(sse(start, start, STOP)) == read(sse(start, STOP))


def test_another_answer_in_the_middle_takes_the_place_of_the_first():
    other = {**START, "message": {**START["message"], "id": "msg_2"}}
    first = (*HELLO, begin(1, "tool_use", id="a", name="f"), arguments(1, '{"x'))
    deltas, error = read(sse(START, *first, other, begin(0, "text", text="anew"), end(0), stop(), STOP))
    assert error is None
    assert [type(d) for d in deltas].count(Retract) == 1
    output = accumulate(deltas)
    assert (output.id, output.message.text, output.message.tool_calls) == ("msg_2", "anew", None)
    assert output.usage == Usage(24, 2)
    assert output.finish_reason == FinishReason("stop", "end_turn")


def test_a_missing_message_start_is_made_up():
    deltas, error = read(sse(*HELLO, stop(), STOP))
    assert error is None
    assert deltas[0] == MessageStart(protocol="anthropic")
    assert accumulate(deltas).message.text == "Hello"


# Errors.


def failure(type, message="m", **more):
    return {"type": "error", "error": {"type": type, "message": message}, **more}


ERRORS = [
    ("overloaded", failure("overloaded_error"), Overloaded, True),
    ("rate limit", failure("rate_limit_error"), RateLimited, True),
    ("the server's", failure("api_error"), ServerError, True),
    ("the request's", failure("invalid_request_error"), InvalidRequest, False),
    ("too long", failure("invalid_request_error", "prompt is too long: 9 > 8"), ContextOverflow, False),
    ("llama.cpp's", {"error": {"code": 503, "message": "m", "type": "unavailable_error"}}, Overloaded, True),
    ("litellm's", {"error": {"message": "m", "code": "500"}}, ServerError, True),
    ("one text", {"error": "m"}, ServerError, True),
]


@pytest.mark.parametrize(
    ("record", "kind", "retryable"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS]
)
@pytest.mark.parametrize("before", [[], [START], [START, *HELLO[:3]]], ids=["first", "after the start", "after text"])
def test_an_error_in_the_stream_is_raised_after_what_was_complete(record, kind, retryable, before):
    for frame in (sse(record), b"event: error\ndata: " + json.dumps(record).encode() + b"\n\n"):
        body = sse(*before) + frame + sse(stop(), STOP)
        deltas, error = read(body)
        assert (type(error), error.retryable, error.status) == (kind, retryable, 200)
        assert accumulate(deltas).message.text == ("Hello" if len(before) > 1 else "")
        assert not any(isinstance(d, MessageEnd) for d in deltas)
        for pieces in (bytewise(body), *splits(body)):
            again, same = read(body, pieces)
            assert (coalesce(again), str(same)) == (coalesce(deltas), str(error))


def test_an_errors_id_and_provider_are_kept():
    error = read(sse(failure("overloaded_error", request_id="req_1")), provider="anthropic")[1]
    assert (error.request_id, error.provider, error.type) == ("req_1", "anthropic", "overloaded_error")


@pytest.mark.parametrize("data", [b"upstream failed", b'"upstream failed"', b'{"message": "upstream failed"}'])
def test_an_error_event_in_any_form_is_one(data):
    error = read(sse(START) + b"event: error\ndata: " + data + b"\n\n")[1]
    assert (type(error), error.message) == (ServerError, "upstream failed")


# Bodies that are no stream.

WHOLE = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [
        {"type": "thinking", "thinking": "t", "signature": "s"},
        {"type": "text", "text": "a", "citations": [{"url": "u"}]},
        {"type": "tool_use", "id": "c", "name": "f", "input": {"x": 1}},
        {"type": "novelty", "x": 1},
    ],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 12, "output_tokens": 5},
}


def test_an_answer_that_was_not_streamed_gives_the_deltas_of_one_that_was():
    body = json.dumps(WHOLE, indent=1).encode()
    deltas, error = read(body)
    assert error is None
    assert deltas == [
        MessageStart("assistant", "msg_1", "claude-x", protocol="anthropic"),
        UsageSnapshot(Usage(12, 5)),
        ThinkingStart(0),
        ThinkingDelta(0, "t"),
        ThinkingEnd(0, signature="s"),
        TextStart(1),
        CitationAdded(1, {"url": "u"}),
        TextDelta(1, "a"),
        TextEnd(1),
        ToolCallStart(2, "c", "f"),
        ToolCallDelta(2, '{"x":1}'),
        ToolCallEnd(2),
        *deltas[12:13],
        MessageEnd(FinishReason("tool_call", "tool_use")),
    ]
    assert deltas[12].part.raw == {"type": "novelty", "x": 1}
    assert read(body, bytewise(body)) == (deltas, None)


def test_a_start_that_has_the_whole_answer_is_read():
    start = {"type": "message_start", "message": WHOLE}
    assert read(sse(start, STOP)) == read(json.dumps(WHOLE).encode())


ERROR_BODIES = [
    ("anthropic's", failure("overloaded_error"), Overloaded),
    ("another's", {"error": {"message": "m", "type": "invalid_request_error"}}, InvalidRequest),
    ("a list", [{"error": {"message": "m", "code": 429}}], RateLimited),
    ("fastapi's", {"detail": "m"}, ServerError),
    ("a flat one", {"message": "m", "code": "rate_limit_exceeded"}, RateLimited),
]


@pytest.mark.parametrize(("value", "kind"), [case[1:] for case in ERROR_BODIES], ids=[case[0] for case in ERROR_BODIES])
def test_a_body_that_is_an_error_is_raised(value, kind):
    deltas, error = read(json.dumps(value).encode())
    assert (deltas, type(error), error.message) == ([], kind, "m")


def test_an_empty_object_says_nothing():
    deltas, error = read(b"data: {}\n\n" + sse(START, *HELLO, stop(), STOP))
    assert (deltas[0], error) == (UnknownFrame("{}"), None)
    assert accumulate(deltas).message.text == "Hello"


def test_a_body_that_is_the_list_of_its_records_is_read():
    records = [START, *HELLO, stop(), STOP, {"type": "error"}]
    assert read(json.dumps(records).encode()) == read(sse(START, *HELLO, stop(), STOP))


# Framings.


def aws(*records):
    """The records in AWS's binary framing, as Bedrock sends them."""
    from struct import pack
    from zlib import crc32

    out = []
    for record in records:
        exception = "exception" in record
        names = {":message-type": "exception", ":exception-type": record["exception"]} if exception else {}
        names = names or {":event-type": "chunk", ":content-type": "application/json", ":message-type": "event"}
        headers = b"".join(
            pack(">B", len(k)) + k.encode() + b"\x07" + pack(">H", len(v)) + v.encode() for k, v in names.items()
        )
        wrapped = {"bytes": b64encode(json.dumps(record).encode()).decode(), "p": "abc"}
        payload = json.dumps({"message": "m"} if exception else wrapped).encode()
        prelude = pack(">II", len(headers) + len(payload) + 16, len(headers))
        message = prelude + pack(">I", crc32(prelude)) + headers + payload
        out.append(message + pack(">I", crc32(message)))
    return b"".join(out)


def test_decoded_events_a_line_are_read():
    records = [START, *HELLO, stop(), STOP]
    lines = b"".join(json.dumps(r).encode() + b"\n" for r in records)
    assert read(lines, framing="json-lines") == read(sse(*records))


def test_bedrocks_event_stream_is_read():
    records = [START, *HELLO, stop(), STOP]
    body = aws(*records)
    assert read(body, framing="aws-eventstream") == read(sse(*records))
    assert read(body, bytewise(body), framing="aws-eventstream") == read(sse(*records))


METRICS = {"inputTokenCount": 16, "outputTokenCount": 21, "cacheReadInputTokenCount": 4, "invocationLatency": 738}


def test_bedrocks_metrics_count_only_where_there_is_no_usage():
    final = {"type": "message_stop", "amazon-bedrock-invocationMetrics": METRICS}
    bare = {"type": "message_start", "message": {"id": "m", "usage": {"input_tokens": 0, "output_tokens": 0}}}
    assert accumulate(read(sse(bare, *HELLO, stop(), final))[0]).usage == Usage(16, 21, 4)
    assert accumulate(read(sse(START, *HELLO, stop(), final))[0]).usage == Usage(12, 1)


def test_an_exception_of_bedrock_is_an_error():
    deltas, error = read(aws(START, *HELLO[:2], {"exception": "throttlingException"}), framing="aws-eventstream")
    assert (type(error), error.retryable, error.message) == (RateLimited, True, "m")
    assert accumulate(deltas).message.text == "Hel"


def test_frames_are_kept_where_they_are_asked_for():
    deltas, _ = read(sse(START, *HELLO, stop(), STOP, {"type": "late"}), include_raw=True)
    raw = [d for d in deltas if isinstance(d, RawFrame)]
    assert [json.loads(d.raw) for d in raw] == [START, *HELLO, stop(), STOP]
    assert [d for d in deltas if not isinstance(d, RawFrame)] == read(sse(START, *HELLO, stop(), STOP))[0]


# Broken text.


def escaped(records, pieces):
    """Return a body in which each piece, JSON-escaped by hand, is a text delta."""
    frames = [
        b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"' + piece + b'"}}\n\n'
        for piece in pieces
    ]
    return sse(START, begin(0, "text", text="")) + b"".join(frames) + sse(*records)


SURROGATES = [
    ("a pair split over two deltas", [rb"a\ud83d", rb"\ude00b"], "a😀b"),
    ("a pair split around an empty delta", [rb"a\ud83d", b"", rb"\ude00b"], "a😀b"),
    ("a first half alone", [rb"a\ud83d", b"b"], "a\ufffdb"),
    ("a second half alone", [b"a", rb"\ude00b"], "a\ufffdb"),
    ("two first halves", [rb"\ud83d", rb"\ud83d\ude00"], "\ufffd😀"),
    ("a first half at the end", [rb"a\ud83d"], "a\ufffd"),
    ("bad UTF-8", [b"a\xffb"], "a\ufffdb"),
    ("a control character", [b"a\x01b"], "a\x01b"),
]


@pytest.mark.parametrize(
    ("pieces", "expected"), [case[1:] for case in SURROGATES], ids=[case[0] for case in SURROGATES]
)
@pytest.mark.parametrize("records", [[end(0), stop(), STOP], [stop(), STOP], [], [failure("api_error")]])
def test_broken_text_is_mended_and_never_lost(pieces, expected, records):
    body = escaped(records, pieces)
    deltas, _ = read(body)
    assert accumulate(deltas).message.text == expected
    for cut in (bytewise(body), *splits(body)):
        assert coalesce(read(body, cut)[0]) == coalesce(deltas)


def test_surrogates_elsewhere_never_reach_the_message():
    body = sse(START) + (
        b'data: {"type":"content_block_start","index":0,"content_block":{"type":"novelty","x":"\\ud83d"}}\n\n'
        b'data: {"type":"content_block_start","index":1,'
        b'"content_block":{"type":"tool_use","id":"\\ud83d","name":"f"}}\n\n'
    )
    output = accumulate(read(body + sse(stop(), STOP))[0])
    assert output.message.contents[0].raw["x"] == "\ufffd"
    assert output.message.tool_calls[0].id == "\ufffd"


LONE = [
    ("the message", {"type": "message_start", "delta": {"type": "text_delta"}, "message": {"id": "#", "model": "#"}}),
    (
        "a call",
        {**begin(0, "tool_use", id="#", name="#", input={"#": "#"}, caller="#"), "delta": {"type": "text_delta"}},
    ),
    ("an unknown block with text", begin(0, "novelty", text="#", thinking="#")),
    ("a signature at the start", begin(0, "thinking", thinking="#", signature="#")),
    ("a signature", delta(0, "signature_delta", signature="#", thinking="#")),
    ("a citation", delta(0, "citations_delta", citation={"#": "#"})),
    ("a result", begin(0, "web_search_tool_result", tool_use_id="#", content=["#"])),
    ("the end", {"type": "message_delta", "delta": {"type": "text_delta", "stop_reason": "#", "stop_sequence": "#"}}),
]


@pytest.mark.parametrize("record", [case[1] for case in LONE], ids=[case[0] for case in LONE])
def test_lone_surrogates_anywhere_can_be_written_as_json(record):
    deltas, error = read(sse(record, STOP).replace(b"#", rb"\ud83d"))
    assert error is None
    assert "\ufffd".encode() in msgspec.json.encode(deltas)
    assert "\ufffd".encode() in msgspec.json.encode(accumulate(deltas))


@pytest.mark.parametrize(("kind", "field"), [("text", "text"), ("thinking", "thinking")])
def test_a_pair_split_between_the_start_of_a_block_and_its_delta_is_joined(kind, field):
    records = [START, begin(0, kind, **{field: "<"}), delta(0, f"{kind}_delta", **{field: ">"}), stop(), STOP]
    body = sse(*records).replace(b"<", rb"a\ud83d").replace(b">", rb"\ude00b")
    message = accumulate(read(body)[0]).message
    assert (message.thinking or message.text) == "a😀b"


SERVER_INPUT = [
    ("half a pair", r'{"a":"\ud83d"}', {"a": "\ufffd"}),
    ("cut short", '{"a":"x', '{"a":"x'),
    ("deep and broken", '{"a":NaN,"b":' + "[" * 700 + "]" * 700 + "}", None),
]


@pytest.mark.parametrize(
    ("input", "expected"), [case[1:] for case in SERVER_INPUT], ids=[case[0] for case in SERVER_INPUT]
)
def test_the_input_of_a_servers_call_is_read_as_far_as_it_can_be(input, expected):
    for end in ([delta(0, "input_json_delta", partial_json="")], [{"type": "content_block_stop", "index": 0}]):
        body = sse(START, begin(0, "server_tool_use", id="a", name="b"), arguments(0, input), *end, stop(), STOP)
        deltas, error = read(body)
        assert error is None
        assert accumulate(deltas).message.contents[0].raw["input"] == (input if expected is None else expected)


def test_a_type_of_another_kind_in_a_broken_frame_is_an_error():
    body = b'data: {"type":"content_block_delta","index":0,"delta":{"type":["x"],"text":NaN}}\n\n'
    assert type(read(sse(START) + body)[1]) is ProtocolError


def test_numbers_that_json_has_no_word_for_do_not_break_a_frame():
    body = b'data: {"type":"content_block_delta","index":0,"score":NaN,"delta":{"type":"text_delta","text":"a"}}\n\n'
    assert accumulate(read(sse(START) + body + sse(stop(), STOP))[0]).message.text == "a"


def test_arguments_over_the_limit_are_an_error_that_names_it():
    limits = Limits(max_argument_bytes=10)
    records = [START, begin(0, "tool_use", id="a", name="f"), arguments(0, '{"x": 1234'), arguments(0, "5}")]
    deltas, error = read(sse(*records), limits=limits)
    assert type(error) is ProtocolError
    assert "max_argument_bytes (10)" in str(error)
    assert deltas[-1] == ToolCallDelta(0, '{"x": 1234')
    records = [START, begin(0, "tool_use", id="a", name="f"), arguments(0, "éééééé")]
    assert type(read(sse(*records), limits=limits)[1]) is ProtocolError
    records = [START, begin(0, "server_tool_use", id="a", name="f"), arguments(0, "x" * 11)]
    assert "server_tool_use" in str(read(sse(*records), limits=limits)[1])
    records = [START, begin(0, "tool_use", id="a", name="f", input={"long": "x" * 10}), end(0)]
    assert type(read(sse(*records), limits=limits)[1]) is ProtocolError
