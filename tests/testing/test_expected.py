import pytest

from streamkit.accumulator import Accumulator
from streamkit.errors import ConfigError
from streamkit.messages import FinishReason
from streamkit.parts import FunctionCall, FunctionPart, RefusalPart, TextPart
from streamkit.protocols import get_protocol
from streamkit.testing.expected import expected
from streamkit.testing.scripts import SCRIPTED, Answer, Call, Refusal, Text, Thinking, render
from streamkit.usage import Usage

ANSWERS = [
    ("text", Answer(["Hello, wörld 👋🏽"])),
    ("nothing", Answer([])),
    ("empty text", Answer([Text("")])),
    ("two blocks of text", Answer(["a", "b"])),
    ("thinking, text, call", Answer([Thinking("Hm. Hm.", "sig"), "Let me look.", Call("f", {"a": [1, {"b": None}]})])),
    ("thinking that is not signed", Answer([Thinking("Hm."), "So."])),
    ("a signature without text", Answer([Thinking("", "sig"), "So."])),
    ("two signed thoughts around a call", Answer([Thinking("a", "s1"), Call("f"), Thinking("b", "s2"), "c"])),
    ("text after a call", Answer([Call("f", {"x": 1}), "done"])),
    ("three calls, one without arguments", Answer([Call("f", {"n": 2**70}), Call("g"), Call("f", {"é": "ü"}, id="x")])),
    ("arguments that are empty", Answer([Call("f", "")])),
    ("arguments that are not JSON", Answer([Call("f", '{"a": tru')])),
    ("arguments that are no object", Answer([Call("f", "[1]")])),
    ("a refusal", Answer([Refusal("I cannot.")])),
    ("a refusal after text", Answer(["Well, ", Refusal("no.")])),
    ("cut by length", Answer(["a"], finish="length")),
    ("no usage", Answer(["a"], usage=None)),
    ("all counts", Answer(["a"], usage=Usage(1, 9, 20, 300, 4))),
]


def read(body, protocol):
    parser = get_protocol(protocol).parser(provider="acme")
    accumulator = Accumulator()
    for delta in parser.feed(body) + parser.finish():
        accumulator.feed(delta)
    return accumulator.outputs()


@pytest.mark.parametrize("protocol", SCRIPTED)
@pytest.mark.parametrize("answer", [case[1] for case in ANSWERS], ids=[case[0] for case in ANSWERS])
@pytest.mark.parametrize("options", [{}, {"piece": 1}, {"interleave": True}], ids=["fours", "ones", "interleaved"])
def test_what_is_expected_is_what_the_pipeline_reads(protocol, answer, options):
    assert read(render(answer, protocol, **options), protocol) == [expected(answer, protocol, "acme")]


def test_each_choice_is_expected_by_itself():
    other = Answer([Call("f")], usage=None)
    outputs = read(render(Answer(["one"], choices=[other])), "openai-chat")
    assert [output.message for output in outputs] == [expected(Answer(["one"])).message, expected(other).message]


def test_the_expectation_itself():
    answer = Answer([Thinking("Hm.", "sig"), "Yes.", Call("f", {"a": 1}, "id1")], id="r", model="m")
    output = expected(answer, "anthropic", "acme")
    assert output.message.thinking == "Hm."
    assert output.message.signature == "sig"
    assert output.message.contents == [TextPart("Yes.")]
    assert output.message.tool_calls == [FunctionPart("id1", FunctionCall("f", {"a": 1}))]
    assert output.finish_reason == FinishReason("tool_call", raw="tool_use")
    assert (output.id, output.model, output.provider, output.usage) == ("r", "m", "acme", answer.usage)
    assert expected(answer).message.signature is None
    refusal = expected(Answer([Refusal("No.")])).message
    assert refusal.contents == [RefusalPart("No.")]


def test_other_dialects_are_refused_by_name():
    with pytest.raises(ConfigError, match="not for 'morse'"):
        expected(Answer(["a"]), "morse")
