"""The command line; it needs the extra `cli`."""

from __future__ import annotations

import os
import sys

from streamkit.extras import how_to_install

__all__ = ["main"]

_EXTRA = {"rich", "typer"}


def main() -> None:
    """Run the command of `sys.argv`; exits with 2 where the set-up is wrong, the missing extra included.

    Exits with 1 where the output cannot be written: without a word where a pipe's reader has seen enough.
    """
    try:
        import rich  # noqa: F401 - the commands load it late

        from streamkit.cli.app import app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        print(f"The command line of streamkit needs its extra `cli`: {how_to_install('cli')}", file=sys.stderr)
        sys.exit(2)
    _fill_in_streams()
    try:
        app(prog_name="streamkit")
    except OSError as error:  # a full disk; commands say themselves what they cannot read
        print(f"OSError: {error}", file=sys.stderr)
        _drop_output()
        sys.exit(1)


def _drop_output() -> None:
    """Let what is buffered go nowhere: the interpreter would try it once more, and exit with a code of its own."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fill_in_streams() -> None:
    """Open the null device for each standard stream that the parent has closed; a socket would take its number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # for as long as the program runs
