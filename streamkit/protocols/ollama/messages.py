"""Messages → the `messages` of Ollama's `/api/chat`.

`content` is one string, images stand beside it, arguments are objects. Facts: `api/types.go` and `docs/api.md` of
https://github.com/ollama/ollama, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from streamkit.blocks import Block, ThinkingPart
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import AudioPart, CitationPart, FilePart, FunctionPart, ImagePart, ServerToolPart
from streamkit.protocols.history import fit_history, is_own
from streamkit.protocols.ollama.images import encode_file, encode_image
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.results import encode_result
from streamkit.protocols.values import part_text

__all__ = ["encode_messages"]

# What is put between the texts of one message, by its role.
_JOINERS = {"system": "\n\n", "user": "\n\n", "tool": "\n"}


def encode_messages(messages: Sequence[Message], quirks: Quirks, provider: str = "") -> list[dict[str, Any]]:
    """Return the messages in the form of the dialect; the history is fitted by `fit_history`.

    Thinking goes back to its origin. A result names its tool as well as the call, since older servers know no ids.
    Assistant messages of which nothing can be sent are left out. Raises `ConfigError` for what a user or system message
    holds and the dialect has no form for.
    """
    out: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for message in fit_history(messages, quirks.tool_id_pattern):
        if message.role == "assistant":
            names |= {call.id: call.function.name for call in message.tool_calls or ()}
            answer = _answer(message, is_own(message, "ollama", provider))
            if answer is not None:
                out.append(answer)
            continue
        encoded = _spoken(message)
        if message.role == "tool":
            id = message.id or ""
            encoded |= {"tool_name": names[id], "tool_call_id": id}
        out.append(encoded)
    return out


def _spoken(message: Message) -> dict[str, Any]:
    """What a user, a system or a tool says."""
    texts: list[str] = []
    images: list[str] = []
    if message.role == "tool":
        encoded = [one for _, one in encode_result(message, _part)]
    else:
        encoded = [one for block in message.iter_blocks() if (one := _part(block)) is not None]
    for kind, said in encoded:
        (images if kind == "image" else texts).append(said)
    out: dict[str, Any] = {"role": message.role, "content": _JOINERS[message.role].join(texts)}
    return out | ({"images": images} if images else {})


def _part(block: Block) -> tuple[Literal["text", "image"], str] | None:
    """A text or an image, None for what only an answer has."""
    part = block.part
    if isinstance(part, ImagePart):
        return "image", encode_image(part)
    if isinstance(part, FilePart):
        return "image", encode_file(part)
    if (text := part_text(part)) is not None:
        return "text", text
    if isinstance(part, (CitationPart, ServerToolPart)):
        return None
    raise ConfigError(f"a message to Ollama holds text and images only, no {type(part).__name__}")


def _answer(message: Message, own: bool) -> dict[str, Any] | None:
    texts: list[str] = []
    thinking: list[str] = []
    calls: list[dict[str, Any]] = []
    for block in message.iter_blocks():
        part = block.part
        if isinstance(part, FunctionPart):
            calls.append(_call(part))
        elif isinstance(part, ThinkingPart):
            thinking.append(part.text)
        elif told := _told(part):
            texts.append(told)
    if not (texts or calls):
        return None
    out: dict[str, Any] = {"role": "assistant", "content": "".join(texts)}
    if own and any(thinking):
        out["thinking"] = "".join(thinking)
    return out | ({"tool_calls": calls} if calls else {})


def _call(call: FunctionPart) -> dict[str, Any]:
    given = {"input": call.raw_arguments or ""} if call.custom else call.function.arguments
    return {"id": call.id, "function": {"name": call.function.name, "arguments": given}}


def _told(part: object) -> str | None:
    """What can be told of a part of an answer in words."""
    if isinstance(part, ImagePart):
        return "[image]"
    if isinstance(part, FilePart):
        return f"[file {part.name}]" if part.name else "[file]"
    return part.transcript if isinstance(part, AudioPart) else part_text(part)
