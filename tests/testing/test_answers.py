import pytest

from streamkit.testing.answers import Answer, Call, Refusal, Text, Thinking, cut, take_turns

FINISHES = [
    ("text", Answer(["hi"]), "stop"),
    ("a call", Answer(["hi", Call("f")]), "tool_call"),
    ("a refusal", Answer([Refusal("no")]), "refusal"),
    ("as given", Answer([Call("f")], finish="length"), "length"),
    ("nothing", Answer([]), "stop"),
]


def test_strings_are_text_and_calls_get_ids_by_their_place():
    answer = Answer(["a", Thinking("b", "sig"), Call("f"), Call("g", id="mine"), Call("h")])
    assert answer.parts() == [
        Text("a"),
        Thinking("b", "sig"),
        Call("f", id="call_0"),
        Call("g", id="mine"),
        Call("h", id="call_2"),
    ]


@pytest.mark.parametrize(("answer", "finish"), [case[1:] for case in FINISHES], ids=[case[0] for case in FINISHES])
def test_the_finish_follows_from_the_blocks(answer, finish):
    assert answer.finish_type == finish


def test_arguments_are_json_or_the_text_given():
    assert Call("f", {"n": 12345678901234567890, "s": "é"}).text == '{"n":12345678901234567890,"s":"é"}'
    assert Call("f", '{"n":').text == '{"n":'
    assert Call("f").text == "{}"


def test_text_is_cut_in_pieces():
    assert list(cut("abcde", 2)) == ["ab", "cd", "e"]
    assert list(cut("", 2)) == []


def test_runs_take_turns_until_the_longest_ends():
    assert take_turns([[1, 4], [2, 5, 6], [3]]) == [1, 2, 3, 4, 5, 6]
    assert take_turns([]) == []
