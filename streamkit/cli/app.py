"""The commands and their arguments; each loads what it needs when it runs."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from streamkit.errors import ConfigError, StreamkitError

__all__ = ["app"]

app = typer.Typer(
    help="Streams of LLM providers: watch them, chat, look into recorded ones.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(asked: bool) -> None:
    if asked:
        from streamkit import __version__

        typer.echo(f"streamkit {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Show version.")] = False,
) -> None:
    # A terminal may lack characters, and a pipe may hold bytes that are none.
    for stream, errors in ((sys.stdout, "backslashreplace"), (sys.stderr, "backslashreplace"), (sys.stdin, "replace")):
        stream.reconfigure(errors=errors)  # type: ignore[union-attr] # these three are text files


@app.command("demo", short_help="Watch an agent think, call a tool and answer.")
def _demo(
    pace: Annotated[float, typer.Option(help="Seconds between two events of the model.", min=0)] = 0.03,
) -> None:
    """Watch an agent think, call a tool and answer; needs no key and no network."""
    from streamkit.cli.demo import demo

    _exit_with(lambda: demo(pace))


@app.command("chat", short_help="Chat with any model.")
def _chat(
    model: Annotated[str, typer.Argument(help="provider/model, or local.", show_default=False)],
    system: Annotated[str | None, typer.Option(help="The instruction (system message) of the conversation.")] = None,
    base_url: Annotated[str | None, typer.Option(help="Another address than the provider's own.")] = None,
    thinking: Annotated[str | None, typer.Option(help="off, low, medium, high …, or a number of tokens.")] = None,
    save: Annotated[Path | None, typer.Option(help="Write the history here after each answer, as JSON.")] = None,
    resume: Annotated[Path | None, typer.Option(help="Go on with the history in this file.")] = None,
) -> None:
    """Chat with any model: Ctrl-C stops an answer, Ctrl-D or a second Ctrl-C leaves.

    A line that you type during an answer is queued, and said when the answer is over: the answer waits on the screen
    while you type, Ctrl-C drops the line, and Ctrl-D leaves after the answer. Not so on Windows, where a terminal
    cannot be watched: type there when the prompt is back.

    The key is taken from the provider's environment variable. `streamkit chat local` runs a small model on this
    machine (extra `local`). From a pipe, each line is a question.
    """
    from streamkit.cli.chat import chat

    _exit_with(lambda: chat(model, system=system, base_url=base_url, thinking=thinking, save=save, resume=resume))


@app.command("inspect")
def _inspect(
    file: Annotated[str, typer.Argument(help="A recorded body; - reads standard input.", show_default=False)],
    provider: Annotated[str | None, typer.Option(help="The provider that sent it, such as deepseek.")] = None,
    protocol: Annotated[str | None, typer.Option(help="Or the dialect it is in, such as anthropic.")] = None,
    framing: Annotated[str | None, typer.Option(help="Its framing, as ndjson, where not the dialect's own.")] = None,
    deltas: Annotated[bool, typer.Option("--deltas", help="Print the deltas, one a line.")] = False,
    choices: Annotated[bool, typer.Option("--choices", help="Print every answer (n > 1), as a list.")] = False,
) -> None:
    """Print the message that a recorded body holds, as JSON.

    Of a body that is cut short or broken, what there is goes to standard output, the error to standard error, and
    the exit code is 1.
    """
    from streamkit.cli.inspect import inspect, new_parser

    _exit_with(lambda: inspect(file, new_parser(provider, protocol, framing), deltas=deltas, choices=choices))


@app.command("providers", short_help="List the providers, and what each takes.")
def _providers(
    name: Annotated[str | None, typer.Argument(help="One of them, in full.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print them as JSON.")] = False,
) -> None:
    """List the providers: their keys and addresses, and what each takes.

    Whether a key is set is told, never the key.
    """
    from streamkit.cli.providers import list_providers

    _exit_with(lambda: list_providers(name, as_json=as_json))


def _exit_with(command: Callable[[], int]) -> None:
    """Run `command` and exit with its code: 2 for a wrong set-up, 1 for any other error of ours."""
    from streamkit.cli.escape import visible

    try:
        code = command()
    except StreamkitError as error:
        print(f"{type(error).__name__}: {visible(str(error))}", file=sys.stderr)
        code = 2 if isinstance(error, ConfigError) else 1
    raise typer.Exit(code)
