"""Backends that send all text so far, each held against the same table.

What can go wrong with them, and where it is shown not to:

1. Every cause of a revision, as the last record and before another: here.
2. An emoji over three records; a real U+FFFD: here.
3. Shrinking, at the end and in the middle; nothing after something: here.
4. Equal records; the last one twice: here.
5. Increments that look like snapshots: here by default, in test_auto.py where the mode is found out.
6. A mode that changes in the middle: test_auto.py.
7. A prompt in front, and again inside: test_echo.py, vllm_generate/test_parser.py, fastchat/test_parser.py.
8. Several answers in one record, in turn, one after the other: here.
9. NUL between objects: fastchat/test_parser.py, wire/test_nul.py.
10. A last line without its end: vllm_generate/test_parser.py, wire/test_ndjson.py.
11. `finish_reason` as "null", as an object, as a list: here, fastchat/test_parser.py.
12. Gradio's diffs, heartbeats, errors and other events: gradio/test_diffs.py, gradio/test_parser.py.
13. DashScope's errors, records without blank lines, colons without a space: dashscope/test_parser.py.
14. Arguments and reasoning that are whole in each record: here, dashscope/test_parser.py.
15. A megabyte in ten thousand records: test_cumulative.py.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec import Struct

from streamkit.deltas import Delta, Replace, TextDelta
from streamkit.protocols import get_protocol
from streamkit.testing.chunking import bytewise
from streamkit.testing.outcome import Outcome, read_pieces


def sse(record: Any) -> bytes:
    return b"data: %s\n\n" % json.dumps(record).encode()


def chunk(delta: dict[str, Any], finish: Any = None, index: int = 0) -> dict[str, Any]:
    return {"id": "r", "choices": [{"index": index, "delta": delta, "finish_reason": finish}]}


def result(content: str, finish: Any = "null", index: int = 0, **message: Any) -> dict[str, Any]:
    choice = {"message": {"role": "assistant", "content": content, **message}, "finish_reason": finish, "index": index}
    return {"output": {"choices": [choice]}, "request_id": "r"}


def generated(text: str, finish: Any = None, index: int = 0) -> dict[str, Any]:
    return {"text": text, "index": index, "meta_info": {"id": "r", "finish_reason": finish}}


def worked(text: str, finish: Any = None) -> bytes:
    return json.dumps({"text": text, "error_code": 0, "finish_reason": finish}).encode() + b"\0"


class Backend(Struct, frozen=True):
    """How a backend says texts so far, the last of which is final."""

    protocol: str
    say: Callable[[str, bool], bytes]
    options: dict[str, Any] = {}


BACKENDS = {
    "openai-chat": Backend(
        "openai-chat",
        lambda text, last: sse(chunk({"content": text}, "stop" if last else None)),
        {"mode": "cumulative"},
    ),
    "dashscope": Backend(
        "dashscope", lambda text, last: sse(result(text, "stop" if last else "null")), {"mode": "cumulative"}
    ),
    "sglang": Backend("sglang", lambda text, last: sse(generated(text, {"type": "stop"} if last else None))),
    "fastchat": Backend("fastchat", lambda text, last: worked(text, "stop" if last else None)),
    "vllm-generate": Backend(
        "vllm-generate", lambda text, last: json.dumps({"text": ["Q: " + text]}).encode() + b"\n", {"prompt": "Q: "}
    ),
    "gradio, a call": Backend(
        "gradio",
        lambda text, last: b"event: %s\n" % (b"complete" if last else b"generating") + sse([text]),
    ),
    "gradio, a queue": Backend(
        "gradio",
        lambda text, last: sse(
            {
                "msg": "process_completed" if last else "process_generating",
                "event_id": "e",
                "output": {"data": [text]},
                "success": True,
            }
        ),
        {"diffs": False},
    ),
}


def read(data: bytes, protocol: str, **options: Any) -> Outcome:
    """Read a body whole and byte by byte, which must be the same."""
    outcome = read_pieces([data], get_protocol(protocol).parser(**options))
    assert read_pieces(bytewise(data), get_protocol(protocol).parser(**options)).outputs == outcome.outputs
    return outcome


def said(name: str, texts: list[str]) -> list[Delta]:
    """The pieces and revisions that texts so far become; the message must be the last of them."""
    backend = BACKENDS[name]
    body = b"".join(backend.say(text, at == len(texts)) for at, text in enumerate(texts, 1))
    outcome = read(body, backend.protocol, **backend.options)
    assert outcome.error is None
    assert outcome.outputs[0].message.text == texts[-1]
    return [delta for delta in outcome.deltas if isinstance(delta, (TextDelta, Replace))]


LONG = "Once upon a time there was a text of more than a few words. " * 40

# Texts so far, and how many times what was given out had to be replaced.
TEXTS: list[tuple[str, list[str], int]] = [
    # 1. Why a later text is no extension of the one before.
    ("half a character, repaired", ["caf\ufffd", "café"], 0),
    ("three halves, then an emoji", ["\ufffd\ufffd\ufffd", "😀"], 0),
    ("an emoji in place of a run", ["a\ufffd\ufffd", "a😀b"], 0),
    ("a space before a full stop", ["I am .", "I am. Yes"], 1),
    ("a stop word found late", ["Done.\nUser", "Done."], 1),
    ("white space trimmed", ["ok \n", "ok"], 1),
    ("withdrawn", ["how to …", "[removed]"], 1),
    ("a citation at the end", ["Paris is big", "Paris is big [1]"], 0),
    ("a citation inside", ["Paris is big", "Paris [1] is big"], 1),
    ("another model's answer", ["Hello there", "Bonjour, vous"], 1),
    ("thinking that is gone", ["<think>a", "Answer"], 1),
    ("composed characters", ["e\u0301", "é"], 1),
    ("escaped characters", ["a < b", "a &lt; b"], 1),
    ("garbage of a server that sends increments", ["Hello", "e", "age"], 2),
    ("a change far back", [LONG, LONG.replace("Once", "Ones") + "x"], 1),
    ("an insertion far back", [LONG, "[1] " + LONG], 1),
    # 2. Emojis, and the character that stands for unknown ones.
    ("an emoji over three records", ["a\ufffd", "a\ufffd\ufffd", "a😀"], 0),
    ("a real U+FFFD at the end", ["a", "a\ufffd"], 0),
    ("a real U+FFFD inside", ["a\ufffd", "a\ufffdb"], 0),
    ("many of them", ["\ufffd" * 40, "\ufffd" * 40 + "a"], 0),
    # 3. Shrinking.
    ("shorter at the end", ["abc", "ab"], 1),
    ("shorter, then longer", ["abc", "a", "axe"], 1),
    ("nothing, then something", ["abc", "", "xyz"], 1),
    # 4. The same again.
    ("the same text", ["ha", "ha", "ha"], 0),
    ("the last one twice", ["a", "ab", "ab"], 0),
    ("nothing said", ["", ""], 0),
    ("text that repeats itself", ["ha", "haha", "hahaha"], 0),
]


@pytest.mark.parametrize("name", BACKENDS)
@pytest.mark.parametrize("more", [[], ["", "!"]], ids=["at the end", "and on"])
@pytest.mark.parametrize(("texts", "replaced"), [case[1:] for case in TEXTS], ids=[case[0] for case in TEXTS])
def test_the_last_text_is_the_answer(texts: list[str], replaced: int, more: list[str], name: str) -> None:
    deltas = said(name, [*texts, *(texts[-1] + end for end in more)])
    assert sum(isinstance(delta, Replace) for delta in deltas) == replaced
    if not replaced:
        assert "".join(delta.text for delta in deltas) == texts[-1] + "".join(more)


def test_a_text_may_be_withdrawn_to_nothing() -> None:
    for name in BACKENDS.keys() - {"openai-chat", "dashscope"}:
        assert said(name, ["how to …", ""])[-1] == Replace(0, "")


@pytest.mark.parametrize("name", ["openai-chat", "dashscope"])
def test_an_empty_content_of_a_chat_says_nothing_for_the_last_record_often_has_one(name: str) -> None:
    backend = BACKENDS[name]
    outcome = read(backend.say("Hello", False) + backend.say("", True), backend.protocol, **backend.options)
    assert outcome.outputs[0].message.text == "Hello"


INCREMENTS = [["a", "and"], ["ha", "ha"], ["ha", "haha"], ["1", "10"], ["\n", "\n"]]


@pytest.mark.parametrize("name", ["openai-chat", "dashscope", "sglang"])
@pytest.mark.parametrize("texts", INCREMENTS, ids=repr)
def test_increments_that_look_like_snapshots_are_untouched(texts: list[str], name: str) -> None:
    backend = BACKENDS[name]
    body = b"".join(backend.say(text, at == len(texts)) for at, text in enumerate(texts, 1))
    for mode in ("incremental", "auto"):
        assert read(body, backend.protocol, mode=mode).outputs[0].message.text == "".join(texts)


END = b"data: [DONE]\n\n"
STOP = {"type": "stop", "matched": 2}
# 8. Two answers.
ANSWERS: list[tuple[str, str, list[bytes], dict[str, Any]]] = [
    ("in one record", "vllm-generate", [b'{"text":["a","b"]}\n', b'{"text":["ac","bd"]}\n'], {}),
    (
        "in turn, from DashScope",
        "dashscope",
        [sse(result("a")), sse(result("b", index=1)), sse(result("ac", "stop")), sse(result("bd", "stop", 1))],
        {"mode": "cumulative"},
    ),
    (
        "in turn, from SGLang",
        "sglang",
        [sse(generated("a")), sse(generated("b", None, 1)), sse(generated("ac", STOP)), sse(generated("bd", STOP, 1))],
        {},
    ),
    (
        "in turn, from a gateway",
        "openai-chat",
        [
            *(sse(chunk({"content": text}, None, index)) for index, text in [(0, "a"), (1, "b"), (0, "ac"), (1, "bd")]),
            *(sse(chunk({}, "stop", index)) for index in (0, 1)),
        ],
        {"mode": "cumulative"},
    ),
    (
        "one after the other, from FastChat's chat completions",
        "openai-chat",
        [
            *(sse(chunk({"content": text}, None, 0)) for text in "ac"),
            sse(chunk({}, "stop", 0)),
            *(sse(chunk({"content": text}, None, 1)) for text in "bd"),
            sse(chunk({}, "stop", 1)),
            END,
        ],
        {},
    ),
]


@pytest.mark.parametrize(
    ("protocol", "frames", "options"), [case[1:] for case in ANSWERS], ids=[case[0] for case in ANSWERS]
)
def test_answers_are_told_apart(protocol: str, frames: list[bytes], options: dict[str, Any]) -> None:
    outcome = read(b"".join(frames), protocol, **options)
    assert outcome.error is None
    assert [output.message.text for output in outcome.outputs] == ["ac", "bd"]


LENGTH = {"type": "length", "length": 1}
# 11. Reasons for the end in their forms; the first record of each has none yet.
REASONS: list[tuple[str, str, list[bytes], str]] = [
    ("the text null", "dashscope", [sse(result("a", "null")), sse(result("b", "length"))], "length"),
    ("the text null", "openai-chat", [sse(chunk({"content": "a"}, "null")), sse(chunk({}, "stop"))], "stop"),
    ("an object", "sglang", [sse(generated("a")), sse(generated("a", LENGTH))], "length"),
    ("a list", "fastchat", [worked("a", [None, None]), worked("a", ["stop", "stop"])], "stop"),
]


@pytest.mark.parametrize(
    ("protocol", "frames", "word"), [case[1:] for case in REASONS], ids=[f"{case[0]}, {case[1]}" for case in REASONS]
)
def test_a_reason_is_none_until_it_says_something(protocol: str, frames: list[bytes], word: str) -> None:
    reason = read(b"".join(frames), protocol).outputs[0].finish_reason
    assert reason is not None
    assert (reason.type, reason.raw, reason.synthesized) == (word, word, False)
    cut = read(frames[0], protocol)
    assert cut.error is not None
    assert cut.error["kind"] == "TruncatedStream"


def test_arguments_and_reasoning_may_both_be_whole_in_each_record() -> None:
    thoughts, texts = ["Let", "Let me", "Let me see."], ['{"a"', '{"a":"caf\ufffd', '{"a":"café"}']
    records = [
        chunk(
            {
                "reasoning_content": thought,
                "content": "So:",
                "tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": text}}],
            }
        )
        for thought, text in zip([*thoughts, thoughts[-1]], [*texts, texts[-1]], strict=True)
    ]
    body = b"".join(map(sse, [*records, chunk({}, "tool_calls")])) + END
    outcome = read(body, "openai-chat", mode="cumulative")
    message = outcome.outputs[0].message
    assert (message.thinking, message.text) == ("Let me see.", "So:")
    assert [call.function.arguments for call in message.tool_calls or []] == [{"a": "café"}]
    assert not any(isinstance(delta, Replace) for delta in outcome.deltas)
