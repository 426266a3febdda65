"""Where a provider's requests go, and the headers that they carry."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Callable, Mapping
from copy import copy
from functools import cache
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit, urlunsplit

from streamkit.errors import ConfigError
from streamkit.keys import ApiKey, Secret, check_header, find_key
from streamkit.protocols import EncodedRequest
from streamkit.providers import Provider
from streamkit.providers.addresses import fill_address, fill_prefix
from streamkit.providers.base import SCHEMES

__all__ = ["Endpoint"]

logger = logging.getLogger("streamkit")

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # the name of a header: RFC 9110, 5.6.2
_SECRET_NAMES = re.compile(r"auth|key|token|secret|cookie", re.IGNORECASE)
_EXCHANGED = ("ibm-iam",)  # schemes whose key is never sent to the provider
_TELLING = 8  # a shorter key is a placeholder, and part of many an address
_NEAR_NAMES = (".localhost", ".local", ".lan", ".internal", ".home.arpa", ".test")  # ".test": RFC 2606


class Endpoint:
    """A provider at an address, with the caller's key and headers; neither is shown by `repr`.

    The address is `base_url`, else that of the row's environment variable, else the row's own, whose placeholders
    `lookup` fills. Raises `ConfigError` where one of the three is missing or wrong; a row with a scheme of its own for
    keys may have none. A key may go over plain HTTP, as it does to servers on one's own network; to a public host that
    is logged as a warning, once.
    """

    def __init__(
        self,
        provider: Provider,
        *,
        api_key: ApiKey | None = None,
        base_url: str | None = None,
        headers: Mapping[str, str] | None = None,
        lookup: Callable[[str], str | None] = os.environ.get,
    ) -> None:
        self.provider = provider
        has_scheme = provider.auth in SCHEMES
        self.key = find_key(
            api_key,
            provider=provider.name,
            variable=provider.key_variable,
            optional=provider.key_optional or (has_scheme and provider.auth not in _EXCHANGED),
        )
        self._auth: dict[str, Secret] = {}
        self._headers = {name.lower(): Secret(value) for name, value in _checked(headers or {})}
        self._base = _base_url(provider, base_url, lookup)
        self._prefix = fill_prefix(provider, lookup)
        self.host = self._base.netloc
        if self.key is not None:
            key = self.key.reveal()
            if len(key) >= _TELLING and key in self._base.geturl():
                raise ConfigError("the base URL holds the key, which belongs in a header alone")
        if self.key is not None or has_scheme or callable(api_key):
            if self._base.scheme == "http" and not self.is_near:
                _warn(provider.name, self.host)

    @property
    def is_near(self) -> bool:
        """Whether the host is this machine or, by its form, on a network of one's own."""
        return _is_near(self._base.hostname or "")

    @property
    def server(self) -> tuple[str, int]:
        """The name or address of the host, and the port."""
        return self._base.hostname or "", self._base.port or (80 if self._base.scheme == "http" else 443)

    def authorized(self, headers: Mapping[str, Secret]) -> Endpoint:
        """Return this endpoint for one request, which carries `headers`, named in lower case, in place of the key."""
        other = copy(self)
        other._auth = dict(headers)
        return other

    @property
    def secrets(self) -> list[str]:
        """What must not be shown: the key, and the caller's headers that carry keys."""
        headers = (*self._auth.items(), *self._headers.items())
        found = [secret for name, secret in headers if _SECRET_NAMES.search(name)]
        texts = [secret.reveal() for secret in (self.key, *found) if secret is not None]
        return texts + [text.partition(" ")[2] for text in texts if text.lower().startswith(("bearer ", "basic "))]

    def url(self, encoded: EncodedRequest) -> str:
        """Return the address of a request: its path below the base URL and the row's prefix, with the query of both."""
        path, _, query = encoded.path.partition("?")
        path = f"{self._base.path.rstrip('/')}{self._prefix}/{path.lstrip('/')}"
        query = "&".join(filter(None, (self._base.query, query)))
        return urlunsplit((self._base.scheme, self._base.netloc, path, query, ""))

    def headers(self, encoded: EncodedRequest) -> dict[str, str | bytes]:
        """Return the headers of a request; the caller's win over the provider's and over the key's."""
        found = {name.lower(): Secret(value) for name, value in (self.provider.headers | encoded.headers).items()}
        if self._auth:
            found |= self._auth
        elif self.key is not None and self.provider.auth not in _EXCHANGED:
            name, value = self.provider.auth_header(self.key.reveal())
            found[name] = Secret(value)
        found |= self._headers
        # httpx takes a text for ASCII.
        return {name: value.reveal().encode("latin-1") for name, value in found.items()}

    def __repr__(self) -> str:
        return f"{self.provider.name} at {self._base.scheme}://{self.host}{self._base.path}"


def _base_url(provider: Provider, given: str | None, lookup: Callable[[str], str | None]) -> SplitResult:
    from_environment = os.environ.get(provider.env_base_url, "").strip() if provider.env_base_url else ""
    if given is not None:
        if not isinstance(given, str):
            raise ConfigError(f"base_url must be a string, not {type(given).__name__}")
        source, text = "base_url", given.strip()
    elif from_environment:
        source, text = provider.env_base_url, from_environment
    else:
        source, text = provider.name, fill_address(provider, lookup)
    if not text and given is None:
        hint = f", or set {provider.env_base_url}" if provider.env_base_url else ""
        raise ConfigError(f"{provider.name} has no address of its own: pass base_url={hint}")
    if problem := _problem(text):
        raise ConfigError(f"the base URL of {provider.name} ({source}) {problem}")
    return urlsplit(text)


def _problem(text: str) -> str:
    """What is wrong with a base URL, "" where nothing is; the URL itself is not quoted, it may hold a password."""
    if any(character <= " " or character == "\x7f" for character in text):
        return "holds white space or a control character"
    try:
        url = urlsplit(text)
        host, _ = url.hostname, url.port
    except ValueError:
        return "is no URL"
    if url.scheme not in ("http", "https"):
        return "must begin with https:// or http://"
    if not host:
        return "names no host"
    if "@" in url.netloc:
        return "holds a user name or password: pass the key as api_key="
    return "holds a fragment (#…)" if url.fragment else ""


def _checked(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    for name, value in headers.items():
        if not _TOKEN.fullmatch(name):
            raise ConfigError(f"{name!r} is no name of a header")
        if not isinstance(value, str):
            raise ConfigError(f"the header {name} must be a string, not {type(value).__name__}")
        check_header(f"the header {name}", value)
    return list(headers.items())


@cache
def _warn(provider: str, host: str) -> None:
    """Once a process; an agent makes a client for each run."""
    logger.warning("the key for %s goes to %s unencrypted: use https", provider, host)


def _is_near(host: str) -> bool:
    try:
        address = ip_address(host)
    except ValueError:
        return "." not in host or host.endswith(_NEAR_NAMES)
    return address.is_loopback or address.is_private or address.is_link_local
