"""Messages → the `input` of a response: a flat list of items.

An answer of the dialect goes back as the items that it came as: with their ids and whatever else they had, thinking
right before what it led to. https://platform.openai.com/docs/api-reference/responses/create, checked 2026-11-29.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from streamkit.blocks import Block, OpaquePart, ThinkingPart
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import CitationPart, FunctionPart, ImagePart, ImageUrl, RawPart, RefusalPart, ServerToolPart
from streamkit.protocols.history import fit_history, is_own
from streamkit.protocols.openai_responses.parts import collapse, encode_part, encode_result_part, extras, told
from streamkit.protocols.openai_responses.server_tools import IMAGE, IN_ONE_ITEM
from streamkit.protocols.openai_responses.thinking import encode_thinking_item
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.results import encode_result
from streamkit.protocols.values import base64_text, json_text

__all__ = ["encode_messages"]

# The items that a caller may put beside messages, apart from the results of tools, whose types end with `_output`.
_ITEMS = frozenset(
    {
        "additional_tools",
        "compaction",
        "compaction_trigger",
        "configuration_update",
        "item_reference",
        "mcp_approval_response",
        "program",
    }
)

# What the API asks of the id of a call.
_CALL_ID = r".{1,64}"


def encode_messages(
    messages: Sequence[Message], quirks: Quirks, provider: str = "", *, stored: bool = False
) -> list[dict[str, Any]]:
    """Return the input items; the history is fitted by `fit_history`.

    Thinking, ids and the items of server tools go back to their origin only. Where answers are not `stored` at the
    provider, thinking that has neither its encrypted form nor its text cannot be sent, and neither can the ids of the
    items that it led to. Thinking that led to nothing stays behind. Raises `ConfigError` for what a user or system
    message holds and the dialect has no form for.
    """
    out: list[dict[str, Any]] = []
    custom: set[str] = set()  # the ids of the calls of custom tools
    for message in fit_history(messages, quirks.tool_id_pattern or _CALL_ID):
        if message.role == "assistant":
            out += _Answer(message, is_own(message, "openai-responses", provider), quirks, stored).items()
            custom |= {call.id for call in message.tool_calls or () if call.custom}
        elif message.role == "tool":
            out.append(_result(message, quirks, message.id in custom))
        else:
            out += _spoken(message, quirks)
    return out


def _spoken(message: Message, quirks: Quirks) -> list[dict[str, Any]]:
    """A system or user message, with the items that it holds beside its parts, in their order."""
    items: list[dict[str, Any]] = []
    role = quirks.system_role if message.role == "system" else message.role
    parts = _parts(message, quirks)
    for alone, group in groupby(parts, lambda part: _stands_alone(part.get("type"))):
        if alone:
            items += group
            continue
        content = list(group)
        if message.role == "system" and any(part.get("type") != "input_text" for part in content):
            raise ConfigError("a system message holds text only; images, audio and files go in a user message")
        items.append({"role": role, "content": collapse(content)})
    return items or [{"role": role, "content": ""}]


def _stands_alone(kind: Any) -> bool:
    """Whether a part is an item of its own, such as what a tool gave that the caller runs in OpenAI's own form."""
    return isinstance(kind, str) and (kind in _ITEMS or kind.endswith("_output"))


def _result(message: Message, quirks: Quirks, custom: bool) -> dict[str, Any]:
    kind = "custom_tool_call_output" if custom else "function_call_output"
    parts = [part for _, part in encode_result(message, lambda block: encode_result_part(block, quirks))]
    return {"type": kind, "call_id": message.id, "output": collapse(parts)}


def _parts(message: Message, quirks: Quirks) -> list[dict[str, Any]]:
    return [part for block in message.iter_blocks() if (part := encode_part(block, quirks)) is not None]


class _Answer:
    """An assistant message while its blocks become items."""

    def __init__(self, message: Message, own: bool, quirks: Quirks, stored: bool) -> None:
        self._blocks = list(message.iter_blocks())
        self._own = own
        self._quirks = quirks
        self._thoughts = [encode_thinking_item(block, stored) if own else None for block in self._blocks]
        lost = any(
            isinstance(block.part, ThinkingPart) and thought is None
            for block, thought in zip(self._blocks, self._thoughts, strict=True)
        )
        self._bound = own and not lost  # whether items may have their ids
        self._items: list[dict[str, Any]] = []
        self._messages: list[dict[str, Any]] = []  # those of the items
        self._open: tuple[dict[str, Any], dict[str, Any]] | None = None  # the message that grows, and its own fields

    def items(self) -> list[dict[str, Any]]:
        """Return the items."""
        for block, thought in zip(self._blocks, self._thoughts, strict=True):
            if isinstance(block.part, CitationPart):
                self._cite(block.part.citation)
            elif (part := self._content(block)) is not None:
                self._say(part, self._fields(block))
            else:
                item = thought or self._item(block)
                if item is not None:
                    self._open = None
                    self._items.append(item)
        for item in self._messages:
            if "id" not in item:
                item["content"] = _plain(item["content"])
        while self._items and self._items[-1]["type"] == "reasoning":  # is refused without what it led to
            self._items.pop()
        return self._items

    def _fields(self, block: Block) -> dict[str, Any]:
        """What the block's message has beside its content."""
        fields = extras(block) if self._own else {}
        return fields if self._bound else {name: value for name, value in fields.items() if name == "phase"}

    def _content(self, block: Block) -> dict[str, Any] | None:
        """The block as a part of a message, None where it is no such thing."""
        part = block.part
        if isinstance(part, (FunctionPart, ThinkingPart, OpaquePart, ServerToolPart)):
            return None
        if isinstance(part, (RawPart, ImagePart)) and self._item(block) is not None:
            return None
        if isinstance(part, RawPart):
            return part.raw if self._bound and _is_item(part.raw) and "id" in extras(block) else None
        text = told(part)
        if not text:
            return None
        if isinstance(part, RefusalPart) and not self._quirks.refusal_as_text:
            return {"type": "refusal", "refusal": text}
        return {"type": "output_text", "text": text, "annotations": []}

    def _say(self, part: dict[str, Any], fields: dict[str, Any]) -> None:
        """Add a part to the message that grows, if it is of the same one."""
        if self._open is None or self._open[1] != fields:
            item = {"type": "message", "role": "assistant", **fields, "content": []}
            self._items.append(item)
            self._messages.append(item)
            self._open = item, fields
        self._open[0]["content"].append(part)

    def _cite(self, citation: Any) -> None:
        if self._own and self._open is not None and isinstance(citation, dict):
            last = self._open[0]["content"][-1]
            if last["type"] == "output_text":
                last["annotations"].append(citation)

    def _item(self, block: Block) -> dict[str, Any] | None:
        """The block as an item of its own, None where it cannot be sent as one."""
        part = block.part
        if isinstance(part, FunctionPart):
            return self._call(part, block)
        if not self._bound:
            return None
        if isinstance(part, ImagePart):
            kept = extras(block)
            if kept.get("type") != IMAGE or isinstance(part.image, ImageUrl):
                return None
            return kept | {"result": base64_text(part.image.data)}
        if isinstance(part, ServerToolPart):
            began = part.phase == "call" and isinstance(part.raw, dict) and part.raw.get("type") in IN_ONE_ITEM
            return None if began or not _is_item(part.raw) else part.raw
        if isinstance(part, RawPart):
            return part.raw if _is_item(part.raw) and not block.extra else None
        return part.data if isinstance(part, OpaquePart) and _is_item(part.data) else None

    def _call(self, part: FunctionPart, block: Block) -> dict[str, Any]:
        fields = extras(block) if self._own else {}
        if not self._bound:
            fields.pop("id", None)
        if part.custom:
            fields.pop("status", None)  # which is not taken back here
            kind, given = "custom_tool_call", {"input": part.raw_arguments or ""}
        else:  # text that is no JSON object stays behind: servers that parse the arguments refuse it
            kind, given = "function_call", {"arguments": json_text(part.function.arguments)}
        return {"type": kind, **fields, "call_id": part.id, "name": part.function.name, **given}


def _is_item(raw: Any) -> bool:
    return isinstance(raw, dict) and isinstance(raw.get("type"), str)


def _plain(content: list[dict[str, Any]]) -> str:
    """What a message says, in the form of one that is no item at the provider."""
    return "".join(part.get("text") or part.get("refusal") or "" for part in content)
