"""MCP servers as real processes, over standard input and output and over HTTP."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeAlias

import anyio
import anyio.lowlevel
import httpx
import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from streamkit import Agent, errors
from streamkit.events import ToolUpdate
from streamkit.mcp import McpServer
from streamkit.parts import AudioPart, EmbeddedImage, FilePart, ImagePart, TextPart, ValuePart
from streamkit.testing import Answer, Call, ReplayTransport
from streamkit.tools import ToolContext
from tests.mcp.conftest import listening

Make: TypeAlias = Callable[..., McpServer]

# On trio httpx2, as the SDK uses it, leaves the generators of a stream to the garbage collector once it has closed it.
pytestmark = pytest.mark.filterwarnings("ignore:Async generator 'http:ResourceWarning")  # see above

PATHS = ["/mcp", "/old"]
PROTOCOLS = {"/mcp": "2026-07-28", "/old": "2025-11-25"}
on_one_loop = pytest.mark.parametrize("anyio_backend", ["asyncio"])


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else 0


@asynccontextmanager
async def nothing_left() -> AsyncIterator[None]:
    """No task, file or socket is left of what the block opened."""
    await anyio.to_thread.run_sync(int)  # anyio keeps this thread
    tasks, files = {task.id for task in anyio.get_running_tasks()}, descriptors()
    yield

    def left() -> list[str | None]:
        return [task.name for task in anyio.get_running_tasks() if task.id not in tasks]

    with anyio.move_on_after(2):  # a socket is closed a little later, and trio closes the generators of httpx2 itself
        while left() or descriptors() > files:  # noqa: ASYNC110 # nothing tells when
            await anyio.sleep(0.002)
    assert left() == [] and descriptors() <= files


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def agent(server: McpServer, *replies: Answer) -> Agent:
    http = httpx.AsyncClient(transport=ReplayTransport(list(replies)))
    return Agent("openai/m", api_key="key", http_client=http, tools=server.tools)


async def hears_of_cancelling(server: McpServer, name: str) -> None:
    """The server was told that nobody waits for `forever(name)`."""
    with anyio.fail_after(5):
        while (await server.call("was_cancelled", {"name": name})).value != ValuePart(True):  # noqa: ASYNC110 # it tells nobody
            await anyio.sleep(0.01)


@pytest.mark.parametrize("anyio_backend", ["trio"])  # on asyncio the example of docs/mcp.md does
async def test_an_agent_uses_a_process(official: Make) -> None:
    calls = [
        Call("add", {"a": 1, "b": 2}),
        Call("weather_today", {"city": "Oslo"}),
        Call("everything", {}),
        Call("broken", {}),
        Call("add", {"a": "x", "b": 2}),
        Call("pid", {}),
    ]
    async with nothing_left():
        async with official() as server:
            async with agent(server, Answer(calls), Answer(["Done."])).run("Go.") as run:
                messages = [output.message async for output in run]
            names = list(server.listed)
            hint = server.listed["add"].annotations
        _, *results, _ = messages
        png = b"\x89PNG"
        assert [message.contents for message in results[:4]] == [
            [ValuePart(3)],
            [ValuePart({"city": "Oslo", "celsius": 12.5})],
            [
                TextPart("a text"),
                ImagePart(EmbeddedImage("image/png", png)),
                AudioPart(png, format="wav"),
                TextPart("inside"),
                FilePart("application/pdf", png, name="file:///a.pdf"),
                ValuePart(
                    {
                        "type": "resource_link",
                        "uri": "https://example.org/b.csv",
                        "name": "b.csv",
                        "mimeType": "text/csv",
                    }
                ),
            ],
            [TextPart("Error executing tool broken")],
        ]
        failed = [message.meta is not None and message.meta.is_error for message in results]
        assert failed == [False, False, False, True, True, False]
        assert "invalid arguments for add" in str(results[4].contents)
        (pid,) = results[5].contents
        assert isinstance(pid, ValuePart) and not is_running(pid.value)
        assert names[:2] == ["add", "weather_today"] and hint is not None and hint.read_only_hint


@pytest.mark.parametrize("path", PATHS)
async def test_an_agent_uses_an_address(at: Make, path: str) -> None:
    async with nothing_left():
        async with at(path, prefix="t_") as server:
            assert server._connection is not None and server._connection.client is not None
            assert server._connection.client.protocol_version == PROTOCOLS[path]
            runner = agent(
                server, Answer([Call("t_steps", {"count": 3}), Call("t_add", {"a": 1, "b": 2})]), Answer(["."])
            )
            async with runner.run_events("Go.") as run:
                events = [event async for event in run]
        progress = [event.value for event in events if isinstance(event, ToolUpdate)]
        assert progress == [{"progress": step, "total": 3, "message": f"step {step}"} for step in (1, 2, 3)]
        answers = [message.contents for message in runner.history if message.role == "tool"]
        assert answers == [[TextPart("done")], [ValuePart(3)]]


@pytest.mark.parametrize("provider", ["anthropic", "bedrock", "cohere", "dashscope", "gemini", "ollama", "openai"])
@on_one_loop
async def test_no_result_ends_a_run_whatever_the_provider_takes(at: Make, provider: str) -> None:
    transport = ReplayTransport([Answer([Call("everything")]), Answer(["Seen."])])
    async with at("/mcp") as server, httpx.AsyncClient(transport=transport) as http:
        asked = Agent(f"{provider}/m", api_key="key", base_url="http://m", http_client=http, tools=server.tools)
        outputs = [output async for output in asked.run("Go.")]
    assert outputs[-1].message.text == "Seen."
    assert AudioPart(b"\x89PNG", format="wav") in asked.history[2].contents
    assert "a text" in transport.requests[1].body.decode()


@pytest.mark.parametrize("path", PATHS)
async def test_a_run_that_is_left_cancels_the_call_at_the_server(at: Make, path: str, anyio_backend_name: str) -> None:
    name = f"left by {anyio_backend_name} {path}"
    async with at(path) as server:
        async with agent(server, Answer([Call("forever", {"name": name})])).run_events("Go.") as run:
            async for event in run:
                if type(event).__name__ == "ToolStart":
                    await anyio.sleep(0.1)
                    break
        await hears_of_cancelling(server, name)


@pytest.mark.parametrize("path", PATHS)
@on_one_loop
async def test_a_call_that_takes_too_long_is_cancelled_at_the_server(at: Make, path: str) -> None:
    async with at(path, timeout_s=0.2) as server:
        with pytest.raises(errors.ToolError, match="the call of forever took too long and was cancelled"):
            await server.call("forever", {"name": f"slow at {path}"})
        await hears_of_cancelling(server, f"slow at {path}")


@pytest.mark.parametrize("path", PATHS)
async def test_tools_that_change_are_listed_anew(at: Make, path: str) -> None:
    async with at(path) as server:
        before = server.tools
        await server.call("grow", {"name": "grown"})
        with anyio.fail_after(5):
            while "grown" not in server.listed:  # noqa: ASYNC110 # nothing tells when
                await anyio.sleep(0.01)
        await server.call("shrink", {"name": "grown"})
        assert [tool.name for tool in await server.refresh()] == [tool.name for tool in before]
        assert server.tools is not before


@on_one_loop
async def test_arguments_arrive_as_they_were_given_or_fail_alone(at: Make) -> None:
    async with at("/mcp") as server:
        assert (await server.call("add", {"a": 2**70, "b": 1})).value == ValuePart(2**70 + 1)
        assert (await server.call("weather.today", {"city": "\ud800\n"})).value == ValuePart(
            {"city": "\ufffd\n", "celsius": 12.5}
        )
        with pytest.raises(errors.ToolError, match="no JSON form"):
            await server.call("add", {"a": object(), "b": 1})
        assert (await server.call("add", {"a": 1, "b": 1})).value == ValuePart(2)


@on_one_loop
async def test_a_server_that_is_closed_fails_the_calls_that_wait(odd: Make) -> None:
    async with anyio.create_task_group() as tasks:

        async def call() -> None:
            with pytest.raises(errors.TransportError, match="was closed during the call of act"):
                await server.call("act")

        async with odd("silent") as server:
            tasks.start_soon(call)
            await anyio.wait_all_tasks_blocked()


@on_one_loop
async def test_headers_are_sent_and_never_shown(at: Make) -> None:
    async with at("/mcp") as server:
        assert "Bearer" in str((await server.call("header", {"name": "authorization"})).value)
        assert (await server.call("header", {"name": "accept-encoding"})).value == [TextPart("identity")]
        assert "sk-never" not in repr(server) + repr(vars(server)) + repr(server.tools)


@pytest.mark.parametrize(
    ("path", "kind", "words"),
    [
        ("/denied", errors.AuthenticationError, "HTTP 401"),
        ("/nothing", errors.NotFound, "HTTP 404"),
        ("/other", errors.ProtocolError, "Failed to parse JSON"),
        ("/moved?to=/mcp", errors.TransportError, "not followed"),
        (
            "/moved?to=http://localhost:{port}/other",
            errors.TransportError,
            "Redirect to http://localhost.* not followed",
        ),
    ],
)
@on_one_loop
async def test_an_address_that_is_no_server_is_an_error_without_the_key(
    at: Make, address: str, path: str, kind: type[Exception], words: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with httpx.AsyncClient() as http:
        before = (await http.get(f"{address}/other")).json()
    async with nothing_left():
        with pytest.raises(kind, match=words) as caught:
            async with at(path.format(port=address.rpartition(":")[2])):
                raise AssertionError("it is open")
        assert "sk-never" not in repr(caught.value) + caplog.text
    if path != "/other":  # where a redirect leads nothing is sent
        async with httpx.AsyncClient() as http:
            assert (await http.get(f"{address}/other")).json() == before


async def test_an_address_where_nobody_listens_ends_no_task_but_its_own() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        unused_port = taken.getsockname()[1]
    async with nothing_left():
        with pytest.raises(errors.TransportError, match="cannot be reached .ConnectError"):
            async with McpServer.http(f"http://127.0.0.1:{unused_port}/mcp"):
                raise AssertionError("it is open")
        await anyio.lowlevel.checkpoint()


@pytest.mark.parametrize("anyio_backend", ["trio"])
async def test_a_server_that_dies_in_a_call_over_http_fails_that_call_and_later_ones() -> None:
    with listening() as address:
        await dies(McpServer.http(f"{address}/mcp", timeout_s=5))


async def dies(made: McpServer) -> None:
    async with nothing_left(), made as server:
        with pytest.raises(errors.TransportError, match="in the call of die"):
            await server.call("die")
        for _ in range(2):
            with pytest.raises(errors.TransportError):
                await server.call("add", {"a": 1, "b": 2})


async def test_a_server_that_dies_in_a_call_is_a_result_for_the_model_with_its_last_words(odd: Make) -> None:
    async with nothing_left(), odd("exit") as server:
        runner = agent(server, Answer([Call("act", {})]), Answer(["I see."]))
        async with runner.run("Go.") as run:
            outputs = [output async for output in run]
        (told,) = outputs[1].message.contents
        assert outputs[-1].message.text == "I see."
        assert "ended the connection in the call of act" in str(told)
        assert r"\x1b[31mno more memory" in str(told) and "\x1b" not in str(told.value)
        with pytest.raises(errors.TransportError, match="ended the connection"):
            await server.refresh()


@pytest.mark.parametrize(
    ("way", "kind", "words"),
    [
        ("no-start", errors.TransportError, "ended the connection.*no such database"),
        ("twice", errors.ProtocolError, "two tools of the name 'same'"),
        ("circle", errors.ProtocolError, "lists its tools without end"),
        ("no-listing", errors.ProtocolError, "the listing of its tools with what is no valid result"),
        ("deaf", errors.ConnectTimeout, "not ready within 1 s; it sent what is no message: 'starting up...'"),
        ("deaf-later", errors.ConnectTimeout, "not ready within 1 s"),
    ],
)
@on_one_loop
async def test_a_server_that_cannot_be_used_is_an_error_and_leaves_nothing(
    odd: Make, way: str, kind: type[Exception], words: str
) -> None:
    async with nothing_left():
        with pytest.raises(kind, match=words):
            async with odd(way, connect_timeout_s=1 if way.startswith("deaf") else 10, timeout_s=None):
                raise AssertionError("it is open")


@pytest.mark.parametrize(
    ("way", "kind", "words"),
    [
        ("refuse", errors.ToolError, "^not on a Sunday$"),
        ("garbage", errors.ToolError, "took too long.*no message: '<html>"),
        ("bad-result", errors.ProtocolError, "no valid result"),
        ("bad-structure", errors.ProtocolError, "'n' is a required property"),
        ("bad-base64", errors.ProtocolError, "no base64"),
    ],
)
@on_one_loop
async def test_a_call_that_is_answered_wrongly_is_an_error(
    odd: Make, way: str, kind: type[Exception], words: str
) -> None:
    async with odd(way, timeout_s=0.2 if way == "garbage" else 5) as server:
        with pytest.raises(kind, match=words):
            await server.call("act")


@on_one_loop
async def test_lines_that_are_no_messages_are_passed_over(odd: Make, caplog: pytest.LogCaptureFixture) -> None:
    async with odd("noise") as server:
        assert (await server.call("act")).value == [TextPart("done"), ValuePart({"n": 1})]
    assert "it sent what is no message: 'loading [1]" in caplog.text


async def test_an_address_that_never_answers_is_given_up() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        async with nothing_left():
            with pytest.raises(errors.ConnectTimeout, match="not ready within 0.5 s"):
                async with McpServer.http(f"http://127.0.0.1:{port}/mcp", connect_timeout_s=0.5):
                    raise AssertionError("it is open")


async def test_what_a_server_asks_of_the_client_is_refused_and_the_call_goes_on(odd: Make) -> None:
    async with odd("chatty") as server:
        value: Any = (await server.call("act")).value
    pong, *refusals = json.loads(value[0].text)
    assert pong["result"] == {}
    assert len(refusals) == 4 and all("error" in refusal for refusal in refusals)


async def test_answers_that_nobody_waits_for_are_passed_over(odd: Make) -> None:
    async with nothing_left(), odd("repeats") as server:
        assert not (await server.call("act")).is_error
        assert not (await server.call("act")).is_error


async def test_tools_that_change_a_hundred_times_at_once_are_all_listed_in_the_end(odd: Make) -> None:
    async with nothing_left(), odd("changes") as server:
        assert not (await server.call("act")).is_error
        with anyio.fail_after(5):
            while "later99" not in server.listed:  # noqa: ASYNC110 # nothing tells when
                await anyio.sleep(0.01)


async def test_a_failure_needs_no_structure_though_the_tool_has_a_schema_for_it(odd: Make) -> None:
    async with odd("failed") as server:
        result = await server.call("act")
    assert (result.is_error, result.value) == (True, [TextPart("the disk is full")])


@on_one_loop
async def test_a_server_that_speaks_no_more_but_lives_is_gone(odd: Make) -> None:
    async with nothing_left(), odd("half") as server:
        with pytest.raises(errors.TransportError, match="ended the connection in the call of act"):
            await server.call("act")


CUT = [("aborted", lambda run: run.abort()), ("interrupted", lambda run: run.steer("No!", interrupt=True))]


@pytest.mark.parametrize("cut", [case[1] for case in CUT], ids=[case[0] for case in CUT])
async def test_a_run_that_is_cut_off_cancels_the_call_and_goes_on_with_the_server(
    at: Make, cut: Callable[[Agent], None], anyio_backend_name: str, request: pytest.FixtureRequest
) -> None:
    name = request.node.name
    async with at("/mcp") as server:
        runner = agent(server, Answer([Call("forever", {"name": name})]), Answer(["Very well."]))
        with anyio.fail_after(5):
            async with runner.run_events("Go.") as run:
                async for event in run:
                    if type(event).__name__ == "ToolStart":
                        await anyio.sleep(0.1)
                        cut(runner)
        await hears_of_cancelling(server, name)
    assert "interrupted by" in str(runner.history[2].contents)


async def test_calls_side_by_side_all_end_with_the_server_that_dies_and_the_run_goes_on(official: Make) -> None:
    calls = [Call("forever", {"name": "x"}), Call("die"), Call("forever", {"name": "y"})]
    async with nothing_left(), official() as server:
        runner = agent(server, Answer(calls), Answer([Call("pid")]), Answer(["I see."]))
        async with runner.run("Go.") as run:
            outputs = [output async for output in run]
    results = [str(output.message.contents) for output in outputs if output.message.role == "tool"]
    assert len(results) == 4 and all("TransportError: the MCP server" in result for result in results)
    assert outputs[-1].message.text == "I see."


async def test_a_tool_that_is_gone_when_it_is_called_is_a_result_for_the_model(official: Make) -> None:
    async with nothing_left(), official() as server:
        runner = agent(
            server,
            Answer([Call("shrink", {"name": "add"})]),
            Answer([Call("add", {"a": 1, "b": 2})]),
            Answer(["I see."]),
        )
        async with runner.run("Go.") as run:
            outputs = [output async for output in run]
    assert "Unknown tool: add" in str(outputs[3].message.contents)
    assert outputs[-1].message.text == "I see."


@on_one_loop
async def test_a_listing_is_read_page_by_page(odd: Make) -> None:
    async with odd("pages") as server:
        assert [tool.name for tool in server.tools] == ["tool0", "tool1", "tool2"]


@on_one_loop
async def test_names_are_made_such_as_providers_take_and_the_server_is_called_by_its_own(odd: Make) -> None:
    async with odd("names", prefix="x_") as server:
        assert [tool.name for tool in server.tools][:2] == ["x_a_b_2e7336dc", "x_a_b"]
        assert (await server.tools[0].call({}, ToolContext("c", "n"))).value == [TextPart("called a.b")]


@on_one_loop
async def test_a_tool_that_cannot_be_one_is_left_out_with_a_warning(odd: Make) -> None:
    with pytest.warns(errors.StreamkitWarning, match="left out.*'bad'.*no JSON Schema"):
        async with odd("bad-schema") as server:
            assert [tool.name for tool in server.tools] == ["good"]


@on_one_loop
async def test_two_servers_with_the_same_tools_need_a_prefix(odd: Make) -> None:
    async with odd("good") as one, odd("good", prefix="other_") as other:
        with pytest.raises(errors.ConfigError, match="two tools of the name 'act'"):
            Agent("openai/m", api_key="key", tools=[*one.tools, *one.tools])
        Agent("openai/m", api_key="key", tools=[*one.tools, *other.tools])


@pytest.mark.parametrize(
    ("command", "options"),
    [("no-such-program-anywhere", {}), (sys.executable, {"cwd": "/no/such/folder"})],
)
@on_one_loop
async def test_a_program_that_cannot_be_started_is_a_wrong_set_up(command: str, options: dict[str, Any]) -> None:
    async with nothing_left():
        with pytest.raises(errors.ConfigError, match="cannot be started: No such file"):
            async with McpServer.stdio(command, **options):
                raise AssertionError("it is open")


@on_one_loop
async def test_a_process_has_its_own_environment_and_folder(
    odd: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-shown")
    async with odd("good", env={"MINE": "1"}, cwd=tmp_path) as server:
        value = (await server.call("where")).value
    assert value == [TextPart(f"{tmp_path} 1 None")]


@on_one_loop
async def test_standard_error_goes_where_it_is_asked_to(odd: Make, tmp_path: Path) -> None:
    with (tmp_path / "log").open("w") as file:
        async with odd("exit", stderr=file) as server:
            with pytest.raises(errors.TransportError, match="Connection closed$"):
                await server.call("act")
    assert "no more memory" in (tmp_path / "log").read_text()


async def test_a_server_may_be_closed_in_another_task_and_opened_again(odd: Make) -> None:
    server = odd("good")
    with pytest.raises(errors.TransportError, match="not open"):
        await server.call("act")
    async with nothing_left():
        for _ in range(2):
            await server.__aenter__()
            with pytest.raises(errors.ConfigError, match="open already"):
                await server.__aenter__()
            assert not (await server.call("act")).is_error
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(server.__aexit__, None, None, None)
    with pytest.raises(errors.TransportError, match="not open"):
        await server.call("act")


async def test_a_block_that_is_cancelled_leaves_nothing(odd: Make) -> None:
    async with nothing_left():
        with anyio.move_on_after(0.3) as scope:
            async with odd("silent") as server:
                await server.call("act")
        assert scope.cancelled_caught


async def test_without_the_sdk_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamkit.mcp.server.find_spec", lambda name: None)
    with pytest.raises(errors.ConfigError, match=r"pip install '\.\[mcp\]'"):
        McpServer.stdio("server")
