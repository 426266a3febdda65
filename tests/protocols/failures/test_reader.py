"""One error body for each shape that providers and gateways send."""

import json
from time import process_time

import pytest

from streamkit.errors import (
    AuthenticationError,
    ContentFiltered,
    ContextOverflow,
    InvalidRequest,
    NotFound,
    Overloaded,
    PermissionDenied,
    QuotaExceeded,
    RateLimited,
    ServerError,
)
from streamkit.protocols.failures.reader import MAX_BODY_CHARACTERS, find_request_id, read_failure, scrub

# name, status, headers, body, then what must be read: class, message, code, type, request id, retryable
CASES = [
    (
        "openai",
        401,
        {"x-request-id": "req_1"},
        {
            "error": {
                "message": "Incorrect API key provided: sk-a***z.",
                "type": "invalid_request_error",
                "param": None,
                "code": "invalid_api_key",
            }
        },
        (
            AuthenticationError,
            "Incorrect API key provided: sk-a***z.",
            "invalid_api_key",
            "invalid_request_error",
            "req_1",
            False,
        ),
    ),
    (
        "openai-missing-model",
        404,
        {"X-Request-Id": "req_2"},
        {"error": {"message": "No such model", "type": "invalid_request_error", "code": "model_not_found"}},
        (NotFound, "No such model", "model_not_found", "invalid_request_error", "req_2", False),
    ),
    (
        "openai-rate",
        429,
        {"x-request-id": "req_3"},
        {"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}},
        (RateLimited, "Rate limit reached", "rate_limit_exceeded", "requests", "req_3", True),
    ),
    (
        "openai-quota",
        429,
        {},
        {
            "error": {
                "message": "You exceeded your current quota",
                "type": "insufficient_quota",
                "code": "insufficient_quota",
            }
        },
        (QuotaExceeded, "You exceeded your current quota", "insufficient_quota", "insufficient_quota", None, False),
    ),
    (
        "openai-hard-limit",
        429,
        {},
        {
            "error": {
                "message": "Billing hard limit has been reached",
                "code": "billing_hard_limit_reached",
                "type": "invalid_request_error",
            }
        },
        (
            QuotaExceeded,
            "Billing hard limit has been reached",
            "billing_hard_limit_reached",
            "invalid_request_error",
            None,
            False,
        ),
    ),
    (
        "azure",
        429,
        {"apim-request-id": "apim-1", "x-ms-request-id": "ms-1"},
        {"error": {"code": "429", "message": "Requests have exceeded the rate limit. Please retry after 26 seconds."}},
        (
            RateLimited,
            "Requests have exceeded the rate limit. Please retry after 26 seconds.",
            "429",
            None,
            "apim-1",
            True,
        ),
    ),
    (
        "azure-filter",
        400,
        {"x-ms-request-id": "ms-2"},
        {
            "error": {
                "message": "The response was filtered",
                "type": None,
                "param": "prompt",
                "code": "content_filter",
                "status": 400,
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
        (ContentFiltered, "The response was filtered", "content_filter", None, "ms-2", False),
    ),
    (
        "azure-deployment",
        404,
        {},
        {"error": {"code": "DeploymentNotFound", "message": "no deployment"}},
        (NotFound, "no deployment", "DeploymentNotFound", None, None, False),
    ),
    (
        "anthropic",
        529,
        {"request-id": "req_a"},
        {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "req_b"},
        (Overloaded, "Overloaded", None, "overloaded_error", "req_a", True),
    ),
    (
        "anthropic-id-in-body",
        403,
        {},
        {"type": "error", "error": {"type": "permission_error", "message": "no"}, "request_id": "req_b"},
        (PermissionDenied, "no", None, "permission_error", "req_b", False),
    ),
    (
        "anthropic-spend-limit",
        429,
        {},
        {
            "type": "error",
            "error": {
                "type": "rate_limit_error",
                "message": "limit",
                "details": {"error_code": "enforced_spend_limit_reached"},
            },
        },
        (QuotaExceeded, "limit", "enforced_spend_limit_reached", "rate_limit_error", None, False),
    ),
    (
        "anthropic-ramp-limit",
        429,
        {},
        {
            "type": "error",
            "error": {
                "type": "rate_limit_error",
                "message": "slower",
                "details": {"error_code": "ramp_limit_exceeded"},
            },
        },
        (RateLimited, "slower", "ramp_limit_exceeded", "rate_limit_error", None, True),
    ),
    (
        "anthropic-credit",
        400,
        {},
        {
            "type": "error",
            "error": {"type": "invalid_request_error", "message": "Your credit balance is too low to go on."},
        },
        (QuotaExceeded, "Your credit balance is too low to go on.", None, "invalid_request_error", None, False),
    ),
    (
        "gemini",
        503,
        {},
        {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}, "responseId": "r-1"},
        (Overloaded, "The model is overloaded.", "503", "UNAVAILABLE", "r-1", True),
    ),
    (
        "gemini-in-a-list",
        400,
        {},
        [
            {
                "error": {
                    "code": 400,
                    "message": "API key not valid.",
                    "status": "INVALID_ARGUMENT",
                    "details": [{"@type": "ErrorInfo", "reason": "API_KEY_INVALID"}],
                }
            }
        ],
        (AuthenticationError, "API key not valid.", "400", "INVALID_ARGUMENT", None, False),
    ),
    (
        "gemini-per-minute",
        429,
        {},
        {
            "error": {
                "code": 429,
                "message": "You exceeded your current quota.",
                "status": "RESOURCE_EXHAUSTED",
                "details": [{"violations": [{"quotaId": "GenerateRequestsPerMinutePerProject"}]}],
            }
        },
        (RateLimited, "You exceeded your current quota.", "429", "RESOURCE_EXHAUSTED", None, True),
    ),
    (
        "gemini-per-day",
        429,
        {},
        {
            "error": {
                "code": 429,
                "message": "You exceeded your current quota.",
                "status": "RESOURCE_EXHAUSTED",
                "details": [{"violations": [{"quotaId": "GenerateRequestsPerDayPerProject"}]}],
            }
        },
        (QuotaExceeded, "You exceeded your current quota.", "429", "RESOURCE_EXHAUSTED", None, False),
    ),
    (
        "bedrock",
        429,
        {"x-amzn-ErrorType": "ThrottlingException:http://internal/", "x-amzn-RequestId": "amz-1"},
        {"message": "Too many tokens, please wait before trying again."},
        (
            RateLimited,
            "Too many tokens, please wait before trying again.",
            None,
            "ThrottlingException",
            "amz-1",
            True,
        ),
    ),
    (
        "bedrock-model-error-that-is-final",
        424,
        {"x-amzn-errortype": "ModelErrorException"},
        {"message": "bad", "originalStatusCode": 400},
        (ServerError, "bad", None, "ModelErrorException", None, False),
    ),
    (
        "bedrock-model-error-that-may-pass",
        424,
        {"x-amzn-errortype": "ModelErrorException"},
        {"message": "bad", "originalStatusCode": 500},
        (ServerError, "bad", None, "ModelErrorException", None, True),
    ),
    (
        "mistral",
        400,
        {"mistral-correlation-id": "cor-1"},
        {"object": "error", "message": "Invalid model", "type": "invalid_model", "param": None, "code": "1500"},
        (InvalidRequest, "Invalid model", "1500", "invalid_model", "cor-1", False),
    ),
    (
        "mistral-validation",
        422,
        {},
        {"detail": [{"loc": ["body", "messages", 0], "msg": "field required", "type": "value_error.missing"}]},
        (InvalidRequest, "body.messages.0: field required", None, None, None, False),
    ),
    (
        "mistral-key",
        401,
        {},
        {"message": "Unauthorized", "request_id": "m-1"},
        (AuthenticationError, "Unauthorized", None, None, "m-1", False),
    ),
    (
        "cohere",
        404,
        {},
        {"id": "co-1", "message": "model 'x' not found"},
        (NotFound, "model 'x' not found", None, None, "co-1", False),
    ),
    (
        "cohere-trial",
        429,
        {"x-debug-trace-id": "co-2"},
        {"message": "You are using a Trial key, which is limited to 1000 API calls / month."},
        (
            QuotaExceeded,
            "You are using a Trial key, which is limited to 1000 API calls / month.",
            None,
            None,
            "co-2",
            False,
        ),
    ),
    (
        "groq",
        400,
        {"x-groq-id": "gq-1"},
        {
            "error": {
                "message": "Failed to call a function.",
                "type": "invalid_request_error",
                "code": "tool_use_failed",
                "failed_generation": '{"name": "f"',
            }
        },
        (InvalidRequest, "Failed to call a function.", "tool_use_failed", "invalid_request_error", "gq-1", False),
    ),
    (
        "openrouter",
        402,
        {"X-Generation-Id": "gen-1"},
        {"error": {"code": 402, "message": "Insufficient credits", "metadata": {}}, "user_id": "u"},
        (QuotaExceeded, "Insufficient credits", "402", None, "gen-1", False),
    ),
    (
        "deepseek",
        402,
        {"x-ds-trace-id": "ds-1"},
        {"error": {"message": "Insufficient Balance", "type": "unknown_error", "param": None, "code": "x"}},
        (QuotaExceeded, "Insufficient Balance", "x", "unknown_error", "ds-1", False),
    ),
    (
        "perplexity",
        400,
        {},
        {"error": {"message": "Invalid model", "type": "invalid_model", "code": 400}},
        (InvalidRequest, "Invalid model", "400", "invalid_model", None, False),
    ),
    (
        "xai",
        400,
        {"x-request-id": "xai-1"},
        {"code": "Client specified an invalid argument", "error": "Incorrect API key provided: xai-…"},
        (
            AuthenticationError,
            "Incorrect API key provided: xai-…",
            "Client specified an invalid argument",
            None,
            "xai-1",
            False,
        ),
    ),
    (
        "cerebras",
        422,
        {"x-request-id": "cb-1"},
        {"message": "wrong", "type": "invalid_request_error", "param": "x", "code": "wrong_api_format"},
        (InvalidRequest, "wrong", "wrong_api_format", "invalid_request_error", "cb-1", False),
    ),
    (
        "together",
        503,
        {"x-request-id": "tg-1"},
        {"error": {"message": "busy", "type": "server_error", "param": None, "code": None}},
        (Overloaded, "busy", None, "server_error", "tg-1", True),
    ),
    (
        "fireworks",
        400,
        {},
        {"error": {"object": "error", "type": "invalid_request_error", "message": "wrong"}},
        (InvalidRequest, "wrong", None, "invalid_request_error", None, False),
    ),
    (
        "dashscope",
        400,
        {},
        {"code": "InvalidParameter", "message": "wrong", "request_id": "dash-1"},
        (InvalidRequest, "wrong", "InvalidParameter", None, "dash-1", False),
    ),
    (
        "dashscope-arrears",
        400,
        {},
        {"code": "Arrearage", "message": "Access denied", "request_id": "dash-2"},
        (QuotaExceeded, "Access denied", "Arrearage", None, "dash-2", False),
    ),
    (
        "dashscope-filter",
        400,
        {},
        {"code": "DataInspectionFailed", "message": "inappropriate", "request_id": "dash-3"},
        (ContentFiltered, "inappropriate", "DataInspectionFailed", None, "dash-3", False),
    ),
    (
        "zhipu",
        429,
        {"x-log-id": "z-1"},
        {"error": {"code": "1302", "message": "too fast"}},
        (RateLimited, "too fast", "1302", None, "z-1", True),
    ),
    (
        "minimax-rate",
        200,
        {"minimax-request-id": "mm-1"},
        {"base_resp": {"status_code": 1002, "status_msg": "rate limit"}},
        (RateLimited, "rate limit", "1002", None, "mm-1", True),
    ),
    (
        "minimax-key",
        200,
        {"trace-id": "mm-2"},
        {"base_resp": {"status_code": 1004, "status_msg": "login fail"}},
        (AuthenticationError, "login fail", "1004", None, "mm-2", False),
    ),
    (
        "minimax-balance",
        200,
        {},
        {"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}},
        (QuotaExceeded, "insufficient balance", "1008", None, None, False),
    ),
    (
        "minimax-tokens-a-minute",
        200,
        {},
        {"base_resp": {"status_code": 1039, "status_msg": "token limit"}},
        (RateLimited, "token limit", "1039", None, None, True),
    ),
    (
        "tgi",
        424,
        {},
        {"error": "Request failed during generation", "error_type": "generation"},
        (ServerError, "Request failed during generation", None, "generation", None, True),
    ),
    (
        "tgi-overloaded",
        429,
        {},
        {"error": "Model is overloaded", "error_type": "overloaded"},
        (Overloaded, "Model is overloaded", None, "overloaded", None, True),
    ),
    ("ollama", 404, {}, {"error": "model 'x' not found"}, (NotFound, "model 'x' not found", None, None, None, False)),
    (
        "llamacpp",
        503,
        {},
        {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}},
        (Overloaded, "Loading model", "503", "unavailable_error", None, True),
    ),
    (
        "vllm",
        400,
        {"X-Request-Id": "v-1"},
        {"error": {"message": "wrong", "type": "BadRequestError", "param": None, "code": 400}},
        (InvalidRequest, "wrong", "400", "BadRequestError", "v-1", False),
    ),
    (
        "vllm-flat",
        404,
        {},
        {"object": "error", "message": "no model", "type": "NotFoundError", "param": None, "code": 404},
        (NotFound, "no model", "404", "NotFoundError", None, False),
    ),
    (
        "sglang",
        400,
        {},
        {"object": "error", "message": "wrong", "type": "BadRequestError", "code": 400},
        (InvalidRequest, "wrong", "400", "BadRequestError", None, False),
    ),
    (
        "fastapi",
        401,
        {},
        {"detail": "Invalid API key"},
        (AuthenticationError, "Invalid API key", None, None, None, False),
    ),
    (
        "cloudflare",
        401,
        {"cf-ray": "ray-1"},
        {"success": False, "errors": [{"code": 10000, "message": "Authentication error"}]},
        (AuthenticationError, "Authentication error", "10000", None, "ray-1", False),
    ),
    (
        "databricks",
        403,
        {"x-request-id": "db-1"},
        {"error_code": "PERMISSION_DENIED", "message": "no"},
        (PermissionDenied, "no", "PERMISSION_DENIED", None, "db-1", False),
    ),
    (
        "watsonx",
        404,
        {"x-global-transaction-id": "wx-0"},
        {
            "errors": [{"code": "model_not_supported", "message": "no", "more_info": "…"}],
            "trace": "wx-1",
            "status_code": 404,
        },
        (NotFound, "no", "model_not_supported", None, "wx-0", False),
    ),
    (
        "litellm",
        429,
        {"x-litellm-call-id": "ll-1"},
        {"error": {"message": "slow down", "type": "throttling_error", "param": None, "code": "429"}},
        (RateLimited, "slow down", "429", "throttling_error", "ll-1", True),
    ),
    (
        "qianfan",
        400,
        {},
        {"error_code": 336003, "error_msg": "wrong"},
        (InvalidRequest, "wrong", "336003", None, None, False),
    ),
]


@pytest.mark.parametrize(("provider", "status", "headers", "body", "expected"), CASES, ids=[case[0] for case in CASES])
def test_each_providers_error_body_is_read(provider, status, headers, body, expected):
    for form in (body, json.dumps(body), json.dumps(body).encode()):
        error = read_failure(form, provider=provider, status=status, headers=headers)
        read = (type(error), error.message, error.code, error.type, error.request_id, error.retryable)
        assert read == expected
        assert (error.status, error.provider) == (status, provider)
        assert json.loads(error.body) == body


def test_an_error_inside_a_stream_may_name_a_status():
    error = read_failure({"error": {"code": 502, "message": "Provider returned error"}}, provider="openrouter")
    assert (type(error), error.status, error.code, error.retryable) == (ServerError, 200, "502", True)
    error = read_failure({"error": {"code": 400, "message": "wrong", "type": "BadRequestError"}}, provider="vllm")
    assert (type(error), error.retryable) == (InvalidRequest, False)


def test_an_error_of_no_known_kind_inside_a_stream_is_the_servers():
    error = read_failure({"error": "an upstream stopped"}, provider="p")
    assert (type(error), error.message, error.retryable) == (ServerError, "an upstream stopped", True)


@pytest.mark.parametrize("status", [200, 500, 502, 503, 504, 520, 524])
def test_html_in_place_of_an_answer_is_a_gateways_and_may_pass(status):
    page = "<html><head><title>502 Bad Gateway</title></head><body>" + "x" * 900
    error = read_failure(page.encode(), provider="p", status=status, headers={"content-type": "text/html"})
    assert isinstance(error, (ServerError, Overloaded))
    assert error.retryable
    assert "502 Bad Gateway" in error.message
    assert len(error.message) < 600
    assert error.body == page


def test_a_login_page_is_not_retried():
    error = read_failure(b"<html>log in</html>", provider="perplexity", status=401)
    assert (type(error), error.retryable) == (AuthenticationError, False)


def test_plain_text_is_the_message():
    error = read_failure(b"upstream connect error\n", provider="p", status=503)
    assert error.message == "upstream connect error"


def test_an_empty_body_says_so():
    assert read_failure(b"", provider="p", status=502).message == "Bad Gateway, with an empty body"
    assert read_failure(b" \n", provider="p", status=599).message == "an unknown status, with an empty body"


def test_json_without_a_message_is_quoted():
    assert read_failure(b'{"ok": false}', provider="p", status=500).message == '{"ok": false}'
    assert read_failure(b'"out of order"', provider="p", status=500).message == "out of order"


def test_an_event_of_a_stream_as_an_error_body_is_read():
    body = (
        b'id:1\nevent:error\n:HTTP_STATUS/400\ndata:{"code":"InvalidParameter","message":"wrong","request_id":"d"}\n\n'
    )
    error = read_failure(body, provider="dashscope", status=400)
    assert (error.message, error.code, error.request_id) == ("wrong", "InvalidParameter", "d")


DETAILS = [
    ("a text", "wrong", "wrong"),
    ("texts", ["wrong", "late"], "wrong; late"),
    ("fields", [{"loc": ["body", "x"], "msg": "wrong"}, {"msg": "late"}, 5], "body.x: wrong; late"),
    ("an object", {"message": "wrong"}, "wrong"),
    ("an error in an object", {"error": {"message": "wrong"}}, "wrong"),
    ("nothing of use", [5], '{"detail": [5]}'),
]


@pytest.mark.parametrize(("detail", "message"), [case[1:] for case in DETAILS], ids=[case[0] for case in DETAILS])
def test_fastapis_detail_is_read_in_every_form(detail, message):
    assert read_failure(json.dumps({"detail": detail}), provider="p", status=400).message == message


def test_fastchats_text_is_the_message():
    error = read_failure({"text": "wrong", "error_code": 50002}, provider="p", status=400)
    assert (error.message, error.code) == ("wrong", "50002")


HEADERS = [
    ("anthropic", "request-id"),
    ("openai and most", "x-request-id"),
    ("azure", "apim-request-id"),
    ("azure's other", "x-ms-request-id"),
    ("bedrock", "x-amzn-RequestId"),
    ("mistral", "mistral-correlation-id"),
    ("cohere", "x-debug-trace-id"),
    ("groq", "x-groq-id"),
    ("openrouter", "X-Generation-Id"),
    ("deepseek", "x-ds-trace-id"),
    ("zhipu", "x-log-id"),
    ("minimax", "minimax-request-id"),
    ("minimax's other", "trace-id"),
    ("watsonx", "x-global-transaction-id"),
    ("cloudflare", "CF-RAY"),
]


@pytest.mark.parametrize("header", [case[1] for case in HEADERS], ids=[case[0] for case in HEADERS])
def test_each_providers_header_of_the_id_is_read(header):
    error = read_failure(b'{"error":{"message":"no"}}', provider="p", status=500, headers={header: "r-1"})
    assert error.request_id == find_request_id({header.lower(): "r-1"}) == "r-1"
    assert "request r-1" in str(error)


def test_the_id_of_a_request_is_found_in_the_headers():
    assert find_request_id({"cf-ray": "ray", "request-id": "r"}) == "r"
    assert find_request_id({"cf-ray": "ray"}) == "ray"
    assert find_request_id({"date": "today"}) is None


def test_what_the_provider_behind_a_router_said_counts():
    raw = '{"error":{"message":"This endpoint\'s maximum context length is 8192 tokens."}}'
    body = {"error": {"code": 400, "message": "Provider returned error", "metadata": {"raw": raw}}}
    error = read_failure(body, provider="openrouter", status=400)
    assert (type(error), error.message) == (ContextOverflow, "Provider returned error")


def test_the_id_of_a_broken_answer_is_not_a_request_id():
    assert read_failure({"id": "chatcmpl-1", "error": {"message": "m"}}, provider="p").request_id is None


@pytest.mark.parametrize(("asked", "status"), [("true", 400), ("false", 503), ("FALSE", 429)])
def test_the_provider_decides_whether_to_retry_where_it_says_so(asked, status):
    error = read_failure(b"{}", provider="p", status=status, headers={"X-Should-Retry": asked})
    assert error.retryable is (asked == "true")


def test_bodies_in_odd_forms_do_not_break_the_reader():
    deep = b'{"error":' + b"[" * 100_000
    for body in (
        deep,
        b"\xff\xfe",
        b'{"error":{"message":"\\ud83d x"}}',
        b"[]",
        b"null",
        {"error": {"message": "\ud83d", "code": "\ud83d", "type": "\ud83d"}},
        {"error": {1, 2}},
        {"error": {"message": "m", "code": 10**5000}},
        {"error": {"message": "m", "code": "9" * 5000, "status": "²²²"}},
        {"base_resp": {"status_code": [], "status_msg": 5}},
        {"errors": [], "detail": {}, "estimated_time": float("nan")},
        object(),
        bytearray(b"text"),
    ):
        error = read_failure(body, provider="p", status=500)
        assert type(error) is ServerError
        assert type(read_failure(body, provider="p")) is ServerError
        str(error).encode()
        error.body.encode()
        f"{error.code}{error.type}".encode()


def test_the_body_and_the_message_that_are_kept_are_bounded():
    assert len(read_failure("x" * 100_000, provider="p", status=500).body) == MAX_BODY_CHARACTERS
    error = read_failure({"error": {"message": "x" * 100_000}}, provider="p")
    assert len(error.message) == len(error.body) == MAX_BODY_CHARACTERS


# The beginnings of what the reader searches for, each of which may stand any number of times in a hostile body.
REPEATED = [
    "current length is ",
    "input token count ",
    "name ",
    "exceeds the limit of 1,",
    "try again in 1s ",
    "x-api-key: a ",
    "1",
]


@pytest.mark.parametrize("text", REPEATED)
def test_a_long_body_is_read_in_a_moment(text):
    long = text * (60_000 // len(text))
    body = {"error": {"message": long, "details": [{"retryDelay": long}], "metadata": {"raw": long}}}
    before = process_time()
    assert read_failure(body, provider="p", status=429).message.startswith(text.strip())
    assert process_time() - before < 1.0  # a search that is quadratic takes longer by far


SCRUBBED = [
    ("the key itself", "bad key sk-secret!", "bad key [redacted]!"),
    ("percent-encoded", "…?x=a%2Fb%2Fc%2Fd", "…?x=[redacted]"),
    ("a header", 'sent "Authorization": "Bearer abc.def" to', 'sent "Authorization": "[redacted]" to'),
    ("another header", "x-api-key: other; host", "x-api-key: [redacted]; host"),
    ("google's header", "x-goog-api-key=other", "x-goog-api-key=[redacted]"),
    ("a url", "https://h/v1?key=other&alt=sse", "https://h/v1?key=[redacted]&alt=sse"),
    ("a placeholder", "no such thing", "no such thing"),
]


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in SCRUBBED], ids=[case[0] for case in SCRUBBED])
def test_secrets_are_scrubbed(text, expected):
    assert scrub(text, ["sk-secret", "a/b/c/d", "no", ""]) == expected


def test_the_longer_of_two_secrets_goes_first():
    assert scrub("key-12345", ["key-1", "key-12345"]) == "[redacted]"
