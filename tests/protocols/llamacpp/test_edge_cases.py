"""Where streams of a llama.cpp server differ from what one expects: a row each, and what a user sees of it."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from streamkit.deltas import Logprobs
from streamkit.protocols.failures import read_failure
from streamkit.usage import Usage
from tests.protocols.edges import read, told

EOS = ("stop", "eos")


def said(content: str, **fields: Any) -> dict[str, Any]:
    return {"index": 0, "content": content, "stop": False, **fields}


def last(**fields: Any) -> dict[str, Any]:
    return {"index": 0, "content": "", "stop": True, "stop_type": "eos", **fields}


def old(word: str, **fields: Any) -> dict[str, Any]:
    """A last record of a build that had three flags."""
    flags = {f"stopped_{each}": each == word for each in ("eos", "limit", "word")}
    return {"slot_id": 0, "content": "", "stop": True, **flags, **fields}


def body(*records: Any) -> bytes:
    return "".join(f"data: {json.dumps(each, ensure_ascii=False)}\n\n" for each in records).encode()


ERROR = {"code": 500, "message": "no", "type": "server_error"}
FULL = {
    "code": 400,
    "message": "request (9 tokens) exceeds the available context size (4 tokens)",
    "type": "exceed_context_size_error",
    "n_prompt_tokens": 9,
    "n_ctx": 4,
}
LOADING = {"code": 503, "message": "Loading model", "type": "unavailable_error"}
HUGE = {"generation_settings": {"samplers": ["x" * 9_000]}, "prompt": "y" * 3_000}

EDGES: list[tuple[str, bytes, dict[str, Any]]] = [
    ("a last record with text", body(said("Hel"), last(content="lo")), {"text": "Hello", "finish": EOS}),
    ("an error as a record", body(said("Hi"), {"error": ERROR}), {"text": "Hi", "error": "ServerError"}),
    (
        "an error in a field of its own",
        body(said("Hi")) + b"error: " + json.dumps(ERROR).encode() + b"\n\n",
        {"text": "Hi", "error": "ServerError"},
    ),
    ("an error as the whole body", json.dumps({"error": FULL}).encode(), {"error": "ContextOverflow"}),
    ("a stop word", body(said("Hi"), last(stop_type="word")), {"text": "Hi", "finish": ("stop", "word")}),
    ("the limit", body(said("Hi"), last(stop_type="limit")), {"text": "Hi", "finish": ("length", "limit")}),
    ("no telling why", body(said("Hi"), last(stop_type="none")), {"text": "Hi", "finish": ("other", "none")}),
    ("an old build's end", body(said("Hi"), old("eos")), {"text": "Hi", "finish": ("stop", "stopped_eos")}),
    ("an old build's limit", body(said("Hi"), old("limit")), {"text": "Hi", "finish": ("length", "stopped_limit")}),
    ("an old build's stop word", body(said("Hi"), old("word")), {"text": "Hi", "finish": ("stop", "stopped_word")}),
    (
        "an end of which neither was asked for",
        body({"content": "Hi", "stop": False}, {"content": "", "stop": True}),
        {"text": "Hi", "finish": ("stop", None)},
    ),
    ("pings between records", b": ping\n\n".join([body(said("Hi")), body(last())]), {"text": "Hi", "finish": EOS}),
    ("pings for a long time", b": ping\n\n" * 50 + body(said("Hi"), last()), {"text": "Hi", "finish": EOS}),
    (
        "two prompts in turns",
        body(said("a"), said("x", index=1), said("b"), last(index=1, stop_type="limit"), last()),
        {"text": "ab", "finish": EOS, "others": [{"text": "x", "finish": ("length", "limit")}]},
    ),
    (
        "progress of the prompt, without content",
        body({"index": 0, "prompt_progress": {"total": 9, "processed": 4}, "stop": False}, said("Hi"), last()),
        {"text": "Hi", "finish": EOS},
    ),
    ("the end of input after the last record", body(said("Hi"), last()), {"text": "Hi", "finish": EOS}),
    ("the end of input before it", body(said("Hi")), {"text": "Hi", "error": "TruncatedStream"}),
    ("[DONE] after it", body(said("Hi"), last()) + b"data: [DONE]\n\n", {"text": "Hi", "finish": EOS}),
    (
        "half a character, escaped",
        body(said("a"), last()).replace(b'"a"', b'"a\\ud83d"'),
        {"text": "a\ufffd", "finish": EOS},
    ),
    (
        "a huge last record",
        body(said("Hi"), last(**HUGE)),
        {"text": "Hi", "finish": EOS},
    ),
    (
        "counts, of which some came from a cache",
        body(said("Hi"), last(tokens_evaluated=9, tokens_predicted=2, tokens_cached=10, timings={"cache_n": 5})),
        {"text": "Hi", "finish": EOS, "usage": Usage(4, 2, 5)},
    ),
    ("a proxy's page", b"<html>502</html>", {"error": "ServerError"}),
]


@pytest.mark.parametrize(("data", "seen"), [edge[1:] for edge in EDGES], ids=[edge[0] for edge in EDGES])
def test_an_edge_case_is_seen_as_it_is_meant(data: bytes, seen: dict[str, Any]) -> None:
    assert told(read(data, "llamacpp")) == seen


NAMINGS = [
    ("before sampling", {"logprob": math.log(0.5), "top_logprobs": [{"token": "a", "logprob": math.log(0.5)}]}),
    ("after sampling", {"prob": 0.5, "top_probs": [{"token": "a", "prob": 0.5}]}),
]


@pytest.mark.parametrize("fields", [case[1] for case in NAMINGS], ids=[case[0] for case in NAMINGS])
def test_probabilities_have_one_form_under_either_name(fields: dict[str, Any]) -> None:
    data = body(said("a", completion_probabilities=[{"token": "a", **fields}]), last())
    (logprobs,) = (delta for delta in read(data, "llamacpp").deltas if isinstance(delta, Logprobs))
    half = math.log(0.5)
    assert logprobs.content == [{"token": "a", "logprob": half, "top_logprobs": [{"token": "a", "logprob": half}]}]


# name, status, what the error says, its kind, whether trying again may help
WRONG_KEY = {"code": 401, "message": "Invalid API Key", "type": "authentication_error"}
OLD_FULL = {"message": "the request exceeds the available context size"}
REFUSALS = [
    ("the model is loading", 503, LOADING, "Overloaded", True),
    ("a full context", 400, FULL, "ContextOverflow", False),
    (
        "the older words for it",
        500,
        {"message": "the request exceeds the available context size"},
        "ContextOverflow",
        False,
    ),
    (
        "a wrong key",
        401,
        {"code": 401, "message": "Invalid API Key", "type": "authentication_error"},
        "AuthenticationError",
        False,
    ),
    ("a wrong request", 400, {"code": 400, "message": "no", "type": "invalid_request_error"}, "InvalidRequest", False),
    ("not found", 404, {"code": 404, "message": "File Not Found", "type": "not_found_error"}, "NotFound", False),
    ("not allowed", 403, {"code": 403, "message": "no", "type": "permission_error"}, "PermissionDenied", False),
    ("not built in", 501, {"code": 501, "message": "no", "type": "not_supported_error"}, "InvalidRequest", False),
]


@pytest.mark.parametrize(
    ("status", "said", "kind", "again"), [case[1:] for case in REFUSALS], ids=[case[0] for case in REFUSALS]
)
def test_an_error_in_place_of_the_stream(status: int, said: dict[str, Any], kind: str, again: bool) -> None:
    error = read_failure({"error": said}, provider="llamacpp-completion", status=status)
    assert (type(error).__name__, error.message, error.retryable) == (kind, said["message"], again)
