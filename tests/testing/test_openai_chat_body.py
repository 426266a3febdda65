import json

import pytest

from streamkit.testing.answers import Answer, Call, Refusal, Thinking
from streamkit.testing.openai_chat_body import error_frame, render
from streamkit.usage import Usage


def chunks(answer, piece=4, interleave=False):
    *frames, end = render(answer, piece, interleave)
    assert end == b"data: [DONE]\n\n"
    assert all(frame.startswith(b"data: ") and frame.endswith(b"\n\n") for frame in frames)
    return [json.loads(frame.removeprefix(b"data: ")) for frame in frames]


def deltas(answer, **options):
    return [choice["delta"] for chunk in chunks(answer, **options) for choice in chunk["choices"]]


CASES = [
    (
        "text",
        Answer(["abcdef"]),
        [{"role": "assistant", "content": ""}, {"content": "abcd"}, {"content": "ef"}, {}],
    ),
    (
        "thinking, its signature left out",
        Answer([Thinking("abc", "sig")]),
        [{"role": "assistant", "content": None}, {"reasoning_content": "abc"}, {}],
    ),
    ("a refusal", Answer([Refusal("no")]), [{"role": "assistant", "content": None}, {"refusal": "no"}, {}]),
    (
        "a call",
        Answer([Call("f", {"a": 1}, "id1")]),
        [
            {"role": "assistant", "content": None},
            {"tool_calls": [{"index": 0, "id": "id1", "type": "function", "function": {"name": "f", "arguments": ""}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": '{"a"'}}]},
            {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]},
            {},
        ],
    ),
]


@pytest.mark.parametrize(("answer", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_an_answer_becomes_deltas(answer, expected):
    assert deltas(answer) == expected


def test_calls_follow_one_another_or_take_turns():
    answer = Answer([Call("f", {"a": 1}), Call("g", {"b": 2})])

    def order(**options):
        return [delta["tool_calls"][0]["index"] for delta in deltas(answer, **options) if "tool_calls" in delta]

    assert order() == [0, 0, 0, 1, 1, 1]
    assert order(interleave=True) == [0, 1, 0, 1, 0, 1]


def test_calls_are_numbered_on_after_text():
    calls = [delta["tool_calls"][0] for delta in deltas(Answer([Call("f"), "x", Call("g")])) if "tool_calls" in delta]
    assert [(call["index"], call.get("id")) for call in calls] == [(0, "call_0"), (0, None), (1, "call_1"), (1, None)]


def test_choices_take_turns_and_usage_comes_last_without_any():
    *said, last = chunks(Answer(["a"], choices=[Answer(["b"], finish="length")]))
    assert [chunk["choices"][0]["index"] for chunk in said] == [0, 1, 0, 1, 0, 1]
    assert [chunk["choices"][0]["finish_reason"] for chunk in said] == [None] * 4 + ["stop", "length"]
    assert last["choices"] == []
    assert last["usage"] == {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19}


def test_the_prompt_counts_what_the_cache_had():
    usage = Usage(input_tokens=1, output_tokens=9, cache_read_tokens=20, cache_write_tokens=300, reasoning_tokens=4)
    assert chunks(Answer(["a"], usage=usage))[-1]["usage"] == {
        "prompt_tokens": 321,
        "completion_tokens": 9,
        "total_tokens": 330,
        "prompt_tokens_details": {"cached_tokens": 20, "cache_write_tokens": 300},
        "completion_tokens_details": {"reasoning_tokens": 4},
    }


def test_no_usage_is_sent_where_there_is_none():
    assert not any("usage" in chunk for chunk in chunks(Answer(["a"], usage=None)))


def test_the_word_for_the_end_may_be_any():
    assert chunks(Answer(["a"], raw_finish="eos"))[-2]["choices"][0]["finish_reason"] == "eos"


def test_an_error_is_a_record_with_a_top_level_error():
    frame = json.loads(error_frame("full", "overloaded_error").removeprefix(b"data: "))
    assert frame == {"error": {"message": "full", "type": "overloaded_error", "param": None, "code": None}}
