"""AgentCore's types, by their fields, and by agents that take and give them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import get_args

import anyio
import httpx
import msgspec
import pytest
from msgspec import Struct

from streamkit import Client, Message
from streamkit.custom import (
    BashExecution,
    BranchSummary,
    CompactionSummary,
    CustomContent,
    custom_message,
    custom_value,
    register_message,
)
from streamkit.events import Done, ToolUpdate
from streamkit.interop import agentcore
from streamkit.interop.agentcore import (
    AgentContext,
    AgentEvent,
    AgentState,
    AssistantMessage,
    EventWriter,
    TextContent,
    ThinkingLevel,
    ToolCall,
    ToolExecutionEndEvent,
    ToolExecutionStartEvent,
    ToolExecutionUpdateEvent,
    ToolResultMessage,
    Usage,
    UserMessage,
    from_answer,
    from_context,
    normalize_prompt,
    to_context,
)
from streamkit.parts import EmbeddedImage, ImagePart, TextPart
from streamkit.testing import Answer, Call, ReplayTransport
from tests.features.agents import PROVIDERS, agent_on, run

# The fields that the document names, by the type; `type` and `role` are words of their own.
FIELDS: list[tuple[str, str]] = [
    ("TextContent", "text"),
    ("ImageContent", "data mime_type"),
    ("ToolCall", "type id name arguments partial_json"),
    ("UserMessage", "role content timestamp"),
    ("AssistantMessage", "role content api provider model usage stop_reason error_message timestamp"),
    (
        "ToolResultMessage",
        "role tool_call_id tool_name content details usage added_tool_names is_error timestamp",
    ),
    (
        "BashExecutionMessage",
        "role command output exit_code cancelled truncated full_output_path timestamp exclude_from_context",
    ),
    ("CompactionSummaryMessage", "role summary tokens_before timestamp"),
    ("BranchSummaryMessage", "role summary from_id timestamp"),
    ("CustomWrapper", "message custom_type"),
    ("CustomMessage", "role custom_type content display details timestamp"),
    ("AgentTool", "name label description parameters execute prepare_arguments execution_mode"),
    ("AgentToolResult", "content details usage added_tool_names terminate"),
    ("AgentToolResultMutable", "content details usage added_tool_names terminate"),
    ("AgentContext", "system_prompt messages tools"),
    ("AgentEndEvent", "messages"),
    ("TurnEndEvent", "message tool_results"),
    ("MessageStartEvent", "message"),
    ("MessageUpdateEvent", "message assistant_message_event"),
    ("MessageEndEvent", "message"),
    ("ToolExecutionStartEvent", "tool_call_id tool_name args"),
    ("ToolExecutionUpdateEvent", "tool_call_id tool_name args partial_result"),
    ("ToolExecutionEndEvent", "tool_call_id tool_name result is_error"),
    ("Usage", "input output cache_read cache_write total_tokens cost"),
    ("UsageCost", "input output cache_read cache_write total"),
    ("ModelCost", "input output cache_read cache_write"),
    ("Model", "id name api provider base_url reasoning input cost context_window max_tokens"),
    (
        "AgentState",
        "system_prompt model thinking_level tools messages is_streaming streaming_message pending_tool_calls",
    ),
    ("AgentState", "error_message"),
]


@pytest.mark.feature("4.4", "4.5", "4.6", "4.7", "4.8", "4.9", "4.10", "4.11", "4.12", "4.13", "4.15", "4.18")
@pytest.mark.feature("4.22", "4.23", "4.24", "4.25", "4.26", "4.27", "4.28", "4.29", "4.30")
@pytest.mark.parametrize(("name", "fields"), FIELDS, ids=[case[0] for case in FIELDS])
def test_a_type_has_the_fields_that_the_document_names(name: str, fields: str) -> None:
    kind = getattr(agentcore, name)
    assert {field for field in fields.split() if not hasattr(kind, field)} == set()


@pytest.mark.feature("4.1")
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("level", get_args(ThinkingLevel))
@pytest.mark.filterwarnings("ignore::streamkit.errors.UnsupportedParameterWarning")  # not all take all levels
async def test_each_level_of_thinking_is_asked_for_in_the_words_of_the_provider(provider: str, level: str) -> None:
    (asked, asking), (bare, silent) = [agent_on([Answer(["Ok."])], provider, **o) for o in ({"thinking": level}, {})]
    await run(asked)
    await run(bare)
    assert level == "off" or asking.requests[0].json != silent.requests[0].json


@pytest.mark.feature("4.35", "4.36")
async def test_a_context_is_answered_by_one_message() -> None:
    transport = ReplayTransport([Answer(["Paris."])])
    client = Client("openai/gpt-5", api_key="key", http_client=httpx.AsyncClient(transport=transport))
    context = AgentContext("Be brief.", tuple(normalize_prompt("The capital of France?", 7)))
    answer = from_answer(await client.send(from_context(context)))
    assert isinstance(answer, AssistantMessage)
    assert (answer.content, answer.stop_reason, answer.usage) == (
        [TextContent("Paris.")],
        "done",
        Usage(12, 7, 0, 0, 19),
    )
    assert [message["content"] for message in transport.requests[0].json["messages"]] == [
        "Be brief.",
        "The capital of France?",
    ]
    assert context == AgentContext("Be brief.", (UserMessage([TextContent("The capital of France?")], 7),))


async def ls(path: str) -> AsyncIterator[str]:
    """List a directory."""
    yield "listing"
    yield f"{path}/README.md"


SCRIPT = [Answer(["I look.", Call("ls", {"path": "."})]), Answer(["There is a README."])]


@pytest.mark.feature("4.19", "4.26", "4.30", "4.41")
async def test_a_call_is_told_of_while_it_runs_and_the_state_is_right_at_every_event() -> None:
    agent, _ = agent_on(SCRIPT, "anthropic", tools=[ls])
    state = AgentState("Be brief.", messages=[UserMessage([TextContent("What is here?")])])
    writer = EventWriter()
    told: list[AgentEvent] = []
    async for event in agent.run_events("What is here?"):
        for made in writer.feed(event):
            state.apply(made)
            told.append(made)
            if isinstance(made, (ToolExecutionStartEvent, ToolExecutionUpdateEvent)):
                assert state.pending_tool_calls == {"call_0"}
            if isinstance(made, ToolExecutionEndEvent):
                assert state.pending_tool_calls == set()
            assert (state.streaming_message is None) is (
                type(made).__name__[:12] not in ("MessageStart", "MessageUpdat")
            )
    partial = [made.partial_result for made in told if isinstance(made, ToolExecutionUpdateEvent)]
    assert partial == ["listing", "./README.md"]
    _, calling, result, answer = state.messages
    assert isinstance(calling, AssistantMessage) and isinstance(answer, AssistantMessage)
    assert calling.content == [TextContent("I look."), ToolCall("call_0", "ls", {"path": "."})]
    assert isinstance(result, ToolResultMessage)
    assert (result.tool_call_id, result.tool_name, result.is_error) == ("call_0", "ls", False)
    assert not state.is_streaming and state.error_message is None


@pytest.mark.feature("4.22")
async def test_a_context_of_an_agent_does_not_change_with_its_history() -> None:
    agent, _ = agent_on([Answer(["Hello."])], instruction="Be brief.")
    before = to_context([*agent.history])
    await run(agent)
    assert before == AgentContext("Be brief.")
    assert len(to_context([*agent.history]).messages) == 2


class Found(Struct):
    a: int


@pytest.mark.feature("4.42")
async def test_events_are_a_stream_that_ends_once_and_a_run_holds_its_promise() -> None:
    agent, _ = agent_on([Answer(['{"a": 1}'])])
    stream = agent.run_events("go", output_type=Found)
    events = [event async for event in stream]
    assert [type(event) for event in events].count(Done) == 1
    assert isinstance(events[-1], Done)
    assert stream.value == Found(1)
    with pytest.raises(StopAsyncIteration):
        await anext(stream)


@pytest.mark.feature("4.42")
async def test_a_scope_that_is_cancelled_is_the_signal_that_reaches_a_tool() -> None:
    stopped = []

    async def wait() -> AsyncIterator[str]:
        try:
            yield "waiting"
            await anyio.sleep_forever()
        finally:
            stopped.append(True)

    agent, _ = agent_on([Answer([Call("wait")])], tools=[wait])
    with anyio.CancelScope() as scope:
        async with agent.run_events("go") as events:
            async for event in events:
                if isinstance(event, ToolUpdate):
                    scope.cancel()
    assert stopped == [True]
    assert [message.role for message in agent.history] == ["user", "assistant", "tool"]


@pytest.mark.feature("4.43")
def test_events_and_messages_of_a_model_are_fixed_and_costs_are_counted() -> None:
    fixed = [*get_args(AgentEvent), UserMessage, AssistantMessage, ToolResultMessage, AgentContext, Usage]
    assert all(kind.__struct_config__.frozen for kind in fixed)
    assert agentcore.price(Usage(1_000_000), agentcore.ModelCost(1.25)).total == 1.25


class Poll(Struct, tag="poll_of_a_feature"):
    """A kind of message of an application's own."""

    question: str
    is_open: bool = True


register_message(Poll, lambda poll: f"A poll: {poll.question}" if poll.is_open else None)
PICTURE = ImagePart(EmbeddedImage("image/png", b"png"))

# What an application keeps in the conversation, and what the model sees of it, in order.
KEPT: list[tuple[Struct, str]] = [
    (BashExecution("ls", "a.txt\n", 0, timestamp=3), "Ran `ls`\n```\na.txt\n```\n"),
    (BashExecution("env", "SECRET=1", exclude_from_context=True), ""),
    (CompactionSummary("They met.", 15_000), "<summary>\nThey met.\n</summary>"),
    (BranchSummary("They parted.", "m1"), "<summary>\nThey parted.</summary>"),
    (CustomContent("note", "It rains."), "It rains."),
    (CustomContent("photo", [TextPart("Look: "), PICTURE], details={"by": "me"}), "Look: "),
    (Poll("Tea?"), "A poll: Tea?"),
    (Poll("Old?", is_open=False), ""),
]


@pytest.mark.feature("4.9", "4.10", "4.11", "4.13", "4.14", "4.31", "4.32", "4.33", "4.34")
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_model_sees_of_an_applications_messages_what_their_converters_make_in_order(provider: str) -> None:
    history = [custom_message(value) for value, _ in KEPT]
    saved = msgspec.json.encode(history)
    agent, transport = agent_on([Answer(["Ok."])], provider, history=saved)
    await run(agent, "And now?")
    said = transport.requests[0].body.decode()
    places = [said.index(msgspec.json.encode(text).decode()[1:-1]) for _, text in KEPT if text]
    assert places == sorted(places)
    assert "SECRET" not in said and "Old?" not in said
    assert "cG5n" in said
    assert [custom_value(message) for message in agent.history[: len(KEPT)]] == [value for value, _ in KEPT]
    assert agent.history[len(KEPT) :] == [Message("user", "And now?"), agent.history[-1]]
