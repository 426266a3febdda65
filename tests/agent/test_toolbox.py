"""Which of an agent's tools the model sees."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from streamkit.agent.toolbox import MAX_FOUND, Toolbox
from streamkit.errors import ConfigError
from streamkit.messages import Message, Meta
from streamkit.testing import Answer, Call
from streamkit.tools import Tool, ToolGroup, ToolResult


def named(name: str, description: str = "") -> Tool:
    return Tool(lambda: name, name=name, description=description)


def shown(box: Toolbox) -> list[str]:
    return [spec["type"] if isinstance(spec, dict) else spec.name for spec in box.specs]


READ, WRITE = named("read_file", "Read a file of the project."), named("write_file", "Write a file of the project.")
CLOCK = named("clock", "Tell the time of day.")


def test_without_a_shed_the_model_sees_all_tools_in_order() -> None:
    box = Toolbox([READ, {"type": "web_search"}, ToolGroup("time", [CLOCK])])
    assert shown(box) == ["read_file", "web_search", "time-clock"]
    assert list(box.functions) == ["read_file", "time-clock"]


def test_a_shed_is_seen_through_the_tool_that_searches_it() -> None:
    assert shown(Toolbox([CLOCK], [READ, WRITE])) == ["clock", "find_tools"]
    assert shown(Toolbox([], [])) == []


def test_what_is_activated_is_seen_from_then_on_and_once() -> None:
    box = Toolbox([CLOCK], [READ, WRITE])
    before = box.specs
    assert box.activate(["write_file", "write_file", "clock"]) == ["write_file", "clock"]
    assert box.activate(["write_file"]) == ["write_file"]
    assert shown(box) == ["clock", "find_tools", "write_file"]
    assert len(before) == 2  # what a request was made with stays as it is


def test_a_twin_begins_as_its_toolbox_is_and_leaves_it_so() -> None:
    box = Toolbox([CLOCK], [READ, WRITE])
    box.activate(["read_file"])
    twin = box.twin()
    box.activate(["write_file"])
    assert shown(twin) == [*twin.functions] == ["clock", "find_tools", "read_file"]
    other = box.twin()
    twin.activate(["write_file"])
    assert shown(other) == [*other.functions] == [one.name for one in box.active if isinstance(one, Tool)]


def test_an_unknown_name_is_logged_and_activates_nothing(caplog: pytest.LogCaptureFixture) -> None:
    box = Toolbox([CLOCK], [READ])
    with caplog.at_level(logging.WARNING):
        assert box.activate(["nothing"]) == []
    assert "no tool of the name 'nothing'" in caplog.text
    assert shown(box) == ["clock", "find_tools"]


def test_a_conversation_activates_what_its_results_had_brought() -> None:
    box = Toolbox([], [READ, WRITE])
    box.activate_again([Message("user"), Message("tool", meta=Meta(added_tool_names=("read_file",)))])
    assert shown(box) == ["find_tools", "read_file"]


SEARCHES = [
    ("one word of a name", "clock", ["clock"]),
    ("the most words first", "write a file", ["write_file", "read_file"]),
    ("words of a description", "what time of the day", ["clock"]),
    ("in any case", "READ FILE", ["read_file", "write_file"]),
    ("short words say nothing", "a to of", []),
    ("none", "weather", []),
    ("nothing at all", "", []),
]


@pytest.mark.parametrize(("query", "found"), [case[1:] for case in SEARCHES], ids=[case[0] for case in SEARCHES])
def test_tools_are_found_by_their_names_and_descriptions(query: str, found: list[str]) -> None:
    assert [one.name for one in Toolbox([], [CLOCK, READ, WRITE]).search(query)] == found


def test_a_search_finds_no_more_than_a_request_should_grow_by() -> None:
    many = [named(f"find_{number}", "Find things.") for number in range(MAX_FOUND + 3)]
    assert len(Toolbox([], many).search("find things")) == MAX_FOUND


@pytest.mark.parametrize(
    ("names", "specs"),
    [
        (None, ["clock", "find_tools"]),
        (["clock"], ["clock"]),
        (["read_file", "clock"], ["read_file", "clock"]),
        ([], []),
    ],
)
def test_a_turn_may_be_given_some_of_the_tools(names: list[str] | None, specs: list[str]) -> None:
    box = Toolbox([CLOCK], [READ])
    offered, functions = box.only(names)
    assert [spec.name for spec in offered if not isinstance(spec, dict)] == specs
    assert set(specs) >= set(functions)
    with pytest.raises(ConfigError, match="no tool 'nothing': there are clock, find_tools, read_file"):
        box.only(["nothing"])


@pytest.mark.parametrize(
    ("tool", "name"),
    [
        ({"type": "web_search_20250305", "name": "web_search"}, "web_search"),
        ({"type": "web_search", "filters": {}}, "web_search"),
        ({"googleSearch": {}}, "googleSearch"),
    ],
)
def test_a_tool_that_the_provider_runs_is_named_by_what_it_has(tool: dict[str, Any], name: str) -> None:
    box = Toolbox([CLOCK, tool])
    assert box.only([name]) == ([tool], {})
    assert box.only([name, "clock"]) == ([tool, CLOCK.spec], {"clock": CLOCK})


WRONG: list[tuple[Any, Any, str]] = [
    ([CLOCK, CLOCK], [], "two tools of the name 'clock'"),
    ([CLOCK], [CLOCK], "two tools of the name 'clock'"),
    ([named("find_tools")], [CLOCK], "two tools of the name 'find_tools'"),
    ([], [{"type": "web_search"}], "a shed holds functions"),
    (ToolGroup("time", [CLOCK]), [], "in brackets"),
    (CLOCK, [], "in brackets"),
]


@pytest.mark.parametrize(("tools", "shed", "why"), WRONG)
def test_what_cannot_stand_together_is_an_error(tools: Any, shed: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        Toolbox(tools, shed)


@pytest.mark.parametrize("provider", ["openai"], indirect=True)
async def test_the_model_finds_a_tool_calls_it_and_has_it_again_in_a_later_run(make_agent: Any) -> None:
    script = [
        Answer([Call("find_tools", {"query": "time of day"})]),
        Answer([Call("clock")]),
        Answer(["It is late."]),
        Answer(["Still late."]),
    ]
    agent = make_agent(script, shed=[CLOCK, READ])
    async for _ in agent.run("How late is it?"):
        pass
    async for _ in agent.run("And now?"):
        pass
    requests = agent._client._given._transport.requests
    assert [[one["function"]["name"] for one in request.json["tools"]] for request in requests] == [
        ["find_tools"],
        ["find_tools", "clock"],
        ["find_tools", "clock"],
        ["find_tools", "clock"],
    ]
    found, told = (message for message in agent.history if message.role == "tool")
    assert found.meta is not None
    assert found.meta.added_tool_names == ("clock",)
    assert told.contents[0].value == "clock"
    resumed = make_agent([Answer(["Hm."])], shed=[CLOCK, READ], history=agent.history)
    assert [one.name for one in resumed.tools] == ["find_tools", "clock"]


@pytest.mark.parametrize("provider", ["openai"], indirect=True)
async def test_any_tool_may_bring_others(make_agent: Any) -> None:
    def unlock() -> ToolResult:
        return ToolResult("unlocked", added_tool_names=["read_file"])

    agent = make_agent([Answer([Call("unlock")]), Answer(["Ok."])], tools=[unlock], shed=[READ])
    async for _ in agent.run("go"):
        pass
    assert [one.name for one in agent.tools] == ["unlock", "find_tools", "read_file"]
