"""What stands in attributes, for any provider and request."""

from __future__ import annotations

from typing import Any

import pytest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes

from streamkit import Provider, provider_names
from streamkit.client import Client
from streamkit.messages import FinishReason, Message, MessageOutput
from streamkit.protocols import Request
from streamkit.telemetry.attributes import (
    finish_reasons,
    operation_of,
    place_attributes,
    request_attributes,
    token_counts,
    usage_attributes,
)
from streamkit.usage import Usage

NAMES = [
    ("openai", "openai", "chat"),
    ("openai-responses", "openai", "chat"),
    ("openai-completions", "openai", "text_completion"),
    ("anthropic", "anthropic", "chat"),
    ("gemini", "gcp.gemini", "generate_content"),
    ("mistral", "mistral_ai", "chat"),
    ("xai", "x_ai", "chat"),
    ("groq", "groq", "chat"),
    ("moonshot-cn", "moonshot-cn", "chat"),
    ("vllm-generate", "vllm-generate", "text_completion"),
]


@pytest.mark.parametrize(("name", "theirs", "operation"), NAMES)
def test_providers_and_operations_have_the_names_of_the_conventions(name: str, theirs: str, operation: str) -> None:
    client = Client("m", provider=name, api_key="none", base_url="http://[::1]:8123/v1")
    assert name in provider_names()
    assert operation_of(client) == operation
    assert place_attributes(client, "m") == {
        "gen_ai.provider.name": theirs,
        "gen_ai.request.model": "m",
        "server.address": "::1",
        "server.port": 8123,
    }


def test_the_names_that_have_another_are_all_known() -> None:
    known = {member.value for member in gen_ai_attributes.GenAiProviderNameValues}
    mapped = {theirs for name, theirs, _ in NAMES if name != theirs or name in ("openai", "anthropic", "groq")}
    assert mapped <= known


def test_a_port_that_is_not_said_is_that_of_the_scheme() -> None:
    row = Provider(name="acme", protocol="openai-chat", base_url="https://api.acme.dev/v1", key_variable="")
    client = Client("m", provider=row, api_key="none")
    assert place_attributes(client, "m")["server.port"] == 443
    assert Client("m", provider=row, api_key="none", base_url="http://localhost/v1").server == ("localhost", 80)


def test_what_was_not_asked_is_absent() -> None:
    assert request_attributes(Request(model="m", messages=[])) == {"gen_ai.request.stream": True}
    assert request_attributes(None) == {"gen_ai.request.stream": True}
    many = Request(model="m", messages=[], n=2, top_k=4, output_schema={"type": "object"}, frequency_penalty=0.0)
    assert request_attributes(many) == {
        "gen_ai.request.stream": True,
        "gen_ai.request.top_k": 4,
        "gen_ai.request.frequency_penalty": 0.0,
        "gen_ai.request.choice.count": 2,
        "gen_ai.output.type": "json",
    }


REASONS: list[tuple[FinishReason | None, bool, str]] = [
    (FinishReason("stop", "end_turn"), True, "stop"),
    (FinishReason("length"), True, "length"),
    (FinishReason("tool_call"), True, "tool_call"),
    (FinishReason("refusal", "SAFETY"), True, "content_filter"),
    (FinishReason("other", "pause_turn"), True, "pause_turn"),
    (FinishReason("other", synthesized=True), True, "other"),
    (FinishReason("other", synthesized=True), False, "error"),
    (FinishReason("stop", "end_turn"), False, "stop"),
    (None, False, "error"),
]


@pytest.mark.parametrize(("reason", "ended", "word"), REASONS)
def test_reasons_have_one_word_for_all_providers(reason: FinishReason | None, ended: bool, word: str) -> None:
    assert finish_reasons([MessageOutput(Message("assistant"), reason)], ended=ended) == [word]


USAGES: list[tuple[Usage | None, dict[str, int], dict[str, int]]] = [
    (None, {}, {}),
    (Usage(), {}, {}),
    (Usage(output_tokens=0), {"output": 0}, {"output_tokens": 0}),
    (
        Usage(10, 5, 3, 4, 2),
        {"input": 17, "output": 5},
        {
            "input_tokens": 17,
            "output_tokens": 5,
            "cache_read.input_tokens": 3,
            "cache_creation.input_tokens": 4,
            "reasoning.output_tokens": 2,
        },
    ),
]


@pytest.mark.parametrize(("usage", "counts", "attributes"), USAGES)
def test_input_includes_what_was_cached(
    usage: Usage | None, counts: dict[str, int], attributes: dict[str, int]
) -> None:
    assert token_counts(usage) == counts
    assert usage_attributes(usage) == {f"gen_ai.usage.{name}": count for name, count in attributes.items()}


def test_every_name_is_one_of_the_released_conventions() -> None:
    known = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI_")}
    request = Request(
        model="m", messages=[], n=2, top_k=1, top_p=1.0, temperature=1.0, seed=1, stop=["x"], max_tokens=1,
        presence_penalty=1.0, frequency_penalty=1.0, output_schema={},
    )  # fmt: skip
    client = Client("openai/m", api_key="none")
    found: dict[str, Any] = request_attributes(request) | usage_attributes(Usage(1, 1, 1, 1, 1))
    found |= place_attributes(client, "m")
    assert {name for name in found if name.startswith("gen_ai.")} <= known
    assert len(found) == 20
