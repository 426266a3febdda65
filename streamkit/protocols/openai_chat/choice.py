"""One choice of a chat completion: its chunks → deltas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from streamkit.deltas import Delta, Logprobs, MessageEnd
from streamkit.errors import ProtocolError
from streamkit.limits import Limits
from streamkit.parts import RawPart, ServerToolPart
from streamkit.protocols.cumulative import WholeText
from streamkit.protocols.openai_chat import views
from streamkit.protocols.openai_chat.calls import CallReader
from streamkit.protocols.openai_chat.finish import finish_word, read_finish
from streamkit.protocols.openai_chat.media import read_base64, read_image
from streamkit.protocols.openai_chat.reasoning import ReasoningDetails, detail_text, details_text, reasoning_text
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.think_tags import ThinkTags
from streamkit.protocols.values import scrub
from streamkit.protocols.writer import BlockWriter, Kind

__all__ = ["ChoiceReader"]


class ChoiceReader:
    """What the chunks add to one choice → its deltas."""

    def __init__(
        self, choice: int, *, quirks: Quirks, cumulative: bool, mint: Callable[[], str], limits: Limits
    ) -> None:
        """`cumulative` says that text, reasoning and arguments are whole in each chunk."""
        self.finish: str | None = None  # the provider's word, the last one that it gave
        self.category: str | None = None  # what a filter objected to
        self.lenient = False  # strings may hold halves of surrogate pairs
        self._tagged = quirks.think_tags or quirks.think_tag_open
        self._inside = quirks.think_tag_open
        self._tags = ThinkTags(inside=self._inside) if self._tagged else None
        self.writer = BlockWriter(
            choice, mint=mint, limits=limits, seal=self._seal, direct=not (self._tagged or cumulative)
        )
        self._calls = CallReader(self.writer, cumulative=cumulative)
        self._wholes = {kind: WholeText(self.writer, kind) for kind in _KINDS} if cumulative else None
        self._details = ReasoningDetails(cumulative=cumulative)
        self._signature: str | None = None
        self._refused = False
        self._cited: set[bytes] = set()
        self._citations: list[Any] = []  # that wait for the text they belong to

    @property
    def empty(self) -> bool:
        """Whether nothing has been said yet."""
        return not (self.writer.size or self._calls or (self._tags and self._tags.holds))

    def read(self, delta: views.Delta, out: list[Delta]) -> None:
        """Append what `delta` adds."""
        thinking = reasoning_text(delta)
        details = delta.reasoning_details
        if details and isinstance(details, list):
            self._read_details([detail for detail in details if isinstance(detail, dict)], thinking, out)
        elif thinking:
            self._write("thinking", thinking, out)
        if delta.content:
            self._read_content(delta.content, out)
        if delta.refusal and isinstance(delta.refusal, str):
            self._refused = True
            self._write("refusal", delta.refusal, out)
        if delta.tool_calls or delta.function_call is not None:
            self._read_calls(delta, out)
        if delta.audio or delta.images or delta.executed_tools:
            self._read_media(delta, out)
        if delta.annotations or self._citations:
            self.cite(_items(delta.annotations), out)

    def read_message(self, message: views.Delta, out: list[Delta]) -> None:
        """Append a whole message that stands in the place of a delta.

        After deltas it is their sum, said once more, and adds only calls, where none had come.
        """
        for place, fragment in enumerate(message.tool_calls or ()):
            if fragment is not None and fragment.index is None:
                fragment.index = place
        if self.empty or self._wholes is not None:
            self.read(message, out)
        elif not self._calls:
            self._read_calls(message, out)

    def read_finish(self, value: Any) -> None:
        """Take in a finish reason: it holds until the response ends, and the last one counts."""
        self.finish = finish_word(value) or self.finish

    def read_logprobs(self, logprobs: Any, out: list[Delta]) -> None:
        """Append log probabilities."""
        if isinstance(logprobs, dict):
            content, refusal = (self._clean(_items(logprobs.get(name))) or None for name in ("content", "refusal"))
            if content or refusal:
                out.append(Logprobs(content, refusal, choice=self.writer.choice))

    def cite(self, citations: list[Any], out: list[Delta]) -> None:
        """Append sources, each once; they wait until there is text that they can belong to."""
        for citation in citations:
            citation = self._clean(citation)
            key = msgspec.json.encode(citation, order="deterministic")
            if key not in self._cited:
                self._cited.add(key)
                self._citations.append(citation)
        if self._citations and self.writer.kind == "text":
            self._cite(out)

    def close(self, out: list[Delta]) -> None:
        """Close all blocks: nothing more will come."""
        self._release_tag(out)
        self._settle(out)
        self._calls.end(out)
        self._cite(out)
        self.writer.close(out)

    def end(self, out: list[Delta]) -> None:
        """Append the end of the message."""
        reason = read_finish(self.finish, calls=bool(self._calls), refused=self._refused, category=self.category)
        out.append(MessageEnd(reason, choice=self.writer.choice))

    def release(self, out: list[Delta]) -> None:
        """Append what is held back, where the stream breaks off."""
        self._release_tag(out)
        self._settle(out)
        self._calls.end(out)
        self._cite(out)
        self.writer.release(out)

    def _read_details(self, details: list[dict[str, Any]], thinking: str, out: list[Delta]) -> None:
        """Add reasoning that comes with details; those without text of their own make a block as well."""
        self._write("thinking", thinking or details_text(details), out)
        clean = self._clean(details)
        if self.writer.kind != "thinking":
            if not self._details.brings_secret(clean):
                return
            self._interrupt(out)
            self.writer.open(out, "thinking")
        self._details.add(clean, [detail_text(detail) for detail in details])

    def _read_content(self, content: Any, out: list[Delta]) -> None:
        if isinstance(content, str):
            self._read_text(content, out)
            return
        if not isinstance(content, (list, dict)):
            raise ProtocolError(f"the content of a delta is neither text nor a list of parts: {content!r}")
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, str):
                self._read_text(part, out)
            else:
                self._read_part(part if isinstance(part, dict) else {}, part, out)

    def _read_part(self, part: dict[str, Any], raw: Any, out: list[Delta]) -> None:
        """Add a part of a list of content (Mistral, Databricks)."""
        match part.get("type"):
            case "text" | "output_text" if isinstance(part.get("text"), str):
                self._read_text(part["text"], out)
                self.cite(_items(part.get("citations")), out)
            case "thinking" | "reasoning" as kind:
                pieces = part.get("thinking") if kind == "thinking" else part.get("summary", part.get("text"))
                self._read_thinking_part(part, pieces, out)
            case "reference":
                self.cite([part], out)
            case "refusal" if isinstance(part.get("refusal"), str):
                self._refused = True
                self._write("refusal", part["refusal"], out)
            case "image_url":
                self._interrupt(out)
                self.writer.add(out, read_image(self._clean(part)))
            case _:
                self._interrupt(out)
                self.writer.add(out, RawPart(self._clean(raw)))

    def _read_thinking_part(self, part: dict[str, Any], pieces: Any, out: list[Delta]) -> None:
        """Add a part that is thinking: a string, or a list of texts; a signature is on it or on one of them."""
        items = [part, *(item for item in _items(pieces) if isinstance(item, dict))]
        texts = [pieces] if isinstance(pieces, str) else [item["text"] for item in items[1:] if _has(item, "text")]
        self._write("thinking", "".join(texts), out)
        signature = next((item["signature"] for item in items if _has(item, "signature")), None)
        if signature:
            self._interrupt(out)
            self.writer.open(out, "thinking")
            self._signature = self._clean(signature)

    def _read_text(self, text: str, out: list[Delta]) -> None:
        if self._tags is None:
            self._write("text", text, out)
            return
        if self._wholes is not None:
            self._tags = ThinkTags(inside=self._inside)
            pieces = self._tags.feed(text)
            for kind in _KINDS:
                self._write(kind, "".join(piece for of, piece in pieces if of == kind), out)
            return
        for kind, piece in self._tags.feed(text):
            self._write(kind, piece, out)

    def _write(self, kind: Kind, text: str, out: list[Delta]) -> None:
        if not text:
            return
        self._calls.settle(out)
        if self._wholes is None:
            self.writer.write(out, kind, text)
        else:
            self._wholes[kind].write(out, text, self._wholes.values())

    def _read_media(self, delta: views.Delta, out: list[Delta]) -> None:
        """Add what comes whole, or nearly so."""
        self._interrupt(out)
        audio = delta.audio
        if isinstance(audio, dict) and audio:
            self.writer.audio(
                out,
                read_base64(audio["data"]) if _has(audio, "data") else b"",
                self._clean(audio["transcript"]) if _has(audio, "transcript") else "",
                id=self._clean(audio["id"]) if _has(audio, "id") else None,
                expires_at=at if isinstance(at := audio.get("expires_at"), int) else None,
            )
        for image in _items(delta.images):
            self.writer.add(out, read_image(self._clean(image)))
        for tool in _items(delta.executed_tools):
            self.writer.add(out, _server_tool(self._clean(tool)))

    def _read_calls(self, delta: views.Delta, out: list[Delta]) -> None:
        if delta.tool_calls:
            self._interrupt(out, keep_call=True)
            self._calls.read(delta.tool_calls, out)
        legacy = delta.function_call
        if legacy is not None and not (delta.content and legacy.arguments == delta.content):
            self._interrupt(out, keep_call=True)
            self._calls.read_legacy(legacy, out)

    def _interrupt(self, out: list[Delta], *, keep_call: bool = False) -> None:
        """Give out what is held back, since what comes next is of another kind: half a tag, or a call's name."""
        if self._wholes is None:
            self._release_tag(out)
        else:
            self._settle(out)
        if not keep_call:
            self._calls.settle(out)

    def _release_tag(self, out: list[Delta]) -> None:
        if self._tags is not None:
            for kind, piece in self._tags.finish():
                self.writer.write(out, kind, piece)

    def _settle(self, out: list[Delta]) -> None:
        """Give out the ends of texts that were held back, where each record holds all so far."""
        for whole in (self._wholes or {}).values():
            whole.settle(out)

    def _clean(self, value: Any) -> Any:
        return scrub(value) if self.lenient else value

    def _cite(self, out: list[Delta]) -> None:
        for citation in self._citations:
            self.writer.cite(out, citation)
        self._citations.clear()

    def _seal(self) -> tuple[str | None, dict[str, Any] | None]:
        """What the provider wants back with the block of thinking that closes."""
        details = self._details.take()
        signature, self._signature = self._signature, None
        for detail in details:
            signature = detail["signature"] if _has(detail, "signature") else signature
        return signature, {"reasoning_details": details} if details else None


_KINDS: tuple[Kind, ...] = ("thinking", "text", "refusal")


def _items(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _has(value: dict[str, Any], name: str) -> bool:
    """Whether there is a text under `name` that is not empty."""
    return bool(value.get(name)) and isinstance(value[name], str)


def _server_tool(raw: Any) -> ServerToolPart | RawPart:
    """A tool that Groq ran: first its call, then the same once more with its output."""
    if not isinstance(raw, dict):
        return RawPart(raw)
    phase: Literal["call", "result"] = "result" if raw.get("output") is not None else "call"
    return ServerToolPart(phase, str(raw.get("index", 0)), str(raw.get("type", "")), raw)
