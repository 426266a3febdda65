"""Tools, from what the model calls to what it is told, by agents."""

from __future__ import annotations

from typing import Any

import anyio
import pytest

from streamkit import ToolEnd, ToolUpdate
from streamkit.interop.foundation import Args, ToolDefinition, scheme
from streamkit.messages import Meta
from streamkit.parts import ValuePart
from streamkit.testing import Answer, Call
from streamkit.tools import Block, Tool, ToolContext, ToolGroup, ToolRequest, ToolResult
from streamkit.usage import Usage
from tests.features.agents import agent_on, run


def peak_of(mode: Any) -> tuple[Tool, list[int]]:
    """A tool, and how many of its calls have run at once."""
    running = 0
    seen: list[int] = []

    async def work() -> None:
        nonlocal running
        running += 1
        seen.append(running)
        await anyio.sleep(0.01)
        running -= 1

    return Tool(work, mode=mode), seen


# the agent's mode, the tool's, how many of three calls run at once
MODES: list[tuple[Any, Any, int]] = [
    ("parallel", None, 3),
    ("sequential", None, 1),
    ("parallel", "sequential", 1),
    ("sequential", "parallel", 3),
]


@pytest.mark.feature("4.2")
@pytest.mark.parametrize(("agents", "tools", "at_once"), MODES, ids=[f"{case[0]} {case[1]}" for case in MODES])
async def test_calls_run_side_by_side_or_one_after_the_other(agents: Any, tools: Any, at_once: int) -> None:
    work, seen = peak_of(tools)
    agent, _ = agent_on([Answer([Call("work")] * 3), Answer(["Ok."])], tools=[work], tool_mode=agents)
    await run(agent)
    assert max(seen) == at_once


@pytest.mark.feature("3.17", "4.2")
async def test_a_call_waits_for_those_of_the_tools_that_it_depends_on() -> None:
    order: list[str] = []

    async def build() -> None:
        await anyio.sleep(0.01)
        order.append("built")

    async def test() -> None:
        order.append("tested")

    tools = [build, Tool(test, depends_on=["build"])]
    agent, _ = agent_on([Answer([Call("test"), Call("build"), Call("build")]), Answer(["Ok."])], tools=tools)
    await run(agent)
    assert order == ["built", "built", "tested"]
    assert [message.meta and message.meta.name for message in agent.history[2:5]] == ["test", "build", "build"]


@pytest.mark.feature("4.17")
async def test_a_tool_is_told_of_its_call() -> None:
    told: list[ToolContext] = []

    async def look(path: str, context: ToolContext) -> str:
        told.append(context)
        await context.update("looking")
        assert not context.aborted
        return f"{path}: empty"

    agent, transport = agent_on([Answer([Call("look", {"path": "."})]), Answer(["Ok."])], tools=[look], name="looker")
    events = [event async for event in agent.run_events("go")]
    (context,) = told
    assert (context.call_id, context.name, context.source_agent, context.depth) == ("call_0", "look", "looker", 0)
    assert [message.role for message in context.messages] == ["user", "assistant"]
    assert [event.value for event in events if isinstance(event, ToolUpdate)] == ["looking"]
    assert list(transport.requests[0].json["tools"][0]["function"]["parameters"]["properties"]) == ["path"]


@pytest.mark.feature("4.19")
async def test_what_a_tool_reports_is_seen_before_it_ends() -> None:
    seen = anyio.Event()

    async def copy(context: ToolContext) -> str:
        await context.update({"percent": 50})
        await seen.wait()  # it ends only when its report has been read
        return "copied"

    agent, _ = agent_on([Answer([Call("copy")]), Answer(["Ok."])], tools=[copy])
    kinds = []
    with anyio.fail_after(5):
        async for event in agent.run_events("go"):
            if isinstance(event, (ToolUpdate, ToolEnd)):
                kinds.append(type(event))
                seen.set()
    assert kinds == [ToolUpdate, ToolEnd]


@pytest.mark.feature("4.18", "4.41")
async def test_a_result_says_more_than_its_value() -> None:
    async def search() -> ToolResult:
        return ToolResult("3 hits", details={"hits": [1, 2, 3]}, usage=Usage(100, 10))

    agent, transport = agent_on([Answer([Call("search")]), Answer(["Ok."])], tools=[search])
    _, result, _ = await run(agent)
    assert result.message.contents == [ValuePart("3 hits")]
    assert result.message.meta == Meta(name="search", details={"hits": [1, 2, 3]})
    assert "hits" not in str(transport.requests[1].json).replace("3 hits", "")
    assert agent.usage.input_tokens == 12 + 12 + 100


@pytest.mark.feature("4.20")
async def test_a_tool_may_end_the_run() -> None:
    async def submit(answer: str) -> ToolResult:
        return ToolResult(answer, terminate=True)

    agent, transport = agent_on([Answer([Call("submit", {"answer": "42"})]), Answer(["Never asked."])], tools=[submit])
    outputs = await run(agent)
    assert [output.message.role for output in outputs] == ["assistant", "tool"]
    assert len(transport.requests) == 1
    assert (await run(agent, "And now?"))[-1].message.text == "Never asked."


@pytest.mark.feature("4.38")
async def test_a_call_is_found_prepared_and_validated_before_it_runs() -> None:
    steps: list[Any] = []

    def prepare(arguments: dict[str, Any]) -> dict[str, Any]:
        steps.append(("prepare", dict(arguments)))
        return {"count": int(arguments.get("n", 0))}

    async def repeat(count: int) -> str:
        steps.append(("run", count))
        return "x" * count

    calls = [Call("repeat", {"n": "3"}), Call("nobody", {}), Call("repeat", {"n": "no number"})]
    tools = [Tool(repeat, prepare_arguments=prepare)]
    agent, _ = agent_on([Answer(list(calls)), Answer(["Ok."])], tools=tools, tool_mode="sequential")
    outputs = await run(agent)
    assert steps == [("prepare", {"n": "3"}), ("run", 3), ("prepare", {"n": "no number"})]
    texts = [str(output.message.contents[0]) for output in outputs[1:4]]
    assert "xxx" in texts[0] and "no tool 'nobody'" in texts[1] and "invalid literal" in texts[2]
    assert agent.history[1].tool_calls is not None
    assert agent.history[1].tool_calls[0].function.arguments == {"n": "3"}  # as the model made it


@pytest.mark.feature("4.39")
@pytest.mark.parametrize("later", [False, True], ids=["plain", "async"])
async def test_a_hook_before_a_call_may_block_it_or_replace_its_arguments(later: bool) -> None:
    removed: list[str] = []

    async def remove(path: str) -> str:
        removed.append(path)
        return "removed"

    def decide(request: ToolRequest) -> Any:
        assert (request.tool.name, request.context.call_id) == ("remove", request.call.id)
        if request.arguments["path"] == "/":
            return Block("That is the root.")
        return {"path": "/tmp/a"} if request.arguments["path"] == "a" else None

    async def decide_later(request: ToolRequest) -> Any:
        return decide(request)

    calls = [Call("remove", {"path": path}) for path in ("/", "a", "b")]
    hook = decide_later if later else decide
    agent, transport = agent_on([Answer(list(calls)), Answer(["Ok."])], tools=[remove], before_tool=hook)
    outputs = await run(agent)
    assert sorted(removed) == ["/tmp/a", "b"]
    blocked = outputs[1].message
    assert blocked.meta is not None and blocked.meta.is_error
    assert "That is the root." in transport.requests[1].body.decode()


@pytest.mark.feature("4.40", "4.41")
async def test_a_hook_after_a_call_replaces_what_it_names_and_nothing_else() -> None:
    async def read() -> ToolResult:
        return ToolResult("the password is 123", details={"lines": 1})

    def hide(request: ToolRequest, result: ToolResult) -> ToolResult | None:
        return ToolResult("hidden", is_error=True) if "password" in str(result.value) else None

    agent, transport = agent_on([Answer([Call("read")]), Answer(["Ok."])], tools=[read], after_tool=hide)
    _, result, _ = await run(agent)
    assert (result.message.id, result.message.contents) == ("call_0", [ValuePart("hidden")])
    assert result.message.meta == Meta(name="read", is_error=True, details={"lines": 1})
    assert "password" not in transport.requests[1].body.decode()


@pytest.mark.feature("3.25", "3.26", "3.28")
async def test_a_definition_of_foundations_is_validated_by_its_schema() -> None:
    schema = scheme.object().required("q", scheme.string()).optional("limit", scheme.integer()).build()
    definition = ToolDefinition("search", "Look for something.", Args(schema), "web")
    asked: list[dict[str, Any]] = []

    async def look(**arguments: Any) -> str:
        asked.append(arguments)
        return "nothing"

    tool = Tool(look, name=definition.name, description=definition.description, parameters=definition.arguments.schema)
    calls = [Call("search", {"q": "tea", "limit": 3}), Call("search", {"limit": 3}), Call("search", {"q": 5})]
    agent, transport = agent_on([Answer(list(calls)), Answer(["Ok."])], tools=[tool])
    outputs = await run(agent)
    assert transport.requests[0].json["tools"][0]["function"]["parameters"] == schema
    assert asked == [{"q": "tea", "limit": 3}]
    missing, wrong = (str(output.message.contents[0]) for output in outputs[2:4])
    assert "q" in missing and "required" in missing
    assert "q" in wrong and "string" in wrong


@pytest.mark.feature("3.29", "3.30")
async def test_a_shed_finds_tools_and_a_group_is_called_by_its_commands() -> None:
    kept: list[str] = []

    async def add(fact: str) -> None:
        """Keep a fact in mind."""
        kept.append(fact)

    async def forget(fact: str) -> None:
        """Drop a fact."""
        kept.remove(fact)

    script = [
        Answer([Call("find_tools", {"query": "keep a fact"})]),
        Answer([Call("memory-add", {"fact": "It rains."})]),
        Answer(["Ok."]),
    ]
    agent, transport = agent_on(script, shed=[ToolGroup("memory", [add, forget])])
    await run(agent)
    shown = [[tool["function"]["name"] for tool in request.json["tools"]] for request in transport.requests]
    assert shown[0] == ["find_tools"]
    assert "memory-add" in shown[1]
    assert kept == ["It rains."]
