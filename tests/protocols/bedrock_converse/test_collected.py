"""Blocks that go out whole."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from streamkit.errors import ProtocolError
from streamkit.limits import Limits
from streamkit.parts import EmbeddedImage, FilePart, ImagePart, Part, RawPart, ServerToolPart
from streamkit.protocols.bedrock_converse.collected import Collected

BEGUN = {"toolUseId": "s", "name": "n", "type": "server_tool_use"}


def server_call(**more: Any) -> ServerToolPart:
    return ServerToolPart("call", "s", "n", {"toolUse": BEGUN | more})


CASES: list[tuple[str, str, dict[str, Any], list[Any], Part]] = [
    ("a call", "toolUse", BEGUN, ['{"a":', "1}"], server_call(input={"a": 1})),
    ("a call without input", "toolUse", BEGUN, ["", " "], server_call(input={})),
    ("a call with its input at once", "toolUse", BEGUN | {"input": {"a": 1}}, [], server_call(input={"a": 1})),
    ("a call cut short", "toolUse", BEGUN, ['{"a":'], server_call(input='{"a":')),
    ("a call with half a character", "toolUse", BEGUN, ['{"a":"\\ud83d"}'], server_call(input={"a": "\ufffd"})),
    (
        "a result of an unknown call",
        "toolResult",
        {"toolUseId": "x", "type": "nova_grounding_result"},
        [[{"text": "a"}], [{"text": "b"}]],
        ServerToolPart(
            "result",
            "x",
            "nova_grounding",
            {
                "toolResult": {
                    "toolUseId": "x",
                    "type": "nova_grounding_result",
                    "content": [{"text": "a"}, {"text": "b"}],
                }
            },
        ),
    ),
    (
        "an image at once",
        "image",
        {"format": "png", "source": {"bytes": "AAE="}},
        [],
        ImagePart(EmbeddedImage("image/png", b"\x00\x01")),
    ),
    (
        "an image on S3",
        "image",
        {"format": "png"},
        [{"source": {"s3Location": {"uri": "s3://b/a"}}}],
        FilePart("image/png", url="s3://b/a"),
    ),
    (
        "an image that failed",
        "image",
        {"format": "png"},
        [{"error": {"message": "no"}}],
        RawPart({"image": {"format": "png", "error": {"message": "no"}}}),
    ),
]


@pytest.mark.parametrize(
    ("kind", "begun", "pieces", "part"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_what_came_is_one_part(kind: str, begun: dict[str, Any], pieces: list[Any], part: Part) -> None:
    block = Collected(kind, begun, Limits(), {})
    for piece in pieces:
        block.take(kind, piece)
    assert block.part() == part
    assert msgspec.json.encode(block.part())


def test_a_result_has_the_name_of_its_call() -> None:
    names: dict[str, str] = {}
    Collected("toolUse", BEGUN, Limits(), names)
    part = Collected("toolResult", {"toolUseId": "s"}, Limits(), names).part()
    assert part == ServerToolPart("result", "s", "n", {"toolResult": {"toolUseId": "s", "content": []}})


def test_what_is_too_long_or_no_base64_is_refused() -> None:
    image = Collected("image", {"format": "png"}, Limits(max_event_bytes=5), {})
    image.take("image", {"source": {"bytes": "?"}})
    with pytest.raises(ProtocolError, match="base64"):
        image.part()
    with pytest.raises(ProtocolError, match="max_event_bytes"):
        image.take("image", {"source": {"bytes": "AAECAw=="}})
    with pytest.raises(msgspec.ValidationError):
        image.take("toolResult", [])
