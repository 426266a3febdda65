"""Keys: where they come from, and that nothing shows them."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias, Union

from streamkit.errors import APIError, ConfigError, ProtocolError, StreamkitError
from streamkit.protocols.failures import scrub

__all__ = ["ApiKey", "Secret", "check_header", "find_key", "problem_of", "scrub_error"]

# A key, or a function that gives one for each request.
ApiKey: TypeAlias = Union[str, Callable[[], Union[str, Awaitable[str]]]]


class Secret:
    """A text that is sent and never shown: neither `repr` nor `str` has it."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text, for the header that carries it and for finding it in what came back."""
        return self._text

    def __repr__(self) -> str:
        return "<secret>"


def find_key(given: ApiKey | None, *, provider: str, variable: str, optional: bool) -> Secret | None:
    """Return the key: `given`, else what the environment variable holds, else None where none is needed.

    None too where `given` is a function, which is to be asked later. White space around a key is dropped. Raises
    `ConfigError`, which never shows the key, where it is missing or cannot stand in a header.
    """
    if callable(given):
        return None
    source = "api_key" if given is not None else variable
    text = given if given is not None else os.environ.get(variable, "") if variable else ""
    if not isinstance(text, str):
        raise ConfigError(f"api_key must be a string, or a function that returns one, not {type(text).__name__}")
    text = text.strip()
    if text:
        check_header(f"the key for {provider} ({source})", text)
        return Secret(text)
    if optional or not variable:
        return None
    if given is not None:
        raise ConfigError(f"the key for {provider} (api_key) is empty")
    raise ConfigError(f"there is no key for {provider}: set {variable}, or in code pass api_key=")


def check_header(what: str, value: str) -> None:
    """Raise `ConfigError`, naming `what` and never the value, where `value` cannot stand in an HTTP header."""
    if problem := problem_of(value):
        raise ConfigError(f"{what} {problem}")


def problem_of(value: str) -> str:
    """Return why `value` cannot stand in an HTTP header, without quoting it; "" where it can."""
    if any(character < " " or character == "\x7f" for character in value):
        return "holds a line end or another control character"
    if any(character > "\xff" for character in value):
        return "holds a character that no HTTP header can: was it copied with its quotes?"
    return ""


def scrub_error(error: StreamkitError, secrets: Iterable[str]) -> None:
    """Take `secrets` out of all that `error` shows; providers and gateways echo what they were sent.

    The traceback and what the error was made from go too: they hold the text as it came, and reports show locals.
    """
    secrets = list(secrets)
    if not secrets:
        return
    error.args = tuple(_scrubbed(value, secrets) for value in error.args)
    if isinstance(error, APIError):
        for name in ("message", "body", "code", "type", "request_id"):
            setattr(error, name, _scrubbed(getattr(error, name), secrets))
    elif isinstance(error, ProtocolError):
        error.frame = _scrubbed(error.frame, secrets)
    error.__traceback__ = error.__cause__ = error.__context__ = None


def _scrubbed(value: Any, secrets: list[str]) -> Any:
    text = value.decode("utf-8", "replace") if isinstance(value, bytes) else value
    if not isinstance(text, str) or (clean := scrub(text, secrets)) == text:
        return value
    return clean
