"""The http clients that requests go through: those of a caller's, and those that we make.

An http client is an `httpx.AsyncClient`, an `httpx2.AsyncClient`, or what behaves like one. The libraries are loaded
with the first client.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, TypeAlias

from streamkit.errors import ConfigError
from streamkit.extras import how_to_install
from streamkit.timing import Timeouts
from streamkit.transport.background import on_trio

__all__ = [
    "KINDS",
    "HTTPClient",
    "check_http_client",
    "load_libraries",
    "new_http_client",
    "timeouts_for",
    "tls_context",
]

HTTPClient: TypeAlias = Any

KEEPALIVE_S = 30.0  # how long an idle connection is kept: a turn's tools run meanwhile, and load balancers cut at 60
_HTTPX_TIMEOUT_S = 5.0  # httpx's default, which no one chose and which is too short for a model that thinks

# What each kind needs beside httpx, and the extra that brings it.
KINDS = {"httpx": "", "httpx2": "httpx2", "aiohttp": "httpx_aiohttp", "http2": "h2"}


def load_libraries(kind: str) -> None:
    """Import what a kind of http client needs and read the certificates, some 200 ms once, which would hold up a loop.

    Raises `ConfigError` where there is no such kind, or its library is not installed.
    """
    import httpx_sse  # noqa: F401 - brings httpx

    if kind not in KINDS:
        raise ConfigError(f"there is no http client {kind!r}; known are {', '.join(KINDS)}")
    if KINDS[kind]:
        try:
            import_module(KINDS[kind])
        except ImportError:
            raise ConfigError(f"http_client={kind!r} needs the extra `{kind}`: {how_to_install(kind)}") from None
    tls_context()


def check_http_client(http: HTTPClient) -> None:
    """Raise `ConfigError` for what is no http client, or one for code that is not async."""
    if not hasattr(http, "stream") or (hasattr(http, "close") and not hasattr(http, "aclose")):
        raise ConfigError(f"http_client must be an httpx.AsyncClient or like one, not {type(http).__name__}")


def new_http_client(kind: str = "httpx") -> HTTPClient:
    """Return a client of a kind for any number of connections at a time, with the proxies of the environment.

    Raises `ConfigError` for aiohttp on trio, where it does not run.
    """
    return _MAKERS[kind]()


def timeouts_for(http: HTTPClient, asked: Timeouts) -> Timeouts | None:
    """Return the timeouts for requests by a client of the caller's, None where it has chosen its own.

    A client has chosen where its timeout is not httpx's default; `asked` wins where it is not our default.
    """
    own = getattr(http, "timeout", None)
    chosen = own is not None and own != type(own)(_HTTPX_TIMEOUT_S)
    return None if chosen and asked == Timeouts() else asked


@cache
def tls_context() -> ssl.SSLContext:
    """Return the TLS set-up of all our clients: reading the certificates takes 80 ms."""
    import httpx

    return httpx.create_ssl_context()


def _httpx(**options: Any) -> HTTPClient:
    import httpx

    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=KEEPALIVE_S)
    return httpx.AsyncClient(verify=tls_context(), limits=limits, follow_redirects=False, **options)


def _http2() -> HTTPClient:
    return _httpx(http2=True)


def _httpx2() -> HTTPClient:
    import httpx2

    limits = httpx2.Limits(max_connections=None, max_keepalive_connections=None, keepalive_expiry=KEEPALIVE_S)
    return httpx2.AsyncClient(verify=tls_context(), limits=limits, follow_redirects=False)


def _aiohttp() -> HTTPClient:
    if on_trio():
        raise ConfigError("aiohttp runs on asyncio alone: leave out http_client on trio")
    import httpx
    from httpx_aiohttp import HttpxAiohttpClient

    limits = httpx.Limits(max_connections=0, keepalive_expiry=KEEPALIVE_S)  # 0 is aiohttp's word for any number
    return HttpxAiohttpClient(verify=tls_context(), limits=limits, follow_redirects=False)


_MAKERS: dict[str, Callable[[], HTTPClient]] = {
    "httpx": _httpx,
    "httpx2": _httpx2,
    "aiohttp": _aiohttp,
    "http2": _http2,
}
