"""A conversation in a file: the list of its messages as JSON."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import msgspec

from streamkit.errors import ConfigError
from streamkit.messages import Message

__all__ = ["load_conversation", "save_conversation"]


def load_conversation(path: Path) -> list[Message]:
    """Return the messages that `path` holds; raises `ConfigError` where it cannot be read or holds none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=list[Message])
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}") from None
    except msgspec.DecodeError as error:
        raise ConfigError(f"{path} holds no conversation: {error}") from None


def save_conversation(path: Path, messages: list[Message]) -> None:
    """Write the messages to `path`, all or nothing, for its owner's eyes only; raises `ConfigError` where it fails."""
    text = msgspec.json.format(msgspec.json.encode(messages), indent=2)
    try:
        number, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(number, "wb") as file:
                file.write(text + b"\n")
            os.replace(name, path)
        except BaseException:  # an interrupt too leaves no half of a file
            os.unlink(name)
            raise
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror or error}") from None
