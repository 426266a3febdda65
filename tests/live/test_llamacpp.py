"""What a real llama.cpp server streams, in both of its dialects, read by the client."""

from __future__ import annotations

import subprocess
from collections import Counter
from contextlib import nullcontext
from typing import Any

import anyio
import httpx2
import httpx_aiohttp
import msgspec
import pytest

from streamkit import accumulate
from streamkit.deltas import Logprobs, MessageStart, RawFrame, TextDelta, ThinkingDelta
from streamkit.messages import FinishReason, Message, Meta, Origin

pytestmark = pytest.mark.live

GREEDY = {"temperature": 0, "max_tokens": 48}
COUNTED = [
    Message("user", "Count to 3."),
    Message("assistant", "1, 2, 3"),
    Message("user", "Count to 5."),
    Message("assistant", "1, 2, 3, 4, 5"),
]
COUNTING = [*COUNTED, Message("user", "Count to 9.")]
# Where the answer stands in the JSON of a response that is not streamed.
PATHS = {"openai-chat": "/v1/chat/completions", "anthropic": "/v1/messages"}
STOPS = {"openai-chat": ("stop", "length"), "anthropic": ("end_turn", "max_tokens")}


def whole_answer(response: dict[str, Any]) -> tuple[str, int, int]:
    """The text of a response that was not streamed, and its tokens in and out."""
    usage = response["usage"]
    if "choices" in response:
        return response["choices"][0]["message"]["content"], usage["prompt_tokens"], usage["completion_tokens"]
    tokens = usage["input_tokens"] + usage["cache_read_input_tokens"]
    return "".join(block["text"] for block in response["content"]), tokens, usage["output_tokens"]


def thoughts(dialect: str, *, think: bool = True) -> list[Message]:
    """A conversation that shows the model how to think, and a question."""
    meta = Meta(origin=Origin(dialect, "llamacpp", "smollm2"))
    shown = []
    for country, capital in (("France", "Paris"), ("Italy", "Rome")):
        thinking = f"The user asks for the capital of {country}." if think else None
        shown.append(Message("user", f"Capital of {country}?"))
        shown.append(Message("assistant", f"{capital}.", thinking=thinking, meta=meta))
    return [*shown, Message("user", "Capital of Spain?")]


async def test_text_and_counts_are_those_of_the_same_answer_in_one_piece(connect, server, dialect):
    async with connect() as client:
        await client.send(COUNTING, **GREEDY)  # so that the next two find the same in the cache
        async with client.stream(COUNTING, **GREEDY) as stream:
            deltas = [delta async for delta in stream]
    messages = [{"role": message.role, "content": message.text} for message in COUNTING]
    whole = server.post(PATHS[dialect], {"model": "smollm2", "messages": messages, **GREEDY})
    output, usage = stream.output, stream.output.usage
    assert (output.message.text, usage.input_tokens + usage.cache_read_tokens, usage.output_tokens) == whole_answer(
        whole
    )
    assert output.message.text == "1, 2, 3, 4, 5, 6, 7, 8, 9"
    assert output.finish_reason == FinishReason("stop", STOPS[dialect][0])
    assert usage.cache_read_tokens > usage.input_tokens > 0
    assert usage.total_tokens == usage.input_tokens + usage.cache_read_tokens + usage.output_tokens
    assert sum(isinstance(delta, TextDelta) for delta in deltas) > 5
    assert output.id and output.provider == "llamacpp" and output.model == "smollm2"
    folded = accumulate(deltas)
    assert (folded.message, folded.usage, folded.finish_reason) == (output.message, usage, output.finish_reason)
    timing = output.timing
    assert timing.sent_ns < timing.headers_ns < timing.first_byte_ns <= timing.first_token_ns < timing.end_ns


async def test_an_answer_that_grows_too_long_ends_by_length(connect, dialect):
    async with connect() as client:
        output = await client.send("Write a long story about a king.", temperature=0, max_tokens=12)
    assert output.finish_reason == FinishReason("length", STOPS[dialect][1])
    assert output.usage.output_tokens == 12
    assert output.message.text


async def test_a_stop_sequence_ends_the_answer_before_it(connect, dialect):
    async with connect() as client:
        output = await client.send(COUNTING, stop=["6", "nothing"], **GREEDY)
    assert output.message.text.rstrip() == "1, 2, 3, 4, 5,"
    assert (output.finish_reason.type, output.finish_reason.raw) == ("stop", STOPS[dialect][0])
    assert output.finish_reason.reason == ("6" if dialect == "anthropic" else None)  # chat completions do not say


@pytest.mark.parametrize("dialect", ["openai-chat"])  # the other has no such thing
async def test_two_answers_are_kept_apart(connect):
    async with connect() as client:
        async with client.stream("Name an animal.", n=2, temperature=1.5, seed=1, max_tokens=24) as stream:
            deltas = [delta async for delta in stream]
    first, second = stream.outputs
    assert first.message.text and second.message.text and first.message.text != second.message.text
    assert {output.finish_reason.type for output in (first, second)} <= {"stop", "length"}
    assert Counter(delta.choice for delta in deltas if isinstance(delta, MessageStart)) == {0: 1, 1: 1}
    for choice, output in enumerate((first, second)):
        texts = [delta.text for delta in deltas if isinstance(delta, TextDelta) and delta.choice == choice]
        assert "".join(texts) == output.message.text
    assert first.usage.output_tokens > 2 and second.usage is None


@pytest.mark.parametrize("dialect", ["openai-chat"])  # the other has no such thing
async def test_log_probabilities_come_with_each_token(connect):
    async with connect() as client:
        async with client.stream(COUNTING, logprobs=2, temperature=0, max_tokens=6) as stream:
            deltas = [delta async for delta in stream]
    output = stream.output
    assert sum(isinstance(delta, Logprobs) for delta in deltas) > 1
    assert len(output.logprobs) == output.usage.output_tokens == 6
    assert b"".join(bytes(entry["bytes"]) for entry in output.logprobs).decode() == output.message.text
    for entry in output.logprobs:
        assert len(entry["top_logprobs"]) == 2 and entry["logprob"] == entry["top_logprobs"][0]["logprob"] <= 0


@pytest.mark.parametrize("dialect", ["openai-chat"])  # the other has no such thing
async def test_a_schema_makes_the_answer_json(connect):
    schema = {
        "type": "object",
        "properties": {"city": {"enum": ["Paris", "Rome"]}, "people": {"type": "integer", "maximum": 9}},
        "required": ["city", "people"],
        "additionalProperties": False,
    }
    async with connect() as client:
        output = await client.send("A city of France.", output_schema=schema, thinking="off", **GREEDY)
    answer = msgspec.json.decode(output.message.text)
    assert answer["city"] in ("Paris", "Rome") and answer["people"] <= 9


async def test_characters_of_several_tokens_come_whole(connect):
    asked = [
        Message("user", "Say 🎉🦄."),
        Message("assistant", "🎉🦄"),
        Message("user", "Say 🌍🚀."),
        Message("assistant", "🌍🚀"),
        Message("user", "Say 🎉🦄."),
    ]
    async with connect() as client:
        async with client.stream(asked, **GREEDY) as stream:
            texts = [delta.text async for delta in stream if isinstance(delta, TextDelta)]
    text = "".join(texts)
    assert text == stream.output.message.text
    assert any(character > "\uffff" for character in text) and "\ufffd" not in text


# Who opens the thinking: the template, where thinking is asked for, or the model itself.
@pytest.mark.parametrize("asked", [{"thinking": "low"}, {}], ids=["template", "model"])
async def test_thinking_is_told_from_the_answer(connect, dialect, asked):
    async with connect() as client:
        async with client.stream(thoughts(dialect), include_raw=True, **GREEDY, **asked) as stream:
            deltas = [delta async for delta in stream]
    message = stream.output.message
    assert message.thinking.strip() == "The user asks for the capital of Spain."
    assert message.text.strip() == "Madrid."
    for kind, text in ((ThinkingDelta, message.thinking), (TextDelta, message.text)):
        assert "".join(delta.text for delta in deltas if isinstance(delta, kind)) == text
    name = {"openai-chat": '"reasoning_content"', "anthropic": '"thinking_delta"'}[dialect]
    assert any(isinstance(delta, RawFrame) and name in delta.raw for delta in deltas)  # it is no tag in the text
    assert message.meta.origin == Origin(dialect, "llamacpp", "smollm2")


async def test_an_answer_may_end_within_its_thinking(connect, dialect):
    async with connect() as client:
        output = await client.send(thoughts(dialect), temperature=0, max_tokens=10)
    assert output.finish_reason.type == "length"
    assert output.message.thinking and not output.message.text


async def test_thinking_goes_back_to_the_server(connect, dialect):
    async with connect() as client:
        tokens = []
        for think in (True, False):
            usage = (await client.send(thoughts(dialect, think=think), temperature=0, max_tokens=1)).usage
            tokens.append(usage.total_tokens - usage.output_tokens)
    assert tokens[0] > tokens[1] + 10


async def test_streams_of_one_client_do_not_mix(connect):
    shown = [
        Message("user", "Say red green blue."),
        Message("assistant", "red green blue"),
        Message("user", "Say up down left right."),
        Message("assistant", "up down left right"),
    ]
    answers = {}

    async def ask(words: str) -> None:
        output = await client.send([*shown, Message("user", f"Say {words}.")], **GREEDY)
        answers[words] = output.message.text

    async with connect() as client, anyio.create_task_group() as tasks:
        for words in ("one two three four five six seven eight", "cat dog", "north south east west"):
            tasks.start_soon(ask, words)
    assert len(answers) == 3 and all(words == answer for words, answer in answers.items())


@pytest.mark.parametrize(
    "library", [None, httpx2.AsyncClient, httpx_aiohttp.HttpxAiohttpClient], ids=["httpx", "httpx2", "aiohttp"]
)
async def test_one_answer_after_the_other_comes_through(connect, library):
    """The server offers to keep the connection, and closes it after each stream."""
    async with library() if library else nullcontext() as http, connect(http_client=http) as client:
        for _ in range(12):
            assert (await client.send("Hi.", temperature=0, max_tokens=1)).usage.output_tokens == 1


def test_the_command_chats_with_the_model(environment):
    done = subprocess.run(
        [environment.program("streamkit"), "chat", "local"],
        env=environment.variables,
        input="Say hello.\n",
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(done.stdout.split()) > 1
