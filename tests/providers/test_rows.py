"""The rows of the vendors: what each must have, and what each sends."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.messages import Message
from streamkit.protocols import Request
from streamkit.providers import PROVIDERS, Provider, get_provider

LOCAL = {"llamacpp", "llamacpp-completion", "lmstudio", "ollama", "ollama-chat", "sglang-generate", "vllm"}
PER_ACCOUNT = {"azure", "bedrock"}
ROWS = [get_provider(name) for name in PROVIDERS]

rows = pytest.mark.parametrize("row", ROWS, ids=PROVIDERS)


@rows
def test_a_vendor_is_reached_at_its_address(row: Provider) -> None:
    if row.name in PER_ACCOUNT:
        assert row.base_url == ""
        assert row.env_base_url
    elif row.name in LOCAL:
        assert row.base_url.startswith("http://localhost:")
    else:
        assert row.base_url.startswith("https://")
    assert not row.base_url.endswith("/")


@rows
def test_a_vendor_has_a_key_which_a_local_server_may_do_without(row: Provider) -> None:
    assert row.key_variable.isupper()
    assert row.key_optional == (row.name in LOCAL)
    assert row.auth in ("authorization", "x-api-key", "api-key", "x-goog-api-key")


@rows
def test_the_names_in_a_row_are_those_of_request_fields(row: Provider) -> None:
    assert set(row.quirks.unsupported) <= set(Request.__struct_fields__)


# What one request becomes at each vendor that speaks chat completions, beside its model and messages.
ASKED: dict[str, Any] = {"max_tokens": 9, "seed": 7, "thinking": "max"}
USAGE = {"stream_options": {"include_usage": True}}
SENT: dict[str, dict[str, Any]] = {
    "azure": {**USAGE, "max_completion_tokens": 9, "seed": 7, "reasoning_effort": "max"},
    "deepseek": {**USAGE, "max_tokens": 9, "seed": 7, "thinking": {"type": "enabled"}, "reasoning_effort": "max"},
    "fireworks": {**USAGE, "max_tokens": 9, "seed": 7, "reasoning_effort": "high"},
    "groq": {"max_completion_tokens": 9, "seed": 7, "reasoning_effort": "high"},
    "llamacpp": {
        **USAGE,
        "max_tokens": 9,
        "seed": 7,
        "chat_template_kwargs": {"enable_thinking": True},
        "reasoning_effort": "high",
    },
    "lmstudio": {**USAGE, "max_tokens": 9, "seed": 7, "reasoning_effort": "high"},
    "mistral": {"max_tokens": 9, "random_seed": 7, "reasoning_effort": "max"},
    "ollama": {**USAGE, "max_tokens": 9, "seed": 7, "reasoning_effort": "high"},
    "openai": {**USAGE, "max_completion_tokens": 9, "seed": 7, "reasoning_effort": "max"},
    "openrouter": {**USAGE, "max_tokens": 9, "seed": 7, "reasoning": {"effort": "xhigh"}},
    "together": {**USAGE, "max_tokens": 9, "seed": 7, "reasoning": {"enabled": True}, "reasoning_effort": "high"},
    "vllm": {
        **USAGE,
        "max_tokens": 9,
        "seed": 7,
        "chat_template_kwargs": {"enable_thinking": True},
        "reasoning_effort": "high",
    },
    "xai": {**USAGE, "max_completion_tokens": 9, "seed": 7, "reasoning_effort": "high"},
}


def test_every_vendor_of_the_dialect_is_in_the_table() -> None:
    assert set(SENT) == {row.name for row in ROWS if row.protocol == "openai-chat"}


@pytest.mark.parametrize("vendor", SENT)
def test_a_request_is_worded_as_the_vendor_takes_it(vendor: str) -> None:
    provider = get_provider(vendor)
    request = Request(model="m", messages=[Message("system", "s"), Message("user", "hi")], provider=vendor, **ASKED)
    body = provider.get_protocol().encode(request, provider.quirks).body
    role = "developer" if vendor in ("azure", "openai") else "system"
    messages = [{"role": role, "content": "s"}, {"role": "user", "content": "hi"}]
    assert body == {"model": "m", "messages": messages, "stream": True, **SENT[vendor]}
