"""Bodies against the request types of the official SDKs: nobody says more exactly what the APIs take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest

from streamkit.messages import Message
from streamkit.protocols import Quirks, Request
from streamkit.providers import get_provider
from tests.sdk.conversations import COMMON, EMBEDDED, SEARCHED, SPEECH, TALK
from tests.sdk.sdks import import_sdk

pytestmark = [
    pytest.mark.sdk,
    pytest.mark.filterwarnings("ignore::streamkit.errors.UnsupportedParameterWarning"),  # not all take all of them
]

SAMPLING: dict[str, Any] = {"temperature": 1.0, "top_p": 0.9, "seed": 7}
OPENAI_ONLY: dict[str, Any] = {"n": 2, "logprobs": 3, "logit_bias": {"50256": -100}, "presence_penalty": 0.5}
SDK_TYPES = {
    "openai": ("openai.types.chat.completion_create_params", "CompletionCreateParamsStreaming"),
    "openai-completions": ("openai.types.completion_create_params", "CompletionCreateParamsStreaming"),
    "openai-responses": ("openai.types.responses.response_create_params", "ResponseCreateParamsStreaming"),
    "groq": ("groq.types.chat.completion_create_params", "CompletionCreateParams"),
    "mistral": ("mistralai.client.models", "ChatCompletionStreamRequest"),
    "anthropic": ("anthropic.types.message_create_params", "MessageCreateParamsStreaming"),
}

# What is said, at which vendor, with which parameters; what departs from the vendor's row.
CASES: list[tuple[str, str, list[Message], dict[str, Any], Quirks | None]] = [
    ("a conversation with everything", "openai", TALK, COMMON | SAMPLING | OPENAI_ONLY, None),
    (
        "speech and custom tools",
        "openai",
        SPEECH,
        {"tools": [{"type": "custom", "custom": {"name": "sh"}}], "tool_choice": "sh"},
        None,
    ),
    ("another provider's answer", "openai", SEARCHED, {}, None),
    ("thinking off", "openai", TALK, {"thinking": "off"}, None),
    ("everything", "groq", TALK[:5], COMMON | {"thinking": "max", "seed": 7}, None),
    ("everything", "mistral", [*TALK[:5], *TALK[6:]], COMMON | {"user": None, "seed": 7, "n": 2, "top_k": 5}, None),
    ("a call of another vendor's custom tool", "groq", SPEECH[2:], {}, None),
    ("a call of another vendor's custom tool", "mistral", SPEECH[2:], {}, None),
    (
        "every parameter",
        "openai-completions",
        [Message("user", "Once")],
        SAMPLING | OPENAI_ONLY | {"max_tokens": 5, "stop": ["."], "user": "u1", "frequency_penalty": 0.5},
        None,
    ),
    ("everything", "openai-responses", TALK, COMMON | SAMPLING | {"stop": None, "logprobs": 3, "seed": None}, None),
    (
        "custom tools",
        "openai-responses",
        SPEECH[2:],
        {"tools": [{"type": "custom", "name": "sh"}], "tool_choice": "sh"},
        None,
    ),
    ("another provider's answer", "openai-responses", SEARCHED, {"thinking": "off"}, None),
    # Without sampling parameters: the SDK knows only the version of the API that refuses them.
    ("everything", "anthropic", TALK, COMMON, None),
    (
        "its own search",
        "anthropic",
        [*SEARCHED, Message("system", "Now in French.")],
        {},
        Quirks(inline_system=True),
    ),
    ("adaptive thinking", "anthropic", SEARCHED, COMMON | {"tool_choice": "none"}, Quirks(adaptive_thinking=True)),
    ("thinking off", "anthropic", SEARCHED, COMMON | {"thinking": "off", "tool_choice": None}, None),
    ("everything", "gemini", EMBEDDED, COMMON | SAMPLING | {"n": 2, "logprobs": 3, "service_tier": "flex"}, None),
    ("a level of thinking", "gemini", EMBEDDED, COMMON | {"service_tier": None}, Quirks(adaptive_thinking=True)),
    ("a tool of its own", "gemini", EMBEDDED, {"tools": [{"googleSearch": {}}], "thinking": "off"}, None),
    ("another provider's answer", "gemini", SEARCHED, {"presence_penalty": 0.5, "top_k": 5}, None),
    # Without temperature and top_p: the SDK warns of both.
    ("everything", "gemini-interactions", EMBEDDED, COMMON | {"service_tier": "flex", "seed": 7}, None),
    (
        "a tool of its own",
        "gemini-interactions",
        EMBEDDED,
        {"tools": [{"type": "google_search"}], "thinking": "off", "extra": {"previous_interaction_id": "i1"}},
        None,
    ),
    ("another provider's answer", "gemini-interactions", SEARCHED, {"thinking": "low"}, None),
    ("everything", "bedrock", EMBEDDED, COMMON | SAMPLING | {"service_tier": "flex", "top_k": 5, "seed": None}, None),
    ("adaptive thinking", "bedrock", EMBEDDED, COMMON | {"service_tier": None}, Quirks(adaptive_thinking=True)),
    ("another provider's answer", "bedrock", SEARCHED, {"thinking": "off"}, None),
    ("everything", "cohere", [*TALK[:5], *TALK[6:]], COMMON | SAMPLING | {"top_k": 5, "logprobs": 0}, None),
    ("thinking off", "cohere", SEARCHED, {"thinking": "off"}, None),
    (
        "everything",
        "ollama-chat",
        [*EMBEDDED[:5], *EMBEDDED[6:]],
        COMMON | SAMPLING | {"top_k": 5, "logprobs": 2},
        None,
    ),
    ("everything", "dashscope", EMBEDDED[2:5], COMMON | SAMPLING | {"top_k": 5, "n": 2, "logprobs": 2}, None),
    ("a picture", "dashscope", EMBEDDED[:5], COMMON, None),
]


@pytest.mark.parametrize("case", CASES, ids=[f"{case[1]}-{case[0]}" for case in CASES])
def test_a_body_is_of_the_sdks_type(case: tuple[str, str, list[Message], dict[str, Any], Quirks | None]) -> None:
    _, provider, messages, params, quirks = case
    CHECKS.get(provider, assert_of_type)(provider, body_of(provider, messages, params, quirks))


BROKEN: list[tuple[str, list[Any], Any]] = [
    ("openai", ["messages", 2, "tool_calls", 0, "function", "arguments"], {"a": 1}),
    ("openai", ["messages", 1, "content", 0, "type"], "texts"),
    ("openai", ["reasoning"], {"effort": "high"}),
    ("anthropic", ["messages", 1, "content", 0, "type"], "texts"),
    ("gemini", ["contents", 0, "parts", 0, "texts"], "a"),
    ("gemini", ["generationConfig"], {"max_tokens": 5}),
    ("gemini-interactions", ["input", 0, "contents"], "a"),
    ("gemini-interactions", ["generation_config"], {"max_tokens": 5}),
    ("bedrock", ["messages", 0, "content", 0, "texts"], "a"),
    ("bedrock", ["inferenceConfig"], {"max_tokens": 5}),
    ("cohere", ["messages", 0, "content"], 5),
    ("cohere", ["messages", 1, "name"], "ann"),
    ("ollama-chat", ["messages", 0, "content"], {"a": 1}),
    ("dashscope", ["parameters", "maximum"], 5),
]


@pytest.mark.parametrize("case", BROKEN, ids=str)
def test_a_body_that_is_wrong_is_not_of_the_type(case: tuple[str, list[Any], Any]) -> None:
    provider, path, value = case
    body = body_of(provider, [*EMBEDDED[:5], *EMBEDDED[6:]])
    CHECKS.get(provider, assert_of_type)(provider, body)
    place = body
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises((AssertionError, import_sdk("pydantic").ValidationError)):
        CHECKS.get(provider, assert_of_type)(provider, body)


def body_of(
    provider: str, messages: list[Message], params: dict[str, Any] | None = None, quirks: Quirks | None = None
) -> Any:
    row = get_provider(provider)
    request = Request(model="m", messages=messages, provider=provider, **(params or {}))
    return row.get_protocol().encode(request, quirks or row.quirks).body


def assert_of_type(provider: str, body: dict[str, Any]) -> None:
    """Check `body` against the TypedDict of an SDK: pydantic leaves out the keys that it does not know."""
    module, name = SDK_TYPES[provider]
    import_sdk(module.partition(".")[0])
    assert_kept(body, getattr(import_sdk(module), name))


def assert_of_anthropic(provider: str, body: dict[str, Any]) -> None:
    assert_of_type(provider, body)
    kind = import_sdk("anthropic.types.content_block_param").ContentBlockParam
    for message in body["messages"]:  # of these the type above takes the forms of answers too, which allow any key
        for block in message["content"]:
            assert_kept(block, kind)


def assert_of_gemini(provider: str, body: dict[str, Any]) -> None:
    sdk = import_sdk("google.genai.types")
    kinds = {
        "contents": list[sdk.Content],
        "systemInstruction": sdk.Content,
        "tools": list[sdk.Tool],
        "toolConfig": sdk.ToolConfig,
        "generationConfig": sdk.GenerationConfig,
        "serviceTier": sdk.ServiceTier,
    }
    for field, value in body.items():
        assert_kept(value, kinds[field])


def assert_of_interactions(provider: str, body: dict[str, Any]) -> None:
    assert_kept(body, import_sdk("google.genai.interactions").CreateModelInteraction)


def assert_of_bedrock(provider: str, body: dict[str, Any]) -> None:
    """Check `body` against the service model, in which each operation names the shape of its input."""
    loader = import_sdk("botocore.loaders").Loader()
    service = import_sdk("botocore.model").ServiceModel(loader.load_service_model("bedrock-runtime", "service-2"))
    shape = service.operation_model("ConverseStream").input_shape
    report = import_sdk("botocore.validate").ParamValidator().validate({"modelId": "m", **body}, shape)
    assert not report.has_errors(), report.generate_report()


def assert_of_cohere(provider: str, body: dict[str, Any]) -> None:
    sdk = import_sdk("cohere")
    kinds = {
        "messages": list[sdk.ChatMessageV2],
        "tools": list[sdk.ToolV2],
        "thinking": sdk.Thinking,
        "response_format": sdk.ResponseFormatV2,
    }
    known = set(inspect.signature(sdk.ClientV2.chat_stream).parameters)
    assert set(body) - {"stream"} <= known
    for field, kind in kinds.items():
        if field in body:
            assert_kept(body[field], kind)


def assert_of_ollama(provider: str, body: dict[str, Any]) -> None:
    sdk = import_sdk("ollama._types")
    unknown = {"id", "tool_call_id"}  # of newer servers than the package knows
    body = without(body, unknown)
    assert_kept(body, sdk.ChatRequest)  # which takes any object for a message and for a tool
    assert_kept(without(body["messages"], {"images"}), list[sdk.Message])  # the package holds images in another form
    assert_kept(body.get("tools", []), list[sdk.Tool])
    assert set(body.get("options", {})) <= set(sdk.Options.model_fields)


def assert_of_dashscope(provider: str, body: dict[str, Any]) -> None:
    """Check the names of the parameters: the package has no types of what it sends."""
    call = inspect.signature(import_sdk("dashscope").Generation.call)
    assert set(body) == {"model", "input", "parameters"}
    assert set(body["input"]) == {"messages"}
    assert set(body["parameters"]) <= set(call.parameters)


CHECKS: dict[str, Callable[[str, dict[str, Any]], None]] = {
    "anthropic": assert_of_anthropic,
    "gemini": assert_of_gemini,
    "gemini-interactions": assert_of_interactions,
    "bedrock": assert_of_bedrock,
    "cohere": assert_of_cohere,
    "ollama-chat": assert_of_ollama,
    "dashscope": assert_of_dashscope,
}


def assert_kept(value: Any, kind: Any) -> None:
    """Check that a type takes `value`, and that it leaves nothing out."""
    read = adapter_of(kind).validate_python(value)
    assert list(unknown(read)) == []
    assert dict(walk(read)) == dict(walk(value))


@cache
def adapter_of(kind: Any) -> Any:
    """Pydantic's reader of a type, which is slow to make and must outlive the lazy lists in what it returns."""
    return import_sdk("pydantic").TypeAdapter(kind)


@cache  # it takes seconds to make, and must outlive the lazy lists in what it returns
def reader(kind: Any) -> Callable[[Any], Any]:
    read: Callable[[Any], Any] = import_sdk("pydantic").TypeAdapter(kind).validate_python
    return read


def unknown(value: Any) -> Iterator[Any]:
    """What models hold that their types do not know: some keep it, in fields or in a variant made for that."""
    if hasattr(value, "model_extra"):
        if (value.model_extra and type(value).model_fields) or getattr(value, "is_unknown", False):
            yield value
        for name in value.model_fields_set & type(value).model_fields.keys():  # to read others may warn
            yield from unknown(getattr(value, name))
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from unknown(item)


def walk(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every leaf with its path; pydantic checks what an SDK calls iterable only when it is read."""
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, dict):
        for key, item in value.items():
            yield from walk(item, f"{path}.{key}")
    elif hasattr(value, "__iter__") and not isinstance(value, (str, bytes)):
        for at, item in enumerate(value):
            yield from walk(item, f"{path}[{at}]")
    else:
        yield path, value


def without(value: Any, names: set[str]) -> Any:
    if isinstance(value, dict):
        return {key: without(item, names) for key, item in value.items() if key not in names}
    return [without(item, names) for item in value] if isinstance(value, list) else value
