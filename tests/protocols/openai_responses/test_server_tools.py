from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.parts import EmbeddedImage, ImagePart, RawPart, ServerToolPart
from streamkit.protocols.openai_responses.server_tools import IN_ONE_ITEM, read_announced, read_item

PNG = "iVBORw=="
CASES: list[tuple[str, dict[str, Any], Any]] = [
    ("a search", {"type": "web_search_call", "id": "a"}, ("result", "a", "web_search")),
    ("a list of tools", {"type": "mcp_list_tools", "id": "a"}, ("result", "a", "mcp_list_tools")),
    ("an MCP call", {"type": "mcp_call", "id": "a", "name": "ask"}, ("result", "a", "ask")),
    ("an MCP call without a name", {"type": "mcp_call", "id": "a"}, ("result", "a", "mcp")),
    (
        "an image that failed",
        {"type": "image_generation_call", "id": "a", "result": None},
        ("result", "a", "image_generation"),
    ),
    (
        "an image that is none",
        {"type": "image_generation_call", "id": "a", "result": "!"},
        ("result", "a", "image_generation"),
    ),
    ("a local shell", {"type": "local_shell_call", "id": "a", "call_id": "c"}, ("call", "c", "local_shell")),
    ("a computer", {"type": "computer_call", "id": "a", "call_id": "c"}, ("call", "c", "computer")),
    ("a search for tools", {"type": "tool_search_call", "id": "a", "call_id": None}, ("call", "a", "tool_search")),
    (
        "tools that were found",
        {"type": "tool_search_output", "id": "a", "call_id": None},
        ("result", "a", "tool_search"),
    ),
    ("the output of a shell", {"type": "shell_call_output", "id": "a", "call_id": "c"}, ("result", "c", "shell")),
]


@pytest.mark.parametrize(("raw", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_an_item_is_a_call_or_a_result(raw: dict[str, Any], expected: tuple[Any, str, str]) -> None:
    assert read_item(raw["type"], raw) == (ServerToolPart(*expected, raw), None)


@pytest.mark.parametrize("kind", ["compaction", "mcp_approval_request", "program", "hologram", ""])
def test_any_other_item_stays_as_it_came(kind: str) -> None:
    assert read_item(kind, {"type": kind, "id": "a"}) == (RawPart({"type": kind, "id": "a"}), None)


def test_a_generated_image_is_an_image_beside_what_else_its_item_has() -> None:
    raw = {"type": "image_generation_call", "id": "a", "status": "completed", "result": PNG}
    kept = {"type": "image_generation_call", "id": "a", "status": "completed"}
    assert read_item(raw["type"], raw) == (ImagePart(EmbeddedImage("image/png", b"\x89PNG")), kept)
    jpeg = {**raw, "output_format": "jpeg"}
    assert read_item(raw["type"], jpeg)[0] == ImagePart(EmbeddedImage("image/jpeg", b"\x89PNG"))


@pytest.mark.parametrize("kind", sorted(IN_ONE_ITEM))
def test_an_item_that_will_be_a_result_is_announced_as_a_call(kind: str) -> None:
    raw = {"type": kind, "id": "a"}
    begun = read_announced(kind, raw)
    assert (begun.phase, begun.id, begun.raw) == ("call", "a", raw)
    finished, _ = read_item(kind, {**raw, "id": "b"}, "a")
    assert isinstance(finished, ServerToolPart)
    assert (finished.phase, finished.id, finished.name) == ("result", begun.id, begun.name)


def test_an_id_that_is_no_text_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="id"):
        read_item("web_search_call", {"type": "web_search_call", "id": 5})
