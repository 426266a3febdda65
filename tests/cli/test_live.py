import io

import pytest
from rich.console import Console

from streamkit.cli.live import SHOWN, Live
from streamkit.cli.screen import Screen
from streamkit.deltas import (
    AudioDelta,
    BlockAdded,
    CitationAdded,
    Logprobs,
    MessageEnd,
    MessageStart,
    RefusalDelta,
    RefusalEnd,
    RefusalStart,
    Replace,
    Retract,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UnknownFrame,
    UsageSnapshot,
)
from streamkit.messages import FinishReason
from streamkit.parts import ImagePart, ImageUrl, ValuePart
from streamkit.protocols import get_protocol
from streamkit.testing.scripts import SCRIPTED, Answer, Call, Thinking, render
from streamkit.usage import Usage

STOP = MessageEnd(FinishReason("stop"))


class Shown:
    def __init__(self, **options):
        self.file = io.StringIO()
        self.live = Live(Screen(Console(file=self.file, **options)))

    def feed(self, *deltas):
        for delta in deltas:
            self.live.show(delta)
        return self.file.getvalue()


CASES = [
    ("text", [TextStart(0), TextDelta(0, "Hel"), TextDelta(0, "lo"), TextEnd(0), STOP], "Hello\n"),
    (
        "thinking, then text",
        [ThinkingStart(0), ThinkingDelta(0, "hm"), ThinkingEnd(0), TextStart(1), TextDelta(1, "so"), TextEnd(1), STOP],
        "hm\nso\n",
    ),
    ("a call", [ToolCallStart(0, "i", "f"), ToolCallDelta(0, "{"), ToolCallDelta(0, "}"), STOP], "→ f {}\n"),
    ("a refusal", [RefusalStart(0), RefusalDelta(0, "no"), RefusalEnd(0), STOP], "no\n"),
    ("a result that is text", [MessageStart(role="tool"), BlockAdded(0, ValuePart("ok")), STOP], "← ok\n"),
    ("a result that is data", [MessageStart(role="tool"), BlockAdded(0, ValuePart({"a": [1]})), STOP], '← {"a":[1]}\n'),
    (
        "a block that came whole",
        [BlockAdded(0, ImagePart(ImageUrl("https://x.test/a.png"))), STOP],
        '← {"type":"image","image":{"type":"url","url":"https://x.test/a.png"}}\n',
    ),
    ("a revision", [TextStart(0), TextDelta(0, "ab"), Replace(0, "AB"), STOP], "ab\n[revised] AB\n"),
    ("a late revision", [TextStart(0), TextDelta(0, "ab"), TextEnd(0), Replace(0, "AB"), STOP], "ab\n[revised] AB\n"),
    ("speech", [AudioDelta(0, b"", "he"), AudioDelta(0, b"", "y"), STOP], "[audio] hey\n"),
    (
        "a retraction",
        [
            TextStart(0),
            TextDelta(0, "ab"),
            Retract("overloaded"),
            MessageStart(),
            TextStart(0),
            TextDelta(0, "c"),
            STOP,
        ],
        "ab\n[the answer begins again: overloaded]\nc\n",
    ),
    ("an end by length", [MessageEnd(FinishReason("length"))], "[ended by length]\n"),
    ("an end with a reason", [MessageEnd(FinishReason("refusal", reason="cyber"))], "[ended by refusal: cyber]\n"),
    ("a call at the end", [MessageEnd(FinishReason("tool_call"))], ""),
    (
        "nothing to see",
        [MessageStart(), Logprobs([]), CitationAdded(0, {}), UnknownFrame("x"), UsageSnapshot(Usage()), STOP],
        "",
    ),
]


@pytest.mark.parametrize(("deltas", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_deltas_are_shown_as_text(deltas, expected):
    assert Shown().feed(*deltas) == expected


def test_text_and_arguments_are_on_the_screen_with_their_delta():
    shown = Shown()
    shown.feed(TextStart(0))
    assert shown.feed(TextDelta(0, "Hel")) == "Hel"
    assert shown.feed(TextDelta(0, "lo")) == "Hello"
    shown.feed(TextEnd(0), ToolCallStart(1, "i", "f"))
    assert shown.feed(ToolCallDelta(1, '{"a"')) == 'Hello\n→ f {"a"'


def test_of_parallel_calls_one_grows_and_the_others_wait_for_their_turn():
    shown = Shown()
    shown.feed(ToolCallStart(0, "i", "f"), ToolCallStart(1, "j", "g"), ToolCallStart(2, "k", "h"))
    assert shown.feed(ToolCallDelta(0, "{"), ToolCallDelta(1, "["), ToolCallDelta(2, "(")) == "→ f {"
    assert shown.feed(ToolCallDelta(1, "]"), ToolCallEnd(1)) == "→ f {"
    assert shown.feed(ToolCallDelta(0, "}"), ToolCallEnd(0)) == "→ f {}\n→ g []\n→ h ("
    assert shown.feed(ToolCallDelta(2, ")")) == "→ f {}\n→ g []\n→ h ()"


def test_a_stream_that_breaks_loses_nothing_of_what_waited():
    shown = Shown()
    shown.feed(ToolCallStart(0, "i", "f"), ToolCallStart(1, "j", "g"), ToolCallDelta(1, "[1"), ToolCallDelta(0, "{"))
    shown.live.close()
    assert shown.file.getvalue() == "→ f {\n→ g [1\n"


def test_choices_are_shown_one_after_another():
    shown = Shown()
    shown.feed(TextStart(0), TextStart(0, choice=1), TextDelta(0, "b", choice=1), TextDelta(0, "a"))
    assert shown.feed(TextEnd(0), TextEnd(0, choice=1), STOP) == "a\nb\n"


def test_a_long_result_is_cut_and_says_so():
    text = Shown().feed(MessageStart(role="tool"), BlockAdded(0, ValuePart("x" * (SHOWN + 5))), STOP)
    assert text == f"← {'x' * SHOWN}… (5 characters more)\n"


@pytest.mark.parametrize("protocol", SCRIPTED)
@pytest.mark.parametrize("interleave", [False, True])
def test_a_whole_answer_is_shown_in_the_order_of_its_blocks(protocol, interleave):
    answer = Answer([Thinking("hm"), "Let me see.", Call("f", {"a": 1}), Call("g", {"b": 2})])
    parser = get_protocol(protocol).parser()
    body = render(answer, protocol, interleave=interleave)
    assert Shown().feed(*parser.feed(body), *parser.finish()) == ('hm\nLet me see.\n→ f {"a":1}\n→ g {"b":2}\n')


def test_each_kind_of_block_has_its_style_on_a_terminal():
    shown = Shown(force_terminal=True, color_system="standard")
    text = shown.feed(
        *(ThinkingStart(0), ThinkingDelta(0, "hm"), ThinkingEnd(0), TextStart(1), TextDelta(1, "so"), TextEnd(1)),
        *(ToolCallStart(2, "i", "f"), ToolCallDelta(2, "{}"), ToolCallEnd(2), STOP),
    )
    assert "\x1b[2;3mhm\x1b[0m" in text
    assert "\nso\n" in text
    assert "\x1b[36m{}\x1b[0m" in text


def test_a_sequence_cut_over_deltas_never_becomes_whole():
    shown = Shown(force_terminal=True)
    text = shown.feed(TextStart(0), *(TextDelta(0, char) for char in "\x1b]52;c;cm0=\x07"), TextEnd(0), STOP)
    assert text == "\\x1b]52;c;cm0=\\x07\n"
