"""Values → the text that a model reads, and bytes → the text that JSON can hold."""

from __future__ import annotations

import base64
from typing import Any

import msgspec

from streamkit.errors import ConfigError
from streamkit.parts import RefusalPart, TextPart, ValuePart
from streamkit.protocols.lenient import rejoin

__all__ = ["base64_text", "compact_json", "data_url", "json_text", "part_text", "scrub", "split_data_url", "value_text"]


def part_text(part: object) -> str | None:
    """Return what a text, a value or a refusal says; None for a part that is no text."""
    if isinstance(part, (TextPart, RefusalPart)):
        return part.text
    return value_text(part.value) if isinstance(part, ValuePart) else None


def value_text(value: Any) -> str:
    """Return a string as it is, any other value as compact JSON."""
    return value if isinstance(value, str) else json_text(value)


def json_text(value: Any) -> str:
    """Return `value` as compact JSON; raises `ConfigError` where JSON cannot hold it."""
    try:
        return compact_json(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise ConfigError(f"a value of type {type(value).__name__} cannot be sent as JSON: {error}") from None


def compact_json(value: Any) -> str:
    """Return a value that was decoded from JSON as compact JSON; raises `RecursionError` for one nested too deeply."""
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return msgspec.json.encode(scrub(value)).decode()


def scrub(value: Any) -> Any:
    """Return `value` with lone surrogates, which no JSON text can hold, as U+FFFD."""
    if isinstance(value, str):
        return rejoin(value)
    if isinstance(value, dict):
        return {scrub(key): scrub(item) for key, item in value.items()}
    return [scrub(item) for item in value] if isinstance(value, (list, tuple)) else value


def base64_text(data: bytes) -> str:
    """Return `data` in base64."""
    return base64.b64encode(data).decode("ascii")


def data_url(mime_type: str, data: bytes) -> str:
    """Return `data` as a `data:` URL."""
    return f"data:{mime_type};base64,{base64_text(data)}"


def split_data_url(url: str) -> tuple[str, str] | None:
    """Return the type and the base64 of a `data:` URL, None for any other address."""
    head, comma, data = url.partition(",")
    if not comma or not head.startswith("data:") or not head.endswith(";base64"):
        return None
    return head[len("data:") : -len(";base64")].partition(";")[0], data
