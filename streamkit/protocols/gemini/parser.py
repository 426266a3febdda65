"""Gemini's `streamGenerateContent`, of the Gemini API and of Vertex AI.

Each record is a whole response that holds what is new. There is no end sentinel: old models put `STOP` into every
chunk and some gateways send it before the text, so the answer ends where the input does, and it is whole if a finish
reason came. Facts: https://ai.google.dev/api/generate-content, `google-genai` 3.6.1 and recordings of both services,
checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from streamkit.deltas import Delta, MessageStart, TextDelta, UsageSnapshot
from streamkit.errors import ProtocolError, TruncatedStream
from streamkit.messages import FinishReason
from streamkit.protocols.base import Parser, unknown
from streamkit.protocols.failures import read_failure
from streamkit.protocols.failures.shapes import find_failure
from streamkit.protocols.gemini.candidate import CandidateReader
from streamkit.protocols.gemini.finish import blocked_reason
from streamkit.protocols.gemini.usage import UsageReader
from streamkit.protocols.gemini.views import Candidate, Chunk, Counts, Head
from streamkit.protocols.lenient import decode_as, decode_lenient, rejoin, too_deep
from streamkit.protocols.values import compact_json, scrub
from streamkit.usage import Usage
from streamkit.wire import Frame

__all__ = ["GeminiParser"]

_DONE = b"[DONE]"  # from gateways that speak another dialect too
# What shows that a record without candidates belongs to the dialect.
_CHUNK_KEYS = frozenset(
    {"candidates", "usageMetadata", "promptFeedback", "modelVersion", "responseId", "createTime", "modelStatus"}
)

_decode = msgspec.json.Decoder(Chunk).decode


class GeminiParser(Parser):
    """The body of one response, streamed or not → deltas; see `Parser`.

    The framing `json-array` is that of requests without `alt=sse`.
    """

    protocol: ClassVar[str] = "gemini"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._readers: dict[int, CandidateReader] = {}
        self._head: Head | None = None
        self._blocked: FinishReason | None = None
        self._usage = UsageReader()
        self._counts = Counts()  # the last that came
        self._told = Usage()  # the last snapshot

    def _read(self, frames: list[Frame], out: list[Delta]) -> None:
        readers = self._readers
        for frame in frames:
            if self.ended:
                return
            try:
                chunk = _decode(frame.data)
            except (ValueError, RecursionError):  # broken in some way, or no chunk at all
                self._read_odd(frame, out)
                continue
            # Nearly every chunk is one piece of text of a candidate that has begun, and perhaps token counts.
            candidates = chunk.candidates
            if (
                candidates is not None
                and len(candidates) == 1
                and chunk.error is None
                and chunk.prompt_feedback is None
                and not frame.event
            ):
                candidate = candidates[0]
                if (
                    candidate is not None
                    and candidate.content is not None
                    and candidate.finish_reason is None
                    and candidate.grounding_metadata is None
                    and candidate.citation_metadata is None
                    and candidate.url_context_metadata is None
                    and candidate.logprobs_result is None
                ):
                    parts, reader = candidate.content.parts, readers.get(candidate.index or 0)
                    if parts is not None and len(parts) == 1 and reader is not None and reader.writer.ready >= 0:
                        part = parts[0]
                        if part is not None and part.text and part.thought is None and part.thought_signature is None:
                            out.append(TextDelta(reader.writer.ready, part.text, choice=reader.writer.choice))
                            counts = chunk.usage_metadata
                            if counts is not None and counts != self._counts:
                                self._read_usage(counts, out)
                            continue
            self._read_chunk(chunk, frame, out)

    def _end(self, out: list[Delta]) -> None:
        if self._blocked is not None:
            self._close(out)
            return
        self._check_not_empty()
        unfinished = [index for index, reader in self._readers.items() if reader.finish is None]
        if unfinished and not self.quirks.end_without_finish:
            self._close(out, skip=unfinished)
            raise TruncatedStream("the stream ended before the answer did: no finish reason came")
        self._close(out)

    def _flush(self, out: list[Delta]) -> None:
        for _, reader in sorted(self._readers.items()):
            reader.release(out)

    def _read_odd(self, frame: Frame, out: list[Delta]) -> None:
        """Read a frame that is no valid chunk: one broken as real servers break it, or several in one."""
        data = frame.data.strip()
        if data.startswith(_DONE):
            if self._blocked is None:
                self._check_not_empty()
            self._close(out)
            self.ended = True
            return
        if _is_error(frame):
            raise read_failure(frame.data, provider=self.provider)
        try:
            value = decode_lenient(data, object)
        except ProtocolError:
            if b"\n" not in data:
                raise
            self._read([Frame(line, frame.event) for line in data.splitlines() if line.strip()], out)
            return
        if isinstance(value, list):  # the whole body at once, as from a proxy that drops `alt=sse`; or a lone error
            self._read_list(value, frame, out)
        elif not isinstance(value, dict):
            out.append(unknown(frame))
        elif value.get("error"):
            raise read_failure(value, provider=self.provider)
        else:
            self._read_chunk(decode_lenient(data, Chunk), frame, out)

    def _read_list(self, values: list[Any], frame: Frame, out: list[Delta]) -> None:
        for value in values:
            try:
                item = Frame(compact_json(value).encode(), frame.event)
                if isinstance(value, dict):
                    self._read([item], out)
                else:
                    out.append(unknown(item))
            except RecursionError:
                raise too_deep(frame.data) from None

    def _read_chunk(self, chunk: Chunk, frame: Frame, out: list[Delta]) -> None:
        """Read a chunk of any kind; where it reports an error, what else it says comes first."""
        try:
            self._read_fields(chunk, _Raw(frame), out)
        except ProtocolError as error:
            error.frame = error.frame or frame.data
            raise
        except msgspec.ValidationError as error:
            raise ProtocolError(f"a part is not of its form ({error})", frame=frame.data) from None
        except RecursionError:  # from what walks a value that is kept as it came
            raise too_deep(frame.data) from None

    def _read_fields(self, chunk: Chunk, raw: _Raw, out: list[Delta]) -> None:
        frame = raw.frame
        if _is_error(frame):
            raise read_failure(frame.data, provider=self.provider)
        if not (chunk.candidates or chunk.error or chunk.usage_metadata or raw.value.keys() & _CHUNK_KEYS):
            if find_failure(raw.value):
                raise read_failure(raw.value, provider=self.provider)
            out.append(unknown(frame))
            return
        for place, candidate in enumerate(chunk.candidates or ()):
            if candidate is not None:
                self._read_candidate(candidate, place, raw, out)
        reason = blocked_reason(chunk.prompt_feedback)
        if reason is not None:
            self._blocked = reason
            self._head = self._head or decode_as(frame.data, Head)
        if chunk.usage_metadata is not None:
            self._read_usage(chunk.usage_metadata, out)
        if chunk.error:
            raise read_failure(frame.data, provider=self.provider)

    def _read_candidate(self, candidate: Candidate, place: int, raw: _Raw, out: list[Delta]) -> None:
        index = candidate.index
        if index is None or index < 0:
            index = place
        reader = self._readers.get(index) or self._begin(index, raw.frame, out)
        reader.read(candidate, lambda: raw.candidate(place), out)

    def _begin(self, index: int, frame: Frame | None, out: list[Delta]) -> CandidateReader:
        """Start the message of a candidate; the first chunk says of which response it is."""
        if self._head is None and frame is not None:
            self._head = decode_as(frame.data, Head)
        head = self._head or Head()
        self._readers[index] = CandidateReader(index, mint=self._mint, limits=self.limits)
        id, model, provider = _name(head.id), _name(head.model), self.provider or None
        out.append(MessageStart(id=id, model=model, provider=provider, protocol=self.protocol, choice=index))
        return self._readers[index]

    def _read_usage(self, counts: Counts, out: list[Delta]) -> None:
        self._counts = counts
        self._usage.read(counts)
        if self._usage.usage != self._told:
            self._told = self._usage.usage
            out.append(UsageSnapshot(self._told))

    def _check_not_empty(self) -> None:
        if all(reader.finish is None and not reader.writer.size for reader in self._readers.values()):
            raise TruncatedStream("the stream is empty: it ended without a word and without a finish reason")

    def _close(self, out: list[Delta], skip: list[int] | None = None) -> None:
        """End the messages of all candidates but those in `skip`; of a blocked prompt there is an empty one."""
        if not self._readers:
            self._begin(0, None, out)
        readers = [reader for index, reader in sorted(self._readers.items()) if index not in (skip or ())]
        for reader in readers:
            reader.close(out)
        for reader in readers:
            reader.end(out, self._blocked)


class _Raw:
    """A frame as plain data, decoded when it is asked for, without what no JSON text can hold."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self._value: dict[str, Any] | None = None

    @property
    def value(self) -> dict[str, Any]:
        if self._value is None:
            try:
                self._value = msgspec.json.decode(self.frame.data, type=dict[str, Any])
            except (ValueError, RecursionError):
                self._value = scrub(decode_lenient(self.frame.data, dict))
        return self._value

    def candidate(self, place: int) -> dict[str, Any]:
        candidate: dict[str, Any] = self.value["candidates"][place]
        return candidate


def _is_error(frame: Frame) -> bool:
    return frame.event != "" and "error" in frame.event.lower()


def _name(value: Any) -> str | None:
    """An id or a model's name; empty is none."""
    return rejoin(value) or None if isinstance(value, str) else None
