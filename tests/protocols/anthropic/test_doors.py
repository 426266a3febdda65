"""Claude at Bedrock and at Vertex AI: where the model goes, what the body has and what it must not have."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from streamkit.errors import ConfigError, ImageNotEmbedded, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, FilePart, FunctionCall, FunctionPart, ImagePart, ImageUrl, TextPart
from streamkit.protocols import EncodedRequest, Quirks, Request
from streamkit.protocols.anthropic.request import encode_request
from streamkit.providers import get_provider

HI = [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
URL = "https://pictures.example/a.png?sig=s3cret"
DOORS = ("bedrock-anthropic", "vertex-anthropic")


def encode(vendor: str, model: str = "claude", **params: Any) -> EncodedRequest:
    given = {"messages": [Message("user", "hi")], "max_tokens": 9, **params}
    return encode_request(Request(model=model, provider=vendor, **given), get_provider(vendor).quirks)


def test_bedrock_has_the_model_in_the_path_and_streams_by_the_path() -> None:
    encoded = encode("bedrock-anthropic", "us.anthropic.claude-haiku-4-5-20251001-v1:0", temperature=0.5)
    assert encoded.path == "/model/us.anthropic.claude-haiku-4-5-20251001-v1%3A0/invoke-with-response-stream"
    assert encoded.body == {
        "anthropic_version": "bedrock-2023-05-31",
        "max_tokens": 9,
        "messages": HI,
        "temperature": 0.5,
    }
    assert encoded.headers == {
        "accept": "application/vnd.amazon.eventstream",
        "x-amzn-bedrock-accept": "application/json",
    }


def test_vertex_has_the_model_in_the_path_and_streams_by_the_body() -> None:
    encoded = encode("vertex-anthropic", "claude-haiku-4-5@20251001", temperature=0.5)
    assert encoded.path == "/models/claude-haiku-4-5@20251001:streamRawPredict"
    assert encoded.body == {
        "anthropic_version": "vertex-2023-10-16",
        "max_tokens": 9,
        "messages": HI,
        "stream": True,
        "temperature": 0.5,
    }
    assert encoded.headers == {}


ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-haiku-4-5-20251001-v1:0"
PATHS = [
    (
        "bedrock-anthropic",
        ARN,
        f"/model/{quote(ARN, safe='')}/invoke-with-response-stream",
    ),
    ("vertex-anthropic", "a/b;c?d", "/models/a%2Fb%3Bc%3Fd:streamRawPredict"),
]


@pytest.mark.parametrize(("vendor", "model", "path"), PATHS, ids=[case[0] for case in PATHS])
def test_a_models_name_stays_one_segment_of_the_path(vendor: str, model: str, path: str) -> None:
    assert encode(vendor, model).path == path


def test_what_the_caller_says_of_the_body_wins() -> None:
    extra = {"anthropic_version": "bedrock-2099-01-01", "anthropic_beta": ["context-1m"]}
    body = encode("bedrock-anthropic", extra=extra).body
    assert (body["anthropic_version"], body["anthropic_beta"]) == ("bedrock-2099-01-01", ["context-1m"])


def test_the_service_tier_is_a_header_at_bedrock_and_unknown_at_vertex() -> None:
    encoded = encode("bedrock-anthropic", service_tier="flex")
    assert encoded.headers["x-amzn-bedrock-service-tier"] == "flex"
    assert "service_tier" not in encoded.body
    with pytest.warns(UnsupportedParameterWarning, match="service_tier"):
        assert "service_tier" not in encode("vertex-anthropic", service_tier="flex").body


@pytest.mark.parametrize("vendor", DOORS)
def test_sampling_is_refused_by_the_date_of_the_version_whatever_stands_before_it(vendor: str) -> None:
    assert "temperature" in encode(vendor, temperature=0.5).body
    request = Request(model="m", messages=[Message("user", "hi")], temperature=0.5)
    with pytest.warns(UnsupportedParameterWarning, match="temperature"):
        encode_request(request, Quirks(anthropic_version="bedrock-2026-10-21", anthropic_door="bedrock"))


EMBEDDED = ImagePart(EmbeddedImage("image/png", b"\x89PNG"))
ADDRESS = ImagePart(ImageUrl(URL))


@pytest.mark.parametrize("vendor", DOORS)
def test_an_image_is_taken_by_its_bytes_only(vendor: str) -> None:
    [turn] = encode(vendor, messages=[Message("user", [TextPart("what?"), EMBEDDED])]).body["messages"]
    assert turn["content"][1]["source"]["type"] == "base64"
    inline = ImagePart(ImageUrl("data:image/png;base64,iVBORw=="))
    [turn] = encode(vendor, messages=[Message("user", [inline])]).body["messages"]
    assert turn["content"][0]["source"]["type"] == "base64"
    with pytest.raises(ImageNotEmbedded, match="by its bytes") as caught:
        encode(vendor, messages=[Message("user", [TextPart("what?"), ADDRESS])])
    assert caught.value.url == URL
    assert "s3cret" not in str(caught.value)


def test_an_image_in_a_tools_result_is_taken_by_its_bytes_only_too() -> None:
    call = FunctionPart("c1", FunctionCall("f"))
    history = [Message("user", "hi"), Message("assistant", tool_calls=[call])]
    with pytest.raises(ImageNotEmbedded):
        encode("vertex-anthropic", messages=[*history, Message("tool", [ADDRESS], id="c1")])


def test_a_file_is_taken_by_its_bytes_only() -> None:
    file = FilePart(url="https://papers.example/a.pdf", mime_type="application/pdf")
    with pytest.raises(ConfigError, match="takes a file by its bytes, not by its address"):
        encode("bedrock-anthropic", messages=[Message("user", [file])])
    own = encode_request(Request(model="m", messages=[Message("user", [file, ADDRESS])]), Quirks())
    assert [block["source"]["type"] for block in own.body["messages"][0]["content"]] == ["url", "url"]
