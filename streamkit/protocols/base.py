"""What every dialect is: a parser of its stream and an encoder of its requests."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any, ClassVar

from msgspec import Struct

from streamkit.deltas import Delta, RawFrame, UnknownFrame
from streamkit.errors import ConfigError, StreamkitError
from streamkit.limits import Limits
from streamkit.protocols.foreign import settle_thinking
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest, Request
from streamkit.protocols.unheard import Unheard
from streamkit.wire import Frame, new_decoder

__all__ = ["Parser", "Protocol", "mint_call_id", "unknown"]


def mint_call_id() -> str:
    """Return an id for a call that came without one, unique in any conversation."""
    return f"call_{secrets.token_hex(12)}"


class Parser:
    """The bytes of one response, in any cut → deltas.

    `feed` returns the deltas of what is complete by now; `finish`, at the end of input, the rest. At an error both
    return what was already complete, and the next call raises it, with `deltas` for what had been held back. `ended`
    is true once nothing that may follow can change the result (the provider's end, or an error): a reader may stop
    and call `finish`. `heartbeats` counts what came only to keep the connection alive. `is_sse` says that the body
    comes as server-sent events.

    A dialect subclasses this with `_read`, which appends the deltas of some frames and sets `ended` at the
    provider's end; `_end`, for the end of input before that; and `_flush`, for what is held back when an error
    breaks the stream.
    """

    protocol: ClassVar[str]
    framing: ClassVar[str] = "sse"
    modes: ClassVar[tuple[str, ...]] = ("incremental",)

    def __init__(
        self,
        *,
        provider: str = "",
        quirks: Quirks | None = None,
        framing: str | None = None,
        mode: str | None = None,
        include_raw: bool = False,
        limits: Limits | None = None,
        mint: Callable[[], str] = mint_call_id,
    ) -> None:
        """Prepare to parse one response; raises `ConfigError` for an unknown framing or mode."""
        self.quirks = quirks or Quirks()
        mode = mode or self.quirks.mode or self.modes[0]
        if mode not in self.modes:
            raise ConfigError(f"{self.protocol} has no mode {mode!r}; it has {', '.join(self.modes)}")
        self.provider = provider
        self.limits = limits or Limits()
        self.ended = False
        self._mint = mint
        self._mode = mode
        self._framing = framing or self.framing
        self._decoder = new_decoder(self._framing, self.limits)
        self._include_raw = include_raw
        self._pings = 0
        self._error: StreamkitError | None = None
        self.is_sse = self._framing == "sse"
        self._unheard: Unheard | None = Unheard(self._framing, provider)  # until something of an answer is heard

    @classmethod
    def claims(cls, frame: Frame) -> bool:
        """Say whether a body that begins with `frame` says itself that it is in this dialect."""
        return False

    @property
    def heartbeats(self) -> int:
        """How many comments, pings and empty events have come; they are no progress."""
        return self._decoder.heartbeats + self._pings

    def feed(self, data: bytes) -> list[Delta]:
        """Return the deltas that `data` completes; raises the error that an earlier call met."""
        out: list[Delta] = []
        if self.ended:
            if self._error is not None:
                raise self._error
            return out
        decoder = self._decoder
        try:
            if self._include_raw:
                self._read_raw(decoder.feed(data), out)
            else:
                self._read(decoder.feed(data), out)
            if decoder.error is not None:
                raise decoder.error
        except StreamkitError as error:
            self._fail(error, data, out)
        else:
            if self._unheard is not None:
                self._listen(data, out)
        return out

    def finish(self) -> list[Delta]:
        """Return what the end of input completes.

        Raises `TruncatedStream` where the provider had not ended the answer, or the error that an earlier call met;
        its `deltas` are what could still be completed.
        """
        out: list[Delta] = []
        if self._error is None and not self.ended:
            try:
                read = self._read_raw if self._include_raw else self._read
                read(self._decoder.finish(), out)
                if not self.ended:
                    self._end(out)
                    self.ended = True
            except StreamkitError as error:
                self._fail(error, b"", out)
                if self._error is not None:
                    self._error.deltas[:0] = out
        if self._error is not None:
            raise self._error
        return out

    def resume(self) -> EncodedRequest:
        """Make ready to read on from another connection; return the request for what has not come yet.

        Raises `ConfigError` where the provider keeps no answers, or nothing is left to come.
        """
        raise ConfigError(f"a stream of {self.protocol} cannot be gone on with: ask for the answer again")

    def _reopen(self) -> None:
        """Go on with another body; what is left of a cut event is dropped."""
        self._pings += self._decoder.heartbeats
        self._decoder = new_decoder(self._framing, self.limits)
        self._error, self.ended = None, False
        self._unheard = Unheard(self._framing, self.provider)

    def _read_raw(self, frames: list[Frame], out: list[Delta]) -> None:
        for frame in frames:
            if not self.ended:
                out.append(_raw(frame))
                self._read([frame], out)

    def _fail(self, error: StreamkitError, data: bytes, out: list[Delta]) -> None:
        """End by `error`, met in `data` behind the deltas `out`, or by what it stands for."""
        if self.ended:
            return  # what comes after the end cannot spoil it
        self._listen(data, out)
        self._error = (self._unheard and self._unheard.explain(error)) or error
        self.ended = True
        self._flush(self._error.deltas)

    def _listen(self, data: bytes, out: list[Delta]) -> None:
        if self._unheard is not None and not self._unheard.listen(data, out):
            self._unheard = None

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        """Append the deltas of `frames`; set `ended` at the provider's end, after which frames say nothing."""
        raise NotImplementedError

    def _end(self, out: list[Delta]) -> None:
        """Append what the end of input completes, or raise `TruncatedStream`."""
        raise NotImplementedError

    def _flush(self, out: list[Delta]) -> None:
        """Append what was held back and would be lost with the error."""


class Protocol(Struct, frozen=True):
    """A dialect: its name, its parser, its encoder of requests, and that of an answer which the provider kept."""

    name: str
    parser_type: type[Parser]
    encoder: Callable[[Request, Quirks], EncodedRequest]
    resumer: Callable[[str], EncodedRequest] | None = None

    def parser(self, **options: Any) -> Parser:
        """Return a fresh parser for one response; the options are those of `Parser`.

        With the mode `auto` a dialect of two modes finds out itself, and holds back all until it knows: `AutoParser`.
        """
        quirks = options.get("quirks") or Quirks()
        if (options.get("mode") or quirks.mode) == "auto":
            from streamkit.protocols.auto import AutoParser  # a parser itself, so it comes after this module

            return AutoParser(self.parser_type, options)
        return self.parser_type(**options)

    def encode(self, request: Request, quirks: Quirks | None = None) -> EncodedRequest:
        """Return the path, body and headers of `request`; raises `ConfigError` for what the dialect cannot say."""
        return self.encoder(settle_thinking(request, self.name), quirks or Quirks())

    def encode_resume(self, response_id: str) -> EncodedRequest:
        """Return the request for the stream, from its start, of an answer that the provider kept.

        Raises `ConfigError` where there is no id, or the dialect knows no such request.
        """
        if self.resumer is None:
            raise ConfigError(f"{self.name} keeps no answers that could be streamed again")
        return self.resumer(response_id)


def unknown(frame: Frame) -> UnknownFrame:
    """Return a frame that nobody knows as the delta that passes it on."""
    return UnknownFrame(frame.data.decode("utf-8", "replace"), frame.event)


def _raw(frame: Frame) -> RawFrame:
    try:
        return RawFrame(frame.data.decode(), frame.event)
    except UnicodeDecodeError:
        return RawFrame(frame.data.decode("utf-8", "replace"), frame.event, frame.data)
