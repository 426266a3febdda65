"""Messages → the `system` and the `messages` of Converse.

The API refuses a whole request over a blank text, thinking without its signature, turns that do not alternate or do
not begin with the user, a call whose result is not in the next turn, two documents of one name. What follows keeps to
its rules, for conversations that others wrote or that were cut off.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from streamkit.blocks import Block, OpaquePart, ThinkingPart
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import CitationPart, FunctionPart, RawPart, ServerToolPart, TextPart
from streamkit.protocols.bedrock_converse.parts import cache_point, encode_part, encode_result_part, text_block, told
from streamkit.protocols.history import fit_history, is_own
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.results import encode_result

__all__ = ["encode_messages", "is_result", "is_thinking", "used_tools"]

# What the API asks of the id of a call.
_CALL_ID = r"[A-Za-z0-9_-]{1,64}"

# What the user says where a conversation begins with the assistant, which the API does not take.
_OPENING = "(The conversation begins with the assistant.)"

# What goes with a document, which is refused without a text.
_ATTACHED = "(See the attached file.)"

# What a tool says that said nothing.
_SILENT = "(no output)"


def encode_messages(
    messages: Sequence[Message], quirks: Quirks, provider: str = ""
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the blocks of the system prompt and the turns; the history is fitted by `fit_history`.

    Neighbours of one role are one turn. Thinking with a signature, redacted thinking, citations and the calls of
    tools that the provider ran go back to their origin only, in their order. `cache_control` in a block's `extra`
    becomes a cache point behind it. Raises `ConfigError` for what a user or system message holds and the dialect has
    no form for.
    """
    system: list[dict[str, Any]] = []
    turns: list[dict[str, Any]] = []
    for message in fit_history(messages, quirks.tool_id_pattern or _CALL_ID):
        if message.role == "system":
            system += _system(message)
        elif message.role == "assistant":
            _add(turns, "assistant", _answer(message, is_own(message, "bedrock-converse", provider), quirks))
        else:
            _add(turns, "user", _result(message) if message.role == "tool" else _spoken(message))
    return system, _accepted(turns)


def used_tools(turns: Sequence[dict[str, Any]]) -> list[str]:
    """Return the names of the tools that the turns call, each once."""
    calls = [block["toolUse"] for turn in turns for block in turn["content"] if "toolUse" in block]
    return list(dict.fromkeys(call["name"] for call in calls if call.get("type") != "server_tool_use"))


def is_thinking(block: dict[str, Any]) -> bool:
    """Return whether this is a block of thinking, which may be redacted."""
    return "reasoningContent" in block


def is_result(block: dict[str, Any]) -> bool:
    """Return whether this is the result of a call."""
    return "toolResult" in block


def _add(turns: list[dict[str, Any]], role: str, blocks: list[dict[str, Any]]) -> None:
    if not blocks:
        return
    if turns and turns[-1]["role"] == role:
        turns[-1]["content"] += blocks
    else:
        turns.append({"role": role, "content": blocks})


def _accepted(turns: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The turns without what the API refuses, beginning with the user."""
    out: list[dict[str, Any]] = []
    names: set[str] = set()
    for at, turn in enumerate(turns):
        content = turn["content"]
        if turn["role"] == "assistant":
            content = _without_open_ends(content, last=at == len(turns) - 1)
        elif any("document" in block for block in content):
            _tell_apart(content, names)
            if not any("text" in block for block in content):
                content = [*content, {"text": _ATTACHED}]
        _add(out, turn["role"], content)
    if out and out[0]["role"] == "assistant":
        out.insert(0, {"role": "user", "content": [{"text": _OPENING}]})
    return out


def _without_open_ends(content: list[dict[str, Any]], *, last: bool) -> list[dict[str, Any]]:
    """An answer without server's calls that got no result, thinking at its end, and white space to be gone on from."""
    answered = {block["toolResult"].get("toolUseId") for block in content if "toolResult" in block}
    content = [
        block
        for block in content
        if block.get("toolUse", {}).get("type") != "server_tool_use" or block["toolUse"].get("toolUseId") in answered
    ]
    while content and is_thinking(content[-1]):
        content = content[:-1]
    if last and content and "text" in content[-1]:
        content = [*content[:-1], {"text": content[-1]["text"].rstrip()}]
    return content


def _tell_apart(content: list[dict[str, Any]], names: set[str]) -> None:
    """Give each document a name that none before it has."""
    for block in content:
        if isinstance(document := block.get("document"), dict):
            name, number = document.get("name", "document"), 2
            while name in names:
                name, number = f"{document['name']} ({number})", number + 1
            names.add(name)
            block["document"] = document | {"name": name}


def _system(message: Message) -> list[dict[str, Any]]:
    blocks = _spoken(message)
    if not all("text" in block or "cachePoint" in block or "guardContent" in block for block in blocks):
        raise ConfigError("a system message holds text only; images and files go in a user message")
    return blocks


def _spoken(message: Message) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for block in message.iter_blocks():
        encoded = encode_part(block.part)
        if encoded is not None:
            out += [encoded, *cache_point(block.extra)]
    return out


def _result(message: Message) -> list[dict[str, Any]]:
    encoded = encode_result(message, lambda block: encode_result_part(block.part))
    points = [point for block, _ in encoded for point in cache_point(block.extra)]  # for the result as a whole
    content = [one for _, one in encoded] or [{"text": _SILENT}]
    result: dict[str, Any] = {"toolUseId": message.id, "content": content}
    if message.meta is not None and message.meta.is_error:
        result["status"] = "error"
    return [{"toolResult": result}, *points]


def _answer(message: Message, own: bool, quirks: Quirks) -> list[dict[str, Any]]:
    out: list[dict[str, Any]] = []
    for block in message.iter_blocks():
        if isinstance(block.part, CitationPart):
            if own and out:
                out[-1] = _cited(out[-1], block.part.citation)
            continue
        encoded = _answer_block(block, own, quirks)
        if encoded is not None:
            out += [encoded, *cache_point(block.extra)]
    return out


def _cited(block: dict[str, Any], citation: Any) -> dict[str, Any]:
    """The block of a text with one more source; any other is left as it is."""
    if "text" in block:
        return {"citationsContent": {"content": [{"text": block["text"]}], "citations": [citation]}}
    if "citationsContent" in block:
        cited = block["citationsContent"]
        return {"citationsContent": cited | {"citations": [*cited["citations"], citation]}}
    return block


def _answer_block(block: Block, own: bool, quirks: Quirks) -> dict[str, Any] | None:
    part = block.part
    if isinstance(part, FunctionPart):
        given = {"input": part.raw_arguments or ""} if part.custom else part.function.arguments
        return {"toolUse": {"toolUseId": part.id, "name": part.function.name, "input": given}}
    if isinstance(part, ThinkingPart):
        if not own or not (block.signature or quirks.unsigned_thinking):
            return None
        signature = {"signature": block.signature} if block.signature else {}
        return {"reasoningContent": {"reasoningText": {"text": part.text, **signature}}}
    if isinstance(part, OpaquePart):
        return part.data if own and isinstance(part.data, dict) and "reasoningContent" in part.data else None
    if isinstance(part, (ServerToolPart, RawPart)):
        return part.raw if own and isinstance(part.raw, dict) and part.raw else None
    return text_block(part.text if isinstance(part, TextPart) else told(part))
