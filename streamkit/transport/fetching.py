"""Images fetched from their addresses, for providers that take bytes only.

An address in a conversation may have been written by anybody, a model included, and what is fetched from it is shown to
a provider. So nothing is reached but hosts of the public internet, by HTTPS: each name is looked up once, every address
that it has is checked, and the connection goes to one of just those, again after each redirect. No proxy, cookie,
credential or client of the caller's takes part. What comes must be an image by its header and by its first bytes.
"""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterable
from ipaddress import ip_address
from typing import TYPE_CHECKING, TypeAlias

import anyio
import h11  # httpx brings it: httpcore's own HTTP/1.1
from anyio.abc import ByteStream
from anyio.streams.tls import TLSStream

from streamkit.errors import ImageFetchError
from streamkit.limits import Limits
from streamkit.parts import EmbeddedImage
from streamkit.protocols.images import image_type
from streamkit.transport.addresses import Address, is_public
from streamkit.transport.http_clients import tls_context

if TYPE_CHECKING:
    import httpx

__all__ = ["ImageFetcher", "fetch_image"]

AT_ONCE = 4  # fetches of one request at a time
FETCH_S = 20.0  # how long one may take, redirects included
MAX_REDIRECTS = 3
MAX_IMAGES = 100  # of one request: what Anthropic takes, the most of all

_TYPES = {"image/png", "image/jpeg", "image/jpg", "image/gif", "image/webp"}
_REDIRECTS = {301, 302, 303, 307, 308}
_PORTS = range(1, 1 << 16)
_READ = 1 << 16  # bytes
_SHOWN = 200  # characters of an address
_SAID = 300  # characters of what is wrong, in which a server may have its say
_USER = re.compile(r"(?<=//)[^/]*@")
_LOST = (OSError, anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)

Lookup: TypeAlias = Callable[[str, int], Awaitable[list[str]]]


async def fetch_image(url: str, *, limits: Limits | None = None) -> EmbeddedImage:
    """Return the image at `url`, an address by https of the public internet: PNG, JPEG, GIF or WebP.

    To embed it once and for all, where `fetch_images=True` fetches it anew for each request. Raises `ImageFetchError`
    for an address that must not be reached, for what is no such image or larger than `limits.max_image_bytes`, and
    where the network fails.
    """
    fetcher = ImageFetcher(limits or Limits())
    return (await fetcher.fetch([url]))[url]


class ImageFetcher:
    """Fetches the images of one request after another, a few at a time.

    `look_up`, `permits` and `tls` are how names become addresses, which of these may be reached, and whom a server's
    certificate must be of: they are for tests, which have no public server.
    """

    def __init__(
        self,
        limits: Limits,
        *,
        look_up: Lookup | None = None,
        permits: Callable[[Address], bool] = is_public,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._limit = limits.max_image_bytes
        self._look_up = look_up or _look_up
        self._permits = permits
        self._tls = tls

    async def fetch(self, urls: Iterable[str]) -> dict[str, EmbeddedImage]:
        """Return the images at these addresses; raises the `ImageFetchError` of the first that fails.

        Nothing is left running when this returns, raises or is cancelled.
        """
        wanted = list(dict.fromkeys(urls))
        if len(wanted) > MAX_IMAGES:
            raise ImageFetchError(
                f"{len(wanted)} images are too many to be fetched for one request: {MAX_IMAGES} may be"
            )
        found: dict[str, EmbeddedImage] = {}
        failed: list[ImageFetchError] = []
        limiter = anyio.CapacityLimiter(AT_ONCE)
        budget = _Budget(self._limit)

        async def fetch_one(url: str) -> None:
            try:
                async with limiter:
                    found[url] = await self._fetch(url, budget)
            except ImageFetchError as error:
                failed.append(error)
                tasks.cancel_scope.cancel()

        async with anyio.create_task_group() as tasks:
            for url in wanted:
                tasks.start_soon(fetch_one, url)
        if failed:
            raise failed[0]
        return found

    async def _fetch(self, url: str, budget: _Budget) -> EmbeddedImage:
        problem = f"took longer than {FETCH_S:g} s"
        with anyio.move_on_after(FETCH_S):
            try:
                return await self._follow(url, budget)
            except _Refused as refused:
                problem = str(refused)
            except h11.ProtocolError as error:
                problem = f"did not come whole, by the rules of HTTP: {error}"
            except _LOST as error:
                problem = f"did not come: the connection failed ({type(error).__name__}: {error})"
        raise ImageFetchError(f"the image at {_shown(url)} {problem[:_SAID]}", url=url)

    async def _follow(self, url: str, budget: _Budget) -> EmbeddedImage:
        here = _parse(url)
        for _ in range(MAX_REDIRECTS + 1):
            stream = await self._connect(here)
            try:
                answer = await _ask(stream, here, budget)
            finally:
                await anyio.aclose_forcefully(stream)
            if isinstance(answer, bytes):
                return _read_image(answer)
            here = _parse(answer, here)
        raise _Refused(f"is behind more than {MAX_REDIRECTS} redirects")

    async def _connect(self, url: httpx.URL) -> ByteStream:
        """A connection to one of the addresses that the host has now, all of which may be reached."""
        host, port = url.raw_host.decode("ascii"), url.port or 443
        addresses = await self._addresses(host, port)
        fault: OSError | None = None
        for address in addresses:
            try:
                plain = await anyio.connect_tcp(address, port)
            except OSError as error:
                fault = error
                continue
            try:
                return await TLSStream.wrap(
                    plain, hostname=host, ssl_context=self._tls or tls_context(), standard_compatible=False
                )
            except BaseException:  # a cancelled handshake too leaves no connection
                await anyio.aclose_forcefully(plain)
                raise
        raise fault or _Refused(f"has no host: {host} has no address")

    async def _addresses(self, host: str, port: int) -> list[str]:
        try:
            found = list(dict.fromkeys(await self._look_up(host, port)))
        except (OSError, UnicodeError) as error:
            raise _Refused(f"has no host: {host} is unknown ({error})") from None
        for address in found:
            if not self._permits(ip_address(address)):
                raise _Refused(f"must not be fetched: {host} is {address}, which is no address of the public internet")
        return found


class _Refused(Exception):
    """Why an image is not fetched, to be said of its address."""


class _Budget:
    """The bytes that the images of one request may still have."""

    def __init__(self, limit: int) -> None:
        self._limit = self._left = limit

    def check(self, size: int) -> None:
        if size > self._left:
            raise _Refused(f"is too large: all of a request may have {self._limit} bytes (max_image_bytes)")

    def take(self, size: int) -> None:
        self.check(size)
        self._left -= size


async def _look_up(host: str, port: int) -> list[str]:
    return [str(place[0]) for *_, place in await anyio.getaddrinfo(host, port, type=socket.SOCK_STREAM)]


async def _ask(stream: ByteStream, url: httpx.URL, budget: _Budget) -> bytes | str:
    """Ask for `url`: the bytes of an image, or where it is."""
    http = h11.Connection(h11.CLIENT)
    headers = [
        (b"host", url.netloc),
        (b"accept", b"image/png, image/jpeg, image/gif, image/webp"),
        (b"accept-encoding", b"identity"),  # what is not compressed cannot grow
        (b"user-agent", b"streamkit"),
        (b"connection", b"close"),
    ]
    request = h11.Request(method="GET", target=url.raw_path, headers=headers)
    await stream.send((http.send(request) or b"") + (http.send(h11.EndOfMessage()) or b""))
    body = bytearray()
    while True:
        match http.next_event():
            case h11.Response() as head:
                fields = {name.decode("latin-1"): value.decode("latin-1") for name, value in head.headers}
                if head.status_code in _REDIRECTS and "location" in fields:
                    return fields["location"]
                _check_head(head.status_code, fields, budget)
            case h11.Data(data=data):
                budget.take(len(data))
                body += data
            case h11.EndOfMessage():
                return bytes(body)
            case h11.NEED_DATA:
                http.receive_data(await _receive(stream))
            case h11.InformationalResponse():
                pass
            case _:
                raise _Refused("did not come: the server ended the connection without an answer")


async def _receive(stream: ByteStream) -> bytes:
    """The next bytes, none at the end."""
    try:
        return await stream.receive(_READ)
    except anyio.EndOfStream:
        return b""


def _check_head(status: int, headers: dict[str, str], budget: _Budget) -> None:
    if status != 200:
        raise _Refused(f"did not come: the server answered with HTTP {status}")
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in _TYPES:
        raise _Refused(f"is no PNG, JPEG, GIF or WebP but {kind or 'of no type'}, says its server")
    encoding = headers.get("content-encoding", "identity").strip().lower()
    if encoding != "identity":
        raise _Refused(f"came compressed ({encoding}), which was not asked for")
    length = headers.get("content-length", "")
    if length.isdecimal():
        budget.check(int(length))


def _read_image(data: bytes) -> EmbeddedImage:
    kind = image_type(data)
    if kind is None:
        raise _Refused("is no PNG, JPEG, GIF or WebP by its first bytes")
    return EmbeddedImage(kind, data)


def _parse(url: str, base: httpx.URL | None = None) -> httpx.URL:
    import httpx

    try:
        parsed = httpx.URL(url) if base is None else base.join(url)
        host = parsed.host  # which is decoded only now
    except (httpx.InvalidURL, ValueError) as error:
        raise _Refused(f"cannot be fetched: the address is no URL ({error})") from None
    leads = "must not be fetched: it " if base is None else f"must not be fetched: its redirect to {host} "
    if parsed.scheme != "https":
        raise _Refused(f"{leads}is not by https")
    if parsed.userinfo:
        raise _Refused(f"{leads}holds a user name or password")
    if not host:
        raise _Refused(f"{leads}names no host")
    if parsed.port is not None and parsed.port not in _PORTS:
        raise _Refused(f"{leads}names no port that there is")
    return parsed


def _shown(url: str) -> str:
    """An address for messages: no query, which may sign it, no password, no more than fits a line."""
    return repr(_USER.sub("", url.partition("?")[0].partition("#")[0])[:_SHOWN])
