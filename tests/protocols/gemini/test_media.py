"""Parts that are neither text nor calls."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.errors import ProtocolError
from streamkit.parts import AudioPart, EmbeddedImage, FilePart, ImagePart, ImageUrl, Part, RawPart, ServerToolPart
from streamkit.protocols.gemini.media import ServerTools, read_part


def inline(mime_type: str, data: str = "AQI=", **more: str) -> dict[str, Any]:
    return {"inlineData": {"mimeType": mime_type, "data": data, **more}}


CASES: list[tuple[str, dict[str, Any], Part]] = [
    ("an image", inline("image/png"), ImagePart(EmbeddedImage("image/png", b"\x01\x02"))),
    ("sound", inline("audio/wav"), AudioPart(b"\x01\x02", format="audio/wav")),
    ("a file", inline("text/csv", displayName="a.csv"), FilePart("text/csv", b"\x01\x02", name="a.csv")),
    ("a file of no type", {"inlineData": {"data": "AQI="}}, FilePart(None, b"\x01\x02")),
    ("an image elsewhere", {"fileData": {"mimeType": "image/png", "fileUri": "gs://a"}}, ImagePart(ImageUrl("gs://a"))),
    ("a file elsewhere", {"fileData": {"fileUri": "gs://a", "displayName": "n"}}, FilePart(url="gs://a", name="n")),
    ("another kind", {"x": 1}, RawPart({"x": 1})),
    ("an empty one of a known kind", {"inlineData": {}}, RawPart({"inlineData": {}})),
]


@pytest.mark.parametrize(("raw", "part"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_a_part_is_read(raw: dict[str, Any], part: Part) -> None:
    assert read_part(raw) == part


def test_data_that_are_not_base64_are_an_error() -> None:
    with pytest.raises(ProtocolError, match="not base64"):
        read_part(inline("image/png", "a*"))


def test_a_result_without_an_id_belongs_to_the_call_before_it() -> None:
    tools = ServerTools()
    parts: list[dict[str, Any]] = [
        {"executableCode": {"code": "1"}},
        {"codeExecutionResult": {"output": "1"}},
        {"executableCode": {"code": "2", "id": "x"}},
        {"toolCall": {"toolType": "URL_CONTEXT"}},
        {"toolResponse": {}},
    ]
    assert [tools.read(part) for part in parts] == [
        ServerToolPart("call", "code_execution_1", "code_execution", parts[0]),
        ServerToolPart("result", "code_execution_1", "code_execution", parts[1]),
        ServerToolPart("call", "x", "code_execution", parts[2]),
        ServerToolPart("call", "URL_CONTEXT_3", "URL_CONTEXT", parts[3]),
        ServerToolPart("result", "server_tool_3", "server_tool", parts[4]),
    ]
    assert tools.read({"text": "a"}) is None
