"""The address of a vendor's row, with what belongs to the account or the region filled in."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from urllib.parse import urlsplit, urlunsplit

from streamkit.errors import ConfigError
from streamkit.providers.base import Provider

__all__ = ["fill_address", "fill_prefix"]

_PLACEHOLDER = re.compile(r"\{([A-Z][A-Z0-9_]*(?:,[A-Z][A-Z0-9_]*)*)(?:=([^{}]*))?\}")
_PART = re.compile(r"[A-Za-z0-9.:_~-]+")  # what may stand in a host or a path; legacy projects of Google have a colon
_SCHEMES = ("https://", "http://")
_BEHIND = re.compile(r"[?#]")  # after which no path can go on


def fill_address(provider: Provider, lookup: Callable[[str], str | None] = os.environ.get) -> str:
    """Return the address of a row with its placeholders filled, "" where it has none of its own.

    `lookup` gives the value of a variable. Raises `ConfigError` where none of a placeholder's is set, where a value
    cannot stand in an address, or where the row holds a brace that is no placeholder.
    """
    text = _filled(provider, provider.base_url, lookup)
    if not provider.hosts:
        return text
    url = urlsplit(text)
    return urlunsplit(url._replace(netloc=provider.hosts.get(url.netloc, url.netloc)))


def fill_prefix(provider: Provider, lookup: Callable[[str], str | None] = os.environ.get) -> str:
    """Return what stands before the paths of a row's dialect, filled and with the errors of `fill_address`."""
    return _filled(provider, provider.prefix, lookup)


def _filled(provider: Provider, template: str, lookup: Callable[[str], str | None]) -> str:
    def fill(match: re.Match[str]) -> str:
        names, default = match[1].split(","), match[2] or ""
        found = ((name, (lookup(name) or "").strip()) for name in names)
        name, value = next((pair for pair in found if pair[1]), (names[0], default))
        if not value:
            instead = ", or pass base_url=" if template == provider.base_url else ""
            raise ConfigError(f"{provider.name} needs {' or '.join(names)} for its address: set {names[0]}{instead}")
        whole = match.start() == 0
        if whole and value.startswith(_SCHEMES) and not _BEHIND.search(value):
            return value.rstrip("/")
        if not _PART.fullmatch(value.rstrip("/") if whole else value):
            raise ConfigError(f"{name}, for the address of {provider.name}, holds what cannot stand in a URL")
        return f"https://{value.rstrip('/')}" if whole else value

    text = _PLACEHOLDER.sub(fill, template)
    if "{" in text or "}" in text:
        raise ConfigError(f"the address of {provider.name} holds a brace that is no {{VARIABLE}}")
    return text
