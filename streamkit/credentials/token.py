"""Tokens from a function of the caller's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import isawaitable, iscoroutinefunction

from anyio import to_thread

from streamkit.endpoint import Endpoint
from streamkit.errors import ConfigError
from streamkit.keys import Secret, problem_of
from streamkit.protocols import EncodedRequest
from streamkit.transport.http_clients import HTTPClient

__all__ = ["TokenFunction"]


class TokenFunction:
    """Asks a function for the token of each request, as SDKs do.

    One that is no coroutine function may block, so it runs in a thread, which is abandoned where the request is
    cancelled; what it returns may be awaitable. What it raises is raised; a token that cannot be sent is a
    `ConfigError`.
    """

    def __init__(self, function: Callable[[], str | Awaitable[str]]) -> None:
        self._function = function

    async def __call__(self, http: HTTPClient, endpoint: Endpoint, encoded: EncodedRequest, body: bytes) -> Endpoint:
        provider = endpoint.provider
        token, problem = await self._ask()
        if token is None:
            raise ConfigError(f"the token for {provider.name}, as api_key() returned it, {problem}")
        name, value = provider.auth_header(token.reveal(), is_token=True)
        return endpoint.authorized({name: Secret(value)})

    async def _ask(self) -> tuple[Secret | None, str]:
        """The token, or what is wrong with it; a frame that raises shall not have it as a local."""
        function = self._function
        if iscoroutinefunction(function) or iscoroutinefunction(getattr(function, "__call__", None)):  # noqa: B004 - of an object that is called
            text = await function()  # type: ignore[misc] # which the line above has made sure of
        else:
            [text] = await to_thread.run_sync(lambda: [function()], abandon_on_cancel=True)  # trio takes no coroutine
            if isawaitable(text):
                text = await text
        if not isinstance(text, str):
            return None, f"is no string but {type(text).__name__}"
        text = text.strip()
        problem = problem_of(text) if text else "is empty"
        return (None, problem) if problem else (Secret(text), "")
