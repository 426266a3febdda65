"""One candidate of a Gemini response: what its chunks say → deltas.

Every signed part is a block of its own, since signatures hold for exactly the part that they came with
(https://ai.google.dev/gemini-api/docs/thought-signatures, checked 2026-11-29).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from streamkit.deltas import CitationAdded, Delta, Logprobs, MessageEnd
from streamkit.limits import Limits
from streamkit.messages import FinishReason
from streamkit.parts import AudioPart
from streamkit.protocols.gemini.calls import CallReader, FunctionCallView
from streamkit.protocols.gemini.citations import Sources
from streamkit.protocols.gemini.finish import filtered, finish_word, read_finish
from streamkit.protocols.gemini.media import ServerTools, read_part
from streamkit.protocols.gemini.views import Candidate, Part
from streamkit.protocols.lenient import rejoin
from streamkit.protocols.writer import BlockWriter, Kind

__all__ = ["CandidateReader"]

# What a part may have without saying anything that is shown.
_SILENT = frozenset({"thought", "thoughtSignature"})


class CandidateReader:
    """The pieces of one candidate → its deltas."""

    def __init__(self, index: int, *, mint: Callable[[], str], limits: Limits) -> None:
        self.finish: str | None = None  # the provider's word, the last one that it gave
        self.writer = BlockWriter(index, mint=mint, limits=limits)
        self._calls = CallReader(self.writer, limits)
        self._tools = ServerTools()
        self._sources = Sources()
        self._text = -1  # the block of text that came last
        self._message: Any = None
        self._category: str | None = None

    def read(self, candidate: Candidate, raw: Callable[[], dict[str, Any]], out: list[Delta]) -> None:
        """Append what a chunk adds; `raw` gives its candidate as plain data, for what few have.

        Raises `ProtocolError` or `msgspec.ValidationError` for what is not of its form.
        """
        parts = candidate.content.parts if candidate.content else None
        for at, part in enumerate(parts or ()):
            if part is not None and part.text is not None:
                self._read_text(part, part.text, out)
            elif part is not None:
                self._read_other(raw()["content"]["parts"][at], out)
        self._sources.read(candidate.grounding_metadata, candidate.citation_metadata, candidate.url_context_metadata)
        if candidate.logprobs_result is not None:
            self._read_logprobs(raw().get("logprobsResult"), out)
        word = finish_word(candidate.finish_reason)
        if word is not None:
            self.finish, self._message = word, candidate.finish_message
            if word not in ("STOP", "MAX_TOKENS"):
                self._category = filtered(raw().get("safetyRatings")) or self._category

    def close(self, out: list[Delta]) -> None:
        """Close all blocks: nothing more will come."""
        self._calls.close(out)
        self._cite(out)
        self.writer.close(out)

    def end(self, out: list[Delta], reason: FinishReason | None = None) -> None:
        """Append the end of the message; `reason` holds where the candidate gave none."""
        if self.finish is not None or reason is None:
            reason = read_finish(self.finish, calls=self._calls.any, message=self._message, category=self._category)
        out.append(MessageEnd(reason, choice=self.writer.choice))

    def release(self, out: list[Delta]) -> None:
        """Append what is held back, where the stream breaks off."""
        self._cite(out)
        self.writer.release(out)

    def _read_text(self, part: Part, text: str, out: list[Delta]) -> None:
        kind: Kind = "thinking" if part.thought else "text"
        signature = _signature(part.thought_signature)
        if signature is None:
            self.writer.write(out, kind, text)
        else:
            self.writer.close_open(out)
            self.writer.open(out, kind)
            self.writer.write(out, kind, text)
        if kind == "text" and text:
            self._text = self.writer.index
        if signature is not None:
            self.writer.close_open(out, signature=signature)

    def _read_other(self, part: dict[str, Any], out: list[Delta]) -> None:
        signature = _signature(part.get("thoughtSignature"))
        if "functionCall" in part:
            self._calls.read(msgspec.convert(part["functionCall"], FunctionCallView), signature, out)
        elif (tool := self._tools.read(part)) is not None:
            self.writer.add(out, tool)
        elif part.keys() <= _SILENT:
            if signature is not None:
                self._add_opaque(part, out)
        elif part.get("thought"):  # a draft of an image, say
            self._add_opaque(part, out)
        else:
            self._add_part(part, signature, out)

    def _add_part(self, part: dict[str, Any], signature: str | None, out: list[Delta]) -> None:
        read = read_part(part)
        if isinstance(read, AudioPart) and signature is None:  # the next chunk may go on with it
            self.writer.audio(out, read.data, format=read.format)
        else:
            self.writer.add(out, read, signature=signature)

    def _add_opaque(self, part: dict[str, Any], out: list[Delta]) -> None:
        """Keep a part that is no output in its place, for the provider to get back."""
        self.writer.close_open(out)
        self.writer.open(out, "thinking")
        self.writer.close_open(out, extra={"opaque": part})

    def _read_logprobs(self, result: Any, out: list[Delta]) -> None:
        """Append log probabilities: what was chosen, with the alternatives beside it."""
        chosen, top = (_objects(result, name) for name in ("chosenCandidates", "topCandidates"))
        if len(top) == len(chosen):
            chosen = [
                {**one, "topCandidates": others.get("candidates")} for one, others in zip(chosen, top, strict=True)
            ]
        if chosen:
            out.append(Logprobs(chosen, choice=self.writer.choice))

    def _cite(self, out: list[Delta]) -> None:
        for citation in self._sources.take():
            if self._text >= 0:
                out.append(CitationAdded(self._text, citation, choice=self.writer.choice))
            else:
                self.writer.cite(out, citation)


def _signature(value: Any) -> str | None:
    return rejoin(value) if isinstance(value, str) and value else None


def _objects(holder: Any, name: str) -> list[dict[str, Any]]:
    items = holder.get(name) if isinstance(holder, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
