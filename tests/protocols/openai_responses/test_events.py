from __future__ import annotations

import pytest

from streamkit.protocols.openai_responses.events import PARTS, WHOLE, is_progress


@pytest.mark.parametrize(
    "kind",
    [
        "response.web_search_call.searching",
        "response.file_search_call.completed",
        "response.code_interpreter_call_code.delta",
        "response.image_generation_call.partial_image",
        "response.mcp_list_tools.failed",
        "response.shell_call_output_content.done",
        "response.apply_patch_call_operation_diff.delta",
        "response.compaction.compacting",
        "response.audio.transcript.done",
    ],
)
def test_progress_may_be_left_out(kind: str) -> None:
    assert is_progress(kind)


@pytest.mark.parametrize(
    "kind",
    ["", "response.web_search_call", "response.web_search_call.found", "response.output_text.delta", "web_search_call"],
)
def test_all_else_is_no_progress(kind: str) -> None:
    assert not is_progress(kind)


def test_what_has_all_of_a_text_is_told_by_the_event_of_its_pieces() -> None:
    assert {kind.removesuffix(".done") for kind in WHOLE} == {
        event.removesuffix(".delta") for event, _ in WHOLE.values()
    }
    assert {event for event, _ in PARTS.values()} < {event for event, _ in WHOLE.values()}
    assert not any(map(is_progress, [*WHOLE, *(event for event, _ in WHOLE.values())]))
