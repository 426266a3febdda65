"""Foundation's types, by their fields, and by agents that take and give them."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
import pytest

from streamkit import MessageOutput
from streamkit.events import OutputEnd
from streamkit.interop import foundation
from streamkit.interop.foundation import (
    Args,
    Assistant,
    Embedding,
    ImageContent,
    LogProbs,
    Messages,
    ModelInteraction,
    ModelParams,
    RefusalReason,
    RunReader,
    RunWriter,
    SingleCommand,
    SystemFingerprint,
    TextContent,
    ThinkingContent,
    TimingMetadata,
    ToolCall,
    ToolDeclarations,
    ToolDefinition,
    ToolResult,
    User,
    UserModelContent,
    from_answer,
    from_foundation,
    items,
    new_scru128,
    scheme,
    system,
    to_foundation,
    to_request,
    to_specs,
    user,
)
from streamkit.protocols import get_protocol
from streamkit.testing import Answer, Call, Thinking
from tests.features.agents import PROVIDERS, agent_on, run

# The fields that the document names, by the row and the type.
FIELDS: list[tuple[str, str, str]] = [
    ("3.2", "User", "id role content signature"),
    (
        "3.3",
        "Assistant",
        "id model timestamp usage content stop_reason provider error_detail signature metadata",
    ),
    ("3.4", "ToolResult", "id tool_call_id name timestamp details content error_detail signature"),
    ("3.15", "TextContent", "content signature"),
    ("3.15", "ImageContent", "b64 mime_type"),
    ("3.16", "ThinkingContent", "thinking signature"),
    ("3.17", "ToolCall", "id name arguments signature depends_on execution_hint"),
    ("3.18", "Embedding", "dimensions values"),
    ("3.28", "ToolDefinition", "name category description arguments returns"),
    ("3.29", "MultiCommands", "name definitions"),
    ("3.30", "ToolDeclarations", "shed tools"),
    ("3.31", "ModelInteraction", "system_prompt soul tools_shed messages chat_template tool_choice"),
    ("3.32", "ModelParams", "max_tokens temperature top_p top_k repeat_penalty"),
    ("3.33", "ModelParams", "seed stop_tokens thinking_level thinking_budget cache_retention output_format"),
    ("3.33", "ModelParams", "frequency_penalty presence_penalty logit_bias"),
    ("3.34", "UsageReport", "input output cache_read cache_write total_tokens cost"),
    ("3.40", "Conversation", "message"),
    ("3.41", "Retracted", "id reason timestamp"),
    ("3.42", "WorkingMemory", "id facts version timestamp"),
    ("3.43", "Observation", "id observations token_count timestamp"),
    (
        "3.44",
        "Reflection",
        "id reflections generated_at observation_token_count_before reflection_token_count_after",
    ),
    ("3.45", "FailedAction", "error trace"),
    ("3.46", "Summary", "message_count usage"),
    ("3.47", "Initializing", "step"),
    ("3.47", "Generating", "model tokens_so_far"),
    ("3.47", "ToolCallRequested", "name"),
    ("3.47", "ExecutingTools", "total completed"),
    ("3.47", "ToolCallCancelled", "id"),
    ("3.47", "ProcessingMemory", "kind"),
    ("3.47", "FlushingRecords", "count"),
    ("3.47", "Steering", "source"),
    ("3.47", "TurnComplete", "usage"),
    ("3.47", "SessionEnding", ""),
]


@pytest.mark.feature("3.2", "3.3", "3.4", "3.15", "3.16", "3.17", "3.18", "3.28", "3.29", "3.30", "3.31")
@pytest.mark.feature("3.32", "3.33", "3.34", "3.40", "3.41", "3.42", "3.43", "3.44", "3.45", "3.46", "3.47")
@pytest.mark.parametrize(("name", "fields"), [case[1:] for case in FIELDS], ids=[f"{c[0]} {c[1]}" for c in FIELDS])
def test_a_type_has_the_fields_that_the_document_names(name: str, fields: str) -> None:
    kind: type[msgspec.Struct] = getattr(foundation, name)
    assert set(fields.split()) <= set(kind.__struct_fields__)


@pytest.mark.feature("3.1", "3.21")
def test_there_are_three_kinds_of_messages_and_one_content_in_each_of_a_users() -> None:
    assert set(get_args(Messages)) == {User, Assistant, ToolResult}
    assert set(get_args(UserModelContent)) == {TextContent, ImageContent}
    request = to_request(ModelInteraction("Be brief.", messages=[user("Hi"), system("Now.")]), ModelParams(), "m")
    assert [(message.role, message.text) for message in request.messages] == [
        ("system", "Be brief."),
        ("user", "Hi"),
        ("system", "Now."),
    ]


@pytest.mark.feature("3.5", "3.14")
@pytest.mark.parametrize(
    "message",
    [
        User(ImageContent("aGk=", "image/png"), role="agent", id=new_scru128(), signature="s"),
        Assistant(Embedding(1, [0.5]), id=new_scru128()),
        ToolResult("c", "f", ImageContent("aGk=", "image/png"), id=new_scru128()),
    ],
    ids=lambda message: type(message).__name__,
)
def test_a_message_may_be_written_out_and_its_id_can_be_read(message: Messages) -> None:
    stored = msgspec.json.encode(message)
    assert msgspec.json.decode(stored, type=Messages).id == message.id < new_scru128()


@pytest.mark.feature("3.13")
@pytest.mark.parametrize("query", ["Hi", user("Hi")], ids=["a string", "a message"])
async def test_an_agent_takes_a_string_and_a_message_of_foundations(query: Any) -> None:
    agent, transport = agent_on([Answer(["Hello."])])
    (message,) = from_foundation([query])
    await run(agent, message)
    assert transport.requests[0].json["messages"] == [{"role": "user", "content": "Hi"}]
    assert [type(message) for message in to_foundation(agent.history)] == [User, Assistant]


@pytest.mark.feature("3.20")
def test_what_is_said_of_a_generation_stays_with_its_message() -> None:
    metadata = [
        LogProbs([{"token": "a", "logprob": -0.5}]),
        SystemFingerprint("fp_1"),
        TimingMetadata(120, 30, 41.5),
        RefusalReason("violence"),
    ]
    message = Assistant(TextContent("a"), metadata=metadata)
    assert msgspec.json.decode(msgspec.json.encode(message), type=Messages) == message


BIG = 123456789012345678901234567890


@pytest.mark.feature("3.23")
@pytest.mark.parametrize("provider", PROVIDERS)
async def test_arguments_come_to_the_tool_as_the_model_sent_them(provider: str) -> None:
    given: list[Any] = []

    async def keep(z: int, a: dict[str, Any]) -> None:
        given.extend([z, a])

    text = f'{{"z":{BIG},"a":{{"y":{{"x":[2.0,null,true]}},"b":"é"}}}}'
    agent, _ = agent_on([Answer([Call("keep", text)]), Answer(["Ok."])], provider, tools=[keep])
    first, *_ = await run(agent)
    assert given == [BIG, {"y": {"x": [2.0, None, True]}, "b": "é"}]
    assert list(given[1]) == ["y", "b"]
    *_, call = from_answer(first)
    assert isinstance(call.content, ToolCall)
    assert call.content.arguments == {"z": BIG, "a": given[1]}


@pytest.mark.feature("3.25")
@pytest.mark.parametrize("arguments", ["[1]", "no JSON", '"text"'])
async def test_the_model_is_told_what_is_wrong_with_arguments_that_are_no_object(arguments: str) -> None:
    called = []

    async def search(q: str) -> None:
        called.append(q)

    agent, transport = agent_on([Answer([Call("search", arguments)]), Answer(["Ok."])], tools=[search])
    first, result, _ = await run(agent)
    assert called == []
    assert result.message.meta is not None and result.message.meta.is_error
    assert "JSON" in transport.requests[1].json["messages"][-1]["content"]
    (call,) = from_answer(first)
    assert isinstance(call.content, ToolCall)
    assert call.content.arguments is None
    assert Args(scheme.object().required("q", scheme.string()).build()).problems(call.content.arguments) == [
        "missing: q"
    ]


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@pytest.mark.feature("3.10", "3.38", "3.40")
@pytest.mark.parametrize("mode", ["incremental", "cumulative"])
async def test_either_kind_of_chunks_makes_one_message_a_turn(mode: Any) -> None:
    script = [Answer([Thinking("Hm. " * 9), "Adding. " * 9, Call("add", {"a": 1, "b": 2})]), Answer(["It is 3. " * 9])]
    agent, _ = agent_on(script, "anthropic", tools=[add])
    writer, reader = RunWriter(mode), RunReader(mode)
    again: list[MessageOutput] = []
    chunks = 0
    async for event in agent.run_events("1 + 2?"):
        stream = writer.feed(event)
        chunks += len(list(items(stream)))
        again += [e.output for item in stream for e in reader.feed(item) if isinstance(e, OutputEnd)]
    assert chunks > 20
    assert [output.message.role for output in again] == ["assistant", "tool", "assistant"]
    assert [output.message.text for output in again[::2]] == [message.text for message in agent.history[1::2]]


@pytest.mark.feature("3.50")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_all_types_are_in_one_module_and_each_provider_has_its_form_of_a_tool(provider: str) -> None:
    assert {name for _, name, _ in FIELDS} <= set(foundation.__all__)
    schema = scheme.object().required("q", scheme.string()).build()
    declared = ToolDeclarations(tools=[SingleCommand(ToolDefinition("search", "Look.", Args(schema)))])
    request = to_request(ModelInteraction(tools_shed=declared, messages=[user("Hi")]), ModelParams(), "m")
    (spec,) = to_specs(declared)
    assert (spec.name, spec.description, spec.parameters) == ("search", "Look.", schema)
    protocol = {"openai": "openai-chat"}.get(provider, provider)
    (tool,) = get_protocol(protocol).encode(request).body["tools"]
    named = {
        "openai": lambda: (tool["type"], tool["function"]["name"]),
        "anthropic": lambda: ("input_schema" in tool, tool["name"]),
        "gemini": lambda: ("functionDeclarations" in tool, tool["functionDeclarations"][0]["name"]),
    }[provider]()
    assert named[1] == "search" and named[0]


@pytest.mark.feature("3.16", "3.19")
def test_there_is_thinking_and_no_refusal_among_the_outputs() -> None:
    kinds = {kind.__name__ for kind in get_args(foundation.ModelOutput)}
    assert kinds == {"TextContent", "ImageContent", "ThinkingContent", "ToolCall", "Embedding"}
    assert ThinkingContent("hm", "sig").signature == "sig"
