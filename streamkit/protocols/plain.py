"""The choices of a response that is text and nothing else, for dialects of base models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from streamkit.deltas import Delta, Logprobs, MessageEnd, MessageStart, UsageSnapshot
from streamkit.limits import Limits
from streamkit.messages import FinishReason
from streamkit.protocols.lenient import rejoin
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.tagged import TaggedWriter
from streamkit.protocols.values import scrub
from streamkit.usage import Usage

__all__ = ["PlainChoices"]

_NEVER_SAID = FinishReason("stop", synthesized=True)


class PlainChoices:
    """Pieces of text by the number of their choice → deltas.

    Every choice ends when the response does, with the usage of all before it.
    """

    def __init__(
        self,
        protocol: str,
        provider: str,
        quirks: Quirks,
        limits: Limits,
        writer: type[TaggedWriter] = TaggedWriter,
    ) -> None:
        """`writer` is the sort of writer that each choice gets."""
        self._writer = writer
        self.writers: dict[int, TaggedWriter] = {}  # of the choices that have begun
        self.reasons: dict[int, FinishReason] = {}  # of those that have ended, by the provider's word
        self.usage = Usage()
        self._told = Usage()  # the last snapshot
        self._protocol = protocol
        self._provider = provider
        self._quirks = quirks
        self._limits = limits

    @property
    def unfinished(self) -> set[int]:
        """The choices that have begun and not ended."""
        return self.writers.keys() - self.reasons.keys()

    def begin(self, index: int, out: list[Delta], *, id: Any = None, model: Any = None) -> TaggedWriter:
        """Return the writer of a choice, whose message begins with the first call; an id or model is a text."""
        writer = self.writers.get(index)
        if writer is None:
            writer = self._writer(index, quirks=self._quirks, mint=_no_call, limits=self._limits)
            self.writers[index] = writer
            provider = self._provider or None
            out.append(MessageStart("assistant", _name(id), _name(model), provider, self._protocol, choice=index))
        return writer

    def tell_logprobs(self, index: int, tokens: list[Any], out: list[Delta]) -> None:
        """Append the log probabilities of some tokens."""
        if tokens:
            out.append(Logprobs(scrub(tokens), choice=index))

    def tell_usage(self, out: list[Delta]) -> None:
        """Append the usage where it has changed."""
        if self.usage != self._told:
            self._told = self.usage
            out.append(UsageSnapshot(self.usage))

    def close(self, out: list[Delta], indices: Iterable[int]) -> None:
        """End the messages of some choices; where the provider gave no reason it is made up, and says so."""
        ended = sorted(indices)
        for index in ended:
            self.writers[index].close(out)
        self.tell_usage(out)
        out += [MessageEnd(self.reasons.get(index, _NEVER_SAID), choice=index) for index in ended]

    def release(self, out: list[Delta]) -> None:
        """Append what is held back, where the stream breaks off."""
        for _, writer in sorted(self.writers.items()):
            writer.release(out)
        self.tell_usage(out)


def _name(value: Any) -> str | None:
    return (rejoin(value) or None) if isinstance(value, str) else None


def _no_call() -> str:
    raise AssertionError("a response of text has no calls")
