"""A folder of streams and a request for each vendor: what it sends is read, and what it takes is sent.

`streams/VENDOR` holds bodies as that vendor streams them, each beside what it must be read as in JSON (`CASE.json`),
and `request.json`, what one request of ours becomes there. All are written by hand from what the vendor documents.
"""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec import structs

from streamkit import Client, ImagePart, Message, Quirks, providers, register_provider
from streamkit.endpoint import Endpoint
from streamkit.errors import UnsupportedParameterWarning
from streamkit.parts import EmbeddedImage, FunctionCall, FunctionPart, TextPart
from streamkit.protocols import Request, ToolSpec
from streamkit.providers import PROVIDERS, Provider, get_provider
from streamkit.testing import ReplayServer
from streamkit.testing.chunking import bytewise, splits, whole
from streamkit.testing.outcome import numbered_ids, read_pieces

STREAMS = Path(__file__).parent / "streams"
FRAMINGS = {".ndjson": "ndjson", ".eventstream": "aws-eventstream"}

WEATHER = ToolSpec(
    name="get_weather",
    description="The weather in a city.",
    parameters={"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    strict=True,
)
TALK = [
    Message("system", "Be brief."),
    Message("user", "Where is this, and how warm is it?"),
    Message(
        "assistant",
        thinking="A fjord.",
        tool_calls=[FunctionPart("call_1", FunctionCall("get_weather", {"city": "Oslo"}))],
    ),
    Message("tool", "12 °C", id="call_1"),
    Message("user", "And tomorrow?"),
]
PICTURE = ImagePart(EmbeddedImage("image/png", b"\x89PNG"))
SAMPLING: dict[str, Any] = {"max_tokens": 512, "temperature": 0.5, "top_p": 0.9, "seed": 7, "stop": ["END"]}
TALKING: dict[str, Any] = {**SAMPLING, "tools": [WEATHER], "tool_choice": "required", "thinking": "high"}
# What is asked: a talk with all that there is; one without the picture; one for Claude, which takes no other choice and
# no temperature while it thinks; and a mere text to go on with.
ASKED: dict[str, dict[str, Any]] = {
    "talk": {
        **TALKING,
        "messages": [TALK[0], Message("user", [TextPart("Where is this, and how warm is it?"), PICTURE]), *TALK[2:]],
    },
    "text": {**TALKING, "messages": TALK},
    "claude": {**TALKING, "messages": TALK, "tool_choice": "auto", "temperature": None, "top_p": None},
    "prompt": {**SAMPLING, "messages": [Message("user", "Once upon a time")]},
}

vendors = pytest.mark.parametrize("vendor", PROVIDERS)


def bodies(folder: Path) -> list[Path]:
    """The recorded bodies of a folder."""
    return sorted(path for path in folder.iterdir() if path.suffix != ".json")


def read_body(row: Provider, path: Path, pieces: list[bytes], options: dict[str, Any]) -> dict[str, Any]:
    """What a vendor's parser makes of a body, as plain data."""
    framing = FRAMINGS.get(path.suffix)
    outcome = read_pieces(pieces, row.parser(mint=numbered_ids(), framing=framing, **options))
    said: dict[str, Any] = {"outputs": outcome.outputs, "heartbeats": outcome.heartbeats}
    if outcome.error is not None:
        names = ("kind", "message", "says", "code", "type", "retryable")
        said["error"] = {name: outcome.error[name] for name in names if outcome.error.get(name) is not None}
        if "message" in said["error"]:
            del said["error"]["says"]
    plain: dict[str, Any] = json.loads(msgspec.json.encode(said))
    return plain


def check_streams(row: Provider, folder: Path) -> None:
    """Each body of a folder is read as it should be, in every cut."""
    for path in bodies(folder):
        expected = json.loads(path.with_suffix(".json").read_text())
        options = expected.pop("options", {})
        data = path.read_bytes()
        for pieces in (whole(data), bytewise(data), *splits(data, seed=len(data), count=2)):
            assert read_body(row, path, pieces, options) == expected, path.name


def check_request(row: Provider, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The request of a folder goes where it should, with what it should."""
    expected = json.loads((folder / "request.json").read_text())
    assert request_of(row, expected["asked"], monkeypatch) == expected


def request_of(row: Provider, asked: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    for names in re.findall(r"\{([A-Z0-9_,]+)", row.base_url + row.prefix):
        monkeypatch.setenv(names.split(",")[0], "here")
    if row.env_base_url:
        monkeypatch.delenv(row.env_base_url, raising=False)
    request = Request(model="some-model", provider=row.name, **ASKED[asked])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        encoded = row.get_protocol().encode(request, row.quirks)
    assert {warning.category for warning in caught} <= {UnsupportedParameterWarning}
    endpoint = Endpoint(row, api_key="KEY", base_url=None if row.base_url else "https://your.own")
    headers = {name: bytes(value).decode() for name, value in endpoint.headers(encoded).items()}
    body = json.loads(msgspec.json.encode(encoded.body))
    warned = [str(warning.message) for warning in caught]
    return {"asked": asked, "url": endpoint.url(encoded), "headers": headers, "body": body, "warned": warned}


# An invented vendor: its row, and a folder of its own making.
ACME = Provider(
    name="acme",
    protocol="openai-chat",
    base_url="https://api.acme.example/v1",
    key_variable="ACME_API_KEY",
    quirks=Quirks(max_tokens_field="max_tokens", think_tags=True, tool_choices=("auto",), image_urls=False),
)


def write_folder(folder: Path, row: Provider, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the folder of a vendor from one body that it sent."""
    folder.mkdir()
    chunks = [{"content": piece} for piece in ("<think>Fjord", ".</think>", "Twelve degrees.")]
    records = [{"id": "a-1", "model": "large", "choices": [{"index": 0, "delta": chunk}]} for chunk in chunks]
    records[-1]["choices"][0]["finish_reason"] = "stop"
    body = b"".join(b"data: " + msgspec.json.encode(record) + b"\n\n" for record in records)
    (folder / "tags.sse").write_bytes(body)
    (folder / "tags.json").write_text(json.dumps(read_body(row, folder / "tags.sse", [body], {})))
    (folder / "request.json").write_text(json.dumps(request_of(row, "talk", monkeypatch)))


@vendors
def test_a_vendors_streams_are_read(vendor: str) -> None:
    folder = STREAMS / vendor
    assert bodies(folder), f"{folder} holds no body"
    check_streams(get_provider(vendor), folder)


@vendors
def test_a_request_is_worded_as_the_vendor_takes_it(vendor: str, monkeypatch: pytest.MonkeyPatch) -> None:
    check_request(get_provider(vendor), STREAMS / vendor, monkeypatch)


def test_every_folder_is_a_vendors_and_every_expectation_a_bodys() -> None:
    assert {path.name for path in STREAMS.iterdir()} == set(PROVIDERS)
    for folder in STREAMS.iterdir():
        expectations = {path.stem for path in folder.glob("*.json")} - {"request"}
        assert expectations == {path.stem for path in bodies(folder)}, folder.name


async def test_a_new_vendor_is_a_row_and_a_folder_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(providers, "_registered", {})
    register_provider(ACME)
    row, folder = get_provider("acme"), tmp_path / "acme"
    write_folder(folder, row, monkeypatch)
    check_streams(row, folder)
    check_request(row, folder, monkeypatch)
    output = json.loads((folder / "tags.json").read_text())["outputs"][0]
    assert (output["message"]["thinking"], output["message"]["contents"][0]["text"]) == ("Fjord.", "Twelve degrees.")
    async with ReplayServer((folder / "tags.sse").read_bytes()) as server:
        async with Client("acme/large", api_key="KEY", base_url=server.url) as client:
            async with client.stream("How warm is it?", max_tokens=9) as stream:
                assert [delta async for delta in stream]
    assert (stream.output.provider, stream.output.message.text) == ("acme", "Twelve degrees.")
    assert server.requests[0].headers["authorization"] == "Bearer KEY"
    assert server.requests[0].json["max_tokens"] == 9


@pytest.mark.parametrize("wrong", ["tags.json", "request.json"])
def test_a_folder_that_does_not_fit_its_row_fails(wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "acme"
    write_folder(folder, ACME, monkeypatch)
    row = structs.replace(ACME, quirks=Quirks())
    with pytest.raises(AssertionError):
        if wrong == "tags.json":
            check_streams(row, folder)
        else:
            check_request(row, folder, monkeypatch)
