"""The lines of vLLM's demonstration server → deltas."""

from __future__ import annotations

import json
from typing import Any

import pytest

from streamkit.deltas import MessageEnd, Replace, TextDelta
from streamkit.errors import ConfigError
from streamkit.messages import FinishReason
from streamkit.protocols import Parser, get_protocol
from streamkit.testing.chunking import bytewise, two_parts
from streamkit.testing.outcome import Outcome, read_pieces

PROMPT = "San Francisco is a"


def body(*records: list[str], end: bytes = b"\n") -> bytes:
    return b"".join(json.dumps({"text": texts}).encode() + end for texts in records)


def new(**options: Any) -> Parser:
    return get_protocol("vllm-generate").parser(**options)


def read(data: bytes, **options: Any) -> Outcome:
    """Read a body whole and byte by byte, which must be the same."""
    outcome = read_pieces([data], new(**options))
    assert read_pieces(bytewise(data), new(**options)) == outcome
    return outcome


def texts(outcome: Outcome) -> list[str]:
    assert outcome.error is None
    return [output.message.text for output in outcome.outputs]


# Edge cases 7 (prompts), 8 (several outputs), 9 (NUL) and 10 (no line end) of backends that send all so far.
CASES: list[tuple[str, bytes, dict[str, Any], list[str]]] = [
    ("a prompt", body([PROMPT], [PROMPT + " city"], [PROMPT + " city."]), {"prompt": PROMPT}, [" city."]),
    ("a prompt that nobody told", body([PROMPT + " city"]), {}, [PROMPT + " city"]),
    ("a prompt that comes again", body(["ha"], ["haha"], ["hahaha"]), {"prompt": "ha"}, ["haha"]),
    (
        "a prompt without its special tokens",
        body(["Say  hi"], ["Say  hi: Hi"]),
        {"prompt": "Say <s> hi: "},
        [" hi: Hi"],
    ),
    ("an empty prompt", body(["a"], ["ab"]), {"prompt": ""}, ["ab"]),
    ("two outputs", body(["Q:a", "Q:b"], ["Q:ac", "Q:b"], ["Q:ac", "Q:bd"]), {"prompt": "Q:"}, ["ac", "bd"]),
    ("an output that comes late", body(["Q:a"], ["Q:ac", "Q:b"]), {"prompt": "Q:"}, ["ac", "b"]),
    ("an output that is gone", body(["Q:a", "Q:b"], ["Q:ac"]), {"prompt": "Q:"}, ["ac", "b"]),
    ("no line end at the end", body(["a"], ["ab"])[:-1], {}, ["ab"]),
    ("an answer at once", b'{"text": ["Q:a", "Q:b"]}', {"prompt": "Q:"}, ["a", "b"]),
    ("objects that end with NUL", body(["Q:a"], ["Q:ab"], end=b"\0"), {"prompt": "Q:", "framing": "nul"}, ["ab"]),
    ("an object without its NUL", body(["a"], ["ab"], end=b"\0")[:-1], {"framing": "nul"}, ["ab"]),
    ("nothing said", body([PROMPT]), {"prompt": PROMPT}, [""]),
]


@pytest.mark.parametrize(("data", "options", "said"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_texts_are_read_without_their_prompt(data: bytes, options: dict[str, Any], said: list[str]) -> None:
    assert texts(read(data, **options)) == said


def test_a_revision_is_one_delta() -> None:
    deltas = read(body(["Q:cat"], ["Q:car"]), prompt="Q:").deltas
    kept = [delta for delta in deltas if isinstance(delta, (TextDelta, Replace))]
    assert kept == [TextDelta(0, "cat"), Replace(0, "car")]


def test_the_end_of_input_is_the_end_and_no_reason_is_given() -> None:
    outcome = read(body(["Hi"]))
    assert outcome.deltas[-1] == MessageEnd(FinishReason("stop", synthesized=True))
    assert outcome.outputs[0].usage is None


@pytest.mark.parametrize("framing", ["ndjson", "nul"])
def test_a_record_that_was_cut_is_told(framing: str) -> None:
    data = body(["Hi"], ["Hi there"], end=b"\n" if framing == "ndjson" else b"\0")
    outcome = read(data[:-4], framing=framing)
    assert outcome.error is not None
    assert (outcome.error["kind"], outcome.outputs[0].message.text) == ("TruncatedStream", "Hi")


def test_half_a_character_at_the_end_is_kept() -> None:
    assert texts(read(body(["a"], ["a\ufffd"]))) == ["a\ufffd"]


def test_the_error_of_a_gateway_ends_the_stream() -> None:
    outcome = read(body(["Hi"]) + b'{"error": {"message": "No."}}\n')
    assert outcome.error is not None
    assert (outcome.error["message"], outcome.outputs[0].message.text) == ("No.", "Hi")


def test_every_split_in_two_gives_the_same() -> None:
    data = body(["né"], ["né😀"], ["né😀."])
    whole = read_pieces([data], new())
    for pieces in two_parts(data):
        assert read_pieces(pieces, new()) == whole


def test_there_is_one_mode() -> None:
    with pytest.raises(ConfigError, match="cumulative"):
        new(mode="incremental")
