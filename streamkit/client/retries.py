"""Whether a request is sent again after an error, and how long is waited before."""

from __future__ import annotations

from typing import Any

from msgspec import Struct, structs

from streamkit.errors import APIError, ConfigError, StreamkitError

__all__ = ["Retry", "Retrying", "as_retry"]


class Retry(Struct, frozen=True, kw_only=True):
    """How often, after what wait and at which point of an answer a request is sent again.

    A request is sent at most `1 + times` times to one model: after a connection that failed, an answer that broke
    off, and an error of the provider's that may pass (`StreamkitError.retryable`). What the provider asks to wait is
    waited, unless it is more than `longest_wait_s`: then the error is raised at once. Where the provider says nothing,
    the wait is a random time between half of and all of `first_wait_s`, twice that the next time, at most `cap_s`. All
    waits are in seconds; the defaults are those of the SDKs of OpenAI and Anthropic.

    With nothing but the beginning of a message delivered, this happens by itself. After more than that only with
    `after_content`: a `Retract` then takes back what was delivered, and the answer begins anew.
    """

    times: int = 2
    first_wait_s: float = 0.5
    cap_s: float = 8.0
    longest_wait_s: float = 120.0
    after_content: bool = False

    def __post_init__(self) -> None:
        waits = (self.first_wait_s, self.cap_s, self.longest_wait_s)
        if self.times < 0 or not all(0 <= wait < float("inf") for wait in waits):
            raise ConfigError("a number of retries, and the waits between them, must be 0 or more")

    def allows(self, error: StreamkitError, *, delivered: bool) -> bool:
        """Return whether an error is one after which another attempt makes sense.

        `delivered` says that content of the answer had come.
        """
        if delivered and not self.after_content:
            return False
        return error.retryable

    def wait_s(self, error: StreamkitError, number: int, chance: float) -> float | None:
        """Return how long to wait before retry `number` (from 1 on), None where there is to be none.

        `chance` is a random number from 0 to 1.
        """
        if number > self.times:
            return None
        asked = error.retry_after_s if isinstance(error, APIError) else None
        if asked is not None:
            return asked if asked <= self.longest_wait_s else None
        most = min(self.cap_s, self.first_wait_s * 2.0 ** min(number - 1, 64))
        return most * (0.5 + 0.5 * chance)


class Retrying(Struct, frozen=True):
    """A request is about to be sent again: after which error, to whom, as which retry of the stream (from 1 on), when.

    The error has no secret in it.
    """

    error: StreamkitError
    provider: str
    model: str
    number: int
    wait_s: float

    @property
    def detail(self) -> dict[str, Any]:
        """The same as plain JSON, the error by its type and message."""
        told = f"{type(self.error).__name__}: {self.error}"
        return {**structs.asdict(self), "error": told}


def as_retry(given: Retry | int | None) -> Retry:
    """Return the policy that a caller means: None for the default, a number for that many retries."""
    if given is None:
        return Retry()
    if isinstance(given, bool) or not isinstance(given, (int, Retry)):
        raise ConfigError(f"retry must be a number or a Retry, not {given!r}")
    return Retry(times=given) if isinstance(given, int) else given
