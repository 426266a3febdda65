"""When things happened on one stream, and how long they may take."""

from __future__ import annotations

from msgspec import Struct

from streamkit.errors import ConfigError

__all__ = ["Timeouts", "Timing"]


class Timing(Struct, omit_defaults=True):
    """Stamps of one response in ns, by `time.perf_counter_ns`, each taken when a read returned, before parsing."""

    sent_ns: int = 0
    headers_ns: int | None = None
    first_byte_ns: int | None = None
    first_token_ns: int | None = None  # the first text, thinking, refusal or argument
    end_ns: int | None = None

    @property
    def time_to_first_token_s(self) -> float | None:
        """Seconds from sending the request to the read that brought the first token."""
        return None if self.first_token_ns is None else (self.first_token_ns - self.sent_ns) / 1e9

    @property
    def duration_s(self) -> float | None:
        """Seconds from sending the request to the end of the answer."""
        return None if self.end_ns is None else (self.end_ns - self.sent_ns) / 1e9

    def tokens_per_second(self, output_tokens: int | None) -> float | None:
        """Tokens a second between the first token and the end; None where that cannot be said."""
        if not output_tokens or output_tokens < 2 or self.first_token_ns is None or self.end_ns is None:
            return None
        elapsed = self.end_ns - self.first_token_ns
        return (output_tokens - 1) / (elapsed / 1e9) if elapsed > 0 else None


class Timeouts(Struct, frozen=True):
    """Limits in s, None for none: to connect, and to wait for the next bytes or to send some; then those of a stream.

    `first_token_s` counts from the sending of a request, `idle_s` between two pieces of the answer, `total_s` over all
    of it. Raises `ConfigError` where one is no time.
    """

    connect_s: float | None = 10.0
    read_s: float | None = 600.0
    first_token_s: float | None = None
    idle_s: float | None = None
    total_s: float | None = None

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if value is not None and not (isinstance(value, (int, float)) and 0 < value < float("inf")):
                raise ConfigError(
                    f"{name.removesuffix('_s')}_timeout_s must be a number of seconds above 0, not {value!r}"
                )

    @property
    def need_watching(self) -> bool:
        """Whether any limit is set that the transport does not know."""
        return not (self.first_token_s is self.idle_s is self.total_s is None)
