from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from streamkit.interop.agentcore.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    CustomWrapper,
    ImageContent,
    TextContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UsageCost,
    UserMessage,
)

USAGE = Usage(100, 50, 0, 0, 150, UsageCost(0.001, 0.002, 0.0, 0.0, 0.003))
CALL = ToolCall("tc_123", "bash", {"command": "ls -la", "timeout": 30})
KINDS: list[tuple[str, AgentMessage]] = [
    ("user", UserMessage([TextContent("Analyse this"), ImageContent("aGk=", "image/png")], 5)),
    ("assistant", AssistantMessage([TextContent("I'll look."), CALL], "openai", "openai", "gpt-4", USAGE, "done")),
    ("toolResult", ToolResultMessage("tc_123", "bash", [TextContent("a")], {"code": 0}, USAGE, ["read"], True, 7)),
    ("custom", BashExecutionMessage("ls", "a\n", 0, full_output_path="/out", timestamp=5)),
    ("compactionSummary", CompactionSummaryMessage("so far", 15000, 5)),
    ("branchSummary", BranchSummaryMessage("a branch", "m1", 5)),
    ("custom", CustomMessage("note", [TextContent("a")], False, {"x": 1}, 5)),
]


@pytest.mark.feature("4.4", "4.6", "4.7", "4.8", "4.9", "4.10", "4.11", "4.13")
@pytest.mark.parametrize(("role", "message"), KINDS, ids=[type(case[1]).__name__ for case in KINDS])
def test_a_message_has_its_role_and_is_decoded_as_it_was(role: str, message: AgentMessage) -> None:
    assert message.role == role
    assert msgspec.json.decode(msgspec.json.encode(message), type=AgentMessage) == message


@pytest.mark.feature("4.12")
def test_a_wrapper_is_decoded_with_the_message_in_it() -> None:
    wrapper = CustomWrapper(UserMessage([TextContent("a")]), "note")
    assert msgspec.json.decode(msgspec.json.encode(wrapper), type=AgentMessage) == wrapper
    assert {type(message) for _, message in KINDS} | {CustomWrapper} == set(get_args(AgentMessage))


@pytest.mark.feature("4.5")
def test_a_call_is_a_tool_with_what_came_of_its_arguments() -> None:
    assert CALL.type == "tool"
    partial = ToolCall("c", "f", partial_json='{"x": ')
    assert msgspec.json.decode(msgspec.json.encode(partial), type=ToolCall) == partial


@pytest.mark.feature("4.9", "4.43")
def test_what_a_model_sees_cannot_be_changed_and_what_an_application_keeps_can() -> None:
    message = KINDS[0][1]
    with pytest.raises(AttributeError):
        message.timestamp = 6
    bash = BashExecutionMessage("ls")
    bash.output = "a"
    assert bash.output == "a"
