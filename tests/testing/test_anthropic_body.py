import json

import pytest

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Call, Refusal, Thinking
from streamkit.testing.anthropic_body import error_frame, render
from streamkit.usage import Usage


def records(answer, piece=4, interleave=False):
    out = []
    for frame in render(answer, piece, interleave):
        name, data, *rest = frame.decode().split("\n")
        assert rest == ["", ""]
        record = json.loads(data.removeprefix("data: "))
        assert name == f"event: {record['type']}"
        out.append(record)
    return out


def blocks(answer, **options):
    return [record for record in records(answer, **options) if record["type"].startswith("content_block")]


CASES = [
    (
        "text",
        Answer(["abcdef"]),
        {"type": "text", "text": ""},
        [{"type": "text_delta", "text": "abcd"}, {"type": "text_delta", "text": "ef"}],
    ),
    (
        "signed thinking",
        Answer([Thinking("abc", "sig")]),
        {"type": "thinking", "thinking": "", "signature": ""},
        [{"type": "thinking_delta", "thinking": "abc"}, {"type": "signature_delta", "signature": "sig"}],
    ),
    (
        "thinking that is not signed",
        Answer([Thinking("abc")]),
        {"type": "thinking", "thinking": "", "signature": ""},
        [{"type": "thinking_delta", "thinking": "abc"}],
    ),
    (
        "a call",
        Answer([Call("f", {"a": 1}, "id1")]),
        {"type": "tool_use", "id": "id1", "name": "f", "input": {}},
        [
            {"type": "input_json_delta", "partial_json": '{"a"'},
            {"type": "input_json_delta", "partial_json": ":1}"},
        ],
    ),
]


@pytest.mark.parametrize(
    ("answer", "opening", "fragments"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_an_answer_becomes_a_block_of_deltas(answer, opening, fragments):
    assert blocks(answer) == [
        {"type": "content_block_start", "index": 0, "content_block": opening},
        *({"type": "content_block_delta", "index": 0, "delta": fragment} for fragment in fragments),
        {"type": "content_block_stop", "index": 0},
    ]


def test_blocks_are_numbered_over_all_kinds():
    answer = Answer([Thinking("a"), Call("f"), Thinking("b"), "c"])
    starts = [record for record in blocks(answer) if record["type"] == "content_block_start"]
    assert [(start["index"], start["content_block"]["type"]) for start in starts] == [
        (0, "thinking"),
        (1, "tool_use"),
        (2, "thinking"),
        (3, "text"),
    ]


def test_neighbouring_calls_may_take_turns():
    answer = Answer(["x", Call("f", {"a": 1}), Call("g", {"b": 2})])
    assert [record["index"] for record in blocks(answer, interleave=True)] == [0, 0, 0, 1, 2, 1, 2, 1, 2, 1, 2]


def test_usage_starts_with_the_input_and_ends_with_the_output():
    usage = Usage(input_tokens=1, output_tokens=9, cache_read_tokens=20, cache_write_tokens=300, reasoning_tokens=4)
    first, *_, last, stop = records(Answer(["a"], usage=usage))
    assert first["message"]["usage"] == {
        "input_tokens": 1,
        "cache_read_input_tokens": 20,
        "cache_creation_input_tokens": 300,
        "output_tokens": 1,
    }
    assert last["usage"] == {"output_tokens": 9, "output_tokens_details": {"thinking_tokens": 4}}
    assert stop == {"type": "message_stop"}


def test_counts_of_nothing_are_sent_where_there_is_no_usage():
    first, *_, last, _ = records(Answer(["a"], usage=None))
    assert first["message"]["usage"] == {"input_tokens": 0, "output_tokens": 0}
    assert last["usage"] == {"output_tokens": 0}


def test_a_refusal_is_told_by_the_stop_reason():
    *_, last, _ = records(Answer(["I will", Refusal("Not this.")]))
    assert last["delta"] == {
        "stop_reason": "refusal",
        "stop_sequence": None,
        "stop_details": {"type": "refusal", "category": None, "explanation": "Not this."},
    }


def test_there_is_one_answer_only():
    with pytest.raises(ConfigError, match="no answers beside the first"):
        render(Answer(["a"], choices=[Answer(["b"])]), 4, False)


def test_an_error_is_an_event():
    assert error_frame("full", "overloaded_error").startswith(b"event: error\ndata: ")
    assert json.loads(error_frame("full", "overloaded_error").split(b"data: ")[1]) == {
        "type": "error",
        "error": {"type": "overloaded_error", "message": "full"},
    }
