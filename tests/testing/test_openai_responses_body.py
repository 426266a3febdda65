import json

import pytest

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Call, Refusal, Text, Thinking
from streamkit.testing.openai_responses_body import error_frame, extras, render
from streamkit.usage import Usage


def events(answer, piece=4, interleave=False):
    out = []
    for number, frame in enumerate(render(answer, piece, interleave)):
        name, data, *rest = frame.decode().split("\n")
        assert rest == ["", ""]
        event = json.loads(data.removeprefix("data: "))
        assert name == f"event: {event['type']}"
        assert event.pop("sequence_number") == number
        out.append(event)
    return out


def kinds(answer, **options):
    return [event["type"].removeprefix("response.") for event in events(answer, **options)]


BEGUN = {"type": "message", "id": "msg_0", "status": "completed", "role": "assistant", "content": []}
PART = {"type": "output_text", "text": "abcdef", "annotations": []}
PLACE = {"output_index": 0, "item_id": "msg_0", "content_index": 0}


def test_a_text_is_a_message_of_one_part():
    assert events(Answer(["abcdef"]))[1:-1] == [
        {"type": "response.output_item.added", "output_index": 0, "item": BEGUN},
        {"type": "response.content_part.added", **PLACE, "part": {**PART, "text": ""}},
        {"type": "response.output_text.delta", **PLACE, "delta": "abcd"},
        {"type": "response.output_text.delta", **PLACE, "delta": "ef"},
        {"type": "response.output_text.done", **PLACE, "text": "abcdef"},
        {"type": "response.content_part.done", **PLACE, "part": PART},
        {"type": "response.output_item.done", "output_index": 0, "item": {**BEGUN, "content": [PART]}},
    ]


def test_texts_and_a_refusal_in_a_row_are_parts_of_one_message():
    items = [
        event["item"]
        for event in events(Answer(["a", Text("b"), Refusal("no")]))
        if event["type"].endswith("item.done")
    ]
    assert [[part.get("text") or part.get("refusal") for part in item["content"]] for item in items] == [
        ["a", "b", "no"]
    ]


def test_thinking_is_a_summary_with_its_signature_encrypted():
    item = events(Answer([Thinking("abc", "sig")]))[-2]["item"]
    summary = [{"type": "summary_text", "text": "abc"}]
    assert item == {"type": "reasoning", "id": "rs_0", "summary": summary, "encrypted_content": "sig"}
    assert kinds(Answer([Thinking("", "sig")])) == ["created", "output_item.added", "output_item.done", "completed"]


def test_calls_come_one_by_one_or_take_turns():
    answer = Answer([Call("f", {"a": 1}), Call("g", "{}")])
    one_by_one = [event["output_index"] for event in events(answer) if event["type"].endswith("arguments.delta")]
    in_turns = [
        event["output_index"] for event in events(answer, interleave=True) if event["type"].endswith("item.added")
    ]
    assert one_by_one == [0, 0, 1]
    assert in_turns == [0, 1]
    assert kinds(answer, interleave=True)[1:3] == ["output_item.added", "output_item.added"]


ENDS = [
    ("stop", Answer(["a"]), "response.completed", "completed", None),
    ("a call", Answer([Call("f")]), "response.completed", "completed", None),
    (
        "no more tokens",
        Answer(["a"], finish="length"),
        "response.incomplete",
        "incomplete",
        {"reason": "max_output_tokens"},
    ),
    ("any word", Answer(["a"], raw_finish="odd"), "response.completed", "odd", None),
]


@pytest.mark.parametrize(
    ("answer", "kind", "status", "details"), [case[1:] for case in ENDS], ids=[case[0] for case in ENDS]
)
def test_the_last_event_has_the_whole_response(answer, kind, status, details):
    last = events(answer)[-1]
    assert last["type"] == kind
    response = last["response"]
    assert (response["status"], response["incomplete_details"]) == (status, details)
    assert len(response["output"]) == 1
    assert response["output"][0] == events(answer)[-2]["item"]


def test_usage_has_cached_tokens_within_the_input():
    usage = events(Answer(["a"], usage=Usage(1, 2, 30, 400, 1)))[-1]["response"]["usage"]
    assert usage == {
        "input_tokens": 431,
        "input_tokens_details": {"cached_tokens": 30, "cache_write_tokens": 400},
        "output_tokens": 2,
        "output_tokens_details": {"reasoning_tokens": 1},
        "total_tokens": 433,
    }
    assert events(Answer(["a"], usage=None))[-1]["response"]["usage"] is None


def test_each_block_ends_with_what_else_its_item_has():
    assert extras([Text("a"), Refusal("b"), Thinking("abc", "s"), Thinking(""), Call("f", id="c")]) == [
        {"id": "msg_0", "status": "completed"},
        {"id": "msg_0", "status": "completed"},
        {"id": "rs_1", "summary": [{"type": "summary_text", "text": 3}]},
        {"id": "rs_2", "summary": []},
        {"id": "fc_3", "status": "completed"},
    ]


def test_an_error_is_flat():
    assert error_frame("no", "server_error") == (
        b'event: error\ndata: {"type":"error","code":"server_error","message":"no","param":null}\n\n'
    )


def test_there_is_one_answer():
    with pytest.raises(ConfigError, match="choices"):
        render(Answer(["a"], choices=[Answer(["b"])]), 4, False)
