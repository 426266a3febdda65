"""What a caller asks for, and what a dialect makes of it."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct, field

from streamkit.messages import Message

__all__ = ["EncodedRequest", "Request", "ToolSpec"]


class ToolSpec(Struct, frozen=True, kw_only=True):
    """A tool as the model sees it: `parameters` is a JSON Schema of an object.

    `extra` goes into the tool's object as it is (`cache_control`, say).
    """

    name: str
    description: str = ""
    parameters: dict[str, Any] = field(default_factory=lambda: {"type": "object", "properties": {}})
    strict: bool | None = None
    extra: dict[str, Any] = field(default_factory=dict)


class Request(Struct, frozen=True, kw_only=True):
    """A request in terms common to all providers; None leaves a thing to the provider.

    A tool given as a dict is the provider's own (a server tool, a custom tool) and goes through as it is.
    `tool_choice` is `auto`, `none`, `required`, the name of a tool, or a dict that goes through. `thinking` is a
    level (`off`, `minimal`, `low`, `medium`, `high`, `xhigh`, `max`), a budget in tokens, or a dict in the
    provider's own form. `output_schema` is the JSON Schema that the answer must have (`{}`: any JSON);
    with `instruct_output` the client tells it to a provider that follows none in the system message. `logprobs` is
    how many alternatives to report a token (0: only the chosen one). `provider` is the vendor's name: what a message's
    origin signed goes back to that vendor only ("": to any that speaks the dialect). `foreign_thinking` is what becomes
    of thinking that another provider's model wrote: `drop` leaves it out, `text` tells it inside `<thinking>` tags.
    `extra` holds body fields that go through as they are, last; an object among them is merged into the one that is
    there.
    """

    model: str
    messages: list[Message]
    tools: list[ToolSpec | dict[str, Any]] = field(default_factory=list)
    tool_choice: str | dict[str, Any] | None = None
    parallel_tool_calls: bool | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    top_k: int | None = None
    presence_penalty: float | None = None
    frequency_penalty: float | None = None
    stop: list[str] | None = None
    seed: int | None = None
    n: int | None = None
    logprobs: int | None = None
    logit_bias: dict[str, float] | None = None
    thinking: str | int | dict[str, Any] | None = None
    output_schema: dict[str, Any] | None = None
    output_name: str = "answer"
    instruct_output: bool = False
    user: str | None = None
    service_tier: str | None = None
    provider: str = ""
    foreign_thinking: str = "drop"
    extra: dict[str, Any] = field(default_factory=dict)


class EncodedRequest(Struct, frozen=True):
    """What goes over the wire: a path below the base URL, the JSON body, and headers beside the key's.

    One that is sent by GET has no body. `parser_options` are what the parser of the answer must be told of the request.
    Where `two_steps` is set, what answers it only names the place from which the stream must be fetched.
    """

    path: str
    body: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)
    method: Literal["POST", "GET"] = "POST"
    kept: bool = False  # the provider keeps the answer and works on it when nobody listens: `Parser.resume`
    parser_options: dict[str, Any] = field(default_factory=dict)
    two_steps: bool = False
