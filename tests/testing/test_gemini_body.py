import json

import pytest

from streamkit.testing.answers import Answer, Call, Refusal, Text, Thinking
from streamkit.testing.gemini_body import error_frame, heard, render
from streamkit.usage import Usage


def records(answer, piece=4):
    frames = render(answer, piece, False)
    assert all(frame.startswith(b"data: {") and frame.endswith(b"}\n\n") for frame in frames)
    return [json.loads(frame[6:]) for frame in frames]


def parts(answer, **options):
    """The parts between the opening and the end."""
    return [record["candidates"][0]["content"]["parts"][0] for record in records(answer, **options)[1:-1]]


CASES = [
    ("text", Answer(["abcdef"]), [{"text": "abcd"}, {"text": "ef"}]),
    (
        "signed thinking",
        Answer([Thinking("abc", "sig")]),
        [{"text": "abc", "thought": True}, {"text": "", "thought": True, "thoughtSignature": "sig"}],
    ),
    (
        "a call, whole",
        Answer([Call("f", {"a": 1}, "id1")]),
        [{"functionCall": {"id": "id1", "name": "f", "args": {"a": 1}}}],
    ),
    (
        "arguments that are no object",
        Answer([Call("f", "[1", "id1")]),
        [{"functionCall": {"id": "id1", "name": "f", "args": "[1"}}],
    ),
    ("a refusal", Answer([Refusal("no")]), []),
]


@pytest.mark.parametrize(("answer", "said"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_an_answer_becomes_parts(answer, said):
    assert parts(answer) == said


def test_the_end_has_the_reason_and_the_counts():
    usage = Usage(input_tokens=1, output_tokens=9, cache_read_tokens=20, reasoning_tokens=4)
    first, *_, last = records(Answer(["a"], usage=usage))
    assert first == {
        "candidates": [{"index": 0, "content": {"role": "model"}}],
        "modelVersion": "scripted-model",
        "responseId": "resp_1",
    }
    assert last["candidates"] == [
        {"index": 0, "content": {"role": "model", "parts": [{"text": ""}]}, "finishReason": "STOP"}
    ]
    assert last["usageMetadata"] == {
        "promptTokenCount": 21,
        "cachedContentTokenCount": 20,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 4,
        "totalTokenCount": 30,
    }
    assert "usageMetadata" not in records(Answer(["a"], usage=None))[-1]


def test_a_refusal_is_told_by_the_finish_reason():
    end = records(Answer(["Well", Refusal("not this")]))[-1]["candidates"][0]
    assert (end["finishReason"], end["finishMessage"]) == ("SAFETY", "not this")


def test_candidates_take_turns():
    answer = Answer(["ab"], choices=[Answer(["xy"], finish="length")])
    indices = [[candidate["index"] for candidate in record["candidates"]] for record in records(answer, piece=1)]
    assert indices == [[0, 1], [0], [1], [0], [1], [0], [1]]


def test_what_is_heard():
    answer = Answer(
        ["a", "", "b", Thinking("c"), Thinking("d", "s"), Thinking("e"), Call("f"), Refusal("no")],
        usage=Usage(1, 2, 3, 4, 5),
    )
    said = heard(answer)
    assert said.blocks == [
        *(Text("ab"), Thinking("cd"), Thinking("", "s"), Thinking("e")),
        *(Call("f", {}, "call_0"), Refusal("no")),
    ]
    assert said.usage == Usage(5, 5, 3, None, 5)


def test_an_error_is_a_record():
    frame = error_frame("full", "UNAVAILABLE")
    assert json.loads(frame[6:]) == {"error": {"code": 503, "message": "full", "status": "UNAVAILABLE"}}
