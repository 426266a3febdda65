import io
import os
import subprocess
import sys

import pytest
from rich.console import Console

from streamkit.cli.demo import ABOUT, QUESTION, demo
from streamkit.cli.screen import Screen

SHOWN = f"""\
{ABOUT}
> {QUESTION}
Two sums. I should not do these in my head: the second has nineteen digits.
I will let the calculator work out both.
→ calculate {{"expression":"366 * 24 * 60 * 60"}}
→ calculate {{"expression":"2 ** 63"}}
← 31622400
← 9223372036854775808
A leap year has 31,622,400 seconds.
The last of the 64 squares holds 9,223,372,036,854,775,808 grains of rice.
Counted at one grain a second, that takes 291,672,107,014 leap years.

"""


@pytest.fixture
def no_way_out(monkeypatch):
    """No key, no network: any request that leaves the machine goes to a proxy that is not there."""
    for name in list(os.environ):
        if name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")


def test_the_demo_shows_a_turn_with_its_tool_calls_and_a_summary(no_way_out):
    file = io.StringIO()
    assert demo(0, Screen(Console(file=file))) == 0
    shown, summary = file.getvalue()[: len(SHOWN)], file.getvalue()[len(SHOWN) :]
    assert shown == SHOWN
    assert summary.count("\n") == 1
    for part in (" tokens in · ", " out · ", "first token after ", " tokens/s\n"):
        assert part in summary


def test_on_a_terminal_thinking_is_dim_and_the_call_has_a_colour(no_way_out):
    file = io.StringIO()
    demo(0, Screen(Console(file=file, force_terminal=True, color_system="standard")))
    assert "\x1b[2;3mTwo \x1b[0m" in file.getvalue()
    assert '\x1b[36m{"ex\x1b[0m' in file.getvalue()
    assert "\x1b[32m← 31622400\x1b[0m" in file.getvalue()


def test_the_command_streams_plain_text_where_there_is_no_terminal(no_way_out):
    command = [sys.executable, "-W", "error", "-m", "streamkit", "demo", "--pace", "0.005"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        head = os.read(child.stdout.fileno(), 40)
        assert child.poll() is None, "the first words are there while the model is still speaking"
        out, err = child.communicate(timeout=60)
    assert (child.returncode, err) == (0, b"")
    shown = (head + out).decode()
    assert shown.startswith(SHOWN)
    assert "\x1b" not in shown
