"""Which records are errors. What class of error each is, is in test_reader.py."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.protocols import get_protocol
from streamkit.protocols.failures.shapes import find_failure
from streamkit.testing import Answer, render
from streamkit.testing.mutations import fail
from streamkit.testing.outcome import read_pieces

CHOICES = [{"index": 0, "delta": {}}]

ERRORS: list[tuple[str, dict[str, Any]]] = [
    ("openai", {"error": {"message": "no"}}),
    ("a string", {"error": "no", "code": "x"}),
    ("beside choices", {"choices": CHOICES, "error": {"message": "no"}}),
    ("minimax", {"base_resp": {"status_code": 1002, "status_msg": "no"}, "choices": CHOICES}),
    ("fastchat", {"text": "no", "error_code": 50001}),
    ("sglang", {"object": "error", "message": "no", "code": 400}),
    ("dashscope", {"code": "InvalidParameter", "message": "no"}),
    ("cerebras", {"message": "no", "type": "invalid_request_error", "code": None}),
    ("cloudflare", {"success": False, "errors": [{"code": 7003, "message": "no"}]}),
    ("fastapi", {"detail": [{"msg": "no"}]}),
]

OTHERS: list[tuple[str, dict[str, Any]]] = [
    ("a chunk", {"choices": CHOICES}),
    ("a null error", {"choices": CHOICES, "error": None}),
    ("success at minimax", {"choices": CHOICES, "base_resp": {"status_code": 0, "status_msg": ""}}),
    ("success at groq", {"choices": CHOICES, "x_groq": {"id": "r"}}),
    ("success at fastchat", {"text": "Hi", "error_code": 0}),
    ("success in a flat form", {"code": 200, "message": "ok"}),
    ("a message of another kind", {"type": "info", "message": "queued"}),
    ("a chunk with words of an error", {"choices": CHOICES, "message": "no", "code": "x", "detail": "y"}),
    ("an empty object", {}),
    ("usage", {"choices": [], "usage": {"prompt_tokens": 1}}),
]


@pytest.mark.parametrize("record", [case[1] for case in ERRORS], ids=[case[0] for case in ERRORS])
def test_a_record_that_is_an_error_is_found_as_it_came(record: dict[str, Any]) -> None:
    assert find_failure(record) is record


@pytest.mark.parametrize("record", [case[1] for case in OTHERS], ids=[case[0] for case in OTHERS])
def test_a_record_that_is_no_error_is_none(record: dict[str, Any]) -> None:
    assert find_failure(record) is None


def test_an_error_further_inside_is_put_where_it_is_looked_for() -> None:
    error = {"code": 502, "message": "no"}
    assert find_failure({"choices": [None, {"index": 0, "error": error}]}) == {"error": error}
    assert find_failure({"choices": CHOICES, "x_groq": {"error": "no"}}) == {"error": "no"}


FLAT: list[tuple[str, bytes]] = [
    ("vllm", b'{"object":"error","message":"no","type":"BadRequestError","code":400}'),
    ("dashscope", b'{"code":"InvalidParameter","message":"no"}'),
    ("cerebras", b'{"message":"no","type":"invalid_request_error","code":"x"}'),
]


@pytest.mark.parametrize("protocol", ["openai-chat", "openai-responses", "anthropic", "gemini", "cohere"])
@pytest.mark.parametrize("record", [case[1] for case in FLAT], ids=[case[0] for case in FLAT])
def test_a_flat_error_ends_a_stream_of_any_dialect_that_servers_copy(protocol: str, record: bytes) -> None:
    body = fail(render(Answer(["Hello there"]), protocol), 4, b"data: " + record + b"\n\n")
    outcome = read_pieces([body], get_protocol(protocol).parser())
    assert outcome.error is not None
    assert (outcome.error["kind"], outcome.error["message"]) == ("InvalidRequest", "no")
