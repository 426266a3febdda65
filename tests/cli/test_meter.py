import re
import time

from streamkit.cli.meter import Meter
from streamkit.deltas import MessageEnd, TextDelta, TextStart, UsageSnapshot
from streamkit.messages import FinishReason
from streamkit.usage import Usage, UsageCost

STOP = MessageEnd(FinishReason("stop"))


def feed(meter, *deltas):
    for delta in deltas:
        meter.feed(delta)
    return meter.summary()


def test_the_usage_of_every_message_is_added_and_within_one_the_latest_counts():
    meter = Meter()
    feed(meter, TextDelta(0, "a"), UsageSnapshot(Usage(10, 1)), UsageSnapshot(Usage(10, 20)), STOP)
    summary = feed(meter, TextDelta(0, "a"), UsageSnapshot(Usage(5, 2, cache_read_tokens=100)), STOP)
    assert summary.startswith("115 tokens in · 22 out · first token after ")
    assert meter.usage == Usage(15, 22, cache_read_tokens=100)


def test_time_is_measured_between_tokens_not_before_them():
    meter = Meter()
    time.sleep(0.05)
    feed(meter, TextStart(0), TextDelta(0, "a"))
    time.sleep(0.1)
    summary = feed(meter, TextDelta(0, "b"), UsageSnapshot(Usage(1, 100)), STOP)
    after, rate = map(int, re.search(r"after (\d+) ms · (\d+) tokens/s", summary).groups())
    assert 50 <= after < 100
    assert 100 <= rate <= 1000


def test_the_cost_is_shown_where_it_is_known():
    usage = Usage(1, 1, cost=UsageCost(total=0.00123))
    assert "$0.001230" in feed(Meter(), TextDelta(0, "a"), UsageSnapshot(usage), STOP)


def test_what_is_not_known_is_left_out():
    assert Meter().summary() == ""
    assert re.fullmatch(r"first token after \d+ ms", feed(Meter(), TextDelta(0, "a")))
    assert feed(Meter(), TextDelta(0, "a"), STOP).startswith("first token after")
