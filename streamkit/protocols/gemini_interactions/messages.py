"""Messages → the `system_instruction` and the `input` of an interaction: a flat list of steps.

By the types of `google-genai` 3.6.1, checked 2026-11-30. An answer goes back as the steps that it came as, each thought
with its signature before what it led to.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from streamkit.blocks import Block, ThinkingPart
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import CitationPart, FunctionPart, RawPart, ServerToolPart, ValuePart
from streamkit.protocols.gemini.parts import told
from streamkit.protocols.gemini_interactions.media import MEDIA
from streamkit.protocols.gemini_interactions.parts import encode_media, encode_part, text_content
from streamkit.protocols.gemini_interactions.thought import SUMMARY
from streamkit.protocols.history import fit_history, is_own
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.results import encode_result
from streamkit.protocols.values import part_text, value_text

__all__ = ["encode_input"]


def encode_input(
    messages: Sequence[Message], quirks: Quirks, provider: str = "", *, continues: bool = False
) -> tuple[str, list[dict[str, Any]]]:
    """Return the system instruction ("" where there is none) and the steps; see `fit_history`.

    Every system message is part of the instruction. Thoughts, signatures, sources and the steps of server tools go
    back to their origin only. Where the conversation `continues` one that the provider stored, results of tools at its
    beginning answer calls that only the provider has. Raises `ConfigError` for what a user or system message
    holds and the dialect has no form for.
    """
    begun = list(takewhile(lambda message: message.role != "assistant", messages)) if continues else []
    fitted = fit_history(messages[len(begun) :], quirks.tool_id_pattern)
    system: list[str] = []
    steps: list[dict[str, Any]] = []
    names: dict[str, str] = {}  # of the calls so far, by id
    for message in (*begun, *fitted):
        if message.role == "system":
            system += _instruction(message)
        elif message.role == "assistant":
            names |= {call.id: call.function.name for call in message.tool_calls or ()}
            steps += _answer(message, is_own(message, "gemini-interactions", provider))
        elif message.role == "tool":
            steps.append(_result(message, names))
        elif contents := _contents(message):
            steps.append({"type": "user_input", "content": contents})
    return "\n\n".join(system), steps


def _contents(message: Message) -> list[dict[str, Any]]:
    return [encoded for block in message.iter_blocks() if (encoded := encode_part(block)) is not None]


def _instruction(message: Message) -> list[str]:
    contents = _contents(message)
    if any(content.get("type") != "text" for content in contents):
        raise ConfigError("a system message holds text only; images and files go in a user message")
    return [content["text"] for content in contents]


def _result(message: Message, names: dict[str, str]) -> dict[str, Any]:
    """The result of a call: an object as it is, text as text, and with images or files a list of contents."""
    contents = [encoded for _, encoded in encode_result(message, encode_part)]
    only = message.contents[0] if len(message.contents) == 1 else None
    result: Any = contents
    if isinstance(only, ValuePart):
        result = only.value if isinstance(only.value, dict) else value_text(only.value)
    elif all(content.get("type") == "text" for content in contents):
        result = "\n".join(content["text"] for content in contents)
    step = {"type": "function_result", "call_id": message.id or "", "result": result}
    if name := names.get(message.id or "") or (message.meta and message.meta.name):
        step["name"] = name
    if message.meta is not None and message.meta.is_error:
        step["is_error"] = True
    return step


def _answer(message: Message, own: bool) -> list[dict[str, Any]]:
    """The steps of an answer; neighbours that the model said are the contents of one."""
    steps: list[dict[str, Any]] = []
    said: list[dict[str, Any]] | None = None  # the contents of the step that grows
    for block in message.iter_blocks():
        if isinstance(block.part, CitationPart):
            if own and said and said[-1]["type"] == "text" and isinstance(block.part.citation, dict):
                said[-1].setdefault("annotations", []).append(block.part.citation)
            continue
        content = _said(block, own)
        if content is not None:
            if said is None:
                said = []
                steps.append({"type": "model_output", "content": said})
            said.append(content)
        elif (step := _step(block, own)) is not None:
            said = None
            steps.append(step)
    return steps


def _said(block: Block, own: bool) -> dict[str, Any] | None:
    """A block as a content of what the model said, None where it is no such thing."""
    part = block.part
    if isinstance(part, RawPart):
        known = own and isinstance(part.raw, dict) and part.raw.get("type") in (*MEDIA, "text")
        return dict(part.raw) if known else None
    if (text := part_text(part)) is not None:
        return text_content(text) if text else None
    if own:
        return encode_media(block)
    if (text := told(part)) is not None:
        return text_content(text) if text else None
    return encode_media(Block(part))


def _step(block: Block, own: bool) -> dict[str, Any] | None:
    """A block as a step of its own, None where it cannot be sent as one."""
    part = block.part
    signed = {"signature": block.signature} if own and block.signature else {}
    if isinstance(part, FunctionPart):
        arguments = {"input": part.raw_arguments or ""} if part.custom else part.function.arguments
        return {"type": "function_call", "id": part.id, "name": part.function.name, "arguments": arguments, **signed}
    if not own:
        return None
    if isinstance(part, (ServerToolPart, RawPart)):
        return dict(part.raw) if isinstance(part.raw, dict) and part.raw.get("type") else None
    if isinstance(part, ThinkingPart):
        summary = [text_content(part.text)] if part.text else []
        more = (block.extra or {}).get(SUMMARY)
        summary += more if isinstance(more, list) else []
        return {"type": "thought", **signed, **({"summary": summary} if summary else {})} if signed or summary else None
    return None
