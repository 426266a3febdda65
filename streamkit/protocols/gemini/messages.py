"""Messages → the `systemInstruction` and the `contents` of a Gemini request.

https://ai.google.dev/api/caching#Content and https://ai.google.dev/gemini-api/docs/thought-signatures, checked
2026-11-29. The results of parallel calls belong into one content, after that of the calls and in their order.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from streamkit.blocks import Block, OpaquePart, ThinkingPart
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import CitationPart, FunctionPart, RawPart, ServerToolPart, ValuePart
from streamkit.protocols.gemini.calls import MINTED
from streamkit.protocols.gemini.parts import encode_media, encode_part, told
from streamkit.protocols.history import fit_history, is_own
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.results import encode_result
from streamkit.protocols.values import part_text

__all__ = ["UNSIGNED", "encode_contents"]

# What stands for the signature of a call that another model made: without one, models from Gemini 3 on refuse it.
UNSIGNED = "skip_thought_signature_validator"

# What the user says where a conversation begins with the model, which must not make the first turn.
_OPENING = "(The conversation begins with the assistant.)"


def encode_contents(
    messages: Sequence[Message], quirks: Quirks, provider: str = "", model: str = ""
) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """Return the system instruction (None where there is none) and the contents; see `fit_history`.

    Neighbours of one role are one content; every system message is part of the instruction. Thoughts, signatures and
    the parts of server tools go back to their origin only, in their order and as they came. An unsigned call of another
    model than `model` gets `UNSIGNED`. Raises `ConfigError` for what a user or system message holds and the dialect has
    no form for.
    """
    encoder = _Encoder(provider, model)
    for message in fit_history(messages, quirks.tool_id_pattern):
        encoder.add(message)
    return encoder.finish()


class _Encoder:
    def __init__(self, provider: str, model: str) -> None:
        self._provider = provider
        self._model = model.rpartition("/")[2]
        self._system: list[dict[str, Any]] = []
        self._contents: list[dict[str, Any]] = []
        self._names: dict[str, str] = {}  # of the calls so far, by id
        self._minted: set[str] = set()  # the ids that the provider did not give
        self._attached: list[dict[str, Any]] = []  # what came with the results of a turn and cannot stand in them

    def add(self, message: Message) -> None:
        if message.role == "tool":
            self._put("user", [self._result(message)])
            return
        self._flush()
        if message.role == "assistant":
            self._put("model", self._answer(message))
        elif message.role == "system":
            self._system += _instruction(message)
        else:
            self._put("user", _spoken(message))

    def finish(self) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
        self._flush()
        contents = self._contents
        if contents and contents[0]["role"] == "model":
            contents = [{"role": "user", "parts": [{"text": _OPENING}]}, *contents]
        return ({"parts": self._system} if self._system else None), contents

    def _put(self, role: str, parts: list[dict[str, Any]]) -> None:
        if not parts:
            return
        if self._contents and self._contents[-1]["role"] == role:
            self._contents[-1]["parts"] += parts
        else:
            self._contents.append({"role": role, "parts": parts})

    def _flush(self) -> None:
        """Put what tools gave beside text after all the results of their turn."""
        attached, self._attached = self._attached, []
        self._put("user", attached)

    def _answer(self, message: Message) -> list[dict[str, Any]]:
        origin = message.meta.origin if message.meta else None
        own = is_own(message, "gemini", self._provider)
        out: list[dict[str, Any]] = []
        unsigned = not own or origin is None or not self._is_model(origin.model)
        for block in message.iter_blocks():
            encoded = self._call(block.part, block, own) if isinstance(block.part, FunctionPart) else _said(block, own)
            if encoded is None:
                continue
            if own and block.signature and not isinstance(block.part, (OpaquePart, ServerToolPart, RawPart)):
                encoded["thoughtSignature"] = block.signature
            if unsigned and "functionCall" in encoded:
                encoded.setdefault("thoughtSignature", UNSIGNED)
                unsigned = False  # of parallel calls only the first has one
            out.append(encoded)
        return out

    def _is_model(self, name: str) -> bool:
        """Whether the name that an answer gave is that of the model which is asked, which may leave out its version."""
        return name.startswith(self._model) or self._model.startswith(name)

    def _call(self, part: FunctionPart, block: Block, own: bool) -> dict[str, Any]:
        self._names[part.id] = part.function.name
        call: dict[str, Any] = {"name": part.function.name, "args": part.function.arguments}
        if own and block.extra and block.extra.get(MINTED):
            self._minted.add(part.id)
        else:
            call = {"id": part.id, **call}
        if part.custom:
            call["args"] = {"input": part.raw_arguments or ""}
        return {"functionCall": call}

    def _result(self, message: Message) -> dict[str, Any]:
        id = message.id or ""
        failed = message.meta is not None and message.meta.is_error
        texts: list[str] = []
        for block, encoded in encode_result(message, encode_part):
            if (text := part_text(block.part)) is not None:
                texts.append(text)
            else:
                self._attached.append(encoded)
        value: Any = "\n".join(texts)
        only = message.contents[0] if len(message.contents) == 1 else None
        if isinstance(only, ValuePart):
            value = only.value
        if failed or not isinstance(value, dict):
            value = {"error" if failed else "output": value}
        result = {"name": self._names[id], "response": value}
        return {"functionResponse": result if id in self._minted else {"id": id, **result}}


def _instruction(message: Message) -> list[dict[str, Any]]:
    parts = _spoken(message)
    if any("text" not in part for part in parts):
        raise ConfigError("a system message holds text only; images and files go in a user message")
    return parts


def _spoken(message: Message) -> list[dict[str, Any]]:
    return [encoded for block in message.iter_blocks() if (encoded := encode_part(block)) is not None]


def _said(block: Block, own: bool) -> dict[str, Any] | None:
    """A part of an answer that is no call."""
    part = block.part
    if isinstance(part, ThinkingPart):
        return {"text": part.text, "thought": True} if own and (part.text or block.signature) else None
    if isinstance(part, OpaquePart):
        return dict(part.data) if own and isinstance(part.data, dict) else None
    if isinstance(part, (ServerToolPart, RawPart)):
        return dict(part.raw) if own and isinstance(part.raw, dict) else None
    if isinstance(part, CitationPart):
        return None
    if (text := part_text(part)) is not None:
        return {"text": text} if text or (own and block.signature) else None
    if not own and (text := told(part)) is not None:
        return {"text": text} if text else None
    return encode_media(part)
