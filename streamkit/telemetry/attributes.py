"""What of a request and its answer stands in attributes: no content, and no secret."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from streamkit.messages import MessageOutput
from streamkit.telemetry.content import FINISH
from streamkit.usage import Usage

if TYPE_CHECKING:
    from streamkit.client import Client
    from streamkit.protocols import Request

__all__ = [
    "finish_reasons",
    "operation_of",
    "place_attributes",
    "request_attributes",
    "token_counts",
    "usage_attributes",
]

# The well-known names of providers that have another here, by the first word of ours.
_PROVIDERS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "azure": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "cohere": "cohere",
    "deepseek": "deepseek",
    "gemini": "gcp.gemini",
    "groq": "groq",
    "mistral": "mistral_ai",
    "perplexity": "perplexity",
    "vertex": "gcp.vertex_ai",
    "watsonx": "ibm.watsonx.ai",
    "xai": "x_ai",
}
_OPERATIONS = {"gemini": "generate_content"}
_OPERATIONS |= dict.fromkeys(
    ("openai-completions", "llamacpp", "sglang", "tgi", "fastchat", "vllm-generate"), "text_completion"
)

_REQUEST = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "presence_penalty": "presence_penalty",
    "frequency_penalty": "frequency_penalty",
    "stop": "stop_sequences",
    "seed": "seed",
}


def operation_of(client: Client) -> str:
    """Return the conventions' word for what a client does by its dialect."""
    return _OPERATIONS.get(client.provider.protocol, "chat")


def place_attributes(client: Client, model: str) -> dict[str, Any]:
    """Return who is asked, and where."""
    name = client.provider.name
    host, port = client.server
    return {
        "gen_ai.provider.name": _PROVIDERS.get(name.partition("-")[0], name),
        "gen_ai.request.model": model,
        "server.address": host,
        "server.port": port,
    }


def request_attributes(request: Request | None) -> dict[str, Any]:
    """Return how the model is asked."""
    found: dict[str, Any] = {"gen_ai.request.stream": True}
    if request is None:
        return found
    for ours, theirs in _REQUEST.items():
        if (value := getattr(request, ours)) is not None:
            found[f"gen_ai.request.{theirs}"] = value
    if request.n not in (None, 1):
        found["gen_ai.request.choice.count"] = request.n
    if request.output_schema is not None:
        found["gen_ai.output.type"] = "json"
    return found


def finish_reasons(outputs: list[MessageOutput], *, ended: bool) -> list[str]:
    """Return why each choice ended; one that did not is an `error`."""
    found = []
    for output in outputs:
        reason = output.finish_reason
        if reason is None or (reason.synthesized and not ended):
            found.append("error")
        elif reason.type == "other":
            found.append(reason.raw or "other")
        else:
            found.append(FINISH.get(reason.type, reason.type))
    return found


def token_counts(usage: Usage | None) -> dict[str, int]:
    """Return what was used by `gen_ai.token.type`; what came from or went to a cache is input, too."""
    if usage is None:
        return {}
    inputs = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
    counts = {
        "input": None if inputs == (None, None, None) else sum(filter(None, inputs)),
        "output": usage.output_tokens,
    }
    return {kind: count for kind, count in counts.items() if count is not None}


def usage_attributes(usage: Usage | None) -> dict[str, int]:
    """Return what was used."""
    if usage is None:
        return {}
    details = {
        "cache_read.input_tokens": usage.cache_read_tokens,
        "cache_creation.input_tokens": usage.cache_write_tokens,
        "reasoning.output_tokens": usage.reasoning_tokens,
    }
    counts = {f"{kind}_tokens": count for kind, count in token_counts(usage).items()}
    counts |= {name: count for name, count in details.items() if count}
    return {f"gen_ai.usage.{name}": count for name, count in counts.items()}
