"""How an agent is made, what it keeps, and whose connections it uses."""

from __future__ import annotations

from typing import Any

import httpx
import msgspec
import pytest

from streamkit import Agent as TopLevelAgent
from streamkit.agent import Agent
from streamkit.client import Client
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import ImagePart, TextPart
from streamkit.testing import Answer, Call, ReplayServer, ReplayTransport
from streamkit.tools import tool
from streamkit.usage import Usage


async def add(a: int, b: int) -> int:
    """Add."""
    return a + b


async def text_of(agent: Agent, query: Any) -> str:
    return [output.message.text async for output in agent.run(query)][-1]


# name, arguments, what the error says
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("no model", {}, "needs a model"),
    ("no provider", {"model": "gpt-5"}, 'must be "provider/model"'),
    ("unknown provider", {"model": "nobody/x"}, "nobody"),
    ("no key", {"model": "openai/x", "api_key": ""}, "key"),
    ("two tools of a name", {"model": "openai/x", "api_key": "k", "tools": [add, add]}, "two tools of the name 'add'"),
    ("no tool", {"model": "openai/x", "api_key": "k", "tools": [3]}, "3 is no tool"),
    ("several answers", {"model": "openai/x", "api_key": "k", "n": 2}, "leave out n"),
    ("a query", {"model": "openai/x", "api_key": "k", "query": "hi"}, "query belongs to a run"),
    ("no turns", {"model": "openai/x", "api_key": "k", "max_turns": 0}, "max_turns"),
    ("no history", {"model": "openai/x", "api_key": "k", "history": "{"}, "history"),
]


@pytest.mark.parametrize(("arguments", "text"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_what_is_wrong_is_found_when_the_agent_is_made(arguments: dict[str, Any], text: str) -> None:
    with pytest.raises(ConfigError, match=text):
        Agent(**arguments)


@pytest.mark.parametrize("option", ["api_key", "base_url", "http_client"])
def test_a_client_comes_with_its_own_connection(option: str) -> None:
    with pytest.raises(ConfigError, match="give them to it"):
        Agent(client=Client("openai/m", api_key="k"), **{option: "x"})


def test_a_query_that_is_none_is_refused_at_once() -> None:
    agent = Agent("openai/m", api_key="k")
    with pytest.raises(ConfigError, match="query"):
        agent.run({"role": "nobody"})


def test_the_key_is_not_shown() -> None:
    agent = Agent("openai/m", api_key="sk-secret-value")
    assert "sk-secret-value" not in f"{agent!r} {agent} {vars(agent)!r}"
    assert "openai" in repr(agent)


def test_the_top_level_has_the_agent() -> None:
    assert TopLevelAgent is Agent


@pytest.mark.feature("0.16")
async def test_a_string_a_message_and_a_dict_are_the_same_query(make_agent: Any) -> None:
    queries = ["hi", Message("user", [TextPart("hi")]), {"role": "user", "contents": [{"type": "text", "text": "hi"}]}]
    histories = []
    for query in queries:
        agent = make_agent([Answer(["Hello."])])
        assert await text_of(agent, query) == "Hello."
        histories.append(agent.history)
    assert histories[0] == histories[1] == histories[2]


@pytest.mark.feature("0.16")
async def test_a_dict_may_hold_bytes(make_agent: Any) -> None:
    image = {"type": "image", "image": {"type": "embedded", "mime_type": "image/png", "data": b"png"}}
    agent = make_agent([Answer(["A dog."])])
    assert await text_of(agent, {"role": "user", "contents": [image, {"type": "text", "text": "What?"}]}) == "A dog."
    part = agent.history[0].contents[0]
    assert isinstance(part, ImagePart) and part.image.data == b"png"


@pytest.mark.feature("0.4", "0.29")
async def test_a_conversation_goes_on_from_plain_json(make_agent: Any, assert_whole: Any) -> None:
    script = [Answer([Call("add", {"a": 1, "b": 2})]), Answer(["3."]), Answer(["Still 3."])]
    first = make_agent(ReplayTransport(script, turn="history"), tools=[add], instruction="Be brief.")
    assert await text_of(first, "1 + 2?") == "3."
    saved = msgspec.json.encode(first.history)
    transport = ReplayTransport(script, turn="history")
    second = make_agent(transport, tools=[add], instruction="Another.", history=saved)
    assert second.history == first.history
    assert msgspec.json.encode(second.history) == saved
    assert await text_of(second, "Sure?") == "Still 3."
    assert [message.role for message in second.history] == [*(m.role for m in first.history), "user", "assistant"]
    assert "Another." not in str(transport.requests[0].json)
    assert_whole(second.history)


@pytest.mark.parametrize("first", ["user", "system"])
def test_another_history_begins_with_the_instruction_too(first: Any) -> None:
    agent = Agent("openai/m", api_key="k", instruction="Be brief.")
    agent.history = [Message(first, [TextPart("Hi")])]
    assert [message.text for message in agent.history] == ["Be brief.", "Hi"][first == "system" :]


async def test_an_interrupted_conversation_of_somebody_elses_can_be_taken_up(make_agent: Any) -> None:
    calling = {
        "role": "assistant",
        "contents": [],
        "tool_calls": [{"type": "function", "id": "c", "function": {"name": "add"}}],
    }
    agent = make_agent([Answer(["Let us go on."])], history=[{"role": "user", "contents": []}, calling])
    assert await text_of(agent, "and?") == "Let us go on."


async def test_parameters_and_the_providers_own_tools_go_into_each_request(make_agent: Any) -> None:
    own = {"type": "web_search", "name": "web_search"}
    transport = ReplayTransport([Answer(["Ok."])])
    agent = make_agent(transport, tools=[tool(name="sum")(add), own], temperature=0.5, max_tokens=99, top_secret=1)
    await text_of(agent, "hi")
    body = transport.requests[0].json
    assert body["temperature"] == 0.5
    assert body["top_secret"] == 1
    assert own in body["tools"]
    assert "sum" in str(body["tools"])


@pytest.mark.feature("0.22")
async def test_usage_adds_up_all_runs(make_agent: Any) -> None:
    agent = make_agent(
        [Answer(["a"], usage=Usage(1, 2)), Answer(["b"], usage=None), Answer(["c"], usage=Usage(10, 20))]
    )
    assert agent.usage == Usage()
    for query in "abc":
        await text_of(agent, query)
    assert agent.usage == Usage(11, 22)


async def test_each_run_has_its_own_connections(make_agent: Any, watch: Any) -> None:
    async with ReplayServer([Answer(["a"]), Answer(["b"])]) as server:
        agent = make_agent(server)
        clean = await watch(server)
        for query in "ab":
            assert await text_of(agent, query) == query
            await clean()


async def test_inside_async_with_the_runs_share_a_client(make_agent: Any, watch: Any) -> None:
    async with ReplayServer([Answer([query]) for query in "abcd"]) as server:
        clean = await watch(server)
        async with make_agent(server) as agent:
            for query in "ab":
                assert await text_of(agent, query) == query
                assert server.connections == 1
        await clean()
        assert await text_of(agent, "c") == "c"
        await clean()
        async with agent:
            assert await text_of(agent, "d") == "d"
            await agent.aclose()
            await clean()


async def test_a_client_that_was_given_stays_open(watch: Any) -> None:
    async with ReplayServer([Answer(["a"]), Answer(["b"]), Answer(["c"])]) as server:
        clean = await watch(server)
        async with Client("openai/m", api_key="k", base_url=server.url) as client:
            async with Agent(client=client) as agent:
                assert await text_of(agent, "a") == "a"
            assert await text_of(agent, "b") == "b"
            assert server.connections == 1
            async with client.stream("c") as stream:
                async for _ in stream:
                    pass
            assert stream.output.message.text == "c"
        await clean()


async def test_an_http_client_that_was_given_stays_open() -> None:
    async with httpx.AsyncClient(transport=ReplayTransport([Answer(["a"]), Answer(["b"])])) as http:
        agent = Agent("openai/m", api_key="k", http_client=http)
        assert [await text_of(agent, query) for query in "ab"] == ["a", "b"]
        assert not http.is_closed


# the client's model, the agent's, what is asked for
MODELS = [
    ("none", "openai/m", None, "m"),
    ("the same", "openai/m", "openai/m", "m"),
    ("the bare name", "openai/m", "m", "m"),
    ("another of the provider's", "openai/m", "openai/other", "other"),
    ("with a slash", "openrouter/a/b", "openrouter/c/d", "c/d"),
    ("with a slash, bare", "openrouter/a/b", "a/b", "a/b"),
]


@pytest.mark.parametrize(("at", "model", "asked"), [case[1:] for case in MODELS], ids=[case[0] for case in MODELS])
async def test_a_client_can_be_asked_for_another_model(at: str, model: str | None, asked: str) -> None:
    transport = ReplayTransport([Answer(["Ok."])])
    client = Client(at, api_key="k", http_client=httpx.AsyncClient(transport=transport))
    await text_of(Agent(model, client=client), "hi")
    assert transport.requests[0].json["model"] == asked


def test_a_model_of_another_provider_is_not_at_a_client() -> None:
    with pytest.raises(ConfigError, match="is not at openai"):
        Agent("anthropic/m", client=Client("openai/m", api_key="k"))


async def test_tools_may_be_methods(make_agent: Any) -> None:
    class Counter:
        def __init__(self) -> None:
            self.count = 0

        @tool
        async def more(self, by: int = 1) -> int:
            """Count on."""
            self.count += by
            return self.count

    counter = Counter()
    agent = make_agent([Answer([Call("more", {"by": 2}), Call("more")]), Answer(["Ok."])], tools=[counter.more])
    await text_of(agent, "go")
    assert counter.count == 3


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        *((name, "did you mean 'instruction'") for name in ("instructions", "system", "system_prompt", "prompt")),
        ("max_turn", "max_turns"),
        ("tool", "pass tools"),
    ],
)
def test_a_misspelt_argument_is_refused_at_once(name, meant):
    with pytest.raises(ConfigError, match=meant):
        Agent("openai/m", api_key="key", **{name: 1})
