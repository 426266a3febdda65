"""No field of a request is lost without a word: it is sent, or left out with a warning that names it."""

from __future__ import annotations

import re
import warnings
from typing import Any

import msgspec
import pytest

from streamkit.errors import ConfigError, UnsupportedParameterWarning
from streamkit.messages import Message
from streamkit.protocols import PROTOCOLS, EncodedRequest, Quirks, Request, ToolSpec, get_protocol
from streamkit.providers import PROVIDERS, get_provider

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
ADD = ToolSpec(name="add", description="Adds.", parameters=SCHEMA)

# A value of each field that may be left to the provider, and what else the request must hold for it to mean something.
VALUES: dict[str, tuple[Any, dict[str, Any]]] = {
    "tools": ([ADD], {}),
    "tool_choice": ("required", {"tools": [ADD]}),
    "parallel_tool_calls": (False, {"tools": [ADD]}),
    "max_tokens": (77, {}),
    "temperature": (0.7, {}),
    "top_p": (0.9, {}),
    "top_k": (5, {}),
    "presence_penalty": (0.5, {}),
    "frequency_penalty": (0.25, {}),
    "stop": (["END"], {}),
    "seed": (7, {}),
    "n": (2, {}),
    "logprobs": (3, {}),
    "logit_bias": ({"50256": -100.0}, {}),
    "thinking": ("high", {}),
    "output_schema": (SCHEMA, {}),
    "user": ("u1", {}),
    "service_tier": ("flex", {}),
    "extra": ({"x_new": 1}, {}),
}
# What says who and what is asked, and what belongs to another field.
OTHERS = {"model", "messages", "provider", "output_name", "instruct_output", "foreign_thinking"}

CHAT = {
    "tools": "tools.0.function.name",
    "tool_choice": "tool_choice",
    "parallel_tool_calls": "parallel_tool_calls",
    "max_tokens": "max_completion_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "stop": "stop",
    "seed": "seed",
    "n": "n",
    "logprobs": "top_logprobs",
    "logit_bias": "logit_bias",
    "thinking": "reasoning_effort",
    "output_schema": "response_format.json_schema.schema",
    "user": "user",
    "service_tier": "service_tier",
}
# Where each field stands in the body; None where the dialect has no place for it.
PLACES: dict[str, dict[str, str | None]] = {
    "openai-chat": {**CHAT},
    "openai-responses": {
        **dict.fromkeys(("top_k", "presence_penalty", "frequency_penalty", "stop", "seed", "n", "logit_bias")),
        "tools": "tools.0.name",
        "tool_choice": "tool_choice",
        "parallel_tool_calls": "parallel_tool_calls",
        "max_tokens": "max_output_tokens",
        "temperature": "temperature",
        "top_p": "top_p",
        "logprobs": "top_logprobs",
        "thinking": "reasoning.effort",
        "output_schema": "text.format.schema",
        "user": "safety_identifier",
        "service_tier": "service_tier",
    },
    "anthropic": {
        **dict.fromkeys(("presence_penalty", "frequency_penalty", "seed", "n", "logprobs", "logit_bias")),
        "tools": "tools.0.name",
        "tool_choice": "tool_choice.type",
        "parallel_tool_calls": "tool_choice.disable_parallel_tool_use",
        "max_tokens": "max_tokens",
        "temperature": "temperature",
        "top_p": "top_p",
        "top_k": "top_k",
        "stop": "stop_sequences",
        "thinking": "thinking.budget_tokens",
        "output_schema": "output_config.format.schema",
        "user": "metadata.user_id",
        "service_tier": "service_tier",
    },
    "gemini": {
        **dict.fromkeys(("logit_bias", "parallel_tool_calls", "user")),
        "tools": "tools.0.functionDeclarations.0.name",
        "tool_choice": "toolConfig.functionCallingConfig.mode",
        "max_tokens": "generationConfig.maxOutputTokens",
        "temperature": "generationConfig.temperature",
        "top_p": "generationConfig.topP",
        "top_k": "generationConfig.topK",
        "presence_penalty": "generationConfig.presencePenalty",
        "frequency_penalty": "generationConfig.frequencyPenalty",
        "stop": "generationConfig.stopSequences",
        "seed": "generationConfig.seed",
        "n": "generationConfig.candidateCount",
        "logprobs": "generationConfig.logprobs",
        "thinking": "generationConfig.thinkingConfig.thinkingBudget",
        "output_schema": "generationConfig.responseJsonSchema",
        "service_tier": "serviceTier",
    },
    "gemini-interactions": {
        **dict.fromkeys(("top_k", "presence_penalty", "frequency_penalty", "n", "logprobs", "logit_bias", "user")),
        "parallel_tool_calls": None,
        "tools": "tools.0.name",
        "tool_choice": "generation_config.tool_choice",
        "max_tokens": "generation_config.max_output_tokens",
        "temperature": "generation_config.temperature",
        "top_p": "generation_config.top_p",
        "stop": "generation_config.stop_sequences",
        "seed": "generation_config.seed",
        "thinking": "generation_config.thinking_level",
        "output_schema": "response_format.schema",
        "service_tier": "service_tier",
    },
    "bedrock-converse": {
        **dict.fromkeys(("presence_penalty", "frequency_penalty", "seed", "n", "logprobs", "logit_bias", "user")),
        "parallel_tool_calls": None,
        "tools": "toolConfig.tools.0.toolSpec.name",
        "tool_choice": "toolConfig.toolChoice.any",
        "max_tokens": "inferenceConfig.maxTokens",
        "temperature": "inferenceConfig.temperature",
        "top_p": "inferenceConfig.topP",
        "top_k": "additionalModelRequestFields.top_k",
        "stop": "inferenceConfig.stopSequences",
        "thinking": "additionalModelRequestFields.thinking.budget_tokens",
        "output_schema": "outputConfig.textFormat.structure.jsonSchema.schema",
        "service_tier": "serviceTier.type",
    },
    "cohere": {
        **dict.fromkeys(("parallel_tool_calls", "n", "logit_bias", "user", "service_tier")),
        "tools": "tools.0.function.name",
        "tool_choice": "tool_choice",
        "max_tokens": "max_tokens",
        "temperature": "temperature",
        "top_p": "p",
        "top_k": "k",
        "presence_penalty": "presence_penalty",
        "frequency_penalty": "frequency_penalty",
        "stop": "stop_sequences",
        "seed": "seed",
        "logprobs": "logprobs",
        "thinking": "thinking.token_budget",
        "output_schema": "response_format.json_schema",
    },
    "ollama": {
        **dict.fromkeys(("tool_choice", "parallel_tool_calls", "n", "logit_bias", "user", "service_tier")),
        "tools": "tools.0.function.name",
        "max_tokens": "options.num_predict",
        "temperature": "options.temperature",
        "top_p": "options.top_p",
        "top_k": "options.top_k",
        "presence_penalty": "options.presence_penalty",
        "frequency_penalty": "options.frequency_penalty",
        "stop": "options.stop",
        "seed": "options.seed",
        "logprobs": "top_logprobs",
        "thinking": "think",
        "output_schema": "format",
    },
    "dashscope": {
        **dict.fromkeys(("frequency_penalty", "logit_bias", "user", "service_tier")),
        "tools": "parameters.tools.0.function.name",
        "tool_choice": "parameters.tool_choice",
        "parallel_tool_calls": "parameters.parallel_tool_calls",
        "max_tokens": "parameters.max_tokens",
        "temperature": "parameters.temperature",
        "top_p": "parameters.top_p",
        "top_k": "parameters.top_k",
        "presence_penalty": "parameters.presence_penalty",
        "stop": "parameters.stop",
        "seed": "parameters.seed",
        "n": "parameters.n",
        "logprobs": "parameters.top_logprobs",
        "thinking": "parameters.thinking_budget",
        "output_schema": "parameters.response_format.json_schema.schema",
    },
    "llamacpp": {
        **dict.fromkeys(("tool_choice", "parallel_tool_calls", "thinking", "user", "service_tier")),
        "max_tokens": "n_predict",
        "temperature": "temperature",
        "top_p": "top_p",
        "top_k": "top_k",
        "presence_penalty": "presence_penalty",
        "frequency_penalty": "frequency_penalty",
        "stop": "stop",
        "seed": "seed",
        "n": "n_cmpl",
        "logprobs": "n_probs",
        "logit_bias": "logit_bias",
        "output_schema": "json_schema",
    },
    "openai-completions": {
        **dict.fromkeys(("tool_choice", "parallel_tool_calls", "thinking", "output_schema", "service_tier")),
        **{name: name for name in ("temperature", "top_p", "top_k", "stop", "seed", "n", "logit_bias", "user")},
        "max_tokens": "max_tokens",
        "presence_penalty": "presence_penalty",
        "frequency_penalty": "frequency_penalty",
        "logprobs": "logprobs",
    },
    "sglang": {
        **dict.fromkeys(("tool_choice", "parallel_tool_calls", "thinking", "user", "service_tier")),
        "max_tokens": "sampling_params.max_new_tokens",
        "temperature": "sampling_params.temperature",
        "top_p": "sampling_params.top_p",
        "top_k": "sampling_params.top_k",
        "presence_penalty": "sampling_params.presence_penalty",
        "frequency_penalty": "sampling_params.frequency_penalty",
        "stop": "sampling_params.stop",
        "seed": "sampling_params.sampling_seed",
        "n": "sampling_params.n",
        "logprobs": "top_logprobs_num",
        "logit_bias": "sampling_params.logit_bias",
        "output_schema": "sampling_params.json_schema",
    },
}
PAIRS = [(protocol, name) for protocol in PROTOCOLS for name in VALUES]
TAKERS = [protocol for protocol, places in PLACES.items() if "tools" in places]  # of tools
KNOWN_PAIRS = [
    (protocol, name, place)
    for protocol, places in PLACES.items()
    for name, place in places.items()
    if protocol in TAKERS or "tools" not in VALUES[name][1]
]

# The fields of a tool, and those of them that a dialect has no place for.
TOOL_VALUES: dict[str, Any] = {
    "description": "Adds.",
    "parameters": SCHEMA,
    "strict": True,
    "extra": {"x_new": 1},
}


def encoded(protocol: str, params: dict[str, Any], quirks: Quirks | None = None) -> tuple[EncodedRequest, list[str]]:
    """A request with these parameters, and what was said of those that were left out."""
    request = Request(model="m", messages=[Message("user", "Hi")], provider="acme", **params)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        out = get_protocol(protocol).encode(request, quirks)
    assert all(warning.category is UnsupportedParameterWarning for warning in caught)
    return out, [str(warning.message) for warning in caught]


def check_field(name: str, protocol: str, quirks: Quirks | None = None) -> None:
    value, needs = VALUES[name]
    try:
        without, unasked = encoded(protocol, needs, quirks)
        sent, said = encoded(protocol, {**needs, name: value}, quirks)
    except ConfigError as error:
        assert re.search("knows? no tools|takes no tools", str(error))
        assert name == "tools" or "tools" in needs
        return
    assert unasked == []
    assert said or sent != without, f"{name} is lost without a word"
    assert all(re.match(f"acme does not take ['\"]{name}", text) for text in said), said


def test_every_field_of_a_request_is_in_the_table() -> None:
    assert {*VALUES, *OTHERS} == {field.name for field in msgspec.structs.fields(Request)}
    assert {*TOOL_VALUES, "name"} == {field.name for field in msgspec.structs.fields(ToolSpec)}


@pytest.mark.parametrize(("protocol", "name"), PAIRS, ids=[f"{protocol}-{name}" for protocol, name in PAIRS])
def test_a_field_is_sent_or_left_out_with_a_warning_that_names_it(protocol: str, name: str) -> None:
    check_field(name, protocol)


@pytest.mark.parametrize("vendor", PROVIDERS)
def test_so_it_is_at_every_vendor(vendor: str) -> None:
    row = get_provider(vendor)
    for name in VALUES:
        check_field(name, row.protocol, row.quirks)


@pytest.mark.parametrize(
    ("protocol", "name", "place"), KNOWN_PAIRS, ids=[f"{protocol}-{name}" for protocol, name, _ in KNOWN_PAIRS]
)
def test_a_field_stands_where_the_api_reads_it(protocol: str, name: str, place: str | None) -> None:
    value, needs = VALUES[name]
    without, _ = encoded(protocol, needs)
    sent, said = encoded(protocol, {**needs, name: value})
    if place is None:
        assert sent == without
        assert len(said) == 1
    else:
        assert not said
        assert at(sent.body, place) is not None
        assert at(sent.body, place) != at(without.body, place)


def at(body: Any, place: str) -> Any:
    """What stands in a place of the body, None where there is nothing."""
    for key in place.split("."):
        if isinstance(body, list):
            body = body[int(key)] if int(key) < len(body) else None
        else:
            body = body.get(key) if isinstance(body, dict) else None
    return body


@pytest.mark.parametrize("name", TOOL_VALUES)
@pytest.mark.parametrize("protocol", TAKERS)
def test_a_field_of_a_tool_is_sent_or_left_out_with_a_warning(protocol: str, name: str) -> None:
    without, _ = encoded(protocol, {"tools": [ToolSpec(name="add")]})
    sent, said = encoded(protocol, {"tools": [ToolSpec(name="add", **{name: TOOL_VALUES[name]})]})
    assert said or sent != without, f"{name} is lost without a word"
    assert all(re.match(f"acme does not take ['\"]{name}", text) for text in said), said


@pytest.mark.parametrize("protocol", TAKERS)
def test_a_tool_that_need_not_be_strict_needs_no_warning(protocol: str) -> None:
    assert encoded(protocol, {"tools": [ToolSpec(name="add", strict=False)]})[1] == []


def test_the_warning_can_be_made_an_error() -> None:
    request = Request(model="m", messages=[Message("user", "Hi")], seed=7, provider="anthropic")
    with warnings.catch_warnings():
        warnings.simplefilter("error", UnsupportedParameterWarning)
        with pytest.raises(UnsupportedParameterWarning, match="anthropic does not take 'seed': it was left out"):
            get_protocol("anthropic").encode(request)
