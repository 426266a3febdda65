"""When things happened on one stream, and how long they may take."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import zip_longest
from math import ceil
from operator import sub

from msgspec import Struct, field

from streamkit.errors import ConfigError

__all__ = ["Gaps", "Timeouts", "Timing"]

# From how long a gap is a stall: many times what any model that streams takes for a token.
STALL_NS = 1_000_000_000


class Gaps(Struct, omit_defaults=True):
    """How long was waited between the reads of one answer that brought content: a histogram, and what it cannot say.

    What came in one read came at once, so it makes one gap. Bucket *n* of `counts` holds gaps up to 2**(n/4) ns, so
    each ends 19 % above the one before. `longest_ns` is exact, and so are `stalls`, the number of gaps of more than
    `STALL_NS` (1 s), and `stalled_ns`, their sum.
    """

    counts: list[int] = field(default_factory=list)
    longest_ns: int = 0
    stalls: int = 0
    stalled_ns: int = 0

    @classmethod
    def between(cls, stamps_ns: Sequence[int]) -> Gaps:
        """Return the gaps between stamps, of which there are two at least."""
        gaps = sorted(map(sub, stamps_ns[1:], stamps_ns))
        counts = [0] * _bucket(gaps[0])
        below = 0
        for bucket in range(len(counts), _bucket(gaps[-1]) + 1):  # by its edge: less than a step a gap
            edge = bisect_left(gaps, 2 ** (bucket / 4))
            counts.append(edge - below)
            below = edge
        stalls = gaps[bisect_right(gaps, STALL_NS) :]
        return cls(counts, gaps[-1], len(stalls), sum(stalls))

    @property
    def count(self) -> int:
        """How many gaps there were."""
        return sum(self.counts)

    def quantile_s(self, share: float) -> float | None:
        """Return the gap in s that `share` (0 to 1) of all do not exceed, within a fifth of it; None without gaps."""
        rank = max(ceil(share * self.count), 1)
        for bucket, count in enumerate(self.counts):
            if count >= rank:
                middle = 2 ** ((bucket - 1 + (rank - 0.5) / count) / 4)
                return min(middle, self.longest_ns) / 1e9
            rank -= count
        return None

    @property
    def p50_s(self) -> float | None:
        """The median gap in s."""
        return self.quantile_s(0.5)

    @property
    def p90_s(self) -> float | None:
        """The gap in s that one of ten exceeds."""
        return self.quantile_s(0.9)

    @property
    def p99_s(self) -> float | None:
        """The gap in s that one of a hundred exceeds."""
        return self.quantile_s(0.99)

    def __add__(self, other: Gaps) -> Gaps:
        """Return the gaps of both."""
        return Gaps(
            [a + b for a, b in zip_longest(self.counts, other.counts, fillvalue=0)],
            max(self.longest_ns, other.longest_ns),
            self.stalls + other.stalls,
            self.stalled_ns + other.stalled_ns,
        )


class Timing(Struct, omit_defaults=True):
    """Stamps of one response in ns, by `time.perf_counter_ns`, each taken when a read returned, before parsing.

    Where the request was sent more than once all are of the attempt whose answer this is, but for `first_sent_ns`,
    which is of the first, and is None where that is the same. An answer that went on where its connection broke is of
    the attempt that began it. What did not happen is None.
    """

    sent_ns: int = 0
    headers_ns: int | None = None
    first_byte_ns: int | None = None
    first_token_ns: int | None = None  # the first text, thinking, refusal or argument
    end_ns: int | None = None
    first_sent_ns: int | None = None
    first_event_ns: int | None = None  # the first that means anything: no comment or ping
    first_text_ns: int | None = None
    first_thinking_ns: int | None = None
    first_arguments_ns: int | None = None
    first_refusal_ns: int | None = None
    last_token_ns: int | None = None
    gaps: Gaps | None = None

    @property
    def time_to_first_token_s(self) -> float | None:
        """Seconds from sending the request to the read that brought the first token."""
        return None if self.first_token_ns is None else (self.first_token_ns - self.sent_ns) / 1e9

    @property
    def duration_s(self) -> float | None:
        """Seconds from sending the request to the end of the answer."""
        return None if self.end_ns is None else (self.end_ns - self.sent_ns) / 1e9

    @property
    def total_s(self) -> float | None:
        """Seconds from sending the request for the first time to the end of the answer."""
        sent_ns = self.sent_ns if self.first_sent_ns is None else self.first_sent_ns
        return None if self.end_ns is None else (self.end_ns - sent_ns) / 1e9

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


def _bucket(gap_ns: int) -> int:
    """The number of the bucket that a gap is in."""
    return (gap_ns**4).bit_length()
