"""What users of other libraries complain of, as they met it: by agents and clients."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from streamkit import Client, is_overflow
from streamkit.accumulator import accumulate
from streamkit.deltas import TextDelta
from streamkit.errors import TruncatedStream
from streamkit.events import ToolEnd
from streamkit.parts import ValuePart
from streamkit.testing import Answer, Call, ReplayServer, Reply, Thinking, render
from streamkit.testing.mutations import split_frames
from streamkit.usage import Usage
from tests.features.agents import agent_on, run


async def quick() -> str:
    """Answer at once."""
    return "done"


async def stalls() -> None:
    """Never answer."""
    await anyio.sleep_forever()


@pytest.mark.feature("D: python-genai#2868")
@pytest.mark.parametrize(("provider", "word"), [("gemini-openai", "stop"), ("openai", "stop"), ("gemini", "STOP")])
async def test_a_call_is_run_though_the_provider_says_that_it_stopped(provider: str, word: str) -> None:
    script = [Answer([Call("quick")], raw_finish=word), Answer(["Ok."])]
    agent, _ = agent_on(script, provider, tools=[quick])
    first, result, last = await run(agent)
    assert first.finish_reason is not None
    assert (first.finish_reason.type, first.finish_reason.raw) == ("tool_call", word)
    assert (result.message.contents, last.message.text) == ([ValuePart("done")], "Ok.")


@pytest.mark.feature("D: gsd-pi#2358")
async def test_tokens_that_each_turn_reads_from_the_cache_do_not_add_up_to_an_overflow() -> None:
    usage = Usage(input_tokens=10, output_tokens=5, cache_read_tokens=700)
    agent, _ = agent_on([Answer(["Ok."], usage=usage)] * 4, "anthropic")
    outputs = [output for _ in range(4) for output in await run(agent)]
    assert (agent.usage.cache_read_tokens or 0) > 1000
    assert [is_overflow(output, 1000) for output in outputs] == [False] * 4


@pytest.mark.feature("D: pi#7053")
async def test_what_a_tool_gave_is_kept_where_another_stalls_and_the_run_is_left() -> None:
    agent, _ = agent_on([Answer([Call("stalls"), Call("quick")]), Answer(["Ok."])], tools=[quick, stalls])
    with anyio.fail_after(5):
        async with agent.run_events("go") as events:
            async for event in events:
                if isinstance(event, ToolEnd):
                    break
    _, _, stalled, finished = agent.history
    assert finished.contents == [ValuePart("done")]
    assert stalled.meta is not None and stalled.meta.is_error
    assert (await run(agent, "And now?"))[-1].message.text == "Ok."


@pytest.mark.feature("D: gsd-pi#2123", "D: pi-gui#93")
async def test_a_merged_stream_shows_its_first_piece_before_there_is_another() -> None:
    frames = split_frames(render(Answer(["First. " * 20]), "openai-chat", piece=7))
    async with ReplayServer(Reply(body=b"".join(frames[:3]), ends="hangs")) as server:
        async with Client("openai/m", api_key="k", base_url=server.url) as client:
            with anyio.fail_after(5):
                async with client.stream("Hi", coalesce=True) as stream:
                    async for delta in stream:
                        if isinstance(delta, TextDelta):
                            break
    assert delta.text.startswith("First.")


@pytest.mark.feature("D: unsloth#6577", "D: pydantic-ai#5440")
async def test_a_run_may_be_closed_by_another_task_than_the_one_that_read_it() -> None:
    agent, _ = agent_on([Answer([Call("quick"), Call("stalls")]), Answer(["Ok."])], tools=[quick, stalls])
    events = agent.run_events("go")

    async def read() -> None:
        async for event in events:
            if isinstance(event, ToolEnd):
                return

    with anyio.fail_after(5):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(read)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(events.aclose)
    assert [message.role for message in agent.history] == ["user", "assistant", "tool", "tool"]


@pytest.mark.feature("D: pi#9897")
@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
async def test_a_call_that_was_cut_short_is_not_run(provider: str) -> None:
    ran = []

    async def delete(path: str = "/") -> None:
        ran.append(path)

    cut = Answer([Call("delete", '{"path": "/tmp/a' if provider != "gemini" else {"path": "/tmp"})], finish="length")
    agent, _ = agent_on([cut, Answer(["Ok."])], provider, tools=[delete])
    output, *answers = await run(agent)
    assert output.finish_reason is not None and output.finish_reason.type == "length"
    assert [answer.message.role for answer in answers] == ["tool"]
    assert ran == []
    assert (await run(agent, "And now?"))[-1].message.text == "Ok."


@pytest.mark.feature("D: pi#198", "D: pi#9048", "D: pi#6796")
@pytest.mark.parametrize("other", ["openai", "mistral", "gemini", "openai-responses"])
async def test_a_conversation_goes_on_with_another_model_without_foreign_ids_and_signatures(other: str) -> None:
    long = "toolu_" + "a|b:" * 20
    script = [Answer([Thinking("Hm.", "c2VjcmV0"), Call("quick", {}, long), Call("quick", {}, long)]), Answer(["Ok."])]
    first, _ = agent_on(script, "anthropic", tools=[quick])
    await run(first)
    second, transport = agent_on([Answer(["Yes."])], other, tools=[quick], history=first.history)
    assert (await run(second, "Sure?"))[-1].message.text == "Yes."
    said = transport.requests[0].body.decode()
    assert "c2VjcmV0" not in said
    if other != "gemini":  # which goes by names
        ids = found(transport.requests[0].json, {"tool_call_id", "call_id"})
        assert len(set(ids)) == 2
        assert max(map(len, ids)) <= 64


def found(value: Any, names: set[str]) -> list[str]:
    """The texts under these names, wherever in a body."""
    if isinstance(value, dict):
        return [text for name, item in value.items() for text in ([item] if name in names else found(item, names))]
    return [text for item in value for text in found(item, names)] if isinstance(value, list) else []


@pytest.mark.feature("D: pi#8460", "D: pi#8496")
@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_a_stream_that_is_cut_is_an_error_that_keeps_what_was_shown(provider: str) -> None:
    protocol = {"openai": "openai-chat"}.get(provider, provider)
    frames = split_frames(render(Answer(["A long text that is cut."]), protocol, piece=4))
    agent, _ = agent_on([Reply(body=b"".join(frames[:6])), Answer(["Ok."])], provider)
    shown = []
    with pytest.raises(TruncatedStream) as caught:
        async for piece in agent.run_stream("go"):
            shown.append(piece.delta)  # noqa: PERF401 - what came before the error counts
    text = accumulate(shown).message.text
    assert text.startswith("A lo")
    assert caught.value.partial is not None
    assert caught.value.partial.message.text == text == agent.history[-1].text
    assert (await run(agent, "Go on."))[-1].message.text == "Ok."
