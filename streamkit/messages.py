"""Messages: what goes to a model and what comes back, one form for every provider.

The flat fields (`contents`, `thinking`, `tool_calls`) hold all text. `Message.blocks` is an overlay that only refers
to them; see `streamkit.blocks`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Union, get_args

import msgspec
from msgspec import Struct, field

from streamkit import blocks as overlay
from streamkit.blocks import Block, BlockRef
from streamkit.parts import FunctionPart, Part, TextPart, as_part
from streamkit.timing import Timing
from streamkit.usage import Usage

__all__ = ["FinishReason", "Message", "MessageLike", "MessageOutput", "Meta", "Origin", "Role", "as_message"]

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
_ROLES = get_args(Role)
Finish: TypeAlias = Literal["stop", "length", "tool_call", "refusal", "error", "aborted", "other"]


class Origin(Struct, frozen=True, omit_defaults=True):
    """Who wrote a message: signatures and encrypted parts go back there only."""

    protocol: str = ""
    provider: str = ""
    model: str = ""


class Meta(Struct, omit_defaults=True):
    """What is known of a message beside its content; omitted when there is nothing.

    `is_error` marks the result of a failed tool call, `name` is the speaker or the tool, `details` is for the
    application (never sent to a model), `timestamp` is in ms since 1970. `custom` names the kind of a message that is
    the application's own; see `streamkit.custom`. `added_tool_names` are tools that the model may call from a tool's
    result on.
    """

    origin: Origin | None = None
    is_error: bool = False
    name: str | None = None
    details: Any = None
    timestamp: int | None = None
    custom: str | None = None
    added_tool_names: tuple[str, ...] = ()


class Message(Struct, omit_defaults=True):
    """One message of a conversation.

    `id` is, on a tool message only, the id of the call it answers; `signature` is the provider's signature of
    `thinking`. Contents may be given as a text, and parts as texts or plain dicts; a part with an unknown tag becomes
    a `RawPart`.
    """

    role: Role
    if TYPE_CHECKING:
        contents: list[Part] = field(default_factory=list)
    else:  # decoded as plain data and converted below, since an unknown tag must not be an error
        contents: list[Any] = field(default_factory=lambda: [])
    thinking: str | None = None
    tool_calls: list[FunctionPart] | None = None
    id: str | None = None
    signature: str | None = None
    blocks: list[BlockRef] | None = None
    meta: Meta | None = None

    if TYPE_CHECKING:  # the contents that may be given, before they are parts

        def __init__(
            self,
            role: Role,
            contents: str | Sequence[Part | Mapping[str, Any] | str] = ...,
            thinking: str | None = None,
            tool_calls: list[FunctionPart] | None = None,
            id: str | None = None,
            signature: str | None = None,
            blocks: list[BlockRef] | None = None,
            meta: Meta | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        if isinstance(self.contents, str):
            self.contents = [TextPart(self.contents)]
        elif type(self.contents) is not list or not all(isinstance(part, Struct) for part in self.contents):
            self.contents = [as_part(part) for part in self.contents]

    def with_contents(self, parts: Iterable[Part | Mapping[str, Any] | str]) -> Message:
        """Return a copy with these contents; a string is a text part, a dict one in its JSON form."""
        return msgspec.structs.replace(self, contents=[as_part(part) for part in parts])

    @property
    def text(self) -> str:
        """All text parts joined."""
        return "".join(part.text for part in self.contents if isinstance(part, TextPart))

    def iter_blocks(self) -> Iterator[Block]:
        """Yield thinking, contents and calls in the order in which they were written.

        Uses the overlay where it fits the flat fields, else the order thinking, contents, calls.
        """
        return overlay.iter_blocks(self.blocks, self.thinking, self.contents, self.tool_calls or [], self.signature)


MessageLike: TypeAlias = Union[Message, Mapping[str, Any], str]


def as_message(value: MessageLike) -> Message:
    """Return `value` as a message: a string is a user message, a mapping one in its JSON form (bytes allowed).

    Raises `msgspec.ValidationError` where the mapping is not of that form, or a message has a role that there is not.
    """
    if isinstance(value, Message):
        if value.role not in _ROLES:
            raise msgspec.ValidationError(f"the role of a message is one of {', '.join(_ROLES)}, not {value.role!r}")
        return value
    if isinstance(value, str):
        return Message("user", [TextPart(value)])
    if not isinstance(value, Mapping):
        raise msgspec.ValidationError(f"a message is an object with a role and contents, not {type(value).__name__}")
    if "content" in value and "contents" not in value:  # a provider's own form, of which nothing would be left
        raise msgspec.ValidationError(
            'a message has `contents`, a list of parts such as {"type": "text", "text": "…"}, and no `content`'
        )
    return msgspec.convert(msgspec.to_builtins(dict(value)), Message)


class FinishReason(Struct, frozen=True, omit_defaults=True):
    """Why the model stopped.

    `raw` is the provider's own word; `reason` and `category` say why it refused or failed, where it says so;
    `synthesized` means that the provider never gave a reason.
    """

    type: Finish
    raw: str | None = None
    reason: str | None = None
    category: str | None = None
    synthesized: bool = False


class MessageOutput(Struct, omit_defaults=True):
    """A complete message with what belongs to it.

    `finish_reason` is None only where the message was cut off; `depth` is 0 for the agent itself and grows by one a
    sub-agent; `id` is the provider's response id; `timing` is there for a message that came over a connection.
    `logprobs` and `refusal_logprobs` are one entry a token, as the provider gave them. `extra` is what else the
    provider says of the answer as a whole, under its own names: the `container` that ran code at Anthropic, say.
    """

    message: Message
    finish_reason: FinishReason | None = None
    usage: Usage | None = None
    depth: int = 0
    source_agent: str | None = None
    model: str | None = None
    provider: str | None = None
    id: str | None = None
    timing: Timing | None = None
    logprobs: list[Any] | None = None
    refusal_logprobs: list[Any] | None = None
    extra: dict[str, Any] | None = None
