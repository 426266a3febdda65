"""The client: request → deltas, the stages joined in one async generator."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from types import TracebackType
from typing import Any, TypeVar, overload
from weakref import WeakKeyDictionary

from msgspec import structs

from streamkit.client.asking import Asked
from streamkit.client.catalog import Catalog
from streamkit.client.observing import Observer
from streamkit.client.retries import Retry, Retrying, as_retry
from streamkit.client.stream import Stream
from streamkit.client.typed import TypedStream
from streamkit.credentials import find_credentials, lookup_for
from streamkit.endpoint import Endpoint
from streamkit.errors import ConfigError, StreamkitError
from streamkit.images import embed_images, images_to_embed
from streamkit.keys import ApiKey
from streamkit.limits import Limits
from streamkit.messages import MessageOutput
from streamkit.params import Messages, ToolLike, build_request, encode_body
from streamkit.parts import EmbeddedImage
from streamkit.protocols import EncodedRequest, Parser, Request
from streamkit.providers import Provider, get_provider, parse_model
from streamkit.providers.abilities import Structured, structured_by, takes_system
from streamkit.structured import OutputType, TypedOutput, fit_schema
from streamkit.timing import Timeouts, Timing
from streamkit.transport.exchange import Exchange, open_exchange
from streamkit.transport.faults import place_of
from streamkit.transport.fetching import ImageFetcher
from streamkit.transport.http_clients import HTTPClient, check_http_client, load_libraries, timeouts_for
from streamkit.transport.pools import EventLoop, Pools, this_loop

__all__ = ["Client", "Stream"]

T = TypeVar("T")

logger = logging.getLogger("streamkit")

# What stands for an image that is still to be fetched, so that all else can be checked before.
_STAND_IN = EmbeddedImage("image/png", b"\x89PNG\r\n\x1a\n")


class Client:
    """One model at one provider, over HTTP.

    async with Client("anthropic/claude-haiku-4-5") as client:
        async with client.stream("Hello") as stream:
            async for delta in stream: ...

    `model` is `provider/model`; with a `provider` given (its name or a row), the model's own name is enough. The key is
    `api_key` or the environment variable of the provider's row, and is sent in a header alone. A function as `api_key`,
    plain or async, is asked for a token before each request. `base_url` is what the vendor's own SDK takes. `headers`
    go with every request.

    `http_client` is an `httpx.AsyncClient` or `httpx2.AsyncClient` of the caller's, which stays open, or names the
    library by which the client makes its own as they are needed, for each event loop: `httpx` (the default), `httpx2`,
    `aiohttp` (asyncio only, and the least CPU) or `http2` (httpx over HTTP/2); the last three are extras.

    All limits are in seconds, None for none: `connect_timeout_s`, `read_timeout_s` (between two reads, and for the
    first; comments and pings count), `first_token_timeout_s` (from sending a request to the first piece of its answer),
    `idle_timeout_s` (from there on between two pieces; comments and pings are none), `total_timeout_s` (for all of a
    stream, retries included). An `http_client` with timeouts other than httpx's default keeps them, unless one of the
    first two is given here.

    `retry` is a `Retry`, or how often a request is sent again. `fallback` are models, or clients, to be asked in turn
    when all that has failed; a client's own fallbacks come after it, and all else of how and how long they are asked is
    as said here. `on_retry` is called with a `Retrying` before each, with no secret in it.

    `end_without_finish` says whether an answer is whole whose server ends the body without saying why it ended (True),
    or truncated (False); by default that is as the provider's row has it, where nearly none is so.

    `telemetry` is told of each stream, and of the runs of an agent: see `streamkit.telemetry`.

    With `prices` the usage of each answer has its `cost`, where the catalog knows the model's prices and the provider
    does not report a cost itself.

    Raises `ConfigError` for whatever is wrong in these. May be shared by any number of tasks.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: ApiKey | None = None,
        base_url: str | None = None,
        http_client: HTTPClient | str | None = None,
        provider: Provider | str | None = None,
        headers: Mapping[str, str] | None = None,
        connect_timeout_s: float | None = Timeouts().connect_s,
        read_timeout_s: float | None = Timeouts().read_s,
        first_token_timeout_s: float | None = None,
        idle_timeout_s: float | None = None,
        total_timeout_s: float | None = None,
        retry: Retry | int | None = None,
        fallback: Iterable[str | Client] = (),
        on_retry: Callable[[Retrying], None] | None = None,
        end_without_finish: bool | None = None,
        limits: Limits | None = None,
        telemetry: Observer | None = None,
        prices: Catalog | None = None,
    ) -> None:
        if provider is None:
            self.provider, self.model = parse_model(model)
        else:
            self.provider = get_provider(provider) if isinstance(provider, str) else provider
            self.model = model.removeprefix(f"{self.provider.name}/")
        if end_without_finish is not None:
            quirks = structs.replace(self.provider.quirks, end_without_finish=end_without_finish)
            self.provider = structs.replace(self.provider, quirks=quirks)
        self.limits = limits or Limits()
        self._endpoint = Endpoint(
            self.provider, api_key=api_key, base_url=base_url, headers=headers, lookup=lookup_for(self.provider)
        )
        self._fetcher = ImageFetcher(self.limits)
        self._authorize = find_credentials(self._endpoint, api_key)
        timeouts = Timeouts(connect_timeout_s, read_timeout_s, first_token_timeout_s, idle_timeout_s, total_timeout_s)
        self.timeouts = timeouts
        self.retry = as_retry(retry)
        self.on_retry = on_retry
        self.telemetry = telemetry
        self.prices = prices
        self._structured: tuple[Any, Structured] | None = None  # the schema that was last asked for, and how
        self._given = None if isinstance(http_client, str) else http_client
        self._kind = http_client if isinstance(http_client, str) else "httpx"
        self._waits: Timeouts | None = timeouts
        if self._given is not None:
            check_http_client(self._given)
            self._waits = timeouts_for(self._given, timeouts)
        self._made: list[Client] = []  # for fallbacks by name

        def made(model: str) -> Client:
            client = Client(
                model,
                http_client=http_client,
                connect_timeout_s=connect_timeout_s,
                read_timeout_s=read_timeout_s,
                limits=limits,
            )
            self._made.append(client)
            return client

        self._make = made
        self._others: dict[str, Client] = {}
        others = [fallback] if isinstance(fallback, (str, Client)) else fallback
        self.fallback = [other if isinstance(other, Client) else made(other) for other in others]
        load_libraries(self._kind)
        self._own: WeakKeyDictionary[EventLoop, Pools] = WeakKeyDictionary()

    @overload
    def stream(
        self,
        messages: Messages,
        *,
        tools: Iterable[ToolLike] | None = None,
        include_raw: bool = False,
        coalesce: bool = False,
        fetch_images: bool = False,
        output_type: type[T],
        **params: Any,
    ) -> TypedStream[T]: ...

    @overload
    def stream(
        self,
        messages: Messages,
        *,
        tools: Iterable[ToolLike] | None = None,
        include_raw: bool = False,
        coalesce: bool = False,
        fetch_images: bool = False,
        output_type: Any = None,
        **params: Any,
    ) -> Stream: ...

    def stream(
        self,
        messages: Messages,
        *,
        tools: Iterable[ToolLike] | None = None,
        include_raw: bool = False,
        coalesce: bool = False,
        fetch_images: bool = False,
        output_type: Any = None,
        **params: Any,
    ) -> Stream:
        """Return the stream of an answer, not yet asked for: `async with` asks.

        `messages` is a string, a message, or any number of either (as `Message` or in its JSON form). `tools` are
        functions, `Tool`s, `ToolSpec`s, or dicts in the provider's own form. `params` are the other fields of
        `Request` by name; any other keyword goes into the body as it is. With `include_raw` each frame comes as a
        `RawFrame` ahead of its deltas. With `coalesce` a slow consumer gets fewer, larger deltas: whatever came while
        it was busy, merged; nothing waits for more. With `fetch_images` an image that is only an address is fetched
        and embedded where the provider takes it no other way (see `fetch_image`), when the stream is opened. With
        `output_type` the answer is to be a value of that type (any that msgspec reads from JSON): `value` of the
        stream. Raises `ConfigError` for what cannot be sent: `ImageNotEmbedded` for such an image that nobody is to
        fetch.
        """
        kind = None if output_type is None else OutputType.make(output_type)
        if kind is not None:
            if params.get("output_schema") is not None:
                raise ConfigError("output_type has a schema of its own: leave out output_schema")
            params |= {"output_schema": kind.schema, "instruct_output": True}
        request = build_request(self.model, messages, tools, params, provider=self.provider.name)
        stand_ins = dict.fromkeys(self._addresses(request), _STAND_IN) if fetch_images else {}
        asked = self.ask(embed_images(request, stand_ins), include_raw=include_raw)
        options: dict[str, bool] = {"include_raw": include_raw, "coalesce": coalesce, "fetch_images": fetch_images}
        stream = Stream if kind is None else TypedStream
        return stream(self, asked, request, output_type=kind, **options)

    def resume(self, response_id: str, *, include_raw: bool = False) -> Stream:
        """Return the stream, from its first event, of an answer that the provider keeps: `stream.output.id` names it.

        OpenAI keeps an answer that was asked for with `background=True`, and goes on with it when nobody listens.
        Raises `ConfigError` where the provider keeps none. Where the connection of a stream broke, `Stream.resume`
        goes on with it instead.
        """
        encoded = self.provider.get_protocol().encode_resume(response_id)
        return Stream(self, self._asked(encoded, b"", include_raw=include_raw))

    @overload
    async def send(
        self, messages: Messages, *, tools: Iterable[ToolLike] | None = None, output_type: None = None, **params: Any
    ) -> MessageOutput: ...

    @overload
    async def send(
        self, messages: Messages, *, tools: Iterable[ToolLike] | None = None, output_type: type[T], **params: Any
    ) -> TypedOutput[T]: ...

    @overload
    async def send(
        self, messages: Messages, *, tools: Iterable[ToolLike] | None = None, output_type: Any, **params: Any
    ) -> TypedOutput[Any]: ...

    async def send(
        self, messages: Messages, *, tools: Iterable[ToolLike] | None = None, output_type: Any = None, **params: Any
    ) -> MessageOutput:
        """Return the whole answer; the arguments and errors are those of `stream` and of reading it.

        With `output_type` it has its `value`; raises `OutputError` where the answer is not of that type.
        """
        async with self.stream(messages, tools=tools, output_type=output_type, **params) as stream:
            async for _ in stream:
                pass
        return stream.output if output_type is None else TypedOutput.of(stream.output, stream.value)

    async def aclose(self) -> None:
        """Close the connections that were made in this event loop; a later stream makes new ones.

        An http client of the caller's stays open.
        """
        pools = self._own.pop(this_loop(), None)
        if pools is not None:
            await pools.aclose()
        for client in self._made:
            await client.aclose()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def twin(self) -> Client:
        """Return a client with all that this one was made with and the tokens it has, and connections of its own."""
        other = copy(self)
        other._own = WeakKeyDictionary()
        twins = {id(client): client.twin() for client in self._made}
        other._made, other._others = list(twins.values()), {}
        other.fallback = [twins.get(id(client), client) for client in self.fallback]
        return other

    def on(self, model: str) -> Client:
        """Return a client for another `provider/model`, with the limits, retries, prices and hooks of this one.

        At the same provider it shares the key, the address and the connections. Another provider is asked with the key
        of its environment variable, and those connections are closed with this client's. Raises `ConfigError` for a
        model that cannot be asked.
        """
        vendor, slash, name = model.partition("/")
        if slash and vendor == self.provider.name:
            other = copy(self)
            other.model = name
            return other
        if model not in self._others:
            other = self._others[model] = self._make(model)
            for shared in ("timeouts", "retry", "on_retry", "telemetry", "prices"):
                setattr(other, shared, getattr(self, shared))
        return self._others[model]

    def __repr__(self) -> str:
        return f"<Client {self.model!r} of {self._endpoint!r}>"

    @property
    def place(self) -> str:
        """Who is asked, and where, for messages."""
        return place_of(self._endpoint)

    @property
    def server(self) -> tuple[str, int]:
        """The host and the port that requests go to."""
        return self._endpoint.server

    def ask(self, request: Request, *, include_raw: bool) -> Asked:
        """Put a request into the provider's words."""
        dialect = self.provider.get_protocol()
        if request.instruct_output and request.output_schema is not None:
            if self._structured is None or self._structured[0] != request.output_schema:
                self._structured = request.output_schema, structured_by(self.provider, request.output_schema)
            request = fit_schema(request, self._structured[1], system=takes_system(self.provider))
        encoded = dialect.encode(request, self.provider.quirks)
        if encoded.two_steps:
            raise ConfigError(
                f"{dialect.name} answers a request with the address of its stream, which the client does not fetch: "
                f"POST the body to {encoded.path} yourself, GET the stream and give its bytes to the parser"
            )
        return self._asked(encoded, encode_body(encoded.body), include_raw=include_raw)

    def _asked(self, encoded: EncodedRequest, body: bytes, *, include_raw: bool) -> Asked:
        row = self.provider
        options = {
            "provider": row.name,
            "quirks": row.quirks,
            "limits": self.limits,
            "include_raw": include_raw,
            "framing": row.framing or None,
            **encoded.parser_options,
        }

        def new_parser() -> Parser:
            # An answer is in the dialect of its request, so none of the row's others is looked for.
            return row.get_protocol().parser(**options)

        return Asked(encoded, body, new_parser)

    def ask_again(self, request: Request, *, include_raw: bool) -> Asked:
        """Put a request that was made for another client into this one's words."""
        return self.ask(
            structs.replace(request, model=self.model, provider=self.provider.name), include_raw=include_raw
        )

    async def embed(self, request: Request) -> Request:
        """Return `request` with the images that the provider takes by their bytes only, fetched and embedded."""
        addresses = self._addresses(request)
        return embed_images(request, await self._fetcher.fetch(addresses)) if addresses else request

    def _addresses(self, request: Request) -> list[str]:
        return images_to_embed(request, self.provider.get_protocol(), self.provider.quirks)

    def announce(self, error: StreamkitError, to: Client, number: int, wait_s: float) -> Retrying:
        """Say that a request is about to be sent again; what is wrong with the caller's hook is logged alone."""
        retrying = Retrying(error, to.provider.name, to.model, number, wait_s)
        logger.info("asking %s again in %.1f s after %s", retrying.provider, wait_s, type(error).__name__)
        if self.on_retry is not None:
            try:
                self.on_retry(retrying)
            except Exception:  # the caller's hook may raise anything, and fails nothing else
                logger.exception("on_retry failed")
        return retrying

    async def open(self, asked: Asked, timing: Timing, *, sse: bool) -> Exchange:
        """Send a request, once; the arguments and errors are those of `open_exchange`."""
        pools = None if self._given is not None else self._own.setdefault(this_loop(), Pools(self._kind))
        http = self._given if pools is None else pools.take()

        def release() -> None:
            if pools is not None:
                pools.give_back(http)

        try:
            exchange = await open_exchange(
                http,
                self._endpoint,
                asked.encoded,
                asked.body,
                timeouts=self._waits,
                limits=self.limits,
                timing=timing,
                sse=sse,
                authorize=self._authorize,
            )
        except BaseException:  # a cancelled request too gives its place back
            release()
            raise
        exchange.on_close = release
        return exchange
