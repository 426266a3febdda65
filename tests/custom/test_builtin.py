"""The kinds of message that come with streamkit."""

from __future__ import annotations

import pytest
from msgspec import Struct

from streamkit.custom import (
    BashExecution,
    BranchSummary,
    CompactionSummary,
    CustomContent,
    custom_message,
    custom_value,
)
from streamkit.custom.builtin import (
    BRANCH_PREFIX,
    BRANCH_SUFFIX,
    COMPACTION_PREFIX,
    COMPACTION_SUFFIX,
    bash_text,
)
from streamkit.custom.conversion import to_llm
from streamkit.messages import Message, Meta
from streamkit.parts import EmbeddedImage, ImagePart, RawPart, TextPart

COMMANDS = [
    (BashExecution("ls", "a"), "Ran `ls`\n```\na\n```\n"),
    (BashExecution("ls", "a\n", 0), "Ran `ls`\n```\na\n```\n"),
    (BashExecution("true"), "Ran `true`\n(no output)\n"),
    (BashExecution("false", exit_code=1), "Ran `false`\n(no output)\nExit code: 1\n"),
    (BashExecution("sleep", "a", -9), "Ran `sleep`\n```\na\n```\nExit code: -9\n"),
    (BashExecution("sleep", exit_code=1, cancelled=True), "Ran `sleep`\n(no output)\n(cancelled)\n"),
    (
        BashExecution("cat", "a", 0, truncated=True, full_output_path="/out"),
        "Ran `cat`\n```\na\n```\nThe output was cut; all of it is in /out\n",
    ),
    (BashExecution("cat", "a", full_output_path="/out"), "Ran `cat`\n```\na\n```\n"),
    (BashExecution("cat", "a `b`"), "Ran `cat`\n```\na `b`\n```\n"),
    (BashExecution("cat", "```\nend\n````"), "Ran `cat`\n`````\n```\nend\n````\n`````\n"),
]


@pytest.mark.feature("4.32")
@pytest.mark.parametrize(("execution", "text"), COMMANDS)
def test_a_command_is_told_with_what_came_of_it(execution: BashExecution, text: str) -> None:
    assert bash_text(execution) == text


PICTURE = ImagePart(EmbeddedImage("image/png", b"\x89PNG"))
SEEN: list[tuple[Struct, list[TextPart | ImagePart]]] = [
    (BashExecution("ls", "a"), [TextPart("Ran `ls`\n```\na\n```\n")]),
    (CompactionSummary("short", 1000), [TextPart(f"{COMPACTION_PREFIX}short{COMPACTION_SUFFIX}")]),
    (BranchSummary("aside", "m1"), [TextPart(f"{BRANCH_PREFIX}aside{BRANCH_SUFFIX}")]),
    (CustomContent("note", "Some words"), [TextPart("Some words")]),
    (CustomContent("note", "hidden from the user", display=False), [TextPart("hidden from the user")]),
    (CustomContent("note", [PICTURE, TextPart("this")], details={"x": 1}), [PICTURE, TextPart("this")]),
    (CustomContent("note", []), []),
]


@pytest.mark.feature("4.33", "4.34")
@pytest.mark.parametrize(("value", "contents"), SEEN)
def test_a_model_sees_a_kind_that_is_built_in(value: Struct, contents: list[TextPart | ImagePart]) -> None:
    assert to_llm(custom_message(value)) == Message("user", [*contents])


def test_a_summary_stands_in_tags_of_its_own_after_words_that_say_what_it_is() -> None:
    for prefix, suffix in ((COMPACTION_PREFIX, COMPACTION_SUFFIX), (BRANCH_PREFIX, BRANCH_SUFFIX)):
        assert prefix.endswith(":\n\n<summary>\n")
        assert suffix.strip() == "</summary>"


@pytest.mark.feature("4.32")
def test_a_model_does_not_see_a_command_that_is_kept_from_it() -> None:
    assert to_llm(custom_message(BashExecution("env", "SECRET=1", exclude_from_context=True))) is None


TIMED = [
    BashExecution("ls", timestamp=5),
    CompactionSummary("a", timestamp=5),
    BranchSummary("a", timestamp=5),
    CustomContent("a", "b", timestamp=5),
]


@pytest.mark.parametrize("value", TIMED, ids=lambda value: type(value).__name__)
def test_what_the_model_sees_has_the_time_of_the_message(value: Struct) -> None:
    message = custom_message(value)
    assert custom_value(message) == value
    seen = to_llm(message)
    assert seen is not None
    assert seen.meta == Meta(timestamp=5)


def test_content_takes_parts_as_dicts_and_keeps_those_that_nobody_knows() -> None:
    value = CustomContent("note", [{"type": "text", "text": "a"}, {"type": "odd", "x": 1}])
    assert value.content == [TextPart("a"), RawPart({"type": "odd", "x": 1})]
    assert custom_value(custom_message(value)) == value
