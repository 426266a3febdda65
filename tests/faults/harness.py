"""What the tests of faults share: the transports, an answer with places in it, and what a stream came to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import anyio
import httpx
import httpx2
import httpx_aiohttp
from msgspec import Struct

from streamkit.accumulator import Accumulator, accumulate
from streamkit.client import Client, Stream
from streamkit.deltas import Delta, MessageEnd
from streamkit.errors import StreamkitError
from streamkit.messages import Message
from streamkit.protocols import get_protocol
from streamkit.testing import Answer, ReplayServer, Thinking, render
from streamkit.testing.mutations import split_frames
from streamkit.testing.scripts import framing_of

__all__ = [
    "ANSWER",
    "COMBINATIONS",
    "KEY",
    "MODELS",
    "TEXT",
    "TRANSPORTS",
    "Seen",
    "body",
    "client_at",
    "place",
    "said",
    "see",
    "until",
]

KEY = "sk-live-0123456789abcdef"
TEXT = "It is sunny in Oslo."
ANSWER = Answer([Thinking("Let me look."), TEXT])
# By dialect: server-sent events with and without names, JSON lines, and binary messages.
MODELS = {
    "openai-chat": "openai/gpt-5",
    "anthropic": "anthropic/claude-haiku-4-5",
    "ollama": "ollama-chat/qwen3",
    "bedrock-converse": "bedrock/claude-haiku-4-5",
}
TRANSPORTS: dict[str, Callable[..., Any]] = {
    "httpx": httpx.AsyncClient,
    "httpx2": httpx2.AsyncClient,
    "aiohttp": httpx_aiohttp.HttpxAiohttpClient,
}
COMBINATIONS = [(loop, name) for name in ("httpx", "httpx2") for loop in ("asyncio", "trio")] + [("asyncio", "aiohttp")]


class Seen(Struct):
    """What a stream came to: every delta that was delivered, and the error that ended them."""

    stream: Stream
    deltas: list[Delta]
    error: StreamkitError | None = None

    def check(self) -> None:
        """Check what holds of any stream: it ended once, and all that was delivered is in what is left of it."""
        shadow = Accumulator()
        for delta in self.deltas:
            shadow.feed(delta)
        left = self.stream.output if self.error is None else self.error.partial
        ends = [delta for delta in self.deltas if isinstance(delta, MessageEnd)]
        if self.error is None:
            assert len(ends) == 1 and self.deltas[-1] is ends[0], (
                "a stream that ends without an error ends by MessageEnd"
            )
        else:
            assert not ends, f"a stream ended in a finish and in {self.error!r}"
        if left is None:  # no answer ever began
            assert not self.deltas
        else:
            assert left.message == shadow.snapshot().message == self.stream.output.message
            assert left.usage == shadow.snapshot().usage
        if self.error is not None:
            assert self.error.provider
            assert KEY not in f"{self.error!r} {vars(self.error)!r}"


def client_at(server: ReplayServer | str, protocol: str = "openai-chat", **options: Any) -> Client:
    url = server if isinstance(server, str) else server.url
    return Client(MODELS[protocol], api_key=KEY, base_url=url, **options)


async def see(client: Client, **options: Any) -> Seen:
    """Read an answer to its end."""
    stream = client.stream("How is it?", max_tokens=50, **options)
    seen = Seen(stream, [])
    try:
        async with stream:
            async for delta in stream:
                seen.deltas.append(delta)
    except StreamkitError as error:
        seen.error = error
    return seen


def said(message: Message) -> str:
    """Thinking and text, with a bar between."""
    return f"{message.thinking or ''}|{message.text}"


def body(protocol: str = "openai-chat") -> bytes:
    return render(ANSWER, protocol)


def place(shown: str, protocol: str = "openai-chat") -> int:
    """How many bytes of the body it takes until `shown` has been (thinking, a bar, text), in whole frames."""
    at, parser, deltas = 0, get_protocol(protocol).parser(), []
    for frame in split_frames(body(protocol), framing_of(protocol)):
        at += len(frame)
        deltas += parser.feed(frame)
        if said(accumulate(deltas).message) == shown:
            return at
    raise AssertionError(f"the answer never stands at {shown!r}")


async def until(condition: Callable[[], bool], within_s: float = 1.0) -> None:
    """Wait until something is so that has no event of its own."""
    with anyio.fail_after(within_s):
        while not condition():  # noqa: ASYNC110 - see above
            await anyio.sleep(0.001)
