"""Events of a Responses stream that say only how far a server's tool is.

What a tool was given and what it gave stands in its item, which comes whole at its end; these say nothing that it does
not. Names by the types of the `openai` package 3.57.0 and recordings, checked 2026-11-29.
"""

from __future__ import annotations

__all__ = ["is_progress"]

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
