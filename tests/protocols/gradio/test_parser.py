"""The streams of Gradio apps → deltas: of one call, and of a queue. Edge case 12 of backends that send all so far."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.accumulator import coalesce
from streamkit.deltas import Delta, MessageStart, Replace, TextDelta, UnknownFrame
from streamkit.errors import ProtocolError
from streamkit.messages import FinishReason
from streamkit.protocols import Parser, get_protocol
from streamkit.testing.chunking import bytewise, two_parts
from streamkit.testing.outcome import Outcome, read_pieces


def event(name: str, data: Any) -> bytes:
    return f"event: {name}\ndata: {json.dumps(data)}\n\n".encode()


def message(kind: str, id: str | None = "e", **fields: Any) -> bytes:
    return b"data: " + json.dumps({"msg": kind, "event_id": id, **fields}).encode() + b"\n\n"


def generating(*data: Any, id: str = "e") -> bytes:
    return message("process_generating", id, output={"data": list(data), "is_generating": True}, success=True)


def completed(*data: Any, id: str = "e") -> bytes:
    return message("process_completed", id, output={"data": list(data)}, success=True)


def new(**options: Any) -> Parser:
    return get_protocol("gradio").parser(**options)


def read(*frames: bytes, **options: Any) -> Outcome:
    """Read a body whole and byte by byte, which must be the same."""
    data = b"".join(frames)
    outcome = read_pieces([data], new(**options))
    assert read_pieces(bytewise(data), new(**options)) == outcome
    return outcome


def said(outcome: Outcome) -> list[Delta]:
    return [delta for delta in outcome.deltas if isinstance(delta, (TextDelta, Replace))]


def append(text: str, *path: Any) -> list[Any]:
    return [["append", list(path), text]]


def chat(text: str | None) -> list[Any]:
    answer = [] if text is None else [{"role": "assistant", "content": [{"text": text, "type": "text"}]}]
    return [{"role": "user", "content": "hi"}, *answer]


START = message("estimation", rank=0, queue_size=1), message("process_starts", eta=None)
TEXTS: list[tuple[str, list[bytes], dict[str, Any], str]] = [
    (
        "a call",
        [event("generating", ["He"]), event("generating", ["Hello"]), event("complete", ["Hello"])],
        {},
        "Hello",
    ),
    ("a call that only completes", [event("complete", ["Hello"])], {}, "Hello"),
    ("a call with a heartbeat", [event("heartbeat", None), event("complete", ["Hello"])], {}, "Hello"),
    ("a call that generates nothing", [event("generating", None), event("complete", ["Hello"])], {}, "Hello"),
    ("a call that completes without", [event("generating", ["Hi"]), event("complete", None)], {}, "Hi"),
    ("a call's second output", [event("generating", ["", "He"]), event("complete", ["", "Hi"])], {"output": 1}, "Hi"),
    ("a call's chat", [event("generating", [chat("H")]), event("complete", [chat("Hi")])], {}, "Hi"),
    ("a queue with diffs", [*START, generating("He"), generating(append("llo")), completed("Hello")], {}, "Hello"),
    ("a queue that only completes", [*START, completed("Hello")], {}, "Hello"),
    (
        "a queue with whole values",
        [generating("He"), generating("Hello"), completed("Hello")],
        {"diffs": False},
        "Hello",
    ),
    ("no change", [generating("Hi"), generating([]), completed("Hi")], {}, "Hi"),
    (
        "a chat with diffs",
        [
            generating("", chat(None)),
            generating([], [["add", [1], chat("H")[1]]]),
            generating([], append("i", 1, "content", 0, "text")),
            completed("", chat("Hi")),
        ],
        {"output": 1},
        "Hi",
    ),
    (
        "an output that comes late",
        [generating("x"), generating([], [["replace", [], "Hi"]]), completed("x", "Hi")],
        {},
        "x",
    ),
    (
        "a text that is taken back",
        [generating("how"), generating([["replace", [], "No."]]), completed("No.")],
        {},
        "No.",
    ),
    ("another text at the end", [generating("how"), completed("No.")], {}, "No."),
    (
        "two calls in one queue",
        [
            generating("He"),
            generating("Bo", id="other"),
            generating(append("llo")),
            generating(append("njour"), id="other"),
            completed("Bonjour", id="other"),
            completed("Hello"),
        ],
        {},
        "Hello",
    ),
    (
        "the second of two calls",
        [generating("He"), generating("Bo", id="other"), completed("Hello"), completed("Bon", id="other")],
        {"event_id": "other"},
        "Bon",
    ),
    ("a heartbeat in a queue", [generating("Hi"), message("heartbeat", None), completed("Hi")], {}, "Hi"),
]


@pytest.mark.parametrize(("frames", "options", "text"), [case[1:] for case in TEXTS], ids=[case[0] for case in TEXTS])
def test_text_is_read(frames: list[bytes], options: dict[str, Any], text: str) -> None:
    outcome = read(*frames, **options)
    assert outcome.error is None
    assert outcome.outputs[0].message.text == text
    assert outcome.outputs[0].finish_reason == FinishReason("stop", synthesized=True)


def test_a_late_output_may_be_the_one_that_is_read() -> None:
    parser = new(output=1)
    parser.feed(generating("x"))
    with pytest.raises(ProtocolError, match="no output 1 among 1"):
        parser.finish()


def test_what_grows_is_given_out_in_pieces_and_what_changes_is_replaced() -> None:
    grown = read(generating("He"), generating(append("llo")), completed("Hello"))
    assert said(grown) == [TextDelta(0, "Hello")]
    changed = read(generating("He"), generating([["replace", [], "No."]]), completed("No."))
    assert said(changed) == [TextDelta(0, "He"), Replace(0, "No.")]


def test_both_streams_of_a_call_say_the_same() -> None:
    call = read(event("generating", ["né"]), event("generating", ["né😀"]), event("complete", ["né😀"]))
    queue = read(generating("né"), generating(append("😀")), completed("né😀"))
    assert coalesce(call.deltas)[1:] == coalesce(queue.deltas)[1:]


def test_the_event_is_the_id_of_the_answer() -> None:
    assert read(completed("Hi")).deltas[0] == MessageStart(id="e", protocol="gradio")
    assert read(event("complete", ["Hi"])).outputs[0].id is None
    assert read(event("complete", ["Hi"]), event_id="e").outputs[0].id == "e"


def test_where_a_call_stands_is_no_progress() -> None:
    assert read(*START, message("heartbeat", None), completed("Hi")).heartbeats == 3
    assert read(event("heartbeat", None), event("complete", ["Hi"])).heartbeats == 1


def test_what_an_app_tells_its_user_is_kept() -> None:
    kinds = [("log", {"log": "Careful.", "level": "warning"}), ("progress", {"progress_data": []})]
    outcome = read(*(message(kind, **fields) for kind, fields in kinds), completed("Hi"))
    kept = [json.loads(delta.raw)["msg"] for delta in outcome.deltas if isinstance(delta, UnknownFrame)]
    assert kept == ["log", "progress"]


def test_what_follows_the_end_of_the_call_is_not_read() -> None:
    assert read(completed("Hi"), generating("more"), message("close_stream", None)).outputs[0].message.text == "Hi"
    assert read(event("complete", ["Hi"]), event("error", "late")).error is None


FAILED: list[tuple[str, bytes, str]] = [
    ("a call", event("error", {"error": "No.", "title": "Error"}), "No."),
    ("a call that gives a text", event("error", "No."), "No."),
    ("a call that does not say why", event("error", None), "the app failed and does not say why"),
    ("a call that hides why", event("error", {"error": None, "visible": True}), "the app failed and does not say why"),
    ("a gateway", b"event: error\ndata: upstream died\n\n", "upstream died"),
    ("a queue", message("process_completed", output={"error": "No."}, success=False), "No."),
    ("a queue while it generates", message("process_generating", output={"error": "No."}, success=False), "No."),
    (
        "a queue that does not say why",
        message("process_completed", output={"error": None}, success=False),
        "the app failed and does not say why",
    ),
    ("a server", message("unexpected_error", None, message="No.", success=False), "No."),
]


@pytest.mark.parametrize(("frame", "words"), [case[1:] for case in FAILED], ids=[case[0] for case in FAILED])
def test_an_error_ends_the_stream(frame: bytes, words: str) -> None:
    begun = event("generating", ["Hi"]) if frame.startswith(b"event") else generating("Hi")
    outcome = read(begun, frame)
    assert outcome.error is not None
    assert (outcome.error["message"], outcome.outputs[0].message.text) == (words, "Hi")


def test_the_failure_of_another_call_is_not_ours() -> None:
    failed = message("process_completed", "other", output={"error": "No."}, success=False)
    assert read(generating("Hi"), failed, completed("Hi")).error is None


ENDS: list[tuple[str, list[bytes], str]] = [
    ("nothing", [], "the stream is empty"),
    ("a place in the queue", [*START], "the stream is empty"),
    ("half a call", [event("generating", ["Hi"])], "the call did not complete"),
    ("half a call of a queue", [generating("Hi"), message("close_stream", None)], "the call did not complete"),
    ("another call", [generating("Hi"), completed("Ho", id="other")], "the call did not complete"),
]


@pytest.mark.parametrize(("frames", "words"), [case[1:] for case in ENDS], ids=[case[0] for case in ENDS])
def test_a_call_that_does_not_complete_is_truncated(frames: list[bytes], words: str) -> None:
    outcome = read(*frames)
    assert outcome.error is not None
    assert outcome.error["kind"] == "TruncatedStream"
    assert words in outcome.error["says"]


WRONG: list[tuple[str, list[bytes], dict[str, Any], str]] = [
    ("no such output", [event("complete", ["Hi"])], {"output": 3}, "no output 3 among 1"),
    ("an output that is no text", [event("complete", [5])], {}, "the output holds no text"),
    ("a diff that does not fit", [generating("a"), generating([["delete", [4], None]])], {}, "does not fit"),
    ("a whole value where a diff is due", [generating("a"), generating("ab")], {}, "was diffs=False meant"),
    ("the ticket of a call", [b'{"event_id": "e"}'], {}, "must be fetched from"),
]


@pytest.mark.parametrize(("frames", "options", "words"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG])
def test_what_does_not_fit_is_an_error_with_the_frame(frames: list[bytes], options: dict[str, Any], words: str) -> None:
    outcome = read(*frames, **options)
    assert outcome.error is not None
    assert outcome.error["kind"] == "ProtocolError"
    assert words in outcome.error["says"]
    assert outcome.error["frame"] in frames[-1]


def test_every_split_in_two_gives_the_same() -> None:
    data = b"".join([*START, generating("né"), generating(append("😀")), completed("né😀")])
    whole = read_pieces([data], new())
    for pieces in two_parts(data):
        assert read_pieces(pieces, new()) == whole
