"""Images are fetched from the public internet alone, and nothing else comes of it.

The servers here are real, with TLS, on the loopback interface, which no fetch may reach: each test says which of its
names may lead there, as a resolver and a rule of its own.
"""

from __future__ import annotations

import gzip
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio.abc import ByteStream, SocketAttribute
from anyio.streams.tls import TLSListener

from streamkit.errors import ImageFetchError
from streamkit.limits import Limits
from streamkit.parts import EmbeddedImage
from streamkit.transport import fetching
from streamkit.transport.addresses import Address, is_public
from streamkit.transport.fetching import AT_ONCE, MAX_IMAGES, MAX_REDIRECTS, ImageFetcher, fetch_image

CERTIFICATES = Path(__file__).parent / "certificates"  # for images.test and other.test, until 2126
PNG = b"\x89PNG\r\n\x1a\n" + b"x" * 100
JPEG = b"\xff\xd8\xff\xe0" + b"x" * 100
GONE = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)


class Server:
    """Answers each path by the bytes given for it, and notes what it was asked."""

    def __init__(self, answers: dict[str, bytes | Callable[[ByteStream], Any]]) -> None:
        self.answers = answers
        self.asked: list[bytes] = []
        self.open = self.connected = 0
        self.port = 0
        self.reached = anyio.Event()  # something was asked for
        self.left = anyio.Event()  # no connection is open any more

    @asynccontextmanager
    async def serving(self, *, certificate: str = "server.pem") -> AsyncIterator[Server]:
        tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        tls.load_cert_chain(CERTIFICATES / certificate)
        plain = await anyio.create_tcp_listener(local_host="127.0.0.1")
        self.port = plain.extra(SocketAttribute.local_port)
        async with TLSListener(plain, tls, standard_compatible=False) as listener, anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, self._serve)
            failed: Exception | None = None
            try:
                yield self
            except Exception as error:  # passes as it is, in no group
                failed = error
            tasks.cancel_scope.cancel()
        if failed is not None:
            raise failed

    async def _serve(self, stream: ByteStream) -> None:
        self.connected += 1
        self.open += 1
        try:
            async with stream:
                head = b""
                while b"\r\n\r\n" not in head:
                    head += await stream.receive()
                self.asked.append(head)
                self.reached.set()
                answer = self.answers[head.split()[1].decode()]
                if isinstance(answer, bytes):
                    await stream.send(answer)
                else:
                    await answer(stream)
        except GONE:
            pass
        finally:
            self.open -= 1
            if not self.open:
                self.left.set()


def response(body: bytes = PNG, kind: str = "image/png", status: str = "200 OK", **headers: str) -> bytes:
    fields = {"content-type": kind, "content-length": str(len(body))} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
    return f"HTTP/1.1 {status}\r\n{head}\r\n".encode() + body


def redirect(location: str, status: str = "302 Found") -> bytes:
    return response(b"", "", status, location=location)


@cache
def authority() -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(CERTIFICATES / "authority.pem"))


async def here(host: str, port: int) -> list[str]:
    return ["127.0.0.1"]


def fetcher(
    *,
    names: Callable[..., Any] = here,
    permits: Callable[[Address], bool] = lambda address: address.is_loopback,
    **limits: int,
) -> ImageFetcher:
    return ImageFetcher(Limits(**limits), look_up=names, permits=permits, tls=authority())


async def fetched(answer: Any, url: str = "https://images.test:{port}/a.png?size=1", **options: Any) -> EmbeddedImage:
    """What comes of one address at a server that gives this answer."""
    async with Server({"/a.png?size=1": answer}).serving() as server:
        url = url.format(port=server.port)
        return (await fetcher(**options).fetch([url]))[url]


# ---- what is fetched

IMAGES: list[tuple[str, bytes, str]] = [
    ("PNG", response(), "image/png"),
    ("JPEG", response(JPEG, "image/jpeg; charset=binary"), "image/jpeg"),
    ("JPEG by its other name", response(JPEG, "IMAGE/JPG"), "image/jpeg"),
    ("GIF", response(b"GIF89a", "image/gif"), "image/gif"),
    ("WebP", response(b"RIFF\0\0\0\0WEBP", "image/webp"), "image/webp"),
    ("an image of another type than its header says", response(JPEG, "image/png"), "image/jpeg"),
    ("until the connection ends", response(PNG, content_length=""), "image/png"),
    (
        "in chunks",
        response(
            b"7\r\n" + PNG[:7] + b"\r\n65\r\n" + PNG[7:] + b"\r\n0\r\n\r\n",
            content_length="",
            transfer_encoding="chunked",
        ),
        "image/png",
    ),
    ("after a hint", b"HTTP/1.1 103 Early Hints\r\n\r\n" + response(), "image/png"),
    ("with an encoding that is none", response(content_encoding="identity"), "image/png"),
]


@pytest.mark.parametrize(("answer", "kind"), [case[1:] for case in IMAGES], ids=[case[0] for case in IMAGES])
async def test_an_image_is_embedded_with_the_type_that_it_has(answer: bytes, kind: str) -> None:
    assert (await fetched(answer)).mime_type == kind


async def test_the_request_says_nothing_of_anybody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    first = redirect("/a.png?size=2#top", "301 Moved").replace(b"\r\n\r\n", b"\r\nset-cookie: a=b\r\n\r\n")
    async with Server({"/a.png?size=1": first, "/a.png?size=2": response()}).serving() as server:
        url = f"https://images.test:{server.port}/a.png?size=1"
        assert await fetcher().fetch([url, url]) == {url: EmbeddedImage("image/png", PNG)}
    assert server.asked[1].decode().splitlines() == [
        "GET /a.png?size=2 HTTP/1.1",
        f"host: images.test:{server.port}",
        "accept: image/png, image/jpeg, image/gif, image/webp",
        "accept-encoding: identity",
        "user-agent: streamkit",
        "connection: close",
        "",
    ]
    assert server.connected == 2  # the address that was given twice was fetched once


# ---- what is not


async def endless(stream: ByteStream) -> None:
    await stream.send(response(PNG, content_length=""))
    while True:
        await stream.send(b"x" * 65536)


async def more_than_it_says(stream: ByteStream) -> None:
    await stream.send(response(PNG, content_length="108"))
    await stream.send(b"x" * 1000)


REFUSED: list[tuple[str, Any, str]] = [
    ("a page", response(b"<html>", "text/html"), "is no PNG, JPEG, GIF or WebP but text/html, says its server"),
    ("no type", response(kind=""), "but of no type"),
    ("any bytes", response(kind="application/octet-stream"), "but application/octet-stream"),
    ("SVG", response(b"<svg/>", "image/svg+xml"), "but image/svg"),
    ("a page that calls itself an image", response(b"<html><script>", "image/png"), "by its first bytes"),
    ("SVG that calls itself PNG", response(b"<svg/>", "image/png"), "by its first bytes"),
    ("nothing", response(b""), "by its first bytes"),
    ("nothing, by its status", response(b"", status="204 No Content"), "HTTP 204"),
    ("not found", response(status="404 Not Found"), "HTTP 404"),
    ("an error with an image", response(status="500 Oops"), "HTTP 500"),
    ("a redirect to nowhere", response(b"", status="302 Found"), "HTTP 302"),
    ("too large, as it says", response(content_length="2000"), r"is too large: .* 1000 bytes \(max_image_bytes\)"),
    ("too large, and does not say", response(PNG + b"x" * 1000, content_length=""), "max_image_bytes"),
    ("without end", endless, "max_image_bytes"),
    ("shorter than it says", response(content_length="500"), "did not come whole"),
    ("a length that is no number", response(content_length="many"), "did not come whole"),
    (
        "a gzip bomb",
        response(gzip.compress(b"\x89PNG" + b"\0" * 10_000_000), content_encoding="gzip", content_length=""),
        r"compressed \(gzip\)",
    ),
    ("a type that goes on and on", response(kind="a/" + "b" * 10_000), "but a/b"),
    ("no HTTP", b"hello\r\n\r\n", "rules of HTTP"),
    ("headers without end", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 10_000, "rules of HTTP"),
    ("a switch to another protocol", b"HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n", "did not come"),
    ("an end without an answer", b"", "did not come"),
]


@pytest.mark.parametrize(("answer", "reason"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
async def test_what_is_no_whole_image_is_refused(answer: Any, reason: str) -> None:
    with pytest.raises(ImageFetchError, match=reason) as caught:
        await fetched(answer, max_image_bytes=1000)
    assert "size=1" not in str(caught.value)  # a query may sign the address
    assert len(str(caught.value)) < 600
    assert str(caught.value).startswith("the image at 'https://images.test:")
    assert caught.value.url.endswith("/a.png?size=1")


async def test_bytes_past_the_length_are_not_read() -> None:
    assert (await fetched(more_than_it_says)).data == PNG


ADDRESSES: list[tuple[str, str, str]] = [
    ("plain HTTP", "http://images.test/a.png", "is not by https"),
    ("a file", "file:///etc/passwd", "is not by https"),
    ("FTP", "ftp://images.test/a.png", "is not by https"),
    ("no scheme", "images.test/a.png", "is not by https"),
    ("no host", "https:///a.png", "names no host"),
    ("a user and a password", "https://user:pass@images.test/a.png", "holds a user name or password"),
    ("no URL", "https://images.test:port/a.png", "is no URL"),
    ("a control character", "https://images.test/a\n.png", "is no URL"),
    ("a name that has no characters", "https://xn--a/a.png", "is no URL"),
    ("a port that is too high", "https://8.8.8.8:65536/a.png", "names no port that there is"),
    ("a port that is too low", "https://8.8.8.8:-1/a.png", "names no port that there is"),
]


@pytest.mark.parametrize(("url", "reason"), [case[1:] for case in ADDRESSES], ids=[case[0] for case in ADDRESSES])
async def test_an_address_of_another_form_is_refused(url: str, reason: str) -> None:
    with pytest.raises(ImageFetchError, match=reason) as caught:
        await fetch_image(url)
    assert "pass" not in str(caught.value).replace("/etc/passwd", "").replace("password", "")
    assert "\n" not in str(caught.value)


# Each of these is this machine or its network, however it is written; the resolver is the real one.
NOT_PUBLIC = [
    "127.0.0.1",
    "localhost",
    "2130706433",
    "0x7f000001",
    "0177.0.0.1",
    "127.1",
    "0",
    "0.0.0.0",
    "10.0.0.1",
    "192.168.0.1",
    "169.254.169.254",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[::ffff:a9fe:a9fe]",
    "[fe80::1]",
    "[fd00::1]",
    "[64:ff9b::7f00:1]",
    "224.0.0.1",
    "127.0.0.1.",
    "１２７.0.0.1",
]


@pytest.mark.parametrize("host", NOT_PUBLIC)
async def test_no_host_that_is_not_public_is_reached(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def connect(*args: Any, **options: Any) -> None:
        raise AssertionError(f"a connection to {args}")

    monkeypatch.setattr(anyio, "connect_tcp", connect)
    with pytest.raises(ImageFetchError, match="no address of the public internet|is unknown|is no URL"):
        await fetch_image(f"https://{host}/a.png")


async def test_one_address_that_is_not_public_is_enough() -> None:
    async def both(host: str, port: int) -> list[str]:
        return ["93.184.215.14", "10.0.0.1"]

    with pytest.raises(ImageFetchError, match=r"images\.test is 10\.0\.0\.1, which is no address of the public"):
        await fetcher(names=both, permits=is_public).fetch(["https://images.test/a.png"])


async def test_a_name_is_looked_up_once_and_the_connection_goes_to_what_was_checked() -> None:
    """A name that leads elsewhere at the second look (DNS rebinding) leads nowhere."""
    answers = iter([["127.0.0.1"], ["10.0.0.1"]])
    asked: list[str] = []

    async def rebinding(host: str, port: int) -> list[str]:
        asked.append(host)
        return next(answers)

    assert (await fetched(response(), names=rebinding)).data == PNG
    assert asked == ["images.test"]


async def test_the_next_address_is_tried_where_one_takes_no_connection() -> None:
    async def two(host: str, port: int) -> list[str]:
        return ["127.0.0.9", "127.0.0.1"]  # the server listens on the second alone

    assert (await fetched(response(), names=two)).data == PNG


LOST: list[tuple[str, Any, str]] = [
    ("a name that is unknown", OSError("no such name"), "images.test is unknown"),
    ("a name that is none", UnicodeError("label too long"), "images.test is unknown"),
    ("a name without an address", [], "has no address"),
    ("a host that takes no connection", ["127.0.0.9"], "the connection failed"),
]


@pytest.mark.parametrize(("found", "reason"), [case[1:] for case in LOST], ids=[case[0] for case in LOST])
async def test_a_host_that_is_not_there_is_an_error(found: Any, reason: str) -> None:
    async def look_up(host: str, port: int) -> list[str]:
        if isinstance(found, Exception):
            raise found
        return list(found)

    with pytest.raises(ImageFetchError, match=reason):
        await fetched(response(), names=look_up)


CERTIFICATE = [
    ("of another host", "https://elsewhere.test:{port}/a.png?size=1", authority),
    ("of an unknown authority", "https://images.test:{port}/a.png?size=1", lambda: None),
]


@pytest.mark.parametrize(("url", "tls"), [case[1:] for case in CERTIFICATE], ids=[case[0] for case in CERTIFICATE])
async def test_a_certificate_must_be_of_the_host_that_was_named(url: str, tls: Callable[[], Any]) -> None:
    async with Server({}).serving() as server:
        asking = ImageFetcher(Limits(), look_up=here, permits=lambda address: True, tls=tls())
        with pytest.raises(ImageFetchError, match="certificate verify failed"):
            await asking.fetch([url.format(port=server.port)])
    assert server.asked == []


# ---- redirects


async def test_a_redirect_is_followed_and_checked_like_the_first_address() -> None:
    looked: list[str] = []

    async def names(host: str, port: int) -> list[str]:
        looked.append(host)
        return ["127.0.0.1"]

    async with Server({"/b": response()}).serving() as other:
        there = redirect(f"https://other.test:{other.port}/b", "307 Temporary")
        async with Server({"/a": there}).serving() as server:
            url = f"https://images.test:{server.port}/a"
            assert (await fetcher(names=names).fetch([url]))[url].data == PNG
    assert looked == ["images.test", "other.test"]


PLACES: list[tuple[str, str, str]] = [
    ("a private address", "https://10.0.0.1/a.png", "10.0.0.1 is 10.0.0.1, which is no address of the public internet"),
    ("the metadata of a cloud", "https://169.254.169.254/latest/", "no address of the public internet"),
    ("a name that is private", "https://internal.test/a.png", "internal.test is 192.168.0.1"),
    ("plain HTTP", "http://images.test/a.png", "its redirect to images.test is not by https"),
    ("a relative one to plain HTTP", "//images.test:80/a.png", "the connection failed"),
    ("a file", "file:///etc/passwd", "is not by https"),
    ("data", "data:image/png;base64,iVBORw0KGgo=", "is not by https"),
    ("a password", "https://a:b@images.test/", "its redirect to images.test holds a user name or password"),
    ("no URL", "https://images.test:port/", "is no URL"),
    ("a name that has no characters", "https://xn--a/", "is no URL"),
    ("no port", "https://images.test:99999/", "its redirect to images.test names no port"),
]


@pytest.mark.parametrize(("place", "reason"), [case[1:] for case in PLACES], ids=[case[0] for case in PLACES])
async def test_a_redirect_leads_to_nothing_that_must_not_be_reached(place: str, reason: str) -> None:
    names = {"images.test": "127.0.0.1", "internal.test": "192.168.0.1"}

    async def look_up(host: str, port: int) -> list[str]:
        return [names.get(host, host)]

    with pytest.raises(ImageFetchError, match=reason):
        await fetched(redirect(place), names=look_up)


async def test_redirects_come_to_an_end() -> None:
    async with Server({"/a": redirect("/a")}).serving() as server:
        with pytest.raises(ImageFetchError, match=f"is behind more than {MAX_REDIRECTS} redirects"):
            await fetcher().fetch([f"https://images.test:{server.port}/a"])
    assert server.connected == MAX_REDIRECTS + 1


# ---- many, slow, cancelled


async def test_a_few_are_fetched_at_a_time() -> None:
    gate, full = anyio.Event(), anyio.Event()

    async def held(stream: ByteStream) -> None:
        if server.open == AT_ONCE:
            full.set()
        await gate.wait()
        await stream.send(response())

    paths = [f"/{number}" for number in range(2 * AT_ONCE)]
    async with Server(dict.fromkeys(paths, held)).serving() as server, anyio.create_task_group() as tasks:
        tasks.start_soon(fetcher().fetch, [f"https://images.test:{server.port}{path}" for path in paths])
        with anyio.fail_after(5):
            await full.wait()
            await anyio.sleep(0.05)  # in which one more would come
            assert server.connected == AT_ONCE
            gate.set()
    assert server.connected == len(paths)


async def test_the_limit_is_for_all_images_of_a_request() -> None:
    async with Server({"/a": response(), "/b": response(JPEG, "image/jpeg")}).serving() as server:
        urls = [f"https://images.test:{server.port}/{name}" for name in "ab"]
        assert len(await fetcher(max_image_bytes=len(PNG + JPEG)).fetch(urls)) == 2
        with pytest.raises(ImageFetchError, match="max_image_bytes"):
            await fetcher(max_image_bytes=len(PNG + JPEG) - 1).fetch(urls)


async def test_there_are_no_more_images_than_a_request_may_have() -> None:
    with pytest.raises(ImageFetchError, match=f"{MAX_IMAGES + 1} images are too many"):
        await fetcher().fetch([f"https://images.test/{number}" for number in range(MAX_IMAGES + 1)])


async def never(stream: ByteStream) -> None:
    await stream.send(response(content_length="")[:-50])
    await stream.receive()  # until the client goes away


async def test_one_that_fails_ends_the_others() -> None:
    async with Server({"/a": never, "/b": response(status="404 No")}).serving() as server:
        urls = [f"https://images.test:{server.port}/{name}" for name in "ab"]
        with anyio.fail_after(5), pytest.raises(ImageFetchError, match="HTTP 404"):
            await fetcher().fetch(urls)
        with anyio.fail_after(5):
            await server.left.wait()


async def test_one_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "FETCH_S", 0.05)
    with pytest.raises(ImageFetchError, match=r"took longer than 0\.05 s"):
        await fetched(never)


async def test_whoever_waits_may_be_cancelled() -> None:
    async with Server({"/a": never}).serving() as server:
        await cancel_once_reached(server, fetcher().fetch, [f"https://images.test:{server.port}/a"])


async def cancel_once_reached(server: Server, call: Callable[..., Any], *args: Any) -> None:
    """Cancel a call while it waits for the server, whose connection must end with it."""
    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(call, *args)
            await server.reached.wait()
            tasks.cancel_scope.cancel()
        await server.left.wait()
