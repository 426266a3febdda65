"""The names of the events of a Responses stream that hold text, and of those that say nothing of their own.

By the types of the `openai` package 3.57.0 and recordings, checked 2026-11-29.
"""

from __future__ import annotations

__all__ = ["ARGUMENTS", "INPUT", "PARTS", "REASONING", "REFUSAL", "SUMMARY", "TEXT", "WHOLE", "is_progress"]

# The events whose `delta` is a piece of a text.
TEXT = "response.output_text.delta"
REFUSAL = "response.refusal.delta"
REASONING = "response.reasoning_text.delta"
SUMMARY = "response.reasoning_summary_text.delta"
ARGUMENTS = "response.function_call_arguments.delta"
INPUT = "response.custom_tool_call_input.delta"

# The events with all of a text: the event of its pieces, and the field that it stands in.
WHOLE = {
    "response.output_text.done": (TEXT, "text"),
    "response.refusal.done": (REFUSAL, "refusal"),
    "response.reasoning_text.done": (REASONING, "text"),
    "response.reasoning_summary_text.done": (SUMMARY, "text"),
    "response.function_call_arguments.done": (ARGUMENTS, "arguments"),
    "response.custom_tool_call_input.done": (INPUT, "input"),
}

# The parts with all of a text, the same way.
PARTS = {
    "output_text": (TEXT, "text"),
    "refusal": (REFUSAL, "refusal"),
    "reasoning_text": (REASONING, "text"),
    "summary_text": (SUMMARY, "text"),
}

# How far a server's tool is. What it was given and what it gave stands in its item, which comes whole at its end.
_STAGES = {
    "web_search_call": ("in_progress", "searching", "completed"),
    "file_search_call": ("in_progress", "searching", "completed"),
    "code_interpreter_call": ("in_progress", "interpreting", "completed"),
    "code_interpreter_call_code": ("delta", "done"),
    "image_generation_call": ("in_progress", "generating", "partial_image", "completed"),
    "mcp_call": ("in_progress", "completed", "failed"),
    "mcp_call_arguments": ("delta", "done"),
    "mcp_list_tools": ("in_progress", "completed", "failed"),
    "shell_call_command": ("added", "delta", "done"),
    "shell_call_output_content": ("delta", "done"),
    "apply_patch_call_operation_diff": ("delta", "done"),
    "compaction": ("compacting",),
    "audio": ("done",),
    "audio.transcript": ("done",),
}
_EVENTS = frozenset(f"response.{name}.{stage}" for name, stages in _STAGES.items() for stage in stages)


def is_progress(kind: str) -> bool:
    """Whether events of this type may be left out, since what they say comes again."""
    return kind in _EVENTS
