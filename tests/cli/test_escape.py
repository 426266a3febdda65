import json
import unicodedata

import pytest

from streamkit.cli.escape import escape_json, visible

CASES = [
    ("plain", "Hello, wörld 👋🏽", "Hello, wörld 👋🏽"),
    ("newline and tab stay", "a\n\tb", "a\n\tb"),
    ("carriage return cannot rewrite a line", "safe\rEVIL", "safe\\x0dEVIL"),
    ("colour", "\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
    ("cursor up and erase", "\x1b[2A\x1b[2K", "\\x1b[2A\\x1b[2K"),
    (
        "hyperlink, OSC 8 ended by BEL",
        "\x1b]8;;https://evil\x07ok\x1b]8;;\x07",
        "\\x1b]8;;https://evil\\x07ok\\x1b]8;;\\x07",
    ),
    ("hyperlink ended by ST", "\x1b]8;;https://evil\x1b\\", "\\x1b]8;;https://evil\\x1b\\"),
    ("clipboard, OSC 52", "\x1b]52;c;cm0=\x07", "\\x1b]52;c;cm0=\\x07"),
    ("one-character CSI", "\x9b31m", "\\x9b31m"),
    ("one-character OSC and ST", "\x9d0;title\x9c", "\\x9d0;title\\x9c"),
    ("backspace, bell, null, delete", "\x08\x07\x00\x7f", "\\x08\\x07\\x00\\x7f"),
    ("right-to-left override", "user\u202etxt.exe", "user\\u202etxt.exe"),
    ("isolates", "\u2066a\u2069", "\\u2066a\\u2069"),
    ("joined emoji stay whole", "👩\u200d👩\u200d👧", "👩\u200d👩\u200d👧"),
    ("right-to-left text needs its marks", "שלום\u200f!", "שלום\u200f!"),
    ("lone surrogate", "a\ud83db", "a\ufffdb"),
    ("no markup", "[bold]x[/bold] :smile: **b**", "[bold]x[/bold] :smile: **b**"),
]


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_controls_are_seen_and_all_else_is_kept(text, expected):
    assert visible(text) == expected


@pytest.mark.parametrize("text", [case[1] for case in CASES], ids=[case[0] for case in CASES])
def test_any_cut_of_the_text_shows_the_same(text):
    for at in range(len(text) + 1):
        assert visible(text[:at]) + visible(text[at:]) == visible(text)


def test_no_control_character_is_left():
    shown = visible("".join(map(chr, range(0x110000))))
    left = {char for char in shown if unicodedata.category(char) in ("Cc", "Cs")}
    assert left == {"\n", "\t"}


def test_json_keeps_its_meaning_and_holds_no_control_character():
    value = {"text": "".join(map(chr, [*range(0x100), 0x202E, 0x2069]))}
    shown = escape_json(json.dumps(value, ensure_ascii=False))
    assert json.loads(shown) == value
    assert not any(unicodedata.category(char) == "Cc" for char in shown)
    assert "\u202e" not in shown
