"""The doors to Claude: Anthropic's own, Amazon Bedrock's InvokeModelWithResponseStream, Vertex AI's streamRawPredict.

https://platform.claude.com/docs/en/build-with-claude/claude-in-amazon-bedrock, …/claude-on-vertex-ai, `lib/bedrock` and
`lib/vertex` of the `anthropic` package 2.14.0, and the service model of botocore 1.44.8, checked 2026-11-30.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from streamkit.errors import ConfigError
from streamkit.protocols.images import not_embedded
from streamkit.protocols.quirks import Quirks
from streamkit.protocols.request import EncodedRequest

__all__ = ["enter", "refuse_addresses"]


def enter(body: dict[str, Any], quirks: Quirks) -> EncodedRequest:
    """Return the request that `body`, of Anthropic's own door, is at the door of `quirks`.

    A list of `betas` is what Anthropic's SDK makes of it: a header, at Bedrock a field. At Bedrock the service tier is
    a header, and the answer comes as an AWS event stream, which the vendor's row says.
    """
    version = quirks.anthropic_version
    betas = body.pop("betas", None) or []
    beta = {"anthropic-beta": ",".join(betas)} if betas else {}
    if not quirks.anthropic_door:
        return EncodedRequest("/v1/messages", body, {"anthropic-version": version, **beta})
    body = {"anthropic_version": version} | body
    model = str(body.pop("model"))
    if quirks.anthropic_door == "vertex":
        return EncodedRequest(f"/models/{quote(model, safe='@')}:streamRawPredict", body, beta)
    del body["stream"]
    if betas:
        body["anthropic_beta"] = betas
    headers = {"accept": "application/vnd.amazon.eventstream", "x-amzn-bedrock-accept": "application/json"}
    tier = body.pop("service_tier", None)
    if tier is not None:
        headers["x-amzn-bedrock-service-tier"] = tier
    path = f"/model/{quote(model, safe='')}/invoke-with-response-stream"
    return EncodedRequest(path, body, headers)


def refuse_addresses(turns: list[dict[str, Any]]) -> None:
    """Raise `ConfigError` where an image or a file of `turns` is only an address, for doors that take none."""
    for turn in turns:
        for block in turn["content"]:
            if block.get("type") == "tool_result" and isinstance(block.get("content"), list):
                refuse_addresses([block])
            source = block.get("source")
            if isinstance(source, dict) and source.get("type") == "url":
                if block["type"] == "image":
                    raise not_embedded("this provider", source["url"])
                raise ConfigError("this provider takes a file by its bytes, not by its address: give its `data`")
