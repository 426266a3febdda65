from __future__ import annotations

import pytest
from msgspec import Struct

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
    BRANCH_SUMMARY_PREFIX,
    BRANCH_SUMMARY_SUFFIX,
    COMPACTION_SUMMARY_PREFIX,
    COMPACTION_SUMMARY_SUFFIX,
    bash_text,
    convert_message,
    convert_to_llm,
    normalize_prompt,
)

HELLO = UserMessage([TextContent("Hello")], 1)
ANSWER = AssistantMessage([TextContent("Hi")], timestamp=2)
RESULT = ToolResultMessage("c", "f", [TextContent("a")])


@pytest.mark.feature("4.12", "4.13", "4.31", "4.33", "4.34")
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
        UserMessage([TextContent(f"{COMPACTION_SUMMARY_PREFIX}shorter{COMPACTION_SUMMARY_SUFFIX}")], 4),
        UserMessage([TextContent(f"{BRANCH_SUMMARY_PREFIX}aside{BRANCH_SUMMARY_SUFFIX}")], 5),
        UserMessage([TextContent("Some content")], 6),
        UserMessage([ImageContent("aGk=", "image/png")], 7),
        RESULT,
    ]
    assert converted[0] is HELLO
    assert converted[1] is ANSWER
    assert converted[-1] is RESULT


@pytest.mark.feature("4.33")
@pytest.mark.parametrize("text", [COMPACTION_SUMMARY_PREFIX, BRANCH_SUMMARY_PREFIX])
def test_a_summary_is_marked_as_one(text: str) -> None:
    assert text.endswith("<summary>\n")


COMMANDS = [
    (BashExecutionMessage("ls", "a"), "Ran `ls`\n```\na\n```\n"),
    (BashExecutionMessage("ls", "a\n"), "Ran `ls`\n```\na\n```\n"),
    (BashExecutionMessage("true"), "Ran `true`\n(no output)\n"),
    (BashExecutionMessage("false", exit_code=1), "Ran `false`\n(no output)\nExit code: 1\n"),
    (BashExecutionMessage("sleep", exit_code=1, cancelled=True), "Ran `sleep`\n(no output)\n(cancelled)\n"),
    (
        BashExecutionMessage("cat", "a", 0, truncated=True, full_output_path="/out"),
        "Ran `cat`\n```\na\n```\nThe output was cut; all of it is in /out\n",
    ),
]


@pytest.mark.feature("4.32")
@pytest.mark.parametrize(("message", "text"), COMMANDS)
def test_a_command_is_told_with_what_came_of_it(message: BashExecutionMessage, text: str) -> None:
    assert bash_text(message) == text


class Poll(Struct):
    question: str
    is_open: bool = True


@pytest.mark.feature("4.14", "4.31")
def test_an_application_registers_a_kind_of_its_own() -> None:
    with pytest.raises(ConfigError, match="no converter for a Poll"):
        convert_to_llm([Poll("Tea?")])

    @convert_message.register
    def _(message: Poll) -> UserMessage | None:
        return UserMessage([TextContent(f"Poll: {message.question}")]) if message.is_open else None

    assert convert_to_llm([Poll("Tea?"), HELLO, Poll("Old?", is_open=False)]) == [
        UserMessage([TextContent("Poll: Tea?")]),
        HELLO,
    ]


@pytest.mark.feature("4.35")
@pytest.mark.parametrize(
    ("prompt", "messages"),
    [("Hello", [UserMessage([TextContent("Hello")], 9)]), (HELLO, [HELLO]), ([HELLO, RESULT], [HELLO, RESULT])],
)
def test_a_prompt_is_a_list_of_messages(
    prompt: str | AgentMessage | list[AgentMessage], messages: list[AgentMessage]
) -> None:
    assert normalize_prompt(prompt, 9) == messages
