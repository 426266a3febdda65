"""The address of a vendor's row, with what belongs to the account or the region filled in."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from urllib.parse import urlsplit, urlunsplit

from streamkit.errors import ConfigError
from streamkit.providers.base import Provider

__all__ = ["fill_address"]

_PLACEHOLDER = re.compile(r"\{([A-Z][A-Z0-9_]*(?:,[A-Z][A-Z0-9_]*)*)(?:=([^{}]*))?\}")
_PART = re.compile(r"[A-Za-z0-9.:_~-]+")  # what may stand in a host or a path; legacy projects of Google have a colon
_SCHEMES = ("https://", "http://")


def fill_address(provider: Provider, lookup: Callable[[str], str | None] = os.environ.get) -> str:
    """Return the address of a row with its placeholders filled, "" where it has none of its own.

    `lookup` gives the value of a variable. Raises `ConfigError` where none of a placeholder's is set, where a value
    cannot stand in an address, or where the row holds a brace that is no placeholder.
    """

    def fill(match: re.Match[str]) -> str:
        names, default = match[1].split(","), match[2] or ""
        found = ((name, (lookup(name) or "").strip()) for name in names)
        name, value = next((pair for pair in found if pair[1]), (names[0], default))
        if not value:
            raise ConfigError(
                f"{provider.name} needs {' or '.join(names)} for its address: set {names[0]}, or pass base_url="
            )
        whole = match.start() == 0
        if whole and value.startswith(_SCHEMES):
            return value.rstrip("/")
        if not _PART.fullmatch(value.rstrip("/") if whole else value):
            raise ConfigError(f"{name}, for the address of {provider.name}, holds what cannot stand in a URL")
        return f"https://{value.rstrip('/')}" if whole else value

    text = _PLACEHOLDER.sub(fill, provider.base_url)
    if "{" in text or "}" in text:
        raise ConfigError(f"the address of {provider.name} holds a brace that is no {{VARIABLE}}")
    if not provider.hosts:
        return text
    url = urlsplit(text)
    return urlunsplit(url._replace(netloc=provider.hosts.get(url.netloc, url.netloc)))
