"""Which class an error of a provider belongs to, and whether the same request may succeed later.

An error inside a stream has no status of its own, so its words (code, type) come first; before the stream the status
decides, and the words only where they say more than it does.
"""

from __future__ import annotations

import re

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
from streamkit.protocols.failures.overflow import says_overflow

__all__ = ["may_retry", "pick_kind", "plain_word"]

_BY_STATUS: dict[int, type[APIError]] = {
    401: AuthenticationError,
    402: QuotaExceeded,
    403: PermissionDenied,
    404: NotFound,
    408: ServerError,  # the provider gave up waiting
    409: APIError,
    424: ServerError,  # a model behind Bedrock or TGI failed
    425: APIError,
    429: RateLimited,
    498: Overloaded,  # Groq: the flexible tier has no capacity; Cohere means the key by it
    499: APIError,  # a gateway's, or Google's for CANCELLED: the request was given up on the way
    503: Overloaded,
    529: Overloaded,
}
# Statuses below 500 after which the official SDKs send the request again; from 500 on only 501 is final.
_RETRY = {408, 409, 424, 425, 429, 498}
_FINAL = {501}

# Words that say more than any status; the numbers of five digits are FastChat's.
_SPECIFIC: dict[type[APIError], str] = {
    ContentFiltered: (
        "contentfilter contentpolicyviolation responsibleaipolicyviolation datainspectionfailed 1301 biopolicy "
        "misalignmentpolicyviolation imagecontentpolicyviolation"
    ),
    QuotaExceeded: (
        "insufficientquota budgetexceeded allocationquotafreetieronly paymentrequired "
        "billinghardlimitreached billing billingnotactive enforcedspendlimitreached "
        "contractspendlimitreached arrearage insufficientbalance insufficientcredits exceededcurrentquota "
        "quotaexceeded servicequotaexceeded 1113 minimax1008 42902"
    ),
    RateLimited: (
        "ratelimit ratelimitexceeded ratelimitreached toomanyrequests ramplimitexceeded "
        "throttling throttled resourceexhausted limitrequests limitburstrate requestlimitexceeded 1302 1303 "
        "minimax1002 minimax1039 42901"
    ),
    Overloaded: "overloaded engineoverloaded modeloverloaded serviceunavailable unavailable modelnotready 1305 42903",
    AuthenticationError: (
        "authentication invalidapikey invalidsignature missingauthenticationtoken incompletesignature "
        "apikeyinvalid unauthenticated unauthorized unrecognizedclient expiredtoken "
        "minimax1004 40101 40102"
    ),
    PermissionDenied: "permission permissiondenied accessdenied forbidden 40103",
    NotFound: "notfound modelnotfound resourcenotfound deploymentnotfound 40301",
}
# Words that only repeat a status: they count inside a stream, where there is none.
_GENERAL: dict[type[APIError], str] = {
    InvalidRequest: (
        "invalidrequest badrequest validation invalidargument failedprecondition invalidparameter parameterunknown "
        "40001 40302 "
        "outofrange alreadyexists unimplemented minimax2013 invalidprompt dataresidencymismatch invalidimage "
        "invalidimageformat invalidbase64image invalidimageurl imagetoolarge imagetoosmall imageparse invalidimagemode "
        "imagefiletoolarge unsupportedimagemediatype emptyimagefile failedtodownloadimage imagefilenotfound"
    ),
    ServerError: (
        "api server internal internalserver internalfailure timeout modeltimeout deadlineexceeded modelstream model "
        "upstream generation"
    ),
}
_WORD_KINDS = {word: kind for kind, words in _SPECIFIC.items() for word in words.split()}
_STREAM_KINDS = {word: kind for kind, words in _GENERAL.items() for word in words.split()} | _WORD_KINDS

_FILTER_TEXT = re.compile(
    r"content (?:management|filtering) policy|blocked by (?:the )?content filter"
    r"|(?:prompt|input) was flagged",  # OpenAI's policy on use, OpenRouter's moderation
    re.IGNORECASE,
)
_QUOTA_TEXT = re.compile(
    r"credit balance is too low|insufficient (?:balance|credits|quota)|exceeded your current quota|spend limit"
    r"|out of credits|daily free allocation|budget has been exceeded",  # the last two are Cloudflare and LiteLLM
    re.IGNORECASE,
)
_ALLOWANCE_TEXT = re.compile(r"/ ?month|per month|monthly", re.IGNORECASE)  # Cohere's trial keys, others' free tiers
# llama.cpp answers 500 to these, which no second try mends; build 11549, by trying.
_MISTAKE_TEXT = re.compile(r"failed to parse (?:messages|tools)\b|\w+ input is not supported\b|'\w+' is required", re.I)
_BAD_KEY_TEXT = re.compile(r"api key not valid|(?:invalid|incorrect) (?:x-)?api[- ]key", re.IGNORECASE)
# What counts inside a stream, where neither a status nor a word says it.
_STREAM_TEXTS: dict[type[APIError], re.Pattern[str]] = {
    RateLimited: re.compile(r"rate limit|too many requests|too many tokens, please wait|throttl", re.IGNORECASE),
    Overloaded: re.compile(r"\boverloaded\b|(?:at|no|over) capacity", re.IGNORECASE),
}


def plain_word(word: str) -> str:
    """Return a code or type in one spelling: `overloaded_error`, `OverloadedError` and `Overloaded` are one."""
    plain = re.sub("[^a-z0-9]", "", word.rpartition("#")[2].partition(":")[0].lower())
    return plain.removesuffix("exception").removesuffix("error")


def pick_kind(
    status: int, words: list[str], text: str, *, per_day: bool = False, empty: bool = False, provider: str = ""
) -> type[APIError]:
    """Return the class of an error.

    `status` is the HTTP status, or the one that the body names where HTTP says 200; `words` are its codes and types
    as `plain_word` gives them, `text` all that it says in prose. `per_day` says that it names a daily allowance.
    """
    kinds = [kind for word in words if (kind := _word_kind(word, _WORD_KINDS))]
    if ContentFiltered in kinds or _FILTER_TEXT.search(text):
        return ContentFiltered
    # Gemini's text for any limit speaks of the quota; only its details say which one it was.
    if QuotaExceeded in kinds or (per_day if "resourceexhausted" in words else _says_quota(status, text)):
        return QuotaExceeded
    if says_overflow(status, words, text, empty=empty, provider=provider):
        return ContextOverflow
    if kinds:
        return kinds[0]
    if status in (200, 400) and _BAD_KEY_TEXT.search(text):
        return AuthenticationError
    if status == 500 and _MISTAKE_TEXT.match(text):
        return InvalidRequest
    if status == 498 and provider == "cohere":
        return AuthenticationError
    if status >= 400:
        return _BY_STATUS.get(status, InvalidRequest if status < 500 or status == 501 else ServerError)
    if status >= 300:
        return InvalidRequest  # a redirect: the address is wrong
    kinds = [kind for word in words if (kind := _word_kind(word, _STREAM_KINDS))]
    kinds += [kind for kind, says in _STREAM_TEXTS.items() if says.search(text)]
    return kinds[0] if kinds else ServerError


def may_retry(kind: type[APIError], status: int, asked: str | None, original: int | None = None) -> bool:
    """Whether the same request may succeed later.

    `asked` is the header `x-should-retry`, which overrides all; `original` is the status of the model behind a 424.
    """
    if asked in ("true", "false"):
        return asked == "true"
    if issubclass(kind, (QuotaExceeded, ContentFiltered, InvalidRequest, AuthenticationError)):
        return False
    if status < 400:
        return kind.retryable
    if status == 424 and original is not None:
        status = original
    return status in _RETRY or (status >= 500 and status not in _FINAL)


def _word_kind(word: str, kinds: dict[str, type[APIError]]) -> type[APIError] | None:
    return kinds.get(word) or (RateLimited if word.startswith("throttling") else None)


def _says_quota(status: int, text: str) -> bool:
    if status == 429 and _ALLOWANCE_TEXT.search(text):
        return True
    return status in (200, 400, 402, 403, 429) and _QUOTA_TEXT.search(text) is not None
