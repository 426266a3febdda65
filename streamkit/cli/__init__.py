"""The command line; it needs the extra `cli`."""

from __future__ import annotations

import sys

__all__ = ["main"]

_EXTRA = {"rich", "typer"}


def main() -> None:
    """Run the command of `sys.argv`; exits with 2 where the set-up is wrong, the missing extra included."""
    try:
        import rich  # noqa: F401 - the commands load it late

        from streamkit.cli.app import app
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _EXTRA:
            raise
        print("The command line of streamkit needs the extra `cli`: pip install 'streamkit[cli]'", file=sys.stderr)
        sys.exit(2)
    app(prog_name="streamkit")
