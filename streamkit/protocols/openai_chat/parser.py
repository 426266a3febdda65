"""OpenAI's chat completions, as OpenAI streams them and as all who speak the dialect do.

A response is `data:` records, each a chunk with pieces of one or more choices, and then `data: [DONE]`. Servers leave
out the end, the finish reason or the index, and send usage in six places and errors in ten shapes; all of that is read
here. Facts: https://platform.openai.com/docs/api-reference/chat-streaming, the SDKs of OpenAI, Groq, Mistral and
DashScope, and recordings of forty servers, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import msgspec

from streamkit.deltas import Delta, MessageStart, TextDelta, UsageSnapshot
from streamkit.errors import APIError, ProtocolError, TruncatedStream
from streamkit.protocols.base import Parser, unknown
from streamkit.protocols.failures import read_failure
from streamkit.protocols.failures.shapes import find_failure
from streamkit.protocols.lenient import decode_as, decode_lenient, rejoin, too_deep
from streamkit.protocols.openai_chat import views
from streamkit.protocols.openai_chat.choice import ChoiceReader
from streamkit.protocols.openai_chat.finish import filtered
from streamkit.protocols.openai_chat.indices import read_index
from streamkit.protocols.openai_chat.usage import read_usage
from streamkit.protocols.openai_chat.views import Choice, Chunk, Head, Whole, WholeChoice
from streamkit.usage import Usage
from streamkit.wire import Frame

__all__ = ["ChatParser"]

_DONE = b"[DONE]"
# What shows that a record without choices belongs to the dialect.
_CHUNK_KEYS = frozenset({"choices", "usage", "x_groq", "citations", "search_results", "prompt_filter_results"})

_decode = msgspec.json.Decoder(Chunk).decode


class ChatParser(Parser):
    """The stream of a chat completion, or the JSON of one that came at once → deltas; see `Parser`.

    In the mode `cumulative` every chunk holds all text, reasoning and arguments so far.
    """

    protocol: ClassVar[str] = "openai-chat"
    modes: ClassVar[tuple[str, ...]] = ("incremental", "cumulative")

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._first = self._new_reader(0)
        self._readers: dict[int, ChoiceReader] = {}  # of the choices that have begun
        self._head: Head | None = None
        self._usage = Usage()
        self._told = Usage()  # the last snapshot
        self._sources: Any = None  # the citations of the last chunk that had any
        self._lenient = False  # whether strings may hold halves of surrogate pairs

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
            # Nearly every chunk is one delta of a choice that has begun and nothing else, and nearly every such delta
            # a piece of text; both are told by what is absent, which costs less than any other question.
            choices = chunk.choices
            if (
                choices is not None
                and len(choices) == 1
                and chunk.usage is None
                and chunk.error is None
                and chunk.x_groq is None
                and chunk.base_resp is None
                and chunk.citations is None
                and chunk.search_results is None
                and not frame.event
            ):
                choice = choices[0]
                if (
                    choice is not None
                    and choice.finish_reason is None
                    and choice.logprobs is None
                    and choice.usage is None
                    and choice.error is None
                    and type(choice.index) is int
                ):
                    delta, reader = choice.delta, readers.get(choice.index)
                    if delta is not None and reader is not None:
                        if (
                            reader.writer.ready >= 0
                            and delta.content
                            and type(delta.content) is str
                            and delta.reasoning_content is None
                            and delta.reasoning is None
                            and delta.reasoning_text is None
                            and delta.reasoning_details is None
                            and delta.reasoning_steps is None
                            and delta.thinking_blocks is None
                            and delta.refusal is None
                            and delta.tool_calls is None
                            and delta.function_call is None
                            and delta.audio is None
                            and delta.images is None
                            and delta.annotations is None
                            and delta.executed_tools is None
                        ):
                            out.append(TextDelta(reader.writer.ready, delta.content, choice=choice.index))
                        else:
                            self._read_delta(reader, delta, frame, out)
                        continue
            self._read_chunk(chunk, frame, out)

    def _end(self, out: list[Delta]) -> None:
        self._check_not_empty()
        unfinished = {index for index, reader in self._readers.items() if reader.finish is None}
        if unfinished and not self.quirks.end_without_finish:
            self._close(out, self._readers.keys() - unfinished)
            raise TruncatedStream("the stream ended before the answer did: no finish reason and no [DONE] came")
        self._close(out, self._readers)

    def _flush(self, out: list[Delta]) -> None:
        for _, reader in sorted(self._readers.items()):
            reader.release(out)
        self._tell_usage(out)

    def _read_odd(self, frame: Frame, out: list[Delta]) -> None:
        """Read a frame that is no valid chunk: the end, one broken as real servers break it, or several in one."""
        data = frame.data.strip()
        if data.startswith(_DONE):
            self._check_not_empty()
            self._close(out, self._readers)
            self.ended = True
            return
        if _is_error(frame):
            raise self._failure(frame.data)
        try:
            value = decode_lenient(data, object)
        except ProtocolError:
            if b"\n" not in data:
                raise
            self._read([Frame(line, frame.event) for line in data.splitlines() if line.strip()], out)
            return
        if isinstance(value, list) and len(value) == 1:  # Gemini's servers wrap errors so
            value = value[0] if isinstance(value[0], dict) and find_failure(value[0]) else value
        if not isinstance(value, dict):
            out.append(unknown(frame))
            return
        failure = find_failure(value)
        if failure is not None and not isinstance(value.get("choices"), list):
            raise self._failure(failure)
        self._lenient = True
        for reader in (self._first, *self._readers.values()):
            reader.lenient = True
        self._read_chunk(decode_lenient(data, Chunk), frame, out)

    def _read_chunk(self, chunk: Chunk, frame: Frame, out: list[Delta]) -> None:
        """Read a chunk of any kind; where it reports an error, what else it says comes first."""
        try:
            self._read_fields(chunk, frame, out)
        except RecursionError:  # from what walks a value that is kept as it came
            raise too_deep(frame.data) from None

    def _read_fields(self, chunk: Chunk, frame: Frame, out: list[Delta]) -> None:
        if _is_error(frame):
            raise self._failure(frame.data)
        choices = [choice for choice in chunk.choices or () if choice is not None]
        failure = None
        if not choices or chunk.error or chunk.x_groq or chunk.base_resp or any(choice.error for choice in choices):
            value = decode_as(frame.data, dict)
            failure = find_failure(value)
            if not (choices or failure or value.keys() & _CHUNK_KEYS or str(value.get("object")).startswith("chat.")):
                out.append(unknown(frame))
                return
        for position, choice in enumerate(chunk.choices or ()):
            if choice is not None:
                self._read_choice(choice, position, frame, out)
                self._read_usage(choice.usage)
        if chunk.citations or chunk.search_results:
            self._read_sources(chunk.citations, chunk.search_results, out)
        if isinstance(chunk.x_groq, dict):
            self._read_usage(chunk.x_groq.get("usage"))
        self._read_usage(chunk.usage)
        if self._readers:
            self._tell_usage(out)
        if failure is not None:
            raise self._failure(failure)

    def _read_choice(self, choice: Choice, position: int, frame: Frame, out: list[Delta]) -> None:
        index = read_index(choice.index)
        index = position if index is None or index < 0 else index
        reader = self._readers.get(index) or self._begin(index, frame, out)
        if choice.delta is not None:
            self._read_delta(reader, choice.delta, frame, out)
        elif (message := _whole(frame, position).message) is not None:
            reader.read_message(message, out)
        if choice.logprobs is not None:
            reader.read_logprobs(choice.logprobs, out)
        if choice.finish_reason is not None:
            reader.read_finish(choice.finish_reason)
            if reader.finish == "content_filter":
                reader.category = filtered(_whole(frame, position).content_filter_results) or reader.category

    def _read_delta(self, reader: ChoiceReader, delta: views.Delta, frame: Frame, out: list[Delta]) -> None:
        try:
            reader.read(delta, out)
        except ProtocolError as error:
            error.frame = error.frame or frame.data
            raise
        except RecursionError:
            raise too_deep(frame.data) from None

    def _read_sources(self, citations: Any, results: Any, out: list[Delta]) -> None:
        """Add what the answer as a whole rests on; Perplexity sends the same lists on every chunk."""
        if self._sources != (citations, results):
            self._sources = citations, results
            reader = next(iter(self._readers.values()), self._first)
            reader.cite(_sources(citations, results), out)

    def _read_usage(self, raw: Any) -> None:
        if raw:
            usage = read_usage(raw, reasoning_outside_output=self.quirks.reasoning_outside_output)
            self._usage = self._usage.merge(usage) if usage else self._usage

    def _tell_usage(self, out: list[Delta]) -> None:
        if self._usage != self._told:
            self._told = self._usage
            out.append(UsageSnapshot(self._usage))

    def _begin(self, index: int, frame: Frame, out: list[Delta]) -> ChoiceReader:
        """Start the message of a choice; the first chunk with a choice says of which response it is."""
        if self._head is None:
            self._head = decode_as(frame.data, Head)
        reader = self._readers[index] = self._new_reader(index) if index else self._first
        reader.lenient = self._lenient
        id, model = _name(self._head.id), _name(self._head.model)
        provider = self.provider or None
        out.append(MessageStart(id=id, model=model, provider=provider, protocol=self.protocol, choice=index))
        return reader

    def _new_reader(self, index: int) -> ChoiceReader:
        cumulative = self._mode == "cumulative"
        return ChoiceReader(index, quirks=self.quirks, cumulative=cumulative, mint=self._mint, limits=self.limits)

    def _check_not_empty(self) -> None:
        if all(reader.empty and reader.finish is None for reader in self._readers.values()):
            raise TruncatedStream("the stream is empty: it ended without a word and without a finish reason")

    def _close(self, out: list[Delta], choices: Iterable[int]) -> None:
        """End the messages of `choices`: usage that came last stands before the ends."""
        readers = [self._readers[index] for index in sorted(choices)]
        for reader in readers:
            reader.close(out)
        self._tell_usage(out)
        for reader in readers:
            reader.end(out)

    def _failure(self, body: Any) -> APIError:
        return read_failure(body, provider=self.provider)


def _is_error(frame: Frame) -> bool:
    return frame.event != "" and "error" in frame.event.lower()


def _whole(frame: Frame, position: int) -> WholeChoice:
    return decode_as(frame.data, Whole).choices[position] or WholeChoice()


def _name(value: Any) -> str | None:
    """An id or a model's name; empty is none."""
    if isinstance(value, str):
        return rejoin(value) or None
    return str(value) if isinstance(value, int) else None


def _sources(citations: Any, results: Any) -> list[Any]:
    """The sources of both lists in the order of the first; a search result stands for its bare address."""
    found = [result for result in results if isinstance(result, dict)] if isinstance(results, list) else []
    by_url = {result["url"]: result for result in found if isinstance(result.get("url"), str)}
    cited = citations if isinstance(citations, list) else []
    named = [by_url.get(citation, citation) if isinstance(citation, str) else citation for citation in cited]
    return [*named, *found]
