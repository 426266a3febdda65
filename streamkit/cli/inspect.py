"""`streamkit inspect`: what a recorded body says."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from streamkit.accumulator import Accumulator
from streamkit.cli.escape import escape_json, visible
from streamkit.deltas import Delta, UnknownFrame
from streamkit.errors import ConfigError, StreamkitError, TruncatedStream
from streamkit.protocols import Parser, get_protocol
from streamkit.providers import get_provider

__all__ = ["inspect", "new_parser", "read_deltas"]

# How much of the input is read at a time, in bytes: output begins before a pipe has ended.
READ = 65536


def inspect(file: str, parser: Parser, *, deltas: bool = False, choices: bool = False) -> int:
    """Print the message of the body in `file` (`-` is standard input) as JSON; return the exit code.

    With `deltas` each delta is a line, with `choices` every answer is an item of a list. Of a broken body what there
    is goes to standard output, the error to standard error, and the code is 1. Raises `ConfigError` where the file
    cannot be read.
    """
    accumulator = Accumulator()
    code = 0
    kinds: set[type] = set()
    try:
        for delta in read_deltas(parser, _chunks(file)):
            kinds.add(type(delta))
            if deltas:
                _print(delta)
            else:
                accumulator.feed(delta)
    except StreamkitError as error:
        if isinstance(error, ConfigError):
            raise
        sys.stdout.flush()
        print(f"{type(error).__name__}: {visible(str(error))}", file=sys.stderr)
        if kinds == {UnknownFrame} and isinstance(error, TruncatedStream):
            print("Not one of its frames is of this dialect: is the body another's?", file=sys.stderr)
        code = 1
    if choices:
        _print(accumulator.outputs(), indent=2)
    elif not deltas:
        _print(accumulator.snapshot(), indent=2)
    return code


def new_parser(provider: str | None, protocol: str | None, framing: str | None) -> Parser:
    """Return a parser by the name of a provider or of a protocol; raises `ConfigError` for neither, both, unknown."""
    if (provider is None) == (protocol is None):
        raise ConfigError("say whose body it is: --provider or --protocol, one of the two")
    if provider is not None:
        return get_provider(provider).parser(framing=framing)
    return get_protocol(protocol or "").parser(framing=framing)


def read_deltas(parser: Parser, chunks: Iterable[bytes]) -> Iterator[Delta]:
    """Yield every delta of a body, those that come with an error before that is raised."""
    try:
        for chunk in chunks:
            yield from parser.feed(chunk)
        yield from parser.finish()
    except StreamkitError as error:
        yield from error.deltas
        raise


def _chunks(file: str) -> Iterator[bytes]:
    piped = file == "-"
    try:
        with open(0 if piped else file, "rb", buffering=0, closefd=not piped) as source:
            while chunk := source.read(READ):
                yield chunk
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror or error}") from None


def _print(value: Any, indent: int = 0) -> None:
    text = msgspec.json.encode(value)
    if indent:
        text = msgspec.json.format(text, indent=indent)
    sys.stdout.buffer.write(escape_json(text.decode()).encode() + b"\n")  # JSON is UTF-8, whatever the locale is
    sys.stdout.buffer.flush()
