"""The queues of what a user says meanwhile."""

from __future__ import annotations

import pytest

from streamkit.agent.inbox import Inbox, Queue, QueueMode
from streamkit.errors import ConfigError
from streamkit.messages import as_message

ONE, TWO, THREE = (as_message(text) for text in ("one", "two", "three"))


@pytest.mark.parametrize(
    ("mode", "taken"),
    [("all", [[ONE, TWO, THREE], [], []]), ("one-at-a-time", [[ONE], [TWO], [THREE]])],
)
@pytest.mark.feature("4.3")
def test_a_queue_gives_all_or_one_at_a_time(mode: QueueMode, taken: list[object]) -> None:
    queue = Queue(mode)
    for message in (ONE, TWO, THREE):
        queue.put(message)
    assert [queue.take() for _ in range(3)] == taken
    assert queue.take() == []


def test_a_queue_that_is_cleared_gives_what_it_had() -> None:
    inbox = Inbox("one-at-a-time", "all")
    inbox.steering.put(ONE)
    inbox.follow_ups.put(TWO)
    assert len(inbox) == 2
    assert list(inbox) == [ONE, TWO]
    assert inbox.clear() == [ONE, TWO]
    assert not inbox


def test_a_mode_that_is_none_is_an_error() -> None:
    with pytest.raises(ConfigError, match="no queue mode 'some'"):
        Queue("some")
