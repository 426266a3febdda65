"""One choice of a chat completion: its chunks → deltas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from streamkit.deltas import Delta, Logprobs, MessageEnd
from streamkit.errors import ProtocolError
from streamkit.limits import Limits
from streamkit.parts import RawPart
from streamkit.protocols.cumulative import WholeText
from streamkit.protocols.openai_chat import views
from streamkit.protocols.openai_chat.calls import CallReader
from streamkit.protocols.openai_chat.finish import finish_word, read_finish
from streamkit.protocols.openai_chat.loose import dicts_of, has_text, list_of
from streamkit.protocols.openai_chat.media import read_base64, read_image
from streamkit.protocols.openai_chat.reasoning import ReasoningDetails, detail_text, details_text, reasoning_text
from streamkit.protocols.openai_chat.server_tools import read_step, read_tool
from streamkit.protocols.openai_chat.sources import Sources
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
        snapshots = _KINDS if cumulative else _KINDS[:1] if quirks.reasoning_snapshots else ()
        self.writer = BlockWriter(
            choice, mint=mint, limits=limits, seal=self._seal, direct=not (self._tagged or snapshots)
        )
        self._calls = CallReader(self.writer, cumulative=cumulative)
        self._cumulative = cumulative
        self._wholes = {kind: WholeText(self.writer, kind) for kind in snapshots}
        self._details = ReasoningDetails(cumulative="thinking" in self._wholes)
        self._signature: str | None = None
        self._opaque: dict[str, Any] | None = None  # a block of thinking that only the provider can read
        self._refused = False
        self._sources = Sources(self.writer)

    @property
    def empty(self) -> bool:
        """Whether nothing has been said yet."""
        return not (self.writer.size or self._calls or (self._tags and self._tags.holds))

    def read(self, delta: views.Delta, out: list[Delta]) -> None:
        """Append what `delta` adds."""
        thinking = reasoning_text(delta)
        details = delta.reasoning_details
        if details and isinstance(details, list):
            self._read_details(dicts_of(details), thinking, out)
        elif delta.thinking_blocks:
            self._read_blocks(dicts_of(delta.thinking_blocks), thinking, out)
        elif thinking:
            self._write("thinking", thinking, out)
        if delta.reasoning_steps:
            self._read_steps(dicts_of(delta.reasoning_steps), out)
        if delta.content:
            self._read_content(delta.content, out)
        if delta.refusal and isinstance(delta.refusal, str):
            self._refused = True
            self._write("refusal", delta.refusal, out)
        if delta.tool_calls or delta.function_call is not None:
            self._read_calls(delta, out)
        if delta.audio or delta.images or delta.executed_tools:
            self._read_media(delta, out)
        if delta.annotations or self._sources:
            self.cite(list_of(delta.annotations), out)

    def read_message(self, message: views.Delta, out: list[Delta]) -> None:
        """Append a whole message that stands in the place of a delta.

        After deltas it is their sum, said once more, and adds only calls, where none had come.
        """
        for place, fragment in enumerate(message.tool_calls or ()):
            if fragment is not None and fragment.index is None:
                fragment.index = place
        if self.empty or self._cumulative:
            self.read(message, out)
        elif not self._calls:
            self._read_calls(message, out)

    def read_finish(self, value: Any) -> None:
        """Take in a finish reason: it holds until the response ends, and the last one counts."""
        self.finish = finish_word(value) or self.finish

    def read_logprobs(self, logprobs: Any, out: list[Delta]) -> None:
        """Append log probabilities."""
        if isinstance(logprobs, dict):
            content, refusal = (self._clean(list_of(logprobs.get(name))) or None for name in ("content", "refusal"))
            if content or refusal:
                out.append(Logprobs(content, refusal, choice=self.writer.choice))

    def cite(self, citations: list[Any], out: list[Delta]) -> None:
        """Append sources, each once; they wait until there is text that they can belong to."""
        self._sources.add([self._clean(citation) for citation in citations], out)

    def close(self, out: list[Delta]) -> None:
        """Close all blocks: nothing more will come."""
        self._settle(out)
        self._calls.end(out)
        self._sources.release(out)
        self.writer.close(out)

    def end(self, out: list[Delta]) -> None:
        """Append the end of the message."""
        reason = read_finish(self.finish, calls=bool(self._calls), refused=self._refused, category=self.category)
        out.append(MessageEnd(reason, choice=self.writer.choice))

    def release(self, out: list[Delta]) -> None:
        """Append what is held back, where the stream breaks off."""
        self._settle(out)
        self._calls.end(out)
        self._sources.release(out)
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

    def _read_blocks(self, blocks: list[dict[str, Any]], thinking: str, out: list[Delta]) -> None:
        """Add Anthropic's blocks of thinking, in pieces or whole; `thinking` is what the chunk says beside them."""
        if not any(has_text(block, "thinking") for block in blocks):
            self._write("thinking", thinking, out)
        for block in blocks:
            if block.get("type") == "redacted_thinking":
                self._interrupt(out)
                self.writer.close_open(out)
                self.writer.open(out, "thinking")
                self._opaque = self._clean(block)
                self.writer.close_open(out)
                continue
            self._read_thinking_part(block, block.get("thinking"), out)
            if self._signature:
                self.writer.close_open(out)

    def _read_steps(self, steps: list[dict[str, Any]], out: list[Delta]) -> None:
        """Add what the provider did before it answered: the thought of each step, and the tool that it ran."""
        for step in steps:
            if has_text(step, "thought"):
                self._write("thinking", step["thought"] + "\n", out)
            if (tool := read_step(self._clean(step))) is not None:
                self._interrupt(out)
                self.writer.add(out, tool)

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
                self.cite(list_of(part.get("citations")), out)
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
        items = [part, *(item for item in list_of(pieces) if isinstance(item, dict))]
        texts = [pieces] if isinstance(pieces, str) else [item["text"] for item in items[1:] if has_text(item, "text")]
        self._write("thinking", "".join(texts), out)
        signature = next((item["signature"] for item in items if has_text(item, "signature")), None)
        if signature:
            self._interrupt(out)
            self.writer.open(out, "thinking")
            self._signature = self._clean(signature)

    def _read_text(self, text: str, out: list[Delta]) -> None:
        if self._tags is None:
            self._write("text", text, out)
            return
        if self._cumulative:
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
        if kind in self._wholes:
            self._wholes[kind].write(out, text, self._wholes.values())
        else:
            self._release_ends(out)
            self.writer.write(out, kind, text)

    def _read_media(self, delta: views.Delta, out: list[Delta]) -> None:
        """Add what comes whole, or nearly so."""
        self._interrupt(out)
        audio = delta.audio
        if isinstance(audio, dict) and audio:
            self.writer.audio(
                out,
                read_base64(audio["data"]) if has_text(audio, "data") else b"",
                self._clean(audio["transcript"]) if has_text(audio, "transcript") else "",
                id=self._clean(audio["id"]) if has_text(audio, "id") else None,
                expires_at=at if isinstance(at := audio.get("expires_at"), int) else None,
            )
        for image in list_of(delta.images):
            self.writer.add(out, read_image(self._clean(image)))
        for tool in list_of(delta.executed_tools):
            self.writer.add(out, read_tool(self._clean(tool)))

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
        if not self._cumulative:
            self._release_tag(out)
        self._release_ends(out)
        if not keep_call:
            self._calls.settle(out)

    def _release_tag(self, out: list[Delta]) -> None:
        if self._tags is not None:
            for kind, piece in self._tags.finish():
                self.writer.write(out, kind, piece)

    def _release_ends(self, out: list[Delta]) -> None:
        """Give out the ends of texts that were held back, where each record holds all so far."""
        for whole in self._wholes.values():
            whole.release(out)

    def _settle(self, out: list[Delta]) -> None:
        """Give out all that is held back: nothing more will come."""
        self._release_tag(out)
        for whole in self._wholes.values():
            whole.settle(out)

    def _clean(self, value: Any) -> Any:
        return scrub(value) if self.lenient else value

    def _seal(self) -> tuple[str | None, dict[str, Any] | None]:
        """What the provider wants back with the block of thinking that closes."""
        details = self._details.take()
        signature, self._signature = self._signature, None
        if self._opaque is not None:
            opaque, self._opaque = self._opaque, None
            return None, {"opaque": opaque}
        for detail in details:
            signature = detail["signature"] if has_text(detail, "signature") else signature
        return signature, {"reasoning_details": details} if details else None


_KINDS: tuple[Kind, ...] = ("thinking", "text", "refusal")
