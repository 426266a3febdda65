"""Every error that streamkit raises.

StreamkitError
├── ConfigError              wrong set-up, found before any input or output
│   └── ImageNotEmbedded     the provider takes images by their bytes only, and one is an address
├── ImageFetchError          an image that should be embedded could not be fetched, or must not be
├── TransportError           the connection failed
│   └── TransportTimeout     it took too long to send the next bytes, or to take some
│       ├── ConnectTimeout   … to connect
│       ├── FirstTokenTimeout  … to begin the answer
│       ├── IdleTimeout      … to go on with it
│       └── TotalTimeout     … as a whole
├── APIError                 the provider answered with an error, before or inside the stream
│   ├── AuthenticationError  the key is missing, wrong or expired
│   ├── PermissionDenied     the key may not do this
│   ├── NotFound             no such model, deployment or path
│   ├── InvalidRequest       the provider does not accept this request
│   │   └── ContextOverflow  the conversation does not fit the model's window
│   ├── ContentFiltered      the provider's filter stopped the prompt or the answer
│   ├── RateLimited          too many requests for now
│   ├── QuotaExceeded        no credit or allowance left: waiting does not help
│   ├── Overloaded           the provider has no capacity for now
│   └── ServerError          the provider failed
├── ProtocolError            the stream breaks the rules of its dialect
│   └── TruncatedStream      it ended before the answer did
├── OutputError              the answer is not of the type that was asked for
├── ToolError                a tool could not be run, or failed
├── TurnLimit                a run of an agent asked the model as often as it may
└── SessionError             a session could not be read or written
    ├── SessionNotFound      there is none of this name
    ├── SessionExists        there is one of this name already
    ├── SessionLocked        another process, or another session object, has it open for writing
    └── SessionDamaged       what is stored has been changed by others, or is not whole

StreamkitWarning             the request was sent, but not quite as asked
├── UnsupportedParameterWarning  a parameter that the provider does not take was left out
└── HistoryWarning           a message that fits nowhere in the conversation was left out
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from streamkit.deltas import Delta
    from streamkit.messages import MessageOutput

__all__ = [
    "APIError",
    "AuthenticationError",
    "ConfigError",
    "ConnectTimeout",
    "ContentFiltered",
    "ContextOverflow",
    "FirstTokenTimeout",
    "HistoryWarning",
    "IdleTimeout",
    "ImageFetchError",
    "ImageNotEmbedded",
    "InvalidRequest",
    "NotFound",
    "OutputError",
    "Overloaded",
    "PermissionDenied",
    "ProtocolError",
    "QuotaExceeded",
    "RateLimited",
    "ServerError",
    "SessionDamaged",
    "SessionError",
    "SessionExists",
    "SessionLocked",
    "SessionNotFound",
    "StreamkitError",
    "StreamkitWarning",
    "ToolError",
    "TotalTimeout",
    "TransportError",
    "TransportTimeout",
    "TruncatedStream",
    "TurnLimit",
    "UnsupportedParameterWarning",
]

# How much of a frame or a body a message may quote, in characters.
EXCERPT = 300


class StreamkitError(Exception):
    """The root of all errors of streamkit.

    `partial` is what had been accumulated when a stream broke, else None. `deltas` holds what the failing stage
    could still complete; a caller that folds by hand folds these first. `retryable` says whether the same request
    may succeed later. `provider`, `status` (HTTP) and `request_id` (the provider's own) say of which answer it is,
    as far as that is known, and `body` is what the provider reported in place of one.
    """

    retryable = False
    provider = ""
    status: int | None = None
    request_id: str | None = None
    body = ""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.partial: MessageOutput | None = None
        self.deltas: list[Delta] = []


class ConfigError(StreamkitError):
    """The set-up is wrong: an unknown name, a missing key, a bad option. Raised before any I/O."""


class ImageNotEmbedded(ConfigError):
    """The provider takes images by their bytes only, and the one at `url` is an address."""

    def __init__(self, message: str, *, url: str = "") -> None:
        super().__init__(message)
        self.url = url


class ImageFetchError(StreamkitError):
    """The image at `url` could not be fetched, or must not be: no request was sent to the provider."""

    def __init__(self, message: str, *, url: str = "") -> None:
        super().__init__(message)
        self.url = url


class TransportError(StreamkitError):
    """The connection could not be made, or broke."""

    retryable = True


class TransportTimeout(TransportError):
    """Waiting for the next bytes, or something that has a class of its own below, took longer than the limit."""


class ConnectTimeout(TransportTimeout):
    """No connection was made within `connect_timeout_s`."""


class FirstTokenTimeout(TransportTimeout):
    """The answer did not begin within `first_token_timeout_s`."""


class IdleTimeout(TransportTimeout):
    """Nothing of the answer came for `idle_timeout_s`, though the connection may have been kept alive."""


class TotalTimeout(TransportTimeout):
    """The whole, with all retries, took longer than `total_timeout_s`."""


class APIError(StreamkitError):
    """The provider reported an error.

    `status` is that of HTTP (200 for an error inside a stream), `body` the error as it came (at most 64 KiB), `code`
    and `type` the provider's words, `retry_after_s` how long it asked to wait, in seconds.
    """

    def __init__(
        self,
        message: str,
        *,
        provider: str = "",
        status: int | None = None,
        request_id: str | None = None,
        code: str | None = None,
        type: str | None = None,
        body: str = "",
        retryable: bool | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        where = [provider] if provider else []
        if status is not None:
            where.append(f"HTTP {status}")
        if word := code if code and code != str(status) else type:
            where.append(word)
        if request_id:
            where.append(f"request {request_id}")
        super().__init__(f"{message} ({', '.join(where)})" if where else message)
        self.message = message
        self.provider = provider
        self.status = status
        self.request_id = request_id
        self.code = code
        self.type = type
        self.body = body
        self.retry_after_s = retry_after_s
        if retryable is not None:
            self.retryable = retryable


class AuthenticationError(APIError):
    """The key is missing, wrong or expired."""


class PermissionDenied(APIError):
    """The key is good but may not do this."""


class NotFound(APIError):
    """There is no such model, deployment or path."""


class InvalidRequest(APIError):
    """The provider does not accept this request as it is."""


class ContextOverflow(InvalidRequest):
    """The conversation does not fit the model's context window."""


class ContentFiltered(APIError):
    """The provider's content filter stopped the prompt or the answer."""


class RateLimited(APIError):
    """Too many requests or tokens for now; see `retry_after_s`."""

    retryable = True


class QuotaExceeded(APIError):
    """No credit or allowance is left; waiting a little does not help."""


class Overloaded(APIError):
    """The provider has no capacity for now."""

    retryable = True


class ServerError(APIError):
    """The provider failed on its side."""

    retryable = True


class ProtocolError(StreamkitError):
    """The stream breaks the rules of its dialect; `frame` is the piece at fault, as it came."""

    def __init__(self, message: str, *, frame: bytes | str = b"") -> None:
        text = frame.decode("utf-8", "replace") if isinstance(frame, bytes) else frame
        super().__init__(f"{message}: {text[:EXCERPT]!r}" if text else message)
        self.frame = frame


class TruncatedStream(ProtocolError):
    """The stream ended before the provider ended the answer: the connection was cut on the way, or nothing came."""

    retryable = True


class ToolError(StreamkitError):
    """A tool could not be run, or says by raising this what the model should be told."""

    def __init__(self, message: str, *, details: Any = None) -> None:
        super().__init__(message)
        self.details = details


class OutputError(StreamkitError):
    """The answer is not of the type that was asked for: `text` is all of its text, `reason` what is wrong with it.

    `partial` is the answer, `refused` says that the model would not give one.
    """

    refused = False

    def __init__(self, message: str, *, text: str = "", reason: str = "") -> None:
        super().__init__(f"{message}: {text[:EXCERPT]!r}" if text else message)
        self.text = text
        self.reason = reason


class TurnLimit(StreamkitError):
    """A run of an agent asked the model as often as `max_turns` allows, and its tools were called once more."""


class SessionError(StreamkitError):
    """The session of this name could not be read or written; what was stored before still is."""

    def __init__(self, message: str, *, session: str = "") -> None:
        super().__init__(message)
        self.session = session


class SessionNotFound(SessionError):
    """There is no session of this name."""


class SessionExists(SessionError):
    """There is a session of this name already."""


class SessionLocked(SessionError):
    """Another process has the session open for writing: `pid` on `host`, None while that is not known."""

    retryable = True

    def __init__(self, message: str, *, session: str = "", pid: int | None = None, host: str | None = None) -> None:
        super().__init__(message, session=session)
        self.pid = pid
        self.host = host


class SessionDamaged(SessionError):
    """What is stored is not what was written: the file was changed by others, or the disk lost some of it."""


class StreamkitWarning(UserWarning):
    """The root of all warnings of streamkit: what was asked for is done, but for the thing that the warning names."""


class UnsupportedParameterWarning(StreamkitWarning):
    """A parameter was left out of a request because the provider does not take it."""


class HistoryWarning(StreamkitWarning):
    """A message was left out of a request because no provider would accept it where it stands."""
