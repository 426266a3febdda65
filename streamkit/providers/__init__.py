"""Vendors as data: one file each, with its row as PROVIDER."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module

from streamkit.errors import ConfigError
from streamkit.protocols import PROTOCOLS
from streamkit.providers.base import Provider

__all__ = ["PROVIDERS", "Provider", "get_provider", "parse_model", "provider_names", "register_provider"]

# One word a vendor; the module of that name (dashes as underscores) is loaded on first use.
PROVIDERS = (
    "anthropic",
    "azure",
    "azure-responses",
    "baseten",
    "bedrock",
    "bedrock-anthropic",
    "cerebras",
    "cloudflare",
    "cohere",
    "dashscope",
    "dashscope-multimodal",
    "databricks",
    "deepinfra",
    "deepseek",
    "deepseek-anthropic",
    "fastchat",
    "fireworks",
    "gemini",
    "gemini-interactions",
    "gemini-openai",
    "github",
    "groq",
    "huggingface",
    "hyperbolic",
    "litellm",
    "llamacpp",
    "llamacpp-completion",
    "lmstudio",
    "lmstudio-responses",
    "minimax",
    "minimax-anthropic",
    "minimax-cn",
    "mistral",
    "moonshot",
    "moonshot-anthropic",
    "moonshot-cn",
    "nebius",
    "novita",
    "nvidia",
    "ollama",
    "ollama-chat",
    "openai",
    "openai-completions",
    "openai-responses",
    "openrouter",
    "openrouter-responses",
    "perplexity",
    "qwen",
    "qwen-anthropic",
    "qwen-cn",
    "qwen-us",
    "sambanova",
    "sglang",
    "sglang-generate",
    "tgi",
    "tgi-generate",
    "together",
    "vertex",
    "vertex-anthropic",
    "vertex-openai",
    "vllm",
    "vllm-generate",
    "vllm-responses",
    "volcengine",
    "watsonx",
    "xai",
    "xai-responses",
    "zai",
    "zai-anthropic",
    "zhipu",
    "zhipu-anthropic",
)

_LISTED = "`streamkit providers` and provider_names() list all providers"

_registered: dict[str, Provider] = {}


def get_provider(name: str) -> Provider:
    """Return the vendor `name`; raises `ConfigError` where there is none of that name."""
    if name in _registered:
        return _registered[name]
    if name not in PROVIDERS:
        near = get_close_matches(name.lower(), provider_names(), 1)
        meant = f"did you mean {near[0]!r}? " if near else ""
        raise ConfigError(f"unknown provider {name!r}: {meant}{_LISTED}")
    provider: Provider = import_module(f"streamkit.providers.{name.replace('-', '_')}").PROVIDER
    return provider


def provider_names() -> list[str]:
    """Return the names of all vendors, those registered by `register_provider` included."""
    return sorted({*PROVIDERS, *_registered})


def register_provider(provider: Provider) -> None:
    """Make a vendor of your own known by its name, or put your row in the place of the one of that name.

        register_provider(Provider(name="acme", protocol="openai-chat", base_url="https://api.acme.dev/v1",
                                   key_variable="ACME_API_KEY", quirks=Quirks(max_tokens_field="max_tokens")))

    Raises `ConfigError` where the name has a slash or is empty, so that no model string could name it, or where the
    protocol is unknown.
    """
    if not provider.name or "/" in provider.name:
        raise ConfigError(f"a provider cannot be named {provider.name!r}: it is what stands before the first slash")
    if provider.protocol not in PROTOCOLS:
        raise ConfigError(f"{provider.name} speaks {provider.protocol!r}; known protocols are {', '.join(PROTOCOLS)}")
    _registered[provider.name] = provider


def parse_model(model: str) -> tuple[Provider, str]:
    """Return the vendor and the model of "provider/model"; the model may have slashes of its own.

    Raises `ConfigError` where one of the two is missing or there is no vendor of that name.
    """
    name, slash, rest = model.partition("/") if isinstance(model, str) else ("", "", "")
    if not (slash and name and rest):
        raise ConfigError(f'model {model!r} must be "provider/model", such as "openai/gpt-5": {_LISTED}')
    return get_provider(name), rest
