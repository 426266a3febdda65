"""Messages → the `system` and the `messages` of Anthropic messages.

The API refuses a whole request over a blank text, a thinking block that is altered, unsigned or last, a tool result
that is not first after its call, two calls with one id, a server's call without its result, an answer that ends in
white space. What follows keeps to its rules, for conversations that others wrote or that were cut off.

https://platform.claude.com/docs/en/api/messages, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from streamkit.blocks import Block, OpaquePart, ThinkingPart
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import (
    AudioPart,
    CitationPart,
    FilePart,
    FunctionPart,
    ImagePart,
    RawPart,
    ServerToolPart,
    TextPart,
)
from streamkit.protocols.anthropic.parts import encode_part, extras, text_block
from streamkit.protocols.history import fit_history, is_own
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.results import encode_result
from streamkit.protocols.values import part_text

__all__ = ["encode_messages", "is_result", "is_thinking"]

# What the API asks of the id of a call.
_CALL_ID = r"[A-Za-z0-9_-]+"

# The kinds of citation that a text of the assistant may carry.
_CITATIONS = frozenset(
    {
        "char_location",
        "page_location",
        "content_block_location",
        "web_search_result_location",
        "search_result_location",
    }
)

_THINKING = frozenset({"thinking", "redacted_thinking"})
_SERVER_CALLS = frozenset({"server_tool_use", "mcp_tool_use"})

# What the user says where a conversation begins with the assistant, which the API does not take.
_OPENING = "(The conversation begins with the assistant.)"

# What a failed tool says that said nothing: an error without content is refused.
_FAILED = "The tool failed."


def encode_messages(
    messages: Sequence[Message], quirks: Quirks, provider: str = ""
) -> tuple[str | list[dict[str, Any]] | None, list[dict[str, Any]]]:
    """Return the system prompt (None where there is none) and the turns; the history is fitted by `fit_history`.

    Neighbours of one role are one turn. Signed, redacted and server-tool blocks go back to their origin only, in
    their order; thinking that another dialect wrote stays behind. Raises `ConfigError` for what a user or system
    message holds and the dialect has no form for.
    """
    system: list[dict[str, Any]] = []
    turns: list[dict[str, Any]] = []
    for message in fit_history(messages, quirks.tool_id_pattern or _CALL_ID):
        if message.role == "system":
            blocks = _system(message)
            if turns and quirks.inline_system:
                _add(turns, "system", blocks)
            else:
                system += blocks
        elif message.role == "assistant":
            _add(turns, "assistant", _answer(message, is_own(message, "anthropic", provider), quirks))
        else:
            _add(turns, "user", [_result(message)] if message.role == "tool" else _spoken(message))
    return _plain(system) if system else None, _accepted(turns)


def is_thinking(block: dict[str, Any]) -> bool:
    """Return whether this is a block of thinking, which may be redacted."""
    return block["type"] in _THINKING


def is_result(block: dict[str, Any]) -> bool:
    """Return whether this is the result of a call."""
    return bool(block["type"] == "tool_result")


def _add(turns: list[dict[str, Any]], role: str, blocks: list[dict[str, Any]]) -> None:
    if not blocks:
        return
    if turns and turns[-1]["role"] == role:
        turns[-1]["content"] += blocks
    else:
        turns.append({"role": role, "content": blocks})


def _plain(system: list[dict[str, Any]]) -> str | list[dict[str, Any]]:
    """One mere text as a string."""
    return system[0]["text"] if len(system) == 1 and len(system[0]) == 2 else system


def _accepted(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The turns without what the API refuses in an answer, beginning with the user; the system before answers alone."""
    out: list[dict[str, Any]] = []
    system: list[dict[str, Any]] = []  # what it says before the next answer, or at the end
    answered = _answered(turns)
    for at, turn in enumerate(turns):
        content = turn["content"]
        if turn["role"] == "system":
            system += content
            continue
        if turn["role"] == "assistant":
            last = at == len(turns) - 1  # is gone on with: what its end leaves open is not lost
            content = content if last else [block for block in content if not _is_open(block, answered)]
            while content and is_thinking(content[-1]):
                content = content[:-1]
            content = _trimmed(content) if last else content
            if content:
                _add(out, "system", system)
                system = []
        _add(out, turn["role"], content)
    _add(out, "system", system)
    if out and out[0]["role"] == "assistant":
        out.insert(0, {"role": "user", "content": [{"type": "text", "text": _OPENING}]})
    return out


def _answered(turns: list[dict[str, Any]]) -> set[str]:
    """The ids of the server's calls that have a result, or that wait for the call of a tool made from within them."""
    out: set[str] = set()
    for turn in turns:
        for block in turn["content"]:
            if block["type"] == "tool_use":
                out.add((block.get("caller") or {}).get("tool_id", ""))
            elif turn["role"] == "assistant":
                out.add(block.get("tool_use_id", ""))
    return out


def _is_open(block: dict[str, Any], answered: set[str]) -> bool:
    """Whether this is a server's call that was cut off before its result."""
    return block["type"] in _SERVER_CALLS and block.get("id") not in answered


def _trimmed(content: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if not content or content[-1]["type"] != "text":
        return content
    last = content[-1]
    return [*content[:-1], last | {"text": last["text"].rstrip()}]


def _system(message: Message) -> list[dict[str, Any]]:
    blocks = _spoken(message)
    if any(block["type"] != "text" for block in blocks):
        raise ConfigError("a system message holds text only; images and files go in a user message")
    return blocks


def _spoken(message: Message) -> list[dict[str, Any]]:
    return [encoded for block in message.iter_blocks() if (encoded := encode_part(block)) is not None]


def _result(message: Message) -> dict[str, Any]:
    content = [encoded for _, encoded in encode_result(message, encode_part)]
    out: dict[str, Any] = {"type": "tool_result", "tool_use_id": message.id}
    for block in content:  # the mark is for the result as a whole
        if mark := block.pop("cache_control", None):
            out["cache_control"] = mark
    failed = message.meta is not None and message.meta.is_error
    if len(content) == 1 and content[0]["type"] == "text":
        out["content"] = content[0]["text"]
    elif content or failed:
        out["content"] = content or _FAILED
    if failed:
        out["is_error"] = True
    return out


def _answer(message: Message, own: bool, quirks: Quirks) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    cited: dict[str, Any] | None = None  # the text that a citation belongs to, if that is what came last
    for block in message.iter_blocks():
        if isinstance(block.part, CitationPart):
            if own and cited is not None and _is_citation(block.part.citation):
                cited.setdefault("citations", []).append(block.part.citation)
            continue
        encoded = _answer_block(block, own, quirks)
        cited = encoded if isinstance(block.part, TextPart) else None
        if encoded is not None:
            out.append(encoded)
    return out


def _answer_block(block: Block, own: bool, quirks: Quirks) -> dict[str, Any] | None:
    part = block.part
    extra = extras(block) if own else {}
    if isinstance(part, FunctionPart):
        given = {"input": part.raw_arguments or ""} if part.custom else part.function.arguments
        return {"type": "tool_use", "id": part.id, "name": part.function.name, "input": given, **extra}
    if isinstance(part, ThinkingPart):
        if not own or not (block.signature or quirks.unsigned_thinking):
            return None
        return {"type": "thinking", "thinking": part.text, "signature": block.signature or ""}
    if isinstance(part, OpaquePart):
        return part.data if own and isinstance(part.data, dict) and "type" in part.data else None
    if isinstance(part, (ServerToolPart, RawPart)):
        return part.raw if own and isinstance(part.raw, dict) and "type" in part.raw else None
    text = text_block(_told(part))
    return None if text is None else text | extra


def _told(part: object) -> str:
    """What of a part of an answer can be told in words; only a user may send the thing itself."""
    if isinstance(part, ImagePart):
        return "[image]"
    if isinstance(part, FilePart):
        return f"[file {part.name}]" if part.name else "[file]"
    return part.transcript if isinstance(part, AudioPart) else part_text(part) or ""


def _is_citation(citation: Any) -> bool:
    kind = citation.get("type") if isinstance(citation, dict) else None
    return isinstance(kind, str) and kind in _CITATIONS
