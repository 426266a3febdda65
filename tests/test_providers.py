"""Vendors by name, and models by their vendor."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from streamkit import providers
from streamkit.errors import ConfigError
from streamkit.protocols import Quirks
from streamkit.providers import PROVIDERS, Provider, get_provider, parse_model, provider_names, register_provider


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let a test register vendors that no other test sees."""
    monkeypatch.setattr(providers, "_registered", {})
    yield


MODELS = [
    ("openai/gpt-5", "openai", "gpt-5"),
    ("openrouter/anthropic/claude-sonnet-4.5", "openrouter", "anthropic/claude-sonnet-4.5"),
    ("together/meta-llama/Llama-3.3-70B", "together", "meta-llama/Llama-3.3-70B"),
    ("llamacpp//models/a.gguf", "llamacpp", "/models/a.gguf"),
    ("ollama/qwen3:0.6b", "ollama", "qwen3:0.6b"),
]


@pytest.mark.parametrize("case", MODELS, ids=[case[0] for case in MODELS])
def test_a_model_string_names_a_vendor_and_its_model(case: tuple[str, str, str]) -> None:
    given, vendor, model = case
    provider, rest = parse_model(given)
    assert (provider, rest) == (get_provider(vendor), model)


WRONG = [
    ("no vendor", "gpt-5", '"provider/model"'),
    ("nothing", "", '"provider/model"'),
    ("an empty vendor", "/gpt-5", '"provider/model"'),
    ("an empty model", "openai/", '"provider/model"'),
    ("an unknown vendor", "acme/gpt-5", "unknown provider 'acme': `streamkit providers`"),
    ("a vendor that is nearly one", "opnai/gpt-5", "unknown provider 'opnai': did you mean 'openai'"),
    ("a vendor in capitals", "OpenAI/gpt-5", "did you mean 'openai'"),
]


@pytest.mark.parametrize("case", WRONG, ids=[case[0] for case in WRONG])
def test_any_other_string_is_a_config_error_that_says_what_lists_the_vendors(case: tuple[str, str, str]) -> None:
    with pytest.raises(ConfigError, match=case[2]) as caught:
        parse_model(case[1])
    assert "`streamkit providers` and provider_names()" in str(caught.value)


ACME = Provider(name="acme", protocol="openai-chat", base_url="https://api.acme.dev/v1", key_variable="ACME_API_KEY")


def test_a_vendor_of_ones_own_is_known_once_registered(registry: None) -> None:
    assert "acme" not in provider_names()
    register_provider(ACME)
    assert parse_model("acme/m1") == (ACME, "m1")
    assert provider_names() == sorted([*PROVIDERS, "acme"])


def test_a_row_of_ones_own_takes_the_place_of_the_one_of_its_name(registry: None) -> None:
    mine = Provider(name="vllm", protocol="openai-chat", base_url="http://gpu:8000/v1", quirks=Quirks(think_tags=True))
    register_provider(mine)
    assert get_provider("vllm") is mine
    assert provider_names() == sorted(PROVIDERS)


UNFIT = [
    ("no name", Provider(name="", protocol="openai-chat"), "cannot be named ''"),
    ("a slash in its name", Provider(name="a/b", protocol="openai-chat"), "cannot be named 'a/b'"),
    ("an unknown protocol", Provider(name="acme", protocol="openai"), "acme speaks 'openai'; known protocols are"),
]


@pytest.mark.parametrize("case", UNFIT, ids=[case[0] for case in UNFIT])
def test_a_row_that_could_not_be_used_is_a_config_error(case: tuple[str, Provider, str], registry: None) -> None:
    with pytest.raises(ConfigError, match=case[2]):
        register_provider(case[1])
    assert provider_names() == sorted(PROVIDERS)
