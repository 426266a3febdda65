"""What a replayed provider answers, and which answer belongs to which request.

Shared by `ReplayTransport`, in process, and `ReplayServer`, over real HTTP.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from inspect import isawaitable
from typing import Any, Literal, TypeAlias, Union

import msgspec
from msgspec import Struct, field

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer
from streamkit.testing.mutations import split_frames
from streamkit.testing.scripts import framing_of, render
from streamkit.testing.wires import Wire

__all__ = ["Handler", "Received", "Replies", "Reply", "ReplyLike", "error_reply"]


# The ends of paths that tell a dialect.
_PATHS = {
    "/responses": "openai-responses",
    "/messages": "anthropic",
    ":streamRawPredict": "anthropic",
    "/invoke-with-response-stream": "bedrock-anthropic",
    ":streamGenerateContent": "gemini",
    "/interactions": "gemini-interactions",
    "/v2/chat": "cohere",
    "/converse-stream": "bedrock-converse",
    "/text-generation/generation": "dashscope",
    "/multimodal-generation/generation": "dashscope",
    "/api/chat": "ollama",
    "/completion": "llamacpp",
    "/generate": "sglang",
    "/generate_stream": "tgi",
    "/worker_generate_stream": "fastchat",
    "/chat/completions": "openai-chat",
    "/completions": "openai-completions",
}


class Received(Struct, frozen=True):
    """A request as it came: header names in lower case, `path` with its query."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """The body decoded; raises `msgspec.DecodeError` where it is not JSON."""
        return msgspec.json.decode(self.body)

    @property
    def protocol(self) -> str:
        """The dialect that the end of the path is of, `openai-chat` where it is of none.

        Two servers have a `/generate`, of which one takes a `prompt`.
        """
        path = self.path.partition("?")[0]
        found = next((protocol for end, protocol in _PATHS.items() if path.endswith(end)), "openai-chat")
        return "vllm-generate" if found == "sglang" and b'"prompt":' in self.body else found


EVENT_STREAM = {"content-type": "text/event-stream; charset=utf-8"}
# Of framings other than server-sent events.
_CONTENT_TYPES = {
    "ndjson": "application/x-ndjson",
    "nul": "application/octet-stream",
    "aws-eventstream": "application/vnd.amazon.eventstream",
}


class Reply(Struct, frozen=True, kw_only=True):
    """One response.

    `body` is bytes, pieces to be sent as they are, or an `Answer`, which is rendered in the dialect of the request
    with `piece` characters a delta. `cut` makes pieces of bytes (default: one a frame where there is a pace, else one
    for all). `delay_s` passes before the head is sent, `pace_s` between two pieces (1/50 for fifty a second).
    `ends` is how the body ends: whole, by a dropped connection, or never (`hangs`, until the client goes away).
    """

    body: bytes | Sequence[bytes] | Answer = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: dict(EVENT_STREAM))
    piece: int = 4
    cut: Callable[[bytes], Iterable[bytes]] | None = None
    delay_s: float = 0.0
    pace_s: float = 0.0
    ends: Literal["whole", "drops", "hangs"] = "whole"

    def head(self, protocol: str) -> dict[str, str]:
        """Return the headers, an answer's with the content type of its dialect where none other is given."""
        if isinstance(self.body, Answer) and self.headers == EVENT_STREAM:
            return {"content-type": _CONTENT_TYPES.get(framing_of(protocol), EVENT_STREAM["content-type"])}
        return dict(self.headers)

    def pieces(self, protocol: str) -> list[bytes]:
        """Return the body in the pieces in which it is sent."""
        body = render(self.body, protocol, piece=self.piece) if isinstance(self.body, Answer) else self.body
        if not isinstance(body, bytes):
            return list(body)
        if self.cut is not None:
            return list(self.cut(body))
        return split_frames(body, framing_of(protocol)) if self.pace_s else [body]


ReplyLike: TypeAlias = Union[Reply, Answer, Wire, bytes]
_KINDS = (Reply, Answer, Wire, bytes)
Handler: TypeAlias = Callable[[Received], Union[ReplyLike, Awaitable[ReplyLike]]]


def error_reply(
    status: int, message: str, type: str = "", *, protocol: str = "openai-chat", headers: Mapping[str, str] = {}
) -> Reply:
    """Return a JSON error in the form of `protocol`, that of `openai-chat` where it has none of its own here."""
    error = {"type": type, "message": message}
    forms: dict[str, Any] = {
        "anthropic": {"type": "error", "error": error},
        "ollama": {"error": message},
        "cohere": {"message": message},
        "bedrock-converse": {"__type": type, "message": message},
        "bedrock-anthropic": {"__type": type, "message": message},
        "dashscope": {"code": type, "message": message, "request_id": "r"},
    }
    forms["gemini-interactions"] = {"error": {"code": type, "message": message}}
    forms["gemini"] = {"error": {"code": status, "message": message, "status": type}}
    body = forms.get(protocol, {"error": {**error, "code": None}})
    return Reply(body=msgspec.json.encode(body), status=status, headers={"content-type": "application/json", **headers})


class Replies:
    """Chooses the reply to each request and keeps the requests.

    `replies` is one reply for every request, a list of them, or a function of the request (it may be async). A list
    is a script: with `turn="order"` each request gets the next; with `turn="history"` the one whose number is how
    many assistant messages the request holds, so that a conversation may be taken up anywhere. After its end the
    answer is a 500 that says so, and not to be retried. `defaults` are fields of `Reply` for those given bare, as
    bytes or an `Answer`. Raises `ConfigError` for what is no reply.
    """

    def __init__(
        self,
        replies: ReplyLike | Iterable[ReplyLike] | Handler,
        *,
        turn: Literal["order", "history"] = "order",
        **defaults: Any,
    ) -> None:
        self.requests: list[Received] = []
        self._choose: Handler
        if callable(replies):
            self._choose = replies
        elif isinstance(replies, _KINDS) or isinstance(replies, str) or not isinstance(replies, Iterable):
            only = _checked(replies)
            self._choose = lambda request: only
        else:
            self._script = [_checked(reply) for reply in replies]
            self._choose = self._by_history if turn == "history" else self._next
        self._defaults = defaults

    async def reply(self, request: Received) -> Reply | Wire:
        """Return the reply to `request`, and keep the request."""
        self.requests.append(request)
        chosen = self._choose(request)
        reply = _checked(await chosen if isawaitable(chosen) else chosen)
        return reply if isinstance(reply, (Reply, Wire)) else Reply(body=reply, **self._defaults)

    def _next(self, request: Received) -> ReplyLike:
        return self._at(len(self.requests) - 1, request)

    def _by_history(self, request: Received) -> ReplyLike:
        return self._at(_answers(request.json), request)

    def _at(self, turn: int, request: Received) -> ReplyLike:
        if turn < len(self._script):
            return self._script[turn]
        replies = "1 reply" if len(self._script) == 1 else f"{len(self._script)} replies"
        text = f"the script has {replies}; this request wants number {turn + 1}"
        headers = {"x-should-retry": "false"}
        return error_reply(500, text, "script_exhausted", protocol=request.protocol, headers=headers)


def _checked(reply: Any) -> ReplyLike:
    if not isinstance(reply, _KINDS):
        meant = f": Answer([{reply!r}]) says it" if isinstance(reply, str) else ""
        raise ConfigError(f"a reply is an Answer, a Reply, a Wire or bytes, not {reply!r}{meant}")
    return reply


def _answers(body: Any) -> int:
    """How many answers of the model a request holds; in Responses each is a run of items that are not the caller's."""
    if "contents" in body:
        return sum(content["role"] == "model" for content in body["contents"])
    if isinstance(body.get("input"), dict):
        body = body["input"]
    if "input" not in body:
        return sum(message["role"] == "assistant" for message in body["messages"])
    written = [item.get("role", "assistant") == "assistant" and not _is_given(item) for item in body["input"]]
    return sum(here and not before for before, here in zip([False, *written], written, strict=False))


def _is_given(item: Any) -> bool:
    """Whether an item of Responses is a tool's output, or a step of an interaction the caller's."""
    return "output" in item or item.get("type") in ("user_input", "function_result")
