"""Tests that came first: what runs, streams and queues must hold, whoever asks for it."""

from __future__ import annotations

import gc
import time
from collections.abc import AsyncIterator, Callable

import pytest

from streamkit.accumulator import Accumulator
from streamkit.client.retries import Retry
from streamkit.deltas import Retract
from streamkit.messages import Message
from streamkit.parts import TextPart
from streamkit.protocols import get_protocol
from streamkit.testing import Answer, Call, Reply, Text, Thinking, render
from streamkit.testing.mutations import split_frames
from streamkit.testing.outcome import read_pieces
from streamkit.transport.readahead import ReadAhead
from streamkit.usage import Usage
from tests.features.agents import agent_on, run
from tests.runs import fold

GROWTH = 1.25  # of the time an event, by ten times the events


def two_texts() -> Message:
    """Give two texts."""
    return Message("tool", [TextPart("one"), TextPart("two")])


@pytest.mark.feature("first-1", "0.25")
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_usage_that_trails_and_a_result_of_two_texts_fold_to_what_a_run_yields(provider: str) -> None:
    script = [Answer([Call("two_texts")], usage=Usage(9, 4)), Answer(["Done."], usage=Usage(30, 2))]
    whole, pieces = (agent_on(script, provider, tools=[two_texts])[0] for _ in range(2))
    outputs = await run(whole)
    folded = fold([piece async for piece in pieces.run_stream("go")])
    assert [output.message.contents for output in folded[1:2]] == [[TextPart("one"), TextPart("two")]]
    assert [output.usage and output.usage.input_tokens for output in folded] == [9, None, 30]
    for output, one in zip(outputs, folded, strict=True):
        assert (output.message, output.finish_reason, output.usage) == (one.message, one.finish_reason, one.usage)


RECORDED = Answer([Thinking("Hm.", "c2ln"), Text("Größe 😀"), Call("f", {"x": "ü"})], usage=Usage(5, 6))


@pytest.mark.feature("first-2")
@pytest.mark.parametrize("end", [b"\n\n", b""], ids=["blank line", "no line end"])
@pytest.mark.parametrize("protocol", ["openai-chat", "anthropic", "gemini"])
def test_a_stream_cut_in_two_anywhere_gives_one_result(protocol: str, end: bytes) -> None:
    body = render(RECORDED, protocol, piece=99).rstrip() + end
    whole = read_pieces([body], get_protocol(protocol).parser())
    assert whole.error is None
    assert whole.outputs[0].message.text == "Größe 😀"
    for at in range(1, len(body), 3):
        cut = read_pieces([body[:at], body[at:]], get_protocol(protocol).parser())
        assert (cut.outputs, cut.error) == (whole.outputs, None)


HEAD = (
    b'data: {"id":"x","model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":'
    b'{"name":"f","arguments":"{\\"a\\":\\""}}]}}]}\n\n'
)
ONE = b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"x"}}]}}]}\n\n'
TAIL = (
    b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"\\"}"}}]},'
    b'"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n'
)


def seconds_to_read(count: int) -> float:
    """For as many deltas of one character, all of them there at once."""
    body = HEAD + ONE * count + TAIL
    parser, accumulator = get_protocol("openai-chat").parser(), Accumulator()
    began = time.thread_time()
    for delta in parser.feed(body):
        accumulator.feed(delta)
    for delta in parser.finish():
        accumulator.feed(delta)
    (call,) = accumulator.finish().message.tool_calls or ()
    spent = time.thread_time() - began
    assert call.function.arguments == {"a": "x" * count}
    return spent / count


def assert_linear(measure: Callable[[int], float], few: int) -> None:
    gc.collect()
    gc.disable()
    try:
        growth = []
        for _ in range(5):
            growth.append(measure(10 * few) / min(measure(few) for _ in range(3)))
            if growth[-1] <= GROWTH:
                return
    finally:
        gc.enable()
    pytest.fail(f"ten times the events take {min(growth):.2f} times as long an event")


@pytest.mark.feature("first-6", "D: pi#9055", "D: pi#9063")
def test_100_000_deltas_of_one_character_that_are_there_at_once_cost_no_more_each() -> None:
    assert_linear(seconds_to_read, 10_000)


@pytest.mark.feature("first-6", "D: pi#9055")
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_draining_200_000_events_costs_no_more_each(anyio_backend: str) -> None:
    async def events(count: int) -> AsyncIterator[bytes]:
        for _ in range(count):
            yield b"data: {}\n\n"

    async def seconds(count: int) -> float:
        ahead = ReadAhead(events(count), limit=1 << 30)
        began = time.thread_time()
        ahead.start()
        size = sum([len(item) async for item in ahead])
        spent = time.thread_time() - began
        assert size == 10 * count
        return spent / count

    growth: list[float] = []
    while not growth or (growth[-1] > GROWTH and len(growth) < 5):
        growth.append(await seconds(200_000) / min([await seconds(20_000) for _ in range(3)]))
    assert min(growth) <= GROWTH


@pytest.mark.feature("first-8")
async def test_what_was_taken_back_before_another_answer_is_not_in_the_history() -> None:
    broken = split_frames(render(Answer(["This is wrong."]), "openai-chat", piece=4))
    script = [Reply(body=b"".join(broken[:4]), ends="drops"), Answer(["This is right."])]
    agent, transport = agent_on(script, retry=Retry(first_wait_s=0, after_content=True))
    pieces = [piece async for piece in agent.run_stream("go")]
    assert any(isinstance(piece.delta, Retract) for piece in pieces)
    assert [message.text for message in agent.history] == ["go", "This is right."]
    assert len(transport.requests) == 2
