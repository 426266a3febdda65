import io

import pytest
from rich.console import Console

from streamkit.cli.screen import Screen


def written(*, terminal, **options):
    file = io.StringIO()
    return file, Screen(Console(file=file, force_terminal=terminal, **options))


def test_text_is_appended_as_it_is():
    file, screen = written(terminal=False)
    for text in ("[bold]a[/bold] :smile: ", "", "b\tc ", " https://x.test 42\n", "\n"):
        screen.write(text, "bold red")
    assert file.getvalue() == "[bold]a[/bold] :smile: b\tc  https://x.test 42\n\n"


def test_a_long_line_is_left_to_the_terminal():
    file, screen = written(terminal=True, width=20)
    screen.write("word " * 100)
    assert file.getvalue() == "word " * 100


def test_what_could_control_the_terminal_is_made_visible():
    file, screen = written(terminal=True, color_system="standard")
    screen.write("\x1b]8;;https://evil\x07x\x9b2J")
    assert file.getvalue() == "\\x1b]8;;https://evil\\x07x\\x9b2J"


def test_a_style_is_put_around_the_text_on_a_terminal_alone():
    file, screen = written(terminal=True, color_system="standard")
    screen.write("a", "dim cyan")
    assert file.getvalue() == "\x1b[2;36ma\x1b[0m"
    file, screen = written(terminal=False)
    screen.write("a", "dim cyan")
    assert file.getvalue() == "a"


def test_no_color_is_honoured():
    file, screen = written(terminal=True, color_system="standard", no_color=True)
    screen.write("a", "bold cyan")
    assert file.getvalue() == "\x1b[1ma\x1b[0m"


def test_a_dumb_terminal_gets_no_codes(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    file, screen = written(terminal=True)
    screen.write("a", "bold")
    assert file.getvalue() == "a"


LINES = [
    ("after nothing", [], "x\n"),
    ("after a whole line", ["a\n"], "a\nx\n"),
    ("after a part of one", ["a"], "a\nx\n"),
    ("after nothing written", ["a\n", ""], "a\nx\n"),
]


@pytest.mark.parametrize(("before", "expected"), [case[1:] for case in LINES], ids=[case[0] for case in LINES])
def test_a_line_stands_by_itself(before, expected):
    file, screen = written(terminal=False)
    for text in before:
        screen.write(text)
    screen.line("x")
    assert file.getvalue() == expected


def test_a_gap_is_one_empty_line():
    file, screen = written(terminal=False)
    screen.write("a")
    screen.gap()
    screen.write("b")
    screen.line()
    screen.line()
    assert file.getvalue() == "a\n\nb\n"


def test_each_write_is_flushed():
    class Pipe(io.StringIO):
        flushed = ""

        def flush(self):
            self.flushed = self.getvalue()

    file = Pipe()
    Screen(Console(file=file)).write("token")
    assert file.flushed == "token"


HELD = [
    ("in the middle of a line", "a", "a\nline\nb\nc\n"),
    ("at the start of one", "a\n", "a\nline\nb\nc\n"),
    ("at the beginning", "", "line\nb\nc\n"),
]


@pytest.mark.parametrize(("before", "expected"), [case[1:] for case in HELD], ids=[case[0] for case in HELD])
def test_what_comes_while_somebody_types_follows_his_line(before, expected):
    file, screen = written(terminal=False)
    screen.write(before)
    with screen.held():
        screen.write("b")
        screen.line("c")
        file.write("line\n")
    assert file.getvalue() == expected
    screen.line("d")
    assert file.getvalue() == f"{expected}d\n"
