"""Which class an error belongs to: by its words inside a stream, by its status before."""

import pytest

from streamkit.errors import (
    APIError,
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
from streamkit.protocols.failures.kinds import may_retry, pick_kind, plain_word
from streamkit.protocols.failures.reader import read_failure

IN_STREAM = [
    ("overloaded_error", Overloaded, True),
    ("api_error", ServerError, True),
    ("timeout_error", ServerError, True),
    ("rate_limit_error", RateLimited, True),
    ("server_error", ServerError, True),
    ("rate_limit_exceeded", RateLimited, True),
    ("UNAVAILABLE", Overloaded, True),
    ("INTERNAL", ServerError, True),
    ("throttlingException", RateLimited, True),
    ("serviceUnavailableException", Overloaded, True),
    ("modelStreamErrorException", ServerError, True),
    ("overloaded", Overloaded, True),
    ("invalid_request_error", InvalidRequest, False),
    ("authentication_error", AuthenticationError, False),
    ("permission_error", PermissionDenied, False),
    ("not_found_error", NotFound, False),
    ("billing_error", QuotaExceeded, False),
    ("insufficient_quota", QuotaExceeded, False),
    ("exceed_context_size_error", ContextOverflow, False),
    ("content_filter", ContentFiltered, False),
    ("REQUEST_LIMIT_EXCEEDED", RateLimited, True),
    ("request_too_large", ContextOverflow, False),
]


@pytest.mark.parametrize(("word", "kind", "retryable"), IN_STREAM, ids=[case[0] for case in IN_STREAM])
def test_an_error_inside_a_stream_is_classed_by_its_type(word, kind, retryable):
    error = read_failure({"type": "error", "error": {"type": word, "message": "m"}}, provider="p")
    assert (type(error), error.retryable, error.status, error.type) == (kind, retryable, 200, word)


STATUSES = [
    (400, InvalidRequest, False),
    (401, AuthenticationError, False),
    (402, QuotaExceeded, False),
    (403, PermissionDenied, False),
    (404, NotFound, False),
    (405, InvalidRequest, False),
    (408, ServerError, True),
    (409, APIError, True),
    (410, InvalidRequest, False),
    (498, Overloaded, True),
    (413, InvalidRequest, False),
    (415, InvalidRequest, False),
    (422, InvalidRequest, False),
    (424, ServerError, True),
    (425, APIError, True),
    (429, RateLimited, True),
    (451, InvalidRequest, False),
    (498, Overloaded, True),
    (499, APIError, False),
    (500, ServerError, True),
    (501, InvalidRequest, False),
    (502, ServerError, True),
    (503, Overloaded, True),
    (504, ServerError, True),
    (520, ServerError, True),
    (521, ServerError, True),
    (522, ServerError, True),
    (523, ServerError, True),
    (524, ServerError, True),
    (525, ServerError, True),
    (530, ServerError, True),
    (529, Overloaded, True),
]


@pytest.mark.parametrize(("status", "kind", "retryable"), STATUSES, ids=[str(case[0]) for case in STATUSES])
@pytest.mark.parametrize("body", [b"", b"text", b'{"error":{"message":"m"}}'], ids=["empty", "text", "json"])
def test_a_body_without_words_is_classed_by_the_status(status, kind, retryable, body):
    error = read_failure(body, provider="p", status=status)
    assert (type(error), error.retryable) == (kind, retryable)


# name, status, words, text, class: where the words say more than the status
WORDS = [
    ("a wrong key as a bad request", 400, ["apikeyinvalid"], "", AuthenticationError),
    ("a wrong key in words only", 400, [], "Incorrect API key provided", AuthenticationError),
    ("the same by the header's name, inside a stream", 200, [], "invalid x-api-key", AuthenticationError),
    ("words about a key in a failure", 500, [], "Incorrect API key provided", ServerError),
    ("a rate limit as too large", 413, ["ratelimitexceeded"], "", RateLimited),
    ("a missing model as a bad request", 400, ["modelnotfound"], "", NotFound),
    ("an overload as a rate limit", 429, ["overloaded"], "", Overloaded),
    ("a flagged prompt", 400, ["invalidprompt"], "your prompt was flagged as potentially violating", ContentFiltered),
    ("a flagged input at a router", 403, ["403"], "requires moderation. Your input was flagged", ContentFiltered),
    ("a bad signature", 403, ["invalidsignature"], "", AuthenticationError),
    ("a free tier that is used up", 403, ["allocationquotafreetieronly"], "", QuotaExceeded),
    ("a day's free allocation", 429, ["4006"], "you have used up your daily free allocation", QuotaExceeded),
    ("a budget at a proxy", 429, ["budgetexceeded", "400"], "Budget has been exceeded!", QuotaExceeded),
    ("a kind of throttling", 400, ["throttlingratequota"], "", RateLimited),
    ("a general word against a status", 404, ["invalidrequest"], "", NotFound),
    ("a general word against an unknown status", 599, ["invalidrequest"], "", ServerError),
    ("a word in a redirect", 302, ["moved"], "", InvalidRequest),
    ("a monthly allowance", 429, [], "limited to 1000 API calls / month", QuotaExceeded),
    ("messages that llama.cpp cannot read", 500, [], "Failed to parse messages: type must be string", InvalidRequest),
    ("tools that it cannot read", 500, ["server"], "Failed to parse tools: Unsupported tool type", InvalidRequest),
    ("images without a projector", 500, ["server"], "image input is not supported - hint: …", InvalidRequest),
    ("a field that is missing", 500, ["server"], "'messages' is required", InvalidRequest),
    ("the same text further on", 500, [], "The worker failed to parse messages of its peer", ServerError),
    ("the same text of a gateway", 502, [], "Failed to parse messages", ServerError),
    ("a monthly price", 500, [], "costs 5 per month", ServerError),
]


@pytest.mark.parametrize(("status", "words", "text", "kind"), [case[1:] for case in WORDS], ids=[c[0] for c in WORDS])
def test_words_count_where_they_say_more_than_the_status(status, words, text, kind):
    assert pick_kind(status, words, text) is kind
    assert not (issubclass(kind, InvalidRequest) and may_retry(kind, status, None))


# name, words, text, class: inside a stream, where no status says anything
TEXTS = [
    ("a throttling that looks like an overflow", [], "Too many tokens, please wait before trying again.", RateLimited),
    ("a rate limit", [], "Rate limit reached for this model", RateLimited),
    ("an overload", [], "The model is overloaded", Overloaded),
    ("no capacity", [], "We are at capacity", Overloaded),
    ("a word before the text", ["invalidrequest"], "rate limit must be a number", InvalidRequest),
    ("neither", [], "It broke", ServerError),
]


@pytest.mark.parametrize(("words", "text", "kind"), [case[1:] for case in TEXTS], ids=[case[0] for case in TEXTS])
def test_inside_a_stream_the_text_counts_where_nothing_else_says_it(words, text, kind):
    assert pick_kind(200, words, text) is kind


SPELLINGS = [
    ("overloaded_error", "overloaded"),
    ("OverloadedError", "overloaded"),
    ("throttlingException", "throttling"),
    ("com.amazon.coral.service#AccessDeniedException", "accessdenied"),
    ("ValidationException:http://internal/", "validation"),
    ("UNAVAILABLE", "unavailable"),
    ("Throttling.RateQuota", "throttlingratequota"),
    ("429", "429"),
]


@pytest.mark.parametrize(("word", "plain"), SPELLINGS, ids=[case[0] for case in SPELLINGS])
def test_the_spellings_of_a_word_are_one(word, plain):
    assert plain_word(word) == plain


def test_the_model_behind_a_424_decides_whether_to_retry():
    assert may_retry(ServerError, 424, None, 500)
    assert may_retry(ServerError, 424, None, 429)
    assert not may_retry(ServerError, 424, None, 400)
    assert may_retry(ServerError, 424, None)
    assert not may_retry(ServerError, 424, "false", 500)
