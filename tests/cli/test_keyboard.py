"""A watched keyboard, at a real terminal; lines that are typed on it are in test_chat."""

import os
import pty
import sys
import termios
from concurrent.futures import Future
from threading import Timer

import pytest

from streamkit.cli.keyboard import can_be_watched, watched


@pytest.fixture
def keys(monkeypatch):
    """The far side of the terminal at standard input."""
    ours, theirs = pty.openpty()
    with open(theirs) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield ours
    os.close(ours)


def modes():
    return termios.tcgetattr(sys.stdin)[3] & (termios.ICANON | termios.ECHO)


def test_a_key_is_seen_before_its_line_is_and_left_to_be_read(keys):
    done = Future()
    with watched(done) as keyboard:
        os.write(keys, b"a")
        assert keyboard.pressed()
        assert keyboard.pressed()
        assert os.read(sys.stdin.fileno(), 10) == b"a"
        done.set_result(None)
    os.write(keys, b"b\n")
    assert os.read(keys, 10) == b"b\r\n"  # the echo of what was typed when nobody watched any more


def cancel(done):
    done.cancel()
    done.set_running_or_notify_cancel()  # the task has ended


@pytest.mark.parametrize("end", [lambda done: done.set_result(None), cancel], ids=["finished", "cancelled"])
def test_the_end_is_heard_at_once_and_keys_are_left_to_the_next(keys, end):
    done = Future()
    with watched(done) as keyboard:
        Timer(0.05, end, [done]).start()
        assert not keyboard.pressed()
        os.write(keys, b"a")
        assert not keyboard.pressed()
    assert modes() == termios.ICANON | termios.ECHO


def test_the_terminal_is_left_as_it_was_also_by_an_error(keys):
    before, done = termios.tcgetattr(sys.stdin), Future()
    done.set_result(None)
    with pytest.raises(ZeroDivisionError), watched(done):
        assert modes() == 0
        raise ZeroDivisionError
    assert termios.tcgetattr(sys.stdin) == before


def test_nothing_is_watched_without_the_editing_of_lines(monkeypatch):
    assert can_be_watched()
    monkeypatch.setitem(sys.modules, "readline", None)
    assert not can_be_watched()
