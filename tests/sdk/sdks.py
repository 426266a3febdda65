"""The official SDKs: what each reads, and how our client asks for the same."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from typing import Any, TypeAlias

import pytest
from msgspec import Struct

from streamkit.client import Client
from streamkit.testing import Answer, ReplayServer, Reply
from tests.sdk.said import Said
from tests.sdk.vendors import groq_body, mistral_body, multimodal_body

__all__ = ["SDKS", "Sdk", "import_sdk"]

Stream: TypeAlias = Callable[..., Awaitable[list[Said]]]


class Sdk(Struct, frozen=True):
    """An SDK on one dialect: `reader` is the module of these tests and the function in it that read with the SDK.

    `ours` and `theirs` are what the base URL of our client and of the SDK have after the server's address. `two` is
    what asks the SDK for two answers, None where there is only one. `body` renders an answer in the form of the vendor
    where that departs from its dialect; `hides` is what the SDK does not show of one, as `said` leaves it out.
    """

    package: str
    protocol: str
    model: str
    reader: tuple[str, str]
    ours: str = ""
    theirs: str = ""
    two: dict[str, Any] | None = None
    body: Callable[[Answer, int], bytes] | None = None
    hides: tuple[str, ...] = ()
    mixes: bool = False  # of several answers, those that end in different ways are read
    stumbles_at: str = "\ud800"  # a character inside JSON that is taken for the end of a line; none is

    @property
    def stream(self) -> Stream:
        """The function that reads an answer with the SDK; skips the test where that is not installed."""
        import_sdk(self.package)
        module, function = self.reader
        stream: Stream = getattr(import_module(f"tests.sdk.{module}"), function)
        return stream

    def client(self, server: ReplayServer) -> Client:
        """Our client of the same server, which asks once, as the SDK is told to."""
        return Client(self.model, api_key="key", base_url=server.url + self.ours, retry=0)

    def reply(self, answer: Answer, *, piece: int = 3, **options: Any) -> Reply:
        """The response that says `answer`."""
        return Reply(body=self.body(answer, piece) if self.body else answer, piece=piece, **options)


def import_sdk(module: str) -> Any:
    """Return a module of an SDK; skips the test where that is not installed."""
    return pytest.importorskip(module, reason=f"{module} is not installed: pip install -e '.[test,sdk]'")


SDKS = {
    "openai": Sdk(
        "openai", "openai-chat", "openai/m", ("openai_sdk", "stream_chat"), "/v1", "/v1", {"n": 2}, mixes=True
    ),
    "openai-responses": Sdk(
        "openai", "openai-responses", "openai-responses/m", ("openai_sdk", "stream_response"), "/v1", "/v1"
    ),
    "openai-completions": Sdk(
        "openai",
        "openai-completions",
        "openai-completions/m",
        ("openai_sdk", "stream_completion"),
        "/v1",
        "/v1",
        {"n": 2},
        mixes=True,
    ),
    "anthropic": Sdk("anthropic", "anthropic", "anthropic/m", ("anthropic_sdk", "stream")),
    "gemini": Sdk(
        "google.genai",
        "gemini",
        "gemini/m",
        ("google_sdk", "stream"),
        two={"config": {"candidate_count": 2}},
        hides=("reason",),
        mixes=True,
    ),
    "gemini-interactions": Sdk(
        "google.genai", "gemini-interactions", "gemini-interactions/m", ("google_sdk", "stream_interaction")
    ),
    "cohere": Sdk("cohere", "cohere", "cohere/m", ("cohere_sdk", "stream")),
    "mistral": Sdk(
        "mistralai.client",
        "openai-chat",
        "mistral/m",
        ("mistral_sdk", "stream"),
        "/v1",
        two={"n": 2},
        mixes=True,
        body=mistral_body,
    ),
    "groq": Sdk("groq", "openai-chat", "groq/m", ("groq_sdk", "stream"), "/openai/v1", body=groq_body),
    "ollama": Sdk("ollama", "ollama", "ollama-chat/m", ("ollama_sdk", "stream"), hides=("ids",), stumbles_at="\x85"),
    "bedrock": Sdk("boto3", "bedrock-converse", "bedrock/m", ("aws_sdk", "stream")),
    "dashscope": Sdk("dashscope", "dashscope", "dashscope/qwen-plus", ("dashscope_sdk", "stream"), two={"n": 2}),
    "dashscope-multimodal": Sdk(
        "dashscope",
        "dashscope",
        "dashscope-multimodal/qwen-plus",
        ("dashscope_sdk", "stream_multimodal"),
        two={"n": 2},
        body=multimodal_body,
    ),
}
