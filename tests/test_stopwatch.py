"""Which reads are stamped as what, and what the gaps between them add up to."""

from __future__ import annotations

from random import Random

import msgspec
import pytest

from streamkit.client import Client
from streamkit.client.retries import Retry
from streamkit.deltas import (
    Delta,
    MessageStart,
    RawFrame,
    RefusalDelta,
    Retract,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ToolCallDelta,
    UsageSnapshot,
)
from streamkit.errors import StreamkitError
from streamkit.messages import MessageOutput
from streamkit.stopwatch import Stopwatch
from streamkit.testing import Answer, Call, ReplayServer, Reply, Thinking, render, wires
from streamkit.timing import STALL_NS, Gaps, Timing
from streamkit.usage import Usage

MS = 1_000_000
TEXT = TextDelta(0, "a")
THINKING = ThinkingDelta(0, "a")
ARGUMENTS = ToolCallDelta(1, "{")
REFUSAL = RefusalDelta(0, "No")
USAGE = UsageSnapshot(Usage(1, 1))
HEAD: list[Delta] = [MessageStart("assistant"), TextStart(0)]


def watched(reads: list[tuple[int, list[Delta]]]) -> Timing:
    """The stamps after these reads, at so many ms each."""
    watch = Stopwatch()
    watch.restart(Timing(sent_ns=1, headers_ns=2))
    for at_ms, deltas in reads:
        watch.note(at_ms * MS, deltas)
    return watch.timing()


STAMPED: list[tuple[str, list[tuple[int, list[Delta]]], dict[str, int | None]]] = [
    ("a read of no event", [(1, [])], {"first_byte_ns": 1, "first_event_ns": None}),
    ("an event that brings nothing", [(1, []), (2, HEAD)], {"first_byte_ns": 1, "first_event_ns": 2}),
    ("text", [(1, HEAD), (2, [TEXT])], {"first_token_ns": 2, "first_text_ns": 2, "last_token_ns": 2}),
    ("text with the head", [(1, [*HEAD, TEXT])], {"first_event_ns": 1, "first_text_ns": 1, "last_token_ns": 1}),
    ("thinking", [(1, [THINKING]), (2, [TEXT])], {"first_thinking_ns": 1, "first_text_ns": 2, "first_token_ns": 1}),
    ("arguments", [(1, [ARGUMENTS])], {"first_arguments_ns": 1, "first_token_ns": 1, "first_text_ns": None}),
    ("a refusal", [(3, [REFUSAL])], {"first_refusal_ns": 3, "first_token_ns": 3}),
    ("all in one read", [(1, [THINKING, TEXT, ARGUMENTS])], {"first_thinking_ns": 1, "first_arguments_ns": 1}),
    ("a kind between others", [(1, [TEXT]), (2, [TEXT, THINKING, TEXT])], {"first_thinking_ns": 2}),
    ("the last token", [(1, [TEXT]), (2, [TEXT]), (5, [TextEnd(0)]), (6, [])], {"last_token_ns": 2}),
    ("a frame beside each token", [(1, [RawFrame("x"), TEXT]), (2, [RawFrame("x"), TEXT])], {"last_token_ns": 2}),
]


@pytest.mark.parametrize(("reads", "stamps"), [case[1:] for case in STAMPED], ids=[case[0] for case in STAMPED])
def test_the_reads_that_are_the_first_of_their_kind_are_stamped(
    reads: list[tuple[int, list[Delta]]], stamps: dict[str, int | None]
) -> None:
    timing = watched(reads)
    assert {name: getattr(timing, name) for name in stamps} == {
        name: None if at_ms is None else at_ms * MS for name, at_ms in stamps.items()
    }


def test_gaps_are_between_reads_with_content_alone() -> None:
    reads: list[tuple[int, list[Delta]]] = [
        (1, HEAD),
        (10, [TEXT]),
        (20, [TEXT]),
        (25, []),
        (30, [TEXT, TEXT, TEXT]),
        (35, [USAGE]),
        (50, [TEXT, USAGE]),
        (60, [ARGUMENTS]),
    ]
    gaps = watched(reads).gaps
    assert gaps is not None
    assert gaps.count == 4
    assert gaps.longest_ns == 20 * MS
    assert gaps.p50_s == pytest.approx(0.01, rel=0.2)


def test_one_token_makes_no_gap() -> None:
    assert watched([(1, HEAD), (2, [TEXT])]).gaps is None


def test_stalls_are_counted_and_added_up() -> None:
    watch = Stopwatch()
    now = 0
    for gap in (STALL_NS, 5, 2 * STALL_NS, 3 * STALL_NS, STALL_NS + 1, 0, 7):
        watch.note(now, [TEXT])
        now += gap
    watch.note(now, [TEXT])
    gaps = watch.timing().gaps
    assert gaps is not None
    assert (gaps.count, gaps.stalls, gaps.stalled_ns, gaps.longest_ns) == (7, 3, 6 * STALL_NS + 1, 3 * STALL_NS)


@pytest.mark.parametrize("many", [100, 10_000])
def test_the_histogram_is_that_of_the_gaps_one_by_one(many: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamkit.stopwatch._MANY", many)
    random = Random(7)
    watch, now, gaps = Stopwatch(), 0, []
    watch.note(now, [TEXT])
    for _ in range(3000):
        gap = int(random.lognormvariate(16, 3))
        gaps.append(gap)
        now += gap
        watch.note(now, random.choice(([TEXT], [TEXT], [TEXT, USAGE], [THINKING])))
    found = watch.timing().gaps
    assert found is not None
    counts = [0] * ((max(gaps) ** 4).bit_length() + 1)
    for gap in gaps:
        counts[(gap**4).bit_length()] += 1
    late = [gap for gap in gaps if gap > STALL_NS]
    assert late
    assert found == Gaps(counts, max(gaps), len(late), sum(late))
    for share in (0.1, 0.5, 0.9, 0.99, 1.0):
        exact = sorted(gaps)[round(share * len(gaps)) - 1] / 1e9
        assert found.quantile_s(share) == pytest.approx(exact, rel=0.2)


def test_what_was_said_is_unchanged_by_what_follows() -> None:
    watch = Stopwatch()
    watch.note(1, [TEXT])
    watch.note(5, [TEXT])
    before = watch.timing()
    watch.note(9, [TEXT])
    watch.end(9)
    assert before.last_token_ns == 5
    assert before.end_ns is None
    assert before.gaps is not None
    assert before.gaps.count == 1


def test_an_answer_in_place_of_another_has_stamps_of_its_own() -> None:
    watch = Stopwatch()
    for sent_ns in (10, 20):  # no answer to the first, nor the second
        watch.sent(Timing(sent_ns=sent_ns))
        assert watch.timing().sent_ns == sent_ns
    answered = Timing(sent_ns=30, headers_ns=31)
    watch.sent(answered)
    watch.restart(answered)
    watch.note(32, [TEXT])
    watch.note(33, [TEXT])
    watch.sent(Timing(sent_ns=40))  # an attempt that fails takes nothing away
    assert (watch.timing().sent_ns, watch.timing().first_sent_ns) == (30, 10)
    again = Timing(sent_ns=50, headers_ns=51)
    watch.sent(again)
    watch.restart(again)
    watch.note(60, HEAD)
    watch.end(70)
    assert watch.timing() == Timing(
        sent_ns=50, headers_ns=51, first_byte_ns=60, end_ns=70, first_sent_ns=10, first_event_ns=60
    )


def test_a_request_that_was_sent_once_has_one_sending() -> None:
    watch = Stopwatch()
    attempt = Timing(sent_ns=10, headers_ns=11)
    watch.sent(attempt)
    watch.restart(attempt)
    assert watch.timing() == attempt


# ---- over real HTTP


async def test_each_kind_of_an_answer_is_stamped_as_it_comes() -> None:
    answer = Answer([Thinking("Let me look."), "It is sunny.", Call("go", {"to": "Oslo"})])
    async with ReplayServer(Reply(body=answer, pace_s=0.003)) as server:
        client = Client("openai/gpt-5", api_key="none", base_url=server.url)
        async with client, client.stream("Hello") as stream:
            async for delta in stream:
                if type(delta) is TextDelta:
                    assert stream.timing.first_text_ns is not None
                    assert stream.timing.first_arguments_ns is None
    timing = stream.output.timing
    assert timing is not None
    stamps = [
        timing.sent_ns,
        timing.headers_ns,
        timing.first_byte_ns,
        timing.first_event_ns,
        timing.first_thinking_ns,
        timing.first_text_ns,
        timing.first_arguments_ns,
        timing.last_token_ns,
        timing.end_ns,
    ]
    assert stamps == sorted(stamp for stamp in stamps if stamp is not None)
    assert timing.first_token_ns == timing.first_thinking_ns
    assert timing.first_refusal_ns is timing.first_sent_ns is None
    assert timing.gaps is not None
    assert timing.gaps.count >= 5
    assert timing.gaps.longest_ns >= 3_000_000
    assert msgspec.json.decode(msgspec.json.encode(stream.output), type=MessageOutput).timing == timing


async def test_the_stamps_of_an_answer_that_was_begun_anew_are_those_of_the_last_attempt() -> None:
    body = render(Answer(["It is sunny in Oslo."]))
    broken = wires.close(body, after=len(body) // 2)
    async with ReplayServer([wires.error(503), broken, Answer(["It is sunny in Oslo."])]) as server:
        retry = Retry(first_wait_s=0.01, after_content=True)
        client = Client("openai/gpt-5", api_key="none", base_url=server.url, retry=retry)
        taken_back = 0
        async with client, client.stream("Hello") as stream:
            async for delta in stream:
                if type(delta) is Retract:
                    taken_back = stream.timing.sent_ns
                    assert stream.timing.first_token_ns is None
    timing = stream.output.timing
    assert timing is not None
    assert timing.first_sent_ns is not None
    assert timing.first_sent_ns + 10_000_000 < timing.sent_ns == taken_back
    assert timing.headers_ns is not None
    assert timing.first_token_ns is not None
    assert timing.sent_ns < timing.headers_ns < timing.first_token_ns
    assert timing.total_s is not None
    assert timing.duration_s is not None
    assert timing.total_s > timing.duration_s


async def test_where_no_other_answer_comes_the_stamps_are_those_of_the_one_that_broke() -> None:
    body = render(Answer(["It is sunny in Oslo."]))
    async with ReplayServer([wires.close(body, after=len(body) // 2), wires.error(503)]) as server:
        retry = Retry(times=1, first_wait_s=0, after_content=True)
        client = Client("openai/gpt-5", api_key="none", base_url=server.url, retry=retry)
        async with client, client.stream("Hello") as stream:
            with pytest.raises(StreamkitError) as caught:
                async for _ in stream:
                    pass
    assert caught.value.partial is not None
    timing = caught.value.partial.timing
    assert timing is not None
    assert timing.first_sent_ns is None
    assert timing.headers_ns is not None
    assert timing.first_token_ns is not None
    assert timing.sent_ns < timing.headers_ns < timing.first_token_ns


async def test_an_answer_of_no_byte_has_no_first_byte() -> None:
    async with ReplayServer(wires.close(render(Answer(["Sunny."])), after=0)) as server:
        client = Client("openai/gpt-5", api_key="none", base_url=server.url, retry=0)
        async with client, client.stream("Hello") as stream:
            with pytest.raises(StreamkitError):
                async for _ in stream:
                    pass
    timing = stream.timing
    assert timing.first_byte_ns is timing.first_event_ns is timing.first_token_ns is None
    assert timing.end_ns is not None
