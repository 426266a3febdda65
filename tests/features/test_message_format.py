"""The message format, by agents on the dialects of three providers."""

from __future__ import annotations

from typing import Any

import httpx
import msgspec
import pytest

from streamkit import Accumulator, AgentBuilder, Message, MessageOutput, TextDelta, ThinkingDelta, accumulate
from streamkit.errors import ImageNotEmbedded
from streamkit.messages import Finish
from streamkit.parts import EmbeddedImage, ImagePart, ImageUrl, TextPart, ValuePart
from streamkit.testing import Answer, Call, Refusal, ReplayTransport, Thinking
from streamkit.usage import Usage
from tests.features.agents import PROVIDERS, agent_on, run

AT_EACH = pytest.mark.parametrize("provider", PROVIDERS)
SIGNATURE = "c2lnbmF0dXJlLysrPT0="
PNG = b"\x89PNG\r\n\x1a\n\x00\xff"


async def weather(city: str) -> float:
    """Tell the temperature."""
    if city == "Atlantis":
        raise LookupError("no such city")
    return 12.3


HISTORY: list[dict[str, Any]] = [
    {"role": "system", "contents": [{"type": "text", "text": "Be brief."}]},
    {
        "role": "user",
        "contents": [
            {"type": "text", "text": "Is it warm "},
            {"type": "image", "image": {"type": "embedded", "mime_type": "image/png", "data": PNG}},
            {"type": "text", "text": " here?"},
        ],
    },
    {
        "role": "assistant",
        "contents": [{"type": "text", "text": "I will look."}],
        "tool_calls": [
            {"type": "function", "id": "call_1", "function": {"name": "weather", "arguments": {"city": "Seoul"}}}
        ],
    },
    {"role": "tool", "id": "call_1", "contents": [{"type": "value", "value": 12.3}]},
    {"role": "assistant", "contents": [{"type": "text", "text": "No."}]},
]


@pytest.mark.feature("0.1", "0.2", "0.12")
@AT_EACH
async def test_one_history_goes_to_each_provider_as_its_api_takes_it(provider: str) -> None:
    agent, transport = agent_on([Answer(["Yes."])], provider, history=HISTORY, tools=[weather])
    before = msgspec.json.encode(agent.history)
    await run(agent, "And now?")
    body = transport.requests[0].json
    said = transport.requests[0].body.decode()
    assert msgspec.json.encode(agent.history[: len(HISTORY)]) == before
    for text in ("Be brief.", "Is it warm ", " here?", "I will look.", "weather", "Seoul", "12.3", "No.", "And now?"):
        assert text in said
    assert said.index("Is it warm ") < said.index("iVBORw0KGgoA/w==") < said.index(" here?")
    turns = body.get("messages") or body["contents"]
    system = {"openai": "developer", "anthropic": "user", "gemini": "user"}[provider]  # two have a field of its own
    assert turns[0]["role"] == system


@pytest.mark.feature("0.6")
@AT_EACH
async def test_thinking_is_told_beside_the_contents(provider: str) -> None:
    agent, _ = agent_on([Answer([Thinking("Hm. "), Thinking("Well."), "Hello."])], provider)
    (output,) = await run(agent)
    assert (output.message.thinking, output.message.contents) == ("Hm. Well.", [TextPart("Hello.")])
    assert [message.thinking for message in agent.history if message.role != "assistant"] == [None]


@pytest.mark.feature("0.7", "0.13")
@AT_EACH
async def test_calls_stand_beside_the_contents(provider: str) -> None:
    script = [Answer(["I look.", Call("weather", {"city": "Rome"}), Call("weather", {"city": "Oslo"})]), Answer(["."])]
    agent, _ = agent_on(script, provider, tools=[weather])
    first, *_ = await run(agent)
    plain = msgspec.to_builtins(first.message)
    assert plain["contents"] == [{"type": "text", "text": "I look."}]
    cities = [call["function"]["arguments"] for call in plain["tool_calls"]]
    assert (cities, {call["type"] for call in plain["tool_calls"]}) == (
        [{"city": "Rome"}, {"city": "Oslo"}],
        {"function"},
    )


@pytest.mark.feature("0.9")
async def test_a_signature_goes_back_with_the_next_request_as_it_came() -> None:
    script = [Answer([Thinking("Hm.", SIGNATURE), Call("weather", {"city": "Rome"})]), Answer(["Warm."])]
    agent, transport = agent_on(script, "anthropic", tools=[weather])
    await run(agent)
    assert agent.history[1].signature == SIGNATURE
    sent = transport.requests[1].json["messages"][1]["content"][0]
    assert sent == {"type": "thinking", "thinking": "Hm.", "signature": SIGNATURE}


@pytest.mark.feature("0.15")
async def test_an_address_that_a_provider_does_not_take_is_an_error_by_name_and_bytes_work() -> None:
    agent, transport = agent_on([Answer(["A dog."])] * 3, "gemini")
    url = "https://example.org/dog.png"
    with pytest.raises(ImageNotEmbedded, match="takes an image by its bytes") as caught:
        await run(agent, Message("user", [ImagePart(ImageUrl(url))]))
    assert caught.value.url == url
    assert transport.requests == []
    assert agent.history == []
    (output,) = await run(agent, Message("user", [ImagePart(EmbeddedImage("image/png", PNG))]))
    assert output.message.text == "A dog."


@pytest.mark.feature("0.8", "0.18")
@AT_EACH
async def test_the_model_sees_that_a_tool_failed_and_the_run_goes_on(provider: str) -> None:
    script = [Answer([Call("weather", {"city": "Atlantis"})]), Answer(["There is no such place."])]
    agent, transport = agent_on(script, provider, tools=[weather])
    calling, result, last = await run(agent)
    assert calling.message.tool_calls
    assert (result.message.role, result.message.id) == ("tool", calling.message.tool_calls[0].id)
    assert result.message.contents == [ValuePart("LookupError: no such city")]
    assert "no such city" in transport.requests[1].body.decode()
    assert last.message.text == "There is no such place."


FINISHES: list[tuple[Finish, Answer]] = [
    ("stop", Answer(["Hello."])),
    ("length", Answer(["Hel"], finish="length")),
    ("tool_call", Answer([Call("weather", {"city": "Rome"})])),
    ("refusal", Answer([Refusal("I will not.")])),
]


@pytest.mark.feature("0.21")
@AT_EACH
@pytest.mark.parametrize(("finish", "answer"), FINISHES, ids=[case[0] for case in FINISHES])
async def test_each_reason_to_finish_is_told_in_one_word(provider: str, finish: Finish, answer: Answer) -> None:
    agent, _ = agent_on([answer, Answer(["Ok."])], provider, tools=[weather])
    first, *_ = await run(agent)
    reason = first.finish_reason
    assert reason is not None
    assert reason.type == finish
    assert reason.raw
    if finish == "refusal":
        assert "I will not." in f"{reason.reason} {msgspec.json.encode(first.message).decode()}"


@pytest.mark.feature("0.20", "0.22")
@AT_EACH
@pytest.mark.parametrize("usage", [None, Usage(input_tokens=5, output_tokens=3)], ids=["none reported", "reported"])
async def test_an_output_has_its_fields_and_no_usage_where_none_was_reported(provider: str, usage: Any) -> None:
    agent, _ = agent_on([Answer(["Hello."], usage=usage)], provider, name="greeter")
    (output,) = await run(agent)
    assert output.message.text == "Hello."
    assert (output.depth, output.source_agent) == (0, "greeter")
    found = output.usage and (output.usage.input_tokens, output.usage.output_tokens)
    assert found == (usage and (5, 3))
    assert msgspec.json.decode(msgspec.json.encode(output), type=MessageOutput) == output


@pytest.mark.feature("0.26")
@AT_EACH
async def test_whoever_folds_pieces_of_text_and_thinking_has_the_message(provider: str) -> None:
    agent, _ = agent_on([Answer([Thinking("Let me see. " * 9), "Hello. " * 9])], provider)
    pieces = [piece async for piece in agent.run_stream("go")]
    deltas = [piece.delta for piece in pieces]
    assert {TextDelta, ThinkingDelta} <= {type(delta) for delta in deltas}
    accumulator = Accumulator()
    for delta in deltas:
        accumulator.feed(delta)
    assert accumulator.finish() == accumulate(deltas)
    assert accumulate(deltas).message == agent.history[-1]


@pytest.mark.feature("0.30")
def test_a_message_and_its_parts_are_made_in_few_words() -> None:
    message = Message("user").with_contents([ImagePart(EmbeddedImage("image/jpeg", PNG)), "What is this?"])
    assert msgspec.to_builtins(message) == {
        "role": "user",
        "contents": [
            {"type": "image", "image": {"type": "embedded", "mime_type": "image/jpeg", "data": "iVBORw0KGgoA/w=="}},
            {"type": "text", "text": "What is this?"},
        ],
    }


@pytest.mark.feature("0.29", "0.31")
@AT_EACH
async def test_a_builder_takes_a_model_an_instruction_and_a_history_and_both_runs_are_read(provider: str) -> None:
    transport = ReplayTransport([Answer(["One."]), Answer(["Two."])])
    saved = msgspec.json.decode(msgspec.json.encode(HISTORY[1:]))
    async with httpx.AsyncClient(transport=transport) as http:
        builder = AgentBuilder(f"{provider}/some-model").instruction("Be brief.").history(saved)
        agent = await builder.api_key("key").http_client(http).build()
        assert msgspec.to_builtins(agent.history[1:]) == saved
        assert [output.message.text async for output in agent.run("a")] == ["One."]
        text = "".join(
            [piece.delta.text async for piece in agent.run_stream("b") if isinstance(piece.delta, TextDelta)]
        )
    assert text == "Two."
    assert "some-model" in transport.requests[0].path + transport.requests[0].body.decode()
    assert [message.text for message in agent.history[-4:]] == ["a", "One.", "b", "Two."]
