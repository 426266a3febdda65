"""The kinds of message that come with streamkit, and what a model sees of each.

A `timestamp` is in ms since 1970.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from streamkit.custom.registry import Told, register_message
from streamkit.parts import Part, as_part

__all__ = [
    "BRANCH_PREFIX",
    "BRANCH_SUFFIX",
    "COMPACTION_PREFIX",
    "COMPACTION_SUFFIX",
    "BashExecution",
    "BranchSummary",
    "CompactionSummary",
    "CustomContent",
    "bash_text",
]

_TICKS = re.compile("`+")  # in an output, which ends only where its fence does

# What tells the model that a text is a summary; the suffix of a branch begins on the summary's last line.
COMPACTION_PREFIX = "What was said before this point has been summed up:\n\n<summary>\n"
COMPACTION_SUFFIX = "\n</summary>"
BRANCH_PREFIX = "Another branch of this conversation, which was left, has been summed up:\n\n<summary>\n"
BRANCH_SUFFIX = "</summary>"


class BashExecution(Struct, frozen=True, omit_defaults=True):
    """A command that the user ran; `exclude_from_context` keeps it from the model.

    `exit_code` is None where the command did not end by itself. Where the output was cut (`truncated`), all of it is at
    `full_output_path`, if it was kept.
    """

    command: str
    output: str = ""
    exit_code: int | None = None
    cancelled: bool = False
    truncated: bool = False
    full_output_path: str | None = None
    exclude_from_context: bool = False
    timestamp: int | None = None


class CompactionSummary(Struct, frozen=True, omit_defaults=True):
    """What stands for the history before it, which was too long: it took `tokens_before`."""

    summary: str
    tokens_before: int = 0
    timestamp: int | None = None


class BranchSummary(Struct, frozen=True, omit_defaults=True):
    """What stands for a branch of the conversation that was left; it began at `from_id`."""

    summary: str
    from_id: str = ""
    timestamp: int | None = None


class CustomContent(Struct, frozen=True, omit_defaults=True):
    """Text or parts of an application's own, which the model sees as the user's.

    `custom_type` is the application's word for it, `display` says whether a user is to see it, and `details`, any JSON
    value, is for the application alone.
    """

    custom_type: str
    if TYPE_CHECKING:
        content: str | list[Part]
    else:  # decoded as plain data and converted below, since an unknown tag must not be an error
        content: Any
    display: bool = True
    details: Any = None
    timestamp: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.content, str):
            structs.force_setattr(self, "content", [as_part(part) for part in self.content])


def bash_text(execution: BashExecution) -> str:
    """Return what the model is told of a command."""
    text = f"Ran `{execution.command}`\n"
    if execution.output:
        fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(execution.output)), default=0))
        end = "" if execution.output.endswith("\n") else "\n"
        text += f"{fence}\n{execution.output}{end}{fence}\n"
    else:
        text += "(no output)\n"
    if execution.cancelled:
        text += "(cancelled)\n"
    elif execution.exit_code:
        text += f"Exit code: {execution.exit_code}\n"
    if execution.truncated and execution.full_output_path:
        text += f"The output was cut; all of it is in {execution.full_output_path}\n"
    return text


def _bash(execution: BashExecution) -> Told:
    return None if execution.exclude_from_context else bash_text(execution)


def _compaction(compaction: CompactionSummary) -> Told:
    return f"{COMPACTION_PREFIX}{compaction.summary}{COMPACTION_SUFFIX}"


def _branch(branch: BranchSummary) -> Told:
    return f"{BRANCH_PREFIX}{branch.summary}{BRANCH_SUFFIX}"


def _content(custom: CustomContent) -> Told:
    return custom.content


register_message(BashExecution, _bash)
register_message(CompactionSummary, _compaction)
register_message(BranchSummary, _branch)
register_message(CustomContent, _content)
