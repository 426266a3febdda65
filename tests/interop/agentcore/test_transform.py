from __future__ import annotations

import pytest
from msgspec import Struct

from streamkit.custom import register_message
from streamkit.custom.builtin import BRANCH_PREFIX, BRANCH_SUFFIX, COMPACTION_PREFIX, COMPACTION_SUFFIX
from streamkit.errors import ConfigError
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
    ToolResultMessage,
    UserMessage,
)
from streamkit.interop.agentcore.transform import (
    convert_message,
    convert_to_llm,
    normalize_prompt,
)

HELLO = UserMessage([TextContent("Hello")], 1)
ANSWER = AssistantMessage([TextContent("Hi")], timestamp=2)
RESULT = ToolResultMessage("c", "f", [TextContent("a")])


@pytest.mark.feature("4.12", "4.13", "4.31", "4.32", "4.33", "4.34")
def test_messages_of_a_model_go_through_and_others_become_the_users_in_order() -> None:
    converted = convert_to_llm(
        [
            HELLO,
            ANSWER,
            BashExecutionMessage("ls -la", "file1.md\nfile2.md\n", 0, timestamp=3),
            BashExecutionMessage("env", "SECRET=1", exclude_from_context=True),
            CompactionSummaryMessage("shorter", 1000, 4),
            CustomWrapper(HELLO, "note"),
            BranchSummaryMessage("aside", "m1", 5),
            CustomMessage("note", "Some content", timestamp=6),
            CustomMessage("note", [ImageContent("aGk=", "image/png")], timestamp=7),
            RESULT,
        ]
    )
    assert converted == [
        HELLO,
        ANSWER,
        UserMessage([TextContent("Ran `ls -la`\n```\nfile1.md\nfile2.md\n```\n")], 3),
        UserMessage([TextContent(f"{COMPACTION_PREFIX}shorter{COMPACTION_SUFFIX}")], 4),
        UserMessage([TextContent(f"{BRANCH_PREFIX}aside{BRANCH_SUFFIX}")], 5),
        UserMessage([TextContent("Some content")], 6),
        UserMessage([ImageContent("aGk=", "image/png")], 7),
        RESULT,
    ]
    assert converted[0] is HELLO
    assert converted[1] is ANSWER
    assert converted[-1] is RESULT


class Poll(Struct):
    question: str
    is_open: bool = True


@pytest.mark.feature("4.14", "4.31")
def test_an_application_registers_a_kind_of_its_own() -> None:
    with pytest.raises(ConfigError, match="Poll is no kind of message"):
        convert_to_llm([Poll("Tea?")])
    register_message(Poll, lambda poll: f"Poll: {poll.question}" if poll.is_open else None)
    assert convert_to_llm([Poll("Tea?"), HELLO, Poll("Old?", is_open=False)]) == [
        UserMessage([TextContent("Poll: Tea?")]),
        HELLO,
    ]
    assert convert_message(Poll("Old?", is_open=False)) is None


@pytest.mark.feature("4.35")
@pytest.mark.parametrize(
    ("prompt", "messages"),
    [("Hello", [UserMessage([TextContent("Hello")], 9)]), (HELLO, [HELLO]), ([HELLO, RESULT], [HELLO, RESULT])],
)
def test_a_prompt_is_a_list_of_messages(
    prompt: str | AgentMessage | list[AgentMessage], messages: list[AgentMessage]
) -> None:
    assert normalize_prompt(prompt, 9) == messages
