"""What providers answer on an ordinary day, shortened, and the class of each."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols.failures import read_failure


def openai(message: str, code: str | int | None = None, type: str | None = "invalid_request_error") -> dict[str, Any]:
    return {"error": {"message": message, "type": type, "param": None, "code": code}}


def anthropic(message: str, type: str = "invalid_request_error") -> dict[str, Any]:
    return {"type": "error", "error": {"type": type, "message": message}}


def google(code: int, status: str, message: str, **detail: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, "details": [detail]}}


def amazon(message: str, type: str) -> dict[str, Any]:
    return {"message": message, "__type": type}


PER_DAY = {"violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]}
PER_MINUTE = {"violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]}
FLAGGED = {"reasons": ["x"], "flagged_input": "…"}

# name, status, body, class, whether another try makes sense
SAID: list[tuple[str, int, Any, str, bool]] = [
    (
        "openai, tokens a minute",
        429,
        openai("tokens per min (TPM): Limit 3, Used 2", "rate_limit_exceeded", "tokens"),
        "RateLimited",
        True,
    ),
    (
        "openai, a long string",
        400,
        openai("string too long. Expected … maximum length 9", "string_above_max_length"),
        "InvalidRequest",
        False,
    ),
    (
        "openai, a country",
        403,
        openai("not supported", "unsupported_country_region_territory", "request_forbidden"),
        "PermissionDenied",
        False,
    ),
    (
        "openai, a key without the scope",
        401,
        openai("You have insufficient permissions. Missing scopes: model.request."),
        "AuthenticationError",
        False,
    ),
    (
        "openai, a flagged prompt",
        400,
        openai("Invalid prompt: your prompt was flagged as …", "invalid_prompt"),
        "ContentFiltered",
        False,
    ),
    ("openai, overloaded", 503, openai("The engine is currently overloaded", None, "server_error"), "Overloaded", True),
    ("openai, inside the stream", 200, openai("The server had an error", None, "server_error"), "ServerError", True),
    (
        "openai, the window",
        400,
        openai("Your input exceeds the context window of this model.", "context_length_exceeded"),
        "ContextOverflow",
        False,
    ),
    (
        "azure, a key",
        401,
        {"error": {"code": "401", "message": "Access denied due to invalid subscription key"}},
        "AuthenticationError",
        False,
    ),
    (
        "azure, a rate",
        429,
        {"error": {"code": "429", "message": "exceeded token rate limit. Please retry after 7 seconds."}},
        "RateLimited",
        True,
    ),
    (
        "anthropic, credit",
        400,
        anthropic("Your credit balance is too low to access the Anthropic API."),
        "QuotaExceeded",
        False,
    ),
    (
        "anthropic, a rate",
        429,
        anthropic("your rate limit of 4 input tokens per minute", "rate_limit_error"),
        "RateLimited",
        True,
    ),
    (
        "anthropic, an empty text",
        400,
        anthropic("messages: text content blocks must be non-empty"),
        "InvalidRequest",
        False,
    ),
    ("anthropic, blocked", 400, anthropic("Output blocked by content filtering policy"), "ContentFiltered", False),
    (
        "gemini, a minute",
        429,
        google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota", **PER_MINUTE),
        "RateLimited",
        True,
    ),
    (
        "gemini, a day",
        429,
        google(429, "RESOURCE_EXHAUSTED", "You exceeded your current quota", **PER_DAY),
        "QuotaExceeded",
        False,
    ),
    ("gemini, a deadline", 504, google(504, "DEADLINE_EXCEEDED", "Deadline expired"), "ServerError", True),
    ("gemini, cancelled", 499, google(499, "CANCELLED", "The operation was cancelled."), "APIError", False),
    (
        "bedrock, throttled",
        429,
        amazon("Too many tokens, please wait before trying again.", "ThrottlingException"),
        "RateLimited",
        True,
    ),
    (
        "bedrock, a model",
        403,
        amazon("You don't have access to the model.", "AccessDeniedException"),
        "PermissionDenied",
        False,
    ),
    ("bedrock, a signature", 403, amazon("does not match", "InvalidSignatureException"), "AuthenticationError", False),
    (
        "bedrock, no token",
        403,
        amazon("Missing Authentication Token", "MissingAuthenticationTokenException"),
        "AuthenticationError",
        False,
    ),
    (
        "bedrock, the window",
        400,
        amazon("input length and `max_tokens` exceed context limit: 9 + 9 > 9", "ValidationException"),
        "ContextOverflow",
        False,
    ),
    (
        "bedrock, an old model",
        404,
        amazon("has reached the end of its life.", "ResourceNotFoundException"),
        "NotFound",
        False,
    ),
    (
        "groq, more than a minute's tokens",
        413,
        openai("Request too large … tokens per minute (TPM): Limit 6, Requested 9", "rate_limit_exceeded", "tokens"),
        "RateLimited",
        False,
    ),
    ("groq, a call that failed", 400, openai("Failed to call a function.", "tool_use_failed"), "InvalidRequest", False),
    ("groq, no flexible capacity", 498, openai("no capacity", "capacity_exceeded"), "Overloaded", True),
    ("mistral, a rate", 429, {"message": "Requests rate limit exceeded"}, "RateLimited", True),
    ("mistral, a key", 401, {"detail": "Unauthorized"}, "AuthenticationError", False),
    (
        "cohere, a minute",
        429,
        {"message": "a Trial key, which is limited to 40 API calls / minute."},
        "RateLimited",
        True,
    ),
    ("openrouter, credit", 402, openai("This request requires more credits", 402, None), "QuotaExceeded", False),
    (
        "openrouter, moderation",
        403,
        {"error": {"code": 403, "message": "Your input was flagged", "metadata": FLAGGED}},
        "ContentFiltered",
        False,
    ),
    ("openrouter, no model", 404, openai("No endpoints found for x/y.", 404, None), "NotFound", False),
    (
        "moonshot, suspended",
        429,
        openai("Your account is not active", None, "exceeded_current_quota_error"),
        "QuotaExceeded",
        False,
    ),
    (
        "moonshot, overloaded",
        429,
        openai("The engine is currently overloaded", None, "engine_overloaded_error"),
        "Overloaded",
        True,
    ),
    (
        "dashscope, the free tier",
        403,
        openai("exhausted", "AllocationQuota.FreeTierOnly", None),
        "QuotaExceeded",
        False,
    ),
    (
        "dashscope, an allocation",
        429,
        {"code": "Throttling.AllocationQuota", "message": "Allocated quota exceeded"},
        "RateLimited",
        True,
    ),
    (
        "xai, credit",
        429,
        {"code": "Some resource has been exhausted", "error": "reached its monthly spending limit."},
        "QuotaExceeded",
        False,
    ),
    (
        "xai, a key",
        400,
        {"code": "Client specified an invalid argument", "error": "Incorrect API key provided: x."},
        "AuthenticationError",
        False,
    ),
    ("hugging face, credit", 402, {"error": "You have exceeded your monthly included credits"}, "QuotaExceeded", False),
    (
        "hugging face, loading",
        503,
        {"error": "Model x is currently loading", "estimated_time": 20.0},
        "Overloaded",
        True,
    ),
    (
        "github, a rate",
        429,
        {"error": {"code": "RateLimitReached", "message": "Rate limit of 50 per 86400s exceeded"}},
        "RateLimited",
        True,
    ),
    (
        "cloudflare, a day",
        429,
        {"success": False, "errors": [{"code": 4006, "message": "used up your daily free allocation"}]},
        "QuotaExceeded",
        False,
    ),
    ("cloudflare, in front of a server", 524, "error code: 524", "ServerError", True),
    ("cloudflare, a rate", 429, "error code: 1015", "RateLimited", True),
    (
        "cerebras, busy",
        429,
        {"message": "high traffic", "type": "too_many_requests_error", "code": "queue_exceeded"},
        "RateLimited",
        True,
    ),
    (
        "litellm, a budget",
        429,
        openai("Budget has been exceeded! Max budget: 10.0", "400", "budget_exceeded"),
        "QuotaExceeded",
        False,
    ),
    ("nginx, a size", 413, "<html><title>413 Request Entity Too Large</title></html>", "InvalidRequest", False),
]


@pytest.mark.parametrize(("status", "body", "kind", "retryable"), [c[1:] for c in SAID], ids=[c[0] for c in SAID])
def test_an_error_is_of_the_class_that_says_what_to_do(status: int, body: Any, kind: str, retryable: bool) -> None:
    error = read_failure(body, provider="p", status=status)
    assert (type(error).__name__, error.retryable) == (kind, retryable)
