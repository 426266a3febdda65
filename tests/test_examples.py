"""The examples that need a model's part in it do what they show, on either event loop: each with its script."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable
from typing import Any, TypeAlias

import anyio
import pytest
from msgspec import Struct, json

from streamkit.testing import Answer, Call, Received, ReplayServer, Reply, error_reply
from streamkit.testing.mutations import split_frames
from streamkit.testing.replies import ReplyLike
from streamkit.testing.scripts import render
from tests.examples import EXAMPLES, command, environment, run_example
from tests.terminal import terminal

Check: TypeAlias = Callable[[list[Received], str], None]
CHAT, CLAUDE, RESPONSES = "openai-chat", "anthropic", "openai-responses"
RIVER = Answer(["The Rhine, of course."])
TOLD = Answer(['{"name": "Rhine", "length_km": 1230}'])


class Example(Struct):
    """What the model of each dialect says to its requests in turn, and what must come of that."""

    script: dict[str, list[ReplyLike]]
    check: Check


def told(request: Received, role: str) -> list[Any]:
    """What a request has of a role, a content a message."""
    return [message["content"] for message in request.json["messages"] if message["role"] == role]


def tool_results(request: Received) -> list[Any]:
    """What the model is told that its calls have given."""
    if request.protocol == CHAT:
        return told(request, "tool")
    blocks = [block for content in told(request, "user") if isinstance(content, list) for block in content]
    return [block["content"] for block in blocks if block["type"] == "tool_result"]


def the_weather_is_looked_up(requests: list[Received], shown: str) -> None:
    assert [len(tool_results(request)) for request in requests] == [0, 1]
    assert "12.3 °C" in str(tool_results(requests[1]))
    assert RIVER.blocks[0] in shown


def each_event_is_a_line(requests: list[Received], shown: str) -> None:
    lines = [json.decode(line) for line in shown.splitlines()]
    assert [line["type"] for line in lines if line["type"] != "output_delta"] == [
        "run_start",
        "turn_start",
        "output_end",
        "turn_end",
        "done",
    ]
    deltas = [line["output"]["delta"] for line in lines if line["type"] == "output_delta"]
    assert "".join(delta["text"] for delta in deltas if delta["type"] == "text_delta") == RIVER.blocks[0]


def both_are_asked(requests: list[Received], shown: str) -> None:
    assert [told(request, "developer") for request in requests] == [["Be brief."], ["Be thorough."]]
    assert shown.splitlines() == [RIVER.blocks[0]] * 2


def the_picture_is_sent(requests: list[Received], shown: str) -> None:
    [[text, image]] = told(requests[0], "user")
    assert text["text"] == "Which river is this?"
    png = bytes.fromhex("".join(re.findall(r'"([0-9a-f]+)"', EXAMPLES["agent-3"])))
    assert image["source"] == {"type": "base64", "media_type": "image/png", "data": b64encode(png).decode()}
    assert "Rhine" in shown


def the_address_of_the_picture_is_sent(requests: list[Received], shown: str) -> None:
    [[_, image]] = told(requests[0], "user")
    assert image["image_url"]["url"] == "https://example.org/river.png"
    assert "Rhine" in shown


def the_other_agent_is_asked(requests: list[Received], shown: str) -> None:
    assert [request.protocol for request in requests] == [CLAUDE, CHAT, CLAUDE]
    assert (told(requests[1], "developer"), told(requests[1], "user")) == (["You know rivers."], ["Basel?"])
    assert "It is the Rhine." in str(tool_results(requests[2]))
    # By the depth of each: what is asked of the geographer, her answer, the guide's.
    assert shown.splitlines() == ["   geographer It is the Rhine.", f" agent {RIVER.blocks[0]}"]


def the_place_is_told(requests: list[Received], shown: str) -> None:
    said = str(told(requests[0], "user"))
    assert "The user is in Basel." in said and "Basel - Mainz" in said
    assert "Rhine" in shown


def the_skill_is_loaded(requests: list[Received], shown: str) -> None:
    assert "river-facts" in told(requests[0], "developer")[0]
    instructions, file = tool_results(requests[2])
    assert instructions.startswith("Give lengths in km.")
    assert file == "Aare, Rhine"
    assert "Rhine" in shown


def the_conversation_is_compacted(requests: list[Received], shown: str) -> None:
    first, again, last = (request.json for request in requests)
    assert "They spoke of rivers." not in str(first)
    assert "They spoke of rivers." in str(again["messages"][0])
    assert again["messages"][-1]["content"] == "Which river flows through Basel?"
    assert len(tool_results(requests[2])) == 1
    assert ("reasoning_effort" in again, last["reasoning_effort"]) == (False, "high")
    assert "Rhine" in shown


def the_type_is_asked_for(requests: list[Received], shown: str) -> None:
    openai, claude = (request.json for request in requests)
    assert openai["response_format"]["json_schema"]["schema"]["required"] == ["name", "length_km"]
    assert claude["output_config"]["format"]["schema"]["required"] == ["name", "length_km"]
    assert "River(name='Rhine', length_km=1230)" in shown
    assert "{'name': 'Rh" in shown and "Rhine {" in shown


def the_tools_are_run(requests: list[Received], shown: str) -> None:
    assert tool_results(requests[1]) == ["177827", "The Rhine."]
    results = ["tool ValuePart(value=177827)", "tool ValuePart(value='The Rhine.')"]
    assert shown.splitlines() == [*results, f"assistant TextPart(text='{RIVER.blocks[0]}')"]


def the_session_goes_on(requests: list[Received], shown: str) -> None:
    assert len(requests) == 1
    assert shown == f"{RIVER.blocks[0]}\n"


def the_rest_is_asked_for(requests: list[Received], shown: str) -> None:
    assert [request.method for request in requests] == ["POST", "GET"]
    assert requests[1].path.endswith(f"starting_after={SEEN - 1}")
    assert shown.count("MessageStart(") == shown.count("MessageEnd(") == 1
    assert RIVER.blocks[0] in "".join(line.split("'")[1] for line in shown.splitlines() if "TextDelta" in line)


EVENTS = split_frames(render(RIVER, RESPONSES))
SEEN = 6  # events before the connection breaks
WEATHER: list[ReplyLike] = [Answer([Call("get_weather", {"city": "Seoul"})]), RIVER]
SHOWN = {
    "README-1": Example({CLAUDE: WEATHER}, the_weather_is_looked_up),
    "agent-1": Example({CHAT: WEATHER}, the_weather_is_looked_up),
    "agent-2": Example({CHAT: [RIVER, RIVER]}, both_are_asked),
    "agent-3": Example({CLAUDE: [RIVER]}, the_picture_is_sent),
    "agent-4": Example(
        {
            CLAUDE: [Answer([Call("geographer", {"query": "Basel?"})]), RIVER],
            CHAT: [Answer(["It is the Rhine."])],
        },
        the_other_agent_is_asked,
    ),
    "context-1": Example({CHAT: [RIVER]}, the_place_is_told),
    "context-2": Example(
        {
            CHAT: [
                Answer([Call("load_skill", {"name": "river-facts"})]),
                Answer([Call("read_skill_file", {"name": "river-facts", "path": "references/ch.md"}, "call_x")]),
                RIVER,
            ]
        },
        the_skill_is_loaded,
    ),
    "messages-1": Example({CHAT: [RIVER]}, each_event_is_a_line),
    "mcp-1": Example({CLAUDE: WEATHER}, the_weather_is_looked_up),
    "providers-1": Example(
        {
            RESPONSES: [
                Reply(body=b"".join(EVENTS[:SEEN]), ends="drops"),
                Reply(body=b"".join(EVENTS[SEEN:])),
            ]
        },
        the_rest_is_asked_for,
    ),
    "requests-1": Example({CHAT: [RIVER]}, the_address_of_the_picture_is_sent),
    "sessions-1": Example({CHAT: [RIVER]}, the_session_goes_on),
    "steering-2": Example(
        {
            CHAT: [
                error_reply(400, "too many tokens", "context_length_exceeded"),
                Answer([Call("no_such_tool")]),
                RIVER,
            ]
        },
        the_conversation_is_compacted,
    ),
    "structured-1": Example({CHAT: [TOLD], CLAUDE: [TOLD]}, the_type_is_asked_for),
    "tools-1": Example(
        {CHAT: [Answer([Call("population", {"city": "Basel"}), Call("search", {"query": "Basel"})]), RIVER]},
        the_tools_are_run,
    ),
}


@pytest.mark.parametrize("name", SHOWN)
async def test_an_example_does_what_it_shows(name: str, anyio_backend_name: str) -> None:
    example = SHOWN[name]
    left = {dialect: iter(replies) for dialect, replies in example.script.items()}

    def reply(request: Received) -> ReplyLike:
        dialect = RESPONSES if request.method == "GET" else request.protocol
        return next(left[dialect], error_reply(500, "the script is over"))

    async with ReplayServer(reply, piece=20) as server:
        done = await run_example(EXAMPLES[name], server.url, anyio_backend_name)
    example.check(server.requests, done.stdout.decode())
    assert not any(next(replies, None) for replies in left.values())


# ---- the run that is steered from a keyboard

KEYBOARD = "steering-1"
RIVERS = Answer(["The Danube, the Volga, the Rhine, the Elbe, the Oder, the Rhone, the Loire and the Seine."])
BRIEF = "Briefly: the Danube."

# What is typed once the answer has begun, what the screen shows then, and what the model is told of it.
TYPED = [
    ("said", "And in brief?\n", ["Seine.", "[stop]", BRIEF, "[stop]"], ["And in brief?"]),
    ("said to interrupt", "!No: in brief.\n", ["[taken back]", BRIEF, "[stop]"], ["No: in brief."]),
    ("said in two lines", "First.\n\nSecond.\n", ["[stop]", BRIEF, "[stop]", BRIEF, "[stop]"], ["First.", "Second."]),
    ("stopped", "/stop\n", ["[aborted]"], []),
    ("nothing more to say", "\x04", ["Seine.", "[stop]"], []),
    ("left", "\x03", ["[left]"], []),
    ("left after something said", "!In brief.\n\x03", ["[left]"], []),
]


@pytest.mark.parametrize(("typed", "shown", "heard"), [case[1:] for case in TYPED], ids=[case[0] for case in TYPED])
async def test_a_run_is_steered_from_a_keyboard(
    typed: str, shown: list[str], heard: list[str], anyio_backend_name: str
) -> None:
    run = command(EXAMPLES[KEYBOARD], anyio_backend_name)
    async with ReplayServer([RIVERS, Answer([BRIEF]), Answer([BRIEF])], piece=3, pace_s=0.02) as server:
        async with terminal(run, environment(server.url)) as (screen, process):
            await screen.expect("The")
            line, leaves, _ = typed.partition("\x03")
            screen.type(line)
            if line and leaves:  # by which a terminal forgets what nobody has read yet
                await screen.expect("[taken back]")
            screen.type(leaves)
            for words in shown:
                await screen.expect(words)
            with anyio.fail_after(20):
                assert await process.wait() == 0
            screen.read()
    assert "Traceback" not in screen.screen
    assert ("Seine." in screen.screen) is (shown[0] in ("Seine.", "[stop]"))
    if "[left]" not in shown:
        assert told(server.requests[-1], "user") == ["Tell me of the rivers of Europe.", *heard]
