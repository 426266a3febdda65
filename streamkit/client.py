"""The client: request → deltas, the stages joined in one async generator."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from time import perf_counter_ns
from types import AsyncGeneratorType, TracebackType
from typing import Any, cast
from weakref import WeakKeyDictionary

from anyio.lowlevel import RunVar
from msgspec import structs

from streamkit.accumulator import Accumulator
from streamkit.credentials import find_credentials, lookup_for
from streamkit.deltas import Delta, MessageEnd, RefusalDelta, TextDelta, ThinkingDelta, ToolCallDelta
from streamkit.endpoint import Endpoint
from streamkit.errors import ConfigError, StreamkitError, TruncatedStream
from streamkit.keys import ApiKey, scrub_error
from streamkit.limits import Limits
from streamkit.messages import MessageOutput
from streamkit.params import Messages, ToolLike, build_request, encode_body
from streamkit.pools import Pools
from streamkit.protocols import EncodedRequest, Parser
from streamkit.providers import Provider, get_provider, parse_model
from streamkit.timing import Timeouts, Timing
from streamkit.transport import (
    Exchange,
    HTTPClient,
    check_http_client,
    load_libraries,
    open_exchange,
    timeouts_for,
)

__all__ = ["Client", "Stream"]

_TOKENS = {TextDelta, ThinkingDelta, RefusalDelta, ToolCallDelta}


class Client:
    """One model at one provider, over HTTP.

    async with Client("anthropic/claude-haiku-4-5") as client:
        async with client.stream("Hello") as stream:
            async for delta in stream: ...

    `model` is `provider/model`; with a `provider` given (its name or a row), the model's own name is enough. The key is
    `api_key` or the environment variable of the provider's row, and is sent in a header alone. A function as `api_key`,
    plain or async, is asked for a token before each request. `base_url` is what the vendor's own SDK takes. `headers`
    go with every request.

    `http_client` is an `httpx.AsyncClient` or `httpx2.AsyncClient` of the caller's, which stays open; without one the
    client makes its own as they are needed, for each event loop. `connect_timeout_s` and `read_timeout_s`
    (between two reads, and for the first) are in seconds, None for no limit. An `http_client` with timeouts other
    than httpx's default keeps them, unless one of the two is given here.

    Raises `ConfigError` for whatever is wrong in these. May be shared by any number of tasks.
    """

    def __init__(
        self,
        model: str,
        *,
        api_key: ApiKey | None = None,
        base_url: str | None = None,
        http_client: HTTPClient | None = None,
        provider: Provider | str | None = None,
        headers: Mapping[str, str] | None = None,
        connect_timeout_s: float | None = Timeouts().connect_s,
        read_timeout_s: float | None = Timeouts().read_s,
        limits: Limits | None = None,
    ) -> None:
        if provider is None:
            self.provider, self.model = parse_model(model)
        else:
            self.provider = get_provider(provider) if isinstance(provider, str) else provider
            self.model = model.removeprefix(f"{self.provider.name}/")
        self.limits = limits or Limits()
        self._endpoint = Endpoint(
            self.provider, api_key=api_key, base_url=base_url, headers=headers, lookup=lookup_for(self.provider)
        )
        self._authorize = find_credentials(self._endpoint, api_key)
        self._timeouts: Timeouts | None = Timeouts(connect_timeout_s, read_timeout_s)
        self._given = http_client
        if http_client is not None:
            check_http_client(http_client)
            self._timeouts = timeouts_for(http_client, self._timeouts)
        load_libraries()
        self._own: WeakKeyDictionary[_Loop, Pools] = WeakKeyDictionary()

    def stream(
        self,
        messages: Messages,
        *,
        tools: Iterable[ToolLike] | None = None,
        include_raw: bool = False,
        **params: Any,
    ) -> Stream:
        """Return the stream of an answer, not yet asked for: `async with` asks.

        `messages` is a string, a message, or any number of either (as `Message` or in its JSON form). `tools` are
        functions, `Tool`s, `ToolSpec`s, or dicts in the provider's own form. `params` are the other fields of
        `Request` by name; any other keyword goes into the body as it is. With `include_raw` each frame comes as a
        `RawFrame` ahead of its deltas. Raises `ConfigError` for what cannot be sent.
        """
        row = self.provider
        request = build_request(self.model, messages, tools, params, provider=row.name)
        dialect = row.get_protocol()
        encoded = dialect.encode(request, row.quirks)
        # An answer is in the dialect of its request, so none of the row's others is looked for.
        if encoded.two_steps:
            raise ConfigError(
                f"{dialect.name} answers a request with the address of its stream, which the client does not fetch: "
                f"POST the body to {encoded.path} yourself, GET the stream and give its bytes to the parser"
            )
        parser = dialect.parser(
            provider=row.name,
            quirks=row.quirks,
            limits=self.limits,
            include_raw=include_raw,
            **encoded.parser_options,
        )
        return Stream(self, encoded, encode_body(encoded.body), parser)

    def resume(self, response_id: str, *, include_raw: bool = False) -> Stream:
        """Return the stream, from its first event, of an answer that the provider keeps: `stream.output.id` names it.

        OpenAI keeps an answer that was asked for with `background=True`, and goes on with it when nobody listens.
        Raises `ConfigError` where the provider keeps none. Where the connection of a stream broke, `Stream.resume`
        goes on with it instead.
        """
        encoded = self.provider.get_protocol().encode_resume(response_id)
        return Stream(self, encoded, b"", self.provider.parser(limits=self.limits, include_raw=include_raw))

    async def send(
        self, messages: Messages, *, tools: Iterable[ToolLike] | None = None, **params: Any
    ) -> MessageOutput:
        """Return the whole answer; the arguments and errors are those of `stream` and of reading it."""
        async with self.stream(messages, tools=tools, **params) as stream:
            async for _ in stream:
                pass
        return stream.output

    async def aclose(self) -> None:
        """Close the connections that were made in this event loop; a later stream makes new ones.

        An http client of the caller's stays open.
        """
        pools = self._own.pop(_loop(), None)
        if pools is not None:
            await pools.aclose()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"<Client {self.model!r} of {self._endpoint!r}>"

    async def _open(self, encoded: EncodedRequest, body: bytes, timing: Timing, framing: str) -> Exchange:
        """Send a request: the whole of what a retry repeats."""
        pools = None if self._given is not None else self._own.setdefault(_loop(), Pools())
        http = self._given if pools is None else pools.take()

        def release() -> None:
            if pools is not None:
                pools.give_back(http)

        try:
            exchange = await open_exchange(
                http,
                self._endpoint,
                encoded,
                body,
                timeouts=self._timeouts,
                limits=self.limits,
                timing=timing,
                sse=framing == "sse",
                authorize=self._authorize,
            )
        except BaseException:
            release()
            raise
        exchange.on_close = release
        return exchange


class Stream:
    """One answer as it comes: `async with` sends the request, `async for` yields its deltas, once.

    Leaving the block closes the connection, wherever the reading stands. An error that ends the stream has what came
    until then as `partial`, and every delta of that has been yielded. `output` is the message so far, and after the
    last delta the whole. `accumulator` also has the arguments of an unfinished call.
    """

    def __init__(self, client: Client, encoded: EncodedRequest, body: bytes, parser: Parser) -> None:
        self._client = client
        self._encoded = encoded
        self._body = body
        self._parser = parser
        self._exchange: Exchange | None = None
        self._deltas: AsyncGeneratorType[Delta, None] | None = None
        self._opened = False
        self.accumulator = Accumulator()
        self.timing = Timing()

    @property
    def output(self) -> MessageOutput:
        """The message so far (of choice 0); costs as much as joining its text."""
        return self._finished(self.accumulator.snapshot())

    @property
    def outputs(self) -> list[MessageOutput]:
        """The messages of all choices, as if they had ended."""
        return [self._finished(output) for output in self.accumulator.outputs()]

    @property
    def status(self) -> int | None:
        """The HTTP status, None until there is an answer."""
        return None if self._exchange is None else self._exchange.status

    @property
    def request_id(self) -> str | None:
        """The provider's id of the request, where its headers give one."""
        return None if self._exchange is None else self._exchange.request_id

    @property
    def heartbeats(self) -> int:
        """How many comments, pings and empty events have come."""
        return self._parser.heartbeats

    def resume(self) -> Stream:
        """Return the stream of what did not come before the connection broke, from a provider that keeps answers.

        Its deltas go on where those of this one ended, and its `output` is the whole message. Raises `ConfigError`
        where the provider keeps none (see `Client.resume`), nothing is left to come, or this stream is still open.
        """
        if self._exchange is None or not self._exchange.closed:
            raise ConfigError("only a stream that was opened and is closed can be gone on with")
        stream = Stream(self._client, self._parser.resume(), b"", self._parser)
        stream.accumulator = self.accumulator
        return stream

    async def __aenter__(self) -> Stream:
        if self._opened:
            raise ConfigError("a stream is opened once: call client.stream() for another answer")
        self._opened = True
        self._exchange = await self._client._open(self._encoded, self._body, self.timing, self._parser.framing)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncGenerator[Delta, None]:
        if self._exchange is None:
            raise ConfigError("open the stream first: `async with client.stream(…) as stream`")
        if self._deltas is not None:
            raise ConfigError("a stream is read once: its message is `output`")
        self._deltas = cast("AsyncGeneratorType[Delta, None]", self._read(self._exchange))
        return self._deltas

    async def aclose(self) -> None:
        """Close the connection. Another task that is reading gets an error; the reader's own loop just ends."""
        if self._exchange is not None:
            await self._exchange.aclose()
        # Only now, when it has nothing to wait for: a cancelled wait inside leaves it marked as running (Python 3.11).
        if self._deltas is not None and not self._deltas.ag_running:
            await self._deltas.aclose()

    async def _read(self, exchange: Exchange) -> AsyncGenerator[Delta, None]:
        parser, timing = self._parser, self.timing
        feed, fold = parser.feed, self.accumulator.feed
        fault: StreamkitError | None = None
        now = 0
        try:
            try:
                async for chunk in exchange.chunks:
                    now = perf_counter_ns()
                    deltas = feed(chunk)
                    if timing.first_token_ns is None:
                        self._stamp(now, deltas)
                    for delta in deltas:
                        fold(delta)
                        yield delta
                    if parser.ended:
                        break
            except Exception as error:
                fault = exchange.explain(error)
                if fault is None:
                    raise
            rest, fault = self._end(fault)
            timing.end_ns = perf_counter_ns() if fault is not None or not now else now
            for delta in rest:
                fold(delta)
                yield delta
            if fault is not None:
                raise fault
            await exchange.drain()
        except StreamkitError as error:
            chunk = b""  # may echo the key, and traces may show locals
            self._complete(error, exchange)
            raise
        finally:
            await exchange.aclose()

    def _stamp(self, now: int, deltas: list[Delta]) -> None:
        """Note the first read, and the one that brings the first token."""
        if self.timing.first_byte_ns is None:
            self.timing.first_byte_ns = now
        if any(type(delta) in _TOKENS for delta in deltas):
            self.timing.first_token_ns = now

    def _end(self, fault: StreamkitError | None) -> tuple[list[Delta], StreamkitError | None]:
        """The deltas that the end of input completes, and the error that ends the stream, if one does.

        A connection that broke after the provider's last word has spoilt nothing; a finish reason that the parser
        would only assume does not count as one.
        """
        try:
            rest = self._parser.finish()
        except StreamkitError as error:
            rest, error.deltas = error.deltas, []
            return rest, fault if fault is not None and isinstance(error, TruncatedStream) else error
        if fault is None:
            return rest, None
        assumed = [delta for delta in rest if isinstance(delta, MessageEnd) and delta.finish_reason.synthesized]
        return [delta for delta in rest if delta not in assumed], fault if assumed else None

    def _complete(self, error: StreamkitError, exchange: Exchange) -> None:
        """Give an error that ends the stream what belongs to it, and take out what does not."""
        error.partial = self.output
        error.provider = error.provider or exchange.endpoint.provider.name
        error.status = error.status or exchange.status
        error.request_id = error.request_id or exchange.request_id
        scrub_error(error, exchange.endpoint.secrets)

    def _finished(self, output: MessageOutput) -> MessageOutput:
        output.provider = output.provider or self._client.provider.name
        output.timing = structs.replace(self.timing)
        return output


class _Loop:
    """Stands for an event loop: it lives as long."""


_LOOP: RunVar[_Loop] = RunVar("streamkit.client.loop")


def _loop() -> _Loop:
    loop = _LOOP.get(None)
    if loop is None:
        _LOOP.set(loop := _Loop())
    return loop
