"""The standard error of a process: logged, and its end kept."""

from __future__ import annotations

import logging
import os
import sys

import anyio
import pytest

from streamkit.mcp.stderr import KEPT, MAX_LINE, StderrLog

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a pipe cannot be waited for on Windows")


async def test_lines_are_logged_as_they_come_with_nothing_that_acts_on_a_terminal(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO, "streamkit.mcp")
    log = StderrLog("server")
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(log.run)
        os.write(log.writer.fileno(), b"one\n\nt\x1b[2Jwo\nhalf")
        with anyio.fail_after(5):
            while len(log.lines) < 2:  # noqa: ASYNC110 # a log tells nobody
                await anyio.sleep(0.001)
        log.writer.close()  # which is its end
    log.close()
    assert list(log.lines) == ["one", "t\x1b[2Jwo", "half"]
    assert [record.getMessage() for record in caplog.records] == [
        "server: 'one'",
        r"server: 't\x1b[2Jwo'",
        "server: 'half'",
    ]


def test_what_is_kept_is_bounded() -> None:
    log = StderrLog("server")
    os.write(log.writer.fileno(), b"x" * (MAX_LINE * 3) + b"\n" + b"\xff\n" * KEPT)
    assert log.read()
    log.close()
    assert len(log.lines) == KEPT
    assert max(map(len, log.lines)) <= MAX_LINE
