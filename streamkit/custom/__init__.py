"""Messages of an application's own in a conversation, and what the model sees of them."""

from streamkit.custom.builtin import BashExecution, BranchSummary, CompactionSummary, CustomContent
from streamkit.custom.conversion import convert_to_llm
from streamkit.custom.registry import custom_message, custom_value, register_message

__all__ = [
    "BashExecution",
    "BranchSummary",
    "CompactionSummary",
    "CustomContent",
    "convert_to_llm",
    "custom_message",
    "custom_value",
    "register_message",
]
