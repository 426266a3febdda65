"""The mode law: a backend that sends all so far says the same as one that sends what is new.

The parser is told the mode and never guesses it: `"ha"`, `"ha"` is a legal increment.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamkit.accumulator import coalesce
from streamkit.deltas import Delta, Replace, TextDelta, TextEnd, TextStart, UsageSnapshot
from streamkit.errors import ConfigError
from streamkit.protocols import get_protocol
from streamkit.testing.answers import Answer, Call, Text, Thinking
from streamkit.testing.mutations import split_frames
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.testing.scripts import PLAIN, render
from streamkit.testing.strategies import answers

FIELDS = ("content", "reasoning_content", "refusal")


def read(body: bytes, mode: str) -> Outcome:
    return read_pieces([body], get_protocol("openai-chat").parser(mode=mode, mint=numbered_ids()))


def records(body: bytes) -> list[dict[str, Any]]:
    return [json.loads(frame[6:]) for frame in split_frames(body) if frame.startswith(b"data: {")]


def body_of(chunks: list[dict[str, Any]]) -> bytes:
    return b"".join(b"data: %s\n\n" % json.dumps(chunk).encode() for chunk in chunks) + b"data: [DONE]\n\n"


def cumulative(body: bytes, repeat: bool = False) -> bytes:
    """The same answer from a backend whose chunks hold all so far; with `repeat`, each is sent twice."""
    so_far: defaultdict[tuple[Any, ...], str] = defaultdict(str)
    chunks = []
    for chunk in records(body):
        for choice in chunk["choices"]:
            delta = choice["delta"]
            for field in FIELDS:
                if delta.get(field):
                    so_far[choice["index"], field] += delta[field]
                    delta[field] = so_far[choice["index"], field]
            for call in delta.get("tool_calls", []):
                place = choice["index"], "call", call["index"]
                so_far[place] += call["function"]["arguments"]
                call["function"]["arguments"] = so_far[place]
        chunks += [chunk, chunk] if repeat else [chunk]
    return body_of(chunks)


def spoken(outcome: Outcome) -> list[list[Delta]]:
    """The deltas block by block, of each choice in the order in which its blocks begin.

    Half a character is held back, so a block may begin later in one mode than in the other.
    Arguments of `{}` may come before or after other blocks and usage: some servers begin with them as a placeholder,
    so an incremental parser holds them until it knows better.
    """
    blocks: defaultdict[Any, list[Delta]] = defaultdict(list)
    for delta in outcome.deltas:
        blocks[getattr(delta, "choice", type(delta)), getattr(delta, "index", type(delta))].append(delta)
    said = [block for block in blocks.values() if not isinstance(block[0], UsageSnapshot)]
    return [coalesce(block) for block in sorted(said, key=lambda block: getattr(block[0], "choice", 0))]


@pytest.mark.feature("first-4")
@given(answers("openai-chat"), st.integers(1, 5), st.booleans(), st.booleans())
@example(Answer(["hahaha"]), 2, False, False)
@example(Answer(["\ufffd", Thinking("\ufffd"), "\ufffd"]), 1, False, True)
@example(Answer(["\ufffd"], choices=[Answer(["a"])]), 1, False, False)
@example(Answer(["aaaa\n\n\n\n"]), 1, False, False)
@example(Answer([Thinking("ab"), "cd", Thinking("ab"), "cd"]), 1, False, True)
@example(Answer([Call("f", {}), Call("f", {})]), 2, False, False)
@example(Answer([Call("f", {"a": "xx"}), Call("f", {"a": "xx"})]), 1, True, True)
def test_both_modes_give_the_same_deltas(answer: Answer, piece: int, interleave: bool, repeat: bool) -> None:
    body = render(answer, "openai-chat", piece=piece, interleave=interleave)
    incremental = read(body, "incremental")
    snapshots = read(cumulative(body, repeat), "cumulative")
    assert spoken(snapshots) == spoken(incremental)
    assert snapshots.outputs == incremental.outputs
    assert snapshots.error is incremental.error is None


IN_PIECES = "openai-completions"


def text_of(body: bytes, protocol: str) -> list[Delta]:
    deltas = read_pieces([body], get_protocol(protocol).parser()).deltas
    return coalesce([delta for delta in deltas if isinstance(delta, (TextStart, TextDelta, TextEnd, Replace))])


@pytest.mark.parametrize("protocol", [protocol for protocol in PLAIN if protocol != IN_PIECES])
@given(answers(IN_PIECES, choices=False), st.integers(1, 5))
@example(Answer(["hahaha"]), 2)
@example(Answer(["e\u0301\ufffd"]), 1)
def test_every_dialect_of_plain_text_gives_the_same_deltas(protocol: str, answer: Answer, piece: int) -> None:
    in_pieces = text_of(render(answer, IN_PIECES, piece=piece), IN_PIECES)
    assert text_of(render(answer, protocol, piece=piece), protocol) == in_pieces


REPEATED = [
    ("a syllable", Text("haha"), 2),
    ("a word of one letter", Text("aaaa"), 1),
    ("line ends", Text("\n\n\n\n"), 1),
    ("all that came before", Text("abab"), 2),
    ("thinking", Thinking("haha"), 2),
    ("arguments", Call("f", '{"a":[[],[]]}'), 1),
]


@pytest.mark.feature("first-4", "D: qwen-code#3896")
@pytest.mark.parametrize(("block", "piece"), [case[1:] for case in REPEATED], ids=[case[0] for case in REPEATED])
def test_increments_that_repeat_what_came_are_kept(block: Any, piece: int) -> None:
    outcome = read(render(Answer([block]), "openai-chat", piece=piece), "incremental")
    said = [getattr(delta, "text", None) or getattr(delta, "arguments", "") for delta in outcome.deltas]
    assert "".join(said) == block.text


@pytest.mark.feature("first-4", "D: blades#189")
@given(answers("openai-chat", choices=False))
def test_a_last_message_that_says_it_all_again_adds_nothing(answer: Answer) -> None:
    body = render(answer, "openai-chat", piece=3)
    chunks = records(body)
    message: dict[str, Any] = {"role": "assistant"}
    for chunk in chunks:
        for choice in chunk["choices"]:
            for field in FIELDS:
                if choice["delta"].get(field):
                    message[field] = message.get(field, "") + choice["delta"][field]
    last = {
        **chunks[0],
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": None}],
    }
    once = read(body, "incremental")
    assert read(body_of([*chunks, last]), "incremental") == once
    again = read(cumulative(body).removesuffix(b"data: [DONE]\n\n") + body_of([last]), "cumulative")
    assert spoken(again) == spoken(once)
    assert again.outputs == once.outputs


def snapshots(*texts: str) -> bytes:
    chunks = [
        {"id": "r", "choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]} for text in texts
    ]
    return body_of([*chunks, {"id": "r", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}])


REVISED = [
    ("a character is repaired", ["caf\ufffd", "café"], "café"),
    ("a stop word is taken back", ["Done.\nUser", "Done."], "Done."),
    ("all is withdrawn", ["how to", "[removed]"], "[removed]"),
    ("a citation is put in", ["Paris is big", "Paris is big [1]", "Paris [1] is big [1]"], "Paris [1] is big [1]"),
    ("it grows on after a revision", ["ab", "ax", "axy"], "axy"),
]


@pytest.mark.parametrize(("texts", "final"), [case[1:] for case in REVISED], ids=[case[0] for case in REVISED])
def test_the_last_snapshot_is_the_text(texts: list[str], final: str) -> None:
    outcome = read(snapshots(*texts), "cumulative")
    assert outcome.outputs[0].message.text == final
    shown = [text.rstrip("\ufffd") for text in texts]  # half a character is held back
    assert any(isinstance(delta, Replace) for delta in outcome.deltas) == (
        not all(map(str.startswith, shown[1:], shown))
    )


def test_an_incremental_parser_takes_snapshots_at_their_word() -> None:
    outcome = read(snapshots("ha", "haha"), "incremental")
    assert [delta.text for delta in outcome.deltas if isinstance(delta, TextDelta)] == ["hahaha"]


def test_a_mode_that_the_protocol_has_not_is_refused() -> None:
    with pytest.raises(ConfigError, match="incremental"):
        get_protocol("anthropic").parser(mode="cumulative")
