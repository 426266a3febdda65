"""The text of each provider for a conversation that is too long, and what only looks like one."""

import pytest

from streamkit.errors import AuthenticationError, ContextOverflow, InvalidRequest, RateLimited
from streamkit.protocols.failures.reader import read_failure

# name, status, code, message
TEXTS = [
    ("openai-code", 400, "context_length_exceeded", "Too long."),
    ("openai-chat", 400, None, "This model's maximum context length is 8192 tokens. You sent 9000 tokens."),
    ("openai-responses", 400, None, "Your input exceeds the context window of this model."),
    ("azure", 400, None, "Input tokens exceed the configured limit of 272000 tokens."),
    ("anthropic", 400, None, "prompt is too long: 210000 tokens > 200000 maximum"),
    ("anthropic-sum", 400, None, "input length and `max_tokens` exceed context limit: 199000 + 8192 > 200000"),
    ("anthropic-size", 413, "request_too_large", "Request exceeds the maximum size"),
    ("bedrock", 400, None, "Input is too long for requested model."),
    ("bedrock-tokens", 400, None, "Too many input tokens. Max input tokens: 8192"),
    ("bedrock-length", 400, None, "Malformed input request: expected maxLength: 2048, actual: 3000"),
    ("gemini", 400, None, "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    ("gemini-size", 400, None, "Request payload size exceeds the limit: 20971520 bytes."),
    ("groq", 400, None, "Please reduce the length of the messages or completion."),
    ("mistral", 400, None, "Prompt contains 40000 tokens, too large for model with 32768 maximum context length"),
    ("cohere", 400, None, "too many tokens: size limit exceeded by 120 tokens"),
    ("xai", 400, None, "This model's maximum prompt length is 131072 but the request contains 140000 tokens."),
    ("vllm", 400, None, "The prompt is longer than the maximum model length of 4096."),
    ("vllm-only", 400, None, "You passed 5000 input tokens. However, the model's context length is only 4096 tokens"),
    ("together", 422, None, "The input is longer than the model's context length of 8193."),
    ("tgi", 422, None, "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000"),
    ("fireworks", 400, None, "The prompt is too long: 9000"),
    ("fireworks-length", 400, None, "The input exceeds the maximum length of 8192"),
    ("cerebras", 400, None, "Please reduce the length. Current length is 9000 while limit is 8192"),
    ("perplexity", 400, None, "You have exceeded the maximum context of this model"),
    ("dashscope", 400, None, "Range of input length should be [1, 129024]"),
    ("moonshot", 400, None, "Invalid request: Your request exceeded model token limit: 8192"),
    ("minimax", 400, None, "invalid params, context window exceeds limit"),
    ("zhipu", 400, "1261", "Prompt exceeds max length"),
    ("zhipu-code", 400, "1261", "…"),
    ("github", 400, None, "prompt token count of 140000 exceeds the limit of 128000"),
    ("github-code", 413, "tokens_limit_reached", "Request body too large for the model"),
    ("databricks", 400, None, "exceeds maximum context length of the model"),
    ("snowflake", 400, None, "Input text length should not exceed 4096"),
    ("llamacpp", 400, "exceed_context_size_error", "…"),
    ("llamacpp-text", 500, None, "the request exceeds the available context size, try increasing it"),
    ("llamacpp-shared", 500, None, "Context size has been exceeded."),
    ("ollama", 400, None, "prompt too long; exceeded max context length by 4 tokens"),
    ("ollama-input", 400, None, "input length exceeds the context length"),
    ("ollama-prompt", 400, None, "the prompt is longer than the context length"),
    ("lmstudio", 400, None, "tokens to keep from the initial prompt is greater than the context length"),
    (
        "lmstudio-kept",
        400,
        None,
        "Trying to keep the first 9 tokens … the model is loaded with context length of only 4 tokens",
    ),
    ("watsonx", 400, "invalid_input_argument", "the number of input tokens 9 cannot exceed the total tokens limit 4"),
    (
        "cloudflare",
        413,
        "5021",
        "AiError: The estimated number of tokens (9) exceeded this model context window limit (4).",
    ),
    ("litellm", 400, "400", "litellm.ContextWindowExceededError: litellm.BadRequestError: too long"),
    ("sglang-allowed", 400, None, "Input length (9 tokens) exceeds the maximum allowed length (4 tokens)."),
    ("sglang", 400, None, "Input is longer than the model's context length (4096 tokens)."),
]


@pytest.mark.feature("D: pi#2626", "D: senpi#1466", "3.11")
@pytest.mark.parametrize(("status", "code", "message"), [case[1:] for case in TEXTS], ids=[case[0] for case in TEXTS])
def test_each_providers_text_is_an_overflow(status, code, message):
    for text in (message, message.upper()):
        for at in (status, 200):
            error = read_failure({"error": {"message": text, "code": code}}, provider="p", status=at)
            assert (type(error), error.retryable) == (ContextOverflow, False)


@pytest.mark.parametrize("status", [400, 413])
def test_cerebras_says_it_with_an_empty_body(status):
    assert type(read_failure(b"", provider="cerebras", status=status)) is ContextOverflow
    assert type(read_failure(b"", provider="openai", status=status)) is InvalidRequest


# name, status, code, message, class
NO_OVERFLOW = [
    ("rate limit", 400, None, "Rate limit: too many tokens", InvalidRequest),
    ("too many requests", 400, None, "Too many requests, too many tokens", InvalidRequest),
    ("throttled", 400, None, "Throttled: too many input tokens", InvalidRequest),
    ("please wait", 400, None, "Too many tokens, please wait before trying again.", InvalidRequest),
    (
        "per minute",
        413,
        "rate_limit_exceeded",
        "Request too large: reduce the length of the messages; tokens per minute",
        RateLimited,
    ),
    (
        "one string",
        400,
        "string_above_max_length",
        "'messages[0].name' exceeds the maximum length of 64",
        InvalidRequest,
    ),
    ("one name", 400, None, "The tool name exceeds the maximum length of 64", InvalidRequest),
    ("a file's size", 400, None, "The image exceeds the limit of 5 MB", InvalidRequest),
    ("another status", 401, None, "too many tokens", AuthenticationError),
]


@pytest.mark.feature("D: senpi#1466")
@pytest.mark.parametrize(
    ("status", "code", "message", "kind"), [case[1:] for case in NO_OVERFLOW], ids=[case[0] for case in NO_OVERFLOW]
)
def test_what_only_sounds_like_an_overflow_is_none(status, code, message, kind):
    error = read_failure({"error": {"message": message, "code": code}}, provider="p", status=status)
    assert type(error) is kind
