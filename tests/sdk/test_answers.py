"""Answers that the official SDKs and our client read from the same server: both must hear the same."""

from __future__ import annotations

import json
import re

import anyio
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from streamkit.testing import Answer, Call, Refusal, ReplayServer, Reply, Text, Thinking
from streamkit.testing.scripts import PLAIN
from streamkit.testing.strategies import answers
from streamkit.usage import Usage
from tests.sdk.said import Said, said
from tests.sdk.sdks import SDKS, Sdk

pytestmark = [
    pytest.mark.sdk,
    pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning"),  # google-genai's
]

ANSWERS = {
    "text": Answer(["It is cold."]),
    "thinking and text": Answer([Thinking("Let me look.", "c2ln"), "It is cold."]),
    "a call": Answer([Call("weather", {"city": "Oslo", "days": 3, "exact": True, "near": [1.5, None]})]),
    "a call without arguments": Answer([Call("weather")]),
    "calls": Answer([Call("weather", {"city": "Oslo"}), Call("weather", {"city": "Rome"}), Call("time")]),
    "text and calls": Answer(["Let me look. ", Call("weather", {"city": "Oslo"}), Call("time")]),
    "thinking and a call": Answer([Thinking("Let me look."), Call("weather", {"city": "Oslo"})]),
    "a limit reached": Answer(["It is"], finish="length"),
    "a refusal": Answer([Refusal("I cannot help with that.")]),
    "characters of every size": Answer(["👩\u200d👩\u200d👧 漢字 e\u0301 \u2028\u2029 \x00 \r\n <b>&</b>"]),
    "nothing": Answer([]),
    "caches and reasoning in the counts": Answer(["Hi"], usage=Usage(10, 20, 5, None, 7)),
    "no counts": Answer(["Hi"], usage=None),
    "two answers": Answer(["It is cold."], choices=[Answer(["It is ", "mild."])]),
    "two answers with calls": Answer([Call("time")], choices=[Answer(["No. ", Call("weather", {"city": "Oslo"})])]),
}


def is_sayable(answer: Answer, sdk: Sdk) -> bool:
    """Whether the dialect has what the answer holds."""
    blocks = [block for each in (answer, *answer.choices) for block in each.parts()]
    plain = all(isinstance(block, (Text, Refusal)) for block in blocks)
    return (plain or sdk.protocol not in PLAIN) and (sdk.two is not None or not answer.choices)


PAIRS = [
    pytest.param(sdk, answer, id=f"{name}-{title}")
    for name, sdk in SDKS.items()
    for title, answer in ANSWERS.items()
    if is_sayable(answer, sdk)
]


@pytest.mark.parametrize(("sdk", "answer"), PAIRS)
async def test_an_answer_says_the_same_to_the_sdk_and_to_our_client(sdk: Sdk, answer: Answer) -> None:
    theirs, ours = await hear(sdk, answer, sdk.reply(answer))
    assert_equal(theirs, ours)


@pytest.mark.parametrize("piece", [1, 1000])
async def test_however_an_answer_is_cut_it_says_the_same_to_both(sdk: Sdk, piece: int) -> None:
    answer = ANSWERS["characters of every size"]
    theirs, ours = await hear(sdk, answer, sdk.reply(answer, piece=piece, cut=in_sevens))
    assert_equal(theirs, ours)
    assert [choice.text for choice in ours] == [answer.parts()[0].text]


@pytest.mark.parametrize("sdk", [name for name in SDKS if name != "bedrock"], indirect=True)  # its bodies are no text
async def test_characters_that_are_escaped_are_the_same_to_both(sdk: Sdk) -> None:
    answer = ANSWERS["characters of every size"]
    plain = sdk.reply(answer)
    body = b"".join(plain.pieces(sdk.protocol)).decode()
    escaped = re.sub("[^\0-\x7f]", lambda found: json.dumps(found[0])[1:-1], body).encode()
    reply = Reply(body=escaped, headers=plain.head(sdk.protocol))
    theirs, ours = await hear(sdk, answer, reply)
    assert_equal(theirs, ours)
    assert [choice.text for choice in ours] == [answer.parts()[0].text]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=8)
@given(data=st.data())
def test_whatever_a_model_says_both_hear_the_same(sdk: Sdk, data: st.DataObject) -> None:
    _ = sdk.stream  # so that it is skipped before anything is drawn
    answer = data.draw(answers(sdk.protocol, choices=sdk.mixes).filter(lambda answer: is_readable(answer, sdk)))
    assert_equal(*anyio.run(hear, sdk, answer, sdk.reply(answer)))


def is_readable(answer: Answer, sdk: Sdk) -> bool:
    """Whether the SDK reads it: some need arguments that are objects, some take a character for the end of a line."""
    blocks = [block for each in (answer, *answer.choices) for block in each.parts()]
    return all(
        isinstance(block.arguments, dict) and sdk.stumbles_at not in str(block.arguments)
        if isinstance(block, Call)
        else sdk.stumbles_at not in block.text
        for block in blocks
    )


def assert_equal(theirs: list[Said], ours: list[Said]) -> None:
    """Both heard the same."""
    assert [choice.words for choice in theirs] == [choice.words for choice in ours]
    assert [choice.counts for choice in theirs] == [choice.counts for choice in ours]


def in_sevens(body: bytes) -> list[bytes]:
    """Pieces that begin anywhere in a character or a line end."""
    return [body[at : at + 7] for at in range(0, len(body), 7)]


async def hear(sdk: Sdk, answer: Answer, reply: Reply) -> tuple[list[Said], list[Said]]:
    """What the SDK hears and what our client does; each asks at the same path."""
    stream = sdk.stream
    two = bool(answer.choices)
    async with ReplayServer(reply) as server:
        with anyio.fail_after(60):
            theirs = await stream(server.url + sdk.theirs, **((sdk.two or {}) if two else {}))
        async with sdk.client(server) as client, client.stream("Hi", n=2 if two else None) as ours:
            async for _ in ours:
                pass
        first, second = server.requests
        assert (first.method, first.path) == (second.method, second.path)
        return theirs, [said(output, without=sdk.hides) for output in ours.outputs]
