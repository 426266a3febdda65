import json

import pytest

from streamkit.errors import ConfigError
from streamkit.limits import Limits
from streamkit.testing.answers import Answer, Call, Refusal, Text, Thinking
from streamkit.testing.bedrock_body import error_frame, heard, render
from streamkit.usage import Usage
from streamkit.wire import new_decoder


def events(answer, piece=4, interleave=False):
    """The events of the stream with their names, without their padding."""
    decoder = new_decoder("aws-eventstream", Limits())
    out = []
    for frame in decoder.feed(b"".join(render(answer, piece, interleave))):
        event = json.loads(frame.data)
        assert event.pop("p")
        out.append((frame.event, event))
    assert decoder.finish() == []
    return out


def delta(key, **said):
    return "contentBlockDelta", {"contentBlockIndex": key, "delta": said}


def stop(key):
    return "contentBlockStop", {"contentBlockIndex": key}


def start(key, id, name):
    return "contentBlockStart", {"contentBlockIndex": key, "start": {"toolUse": {"toolUseId": id, "name": name}}}


CASES = [
    ("text", Answer(["abcdef"]), [delta(0, text="abcd"), delta(0, text="ef"), stop(0)]),
    ("a refusal", Answer([Refusal("no")]), [delta(0, text="no"), stop(0)]),
    (
        "signed thinking",
        Answer([Thinking("abc", "sig")]),
        [delta(0, reasoningContent={"text": "abc"}), delta(0, reasoningContent={"signature": "sig"}), stop(0)],
    ),
    (
        "a call after text",
        Answer(["a", Call("f", {"a": 1}, "id1")]),
        [
            delta(0, text="a"),
            stop(0),
            start(1, "id1", "f"),
            delta(1, toolUse={"input": '{"a"'}),
            delta(1, toolUse={"input": ":1}"}),
            stop(1),
        ],
    ),
]


@pytest.mark.parametrize(("answer", "said"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_an_answer_becomes_events(answer, said):
    first, *between, _, _ = events(answer)
    assert first == ("messageStart", {"role": "assistant"})
    assert between == said


def test_calls_may_take_turns():
    names = [
        (name, event["contentBlockIndex"])
        for name, event in events(Answer([Call("f", "ab"), Call("g", "cd")]), 1, True)[1:-2]
    ]
    assert names[:4] == [
        ("contentBlockStart", 0),
        ("contentBlockStart", 1),
        ("contentBlockDelta", 0),
        ("contentBlockDelta", 1),
    ]


ENDS = [
    ("a stop", Answer(["a"]), "end_turn"),
    ("a call", Answer([Call("f")]), "tool_use"),
    ("a refusal", Answer([Refusal("no")]), "content_filtered"),
    ("a cut", Answer(["a"], finish="length"), "max_tokens"),
    ("any word", Answer(["a"], raw_finish="danced"), "danced"),
]


@pytest.mark.parametrize(("answer", "word"), [case[1:] for case in ENDS], ids=[case[0] for case in ENDS])
def test_the_counts_come_behind_the_end(answer, word):
    *_, end, counts = events(answer)
    assert end == ("messageStop", {"stopReason": word})
    usage = {"inputTokens": 12, "outputTokens": 7, "totalTokens": 19}
    assert counts == ("metadata", {"usage": usage, "metrics": {"latencyMs": 25}})


def test_counts_of_the_cache_are_sent_and_none_where_there_are_none():
    usage = Usage(1, 2, 30, 4)
    assert events(Answer(["a"], usage=usage))[-1][1]["usage"] == {
        "inputTokens": 1,
        "outputTokens": 2,
        "totalTokens": 37,
        "cacheReadInputTokens": 30,
        "cacheWriteInputTokens": 4,
    }
    assert "usage" not in events(Answer(["a"], usage=None))[-1][1]


def test_what_can_be_said_has_no_id_no_model_and_no_refusal():
    said = heard(Answer([Refusal("no")], usage=Usage(1, 2, reasoning_tokens=1)))
    assert said == Answer([Text("no")], "refusal", None, Usage(1, 2), "", "")


def test_an_error_is_an_exception_of_the_stream():
    decoder = new_decoder("aws-eventstream", Limits())
    frames = decoder.feed(error_frame("slow", "throttlingException") + error_frame("busy", "overloaded_error"))
    assert [json.loads(frame.data) for frame in frames] == [
        {"type": "throttlingException", "message": "slow"},
        {"type": "serviceUnavailableException", "message": "busy"},
    ]


def test_there_is_one_answer():
    with pytest.raises(ConfigError, match="choices"):
        render(Answer(["a"], choices=[Answer(["b"])]), 4, False)
