"""Where streams over HTTP differ from what one expects: a row each, and the tests of the rest."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from streamkit.client import Client
from streamkit.errors import ProtocolError
from streamkit.providers import Provider
from streamkit.testing import Answer, ReplayServer, Reply, render
from streamkit.testing.chunking import bytewise, two_parts
from streamkit.wire import Frame
from streamkit.wire.sse import SSEDecoder

BOM = "\ufeff"
A, B = Frame(b'{"a":1}'), Frame(b'{"b":2}')
LIMIT = 1 << 20

# name, body, frames: what the standard of server-sent events says, and where servers depart from it
STREAMS: list[tuple[str, str, list[Frame]]] = [
    ("lines end with CRLF", 'data: {"a":1}\r\n\r\n', [A]),
    ("lines end with CR", 'data: {"a":1}\r\rdata: {"b":2}\r\r', [A, B]),
    ("lines end in turns with all three", 'data: {"a":1}\r\n\rdata: {"b":2}\n\r\n', [A, B]),
    ("the input ends with half a line end", 'data: {"a":1}\n\r', [A]),
    ("a mark at the start", f'{BOM}data: {{"a":1}}\n\n', [A]),
    ("a mark inside data", f"data: {BOM}x\n\n", [Frame(f"{BOM}x".encode())]),
    ("a mark before a later field is part of its name", f'data: {{"a":1}}\n\n{BOM}data: {{"b":2}}\n\n', [A]),
    ("characters of several bytes", "data: ü漢😀\n\n", [Frame("ü漢😀".encode())]),
    ("data without a value", 'data:\n\ndata\n\ndata: \n\ndata: {"a":1}\n\n', [A]),
    ("one space is taken off, two leave one", "data:x\n\ndata:  x\n\n", [Frame(b"x"), Frame(b" x")]),
    ("comments alone", ": ping\n\n:\n\n", []),
    ("a name without data", 'event: x\n\ndata: {"a":1}\n\n', [A]),
    ("a name is of one event only", 'event: x\ndata: {"a":1}\n\ndata: {"b":2}\n\n', [Frame(A.data, "x"), B]),
    ("an id, also one that is none", 'id: 1\n\nid: a\0b\ndata: {"a":1}\n\n', [A]),
    ("the input ends before the blank line", 'data: {"a":1}', [A]),
    ("the input ends inside the data", 'data: {"a":1}\n\ndata: {"b":', [A]),
    ("what ends no line", 'data: {"a":"\u2028\u2029\u0085\x0b\x0c\x1c"}\n\n',
     [Frame('{"a":"\u2028\u2029\u0085\x0b\x0c\x1c"}'.encode())]),
    ("events without blank lines", 'data: {"a":1}\ndata: {"b":2}\n\n', [Frame(A.data + b"\n" + B.data)]),
    ("one event over several fields", "data: {\ndata: 1\ndata: }\n\n", [Frame(b"{\n1\n}")]),
    ("the data on the line after its field", 'data:\n {"a":1}\n\n', [Frame(b' {"a":1}')]),
    ("an error as a field", 'error: {"a":1}\n\n', [Frame(A.data, "error")]),
    ("lines with a status", 'id:1\nevent:error\n:HTTP_STATUS/400\ndata:{"a":1}\n\n', [Frame(A.data, "error")]),
    ("the letters of a field in the data", "data: data: data\n\n", [Frame(b"data: data")]),
    ("JSON from the first byte on", '{"a":1}', [A]),
    ("blank lines before it", '\r\n\n  {"a":1}\n', [Frame(b'{"a":1}\n')]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "frames"), [case[1:] for case in STREAMS], ids=[case[0] for case in STREAMS])
def test_a_body_gives_the_same_frames_cut_at_any_byte(body: str, frames: list[Frame], decode: Any) -> None:
    data = body.encode()
    for pieces in ([data], bytewise(data), *two_parts(data)):
        assert decode(SSEDecoder(LIMIT), pieces).frames == frames


def test_a_line_over_the_limit_is_a_clear_error_and_holds_no_more_than_that() -> None:
    decoder = SSEDecoder(1000)
    assert decoder.feed(b'data: {"a":1}\n\n') == [A]
    for _ in range(2000):
        if decoder.feed(b"x" * 16) == [] and decoder.error is not None:
            break
    assert isinstance(decoder.error, ProtocolError)
    assert "max_event_bytes = 1000 bytes" in str(decoder.error)


TYPES = ["text/event-stream", "text/event-stream; charset=iso-8859-1", "application/json", "text/plain", "x", ""]


@pytest.mark.parametrize("protocol", ["openai-chat", "ollama"])
async def test_a_stream_is_read_whatever_its_type_says(protocol: str) -> None:
    body = render(Answer(["Grüße 😀"]), protocol)
    replies = [Reply(body=body, headers={"content-type": name} if name else {}) for name in TYPES]
    row = Provider(name="acme", protocol=protocol, key_optional=True)
    async with ReplayServer(replies) as server, Client("m", provider=row, base_url=server.url) as client:
        for _ in TYPES:
            assert (await client.send("Hi")).message.text == "Grüße 😀"


# What else can differ over HTTP, and the test of it, wherever it stands.
ELSEWHERE: dict[str, str] = {
    "a page, a text, an error as JSON or nothing in place of a stream": ("test_an_answer_that_is_none"),
    "a stream that is compressed and flushed": "test_what_an_event_flushed_comes_out_at_once",
    "one that is compressed and cut short": (
        "test_a_compressed_stream_cut_short_is_truncated_though_the_connection_ended_well"
    ),
    "one that holds more than it seems": "test_a_gzip_bomb_ends_at_the_limit_with_bounded_memory",
    "every way to ask for a wait": "test_the_delay_is_read",
    "the provider's word on another try": ("test_the_provider_decides_whether_to_retry_where_it_says_so"),
    "no other try once content had come": "test_some_errors_are_raised_at_once",
    "the error body of every provider": "test_each_providers_error_body_is_read",
    "the text of every provider for a prompt that is too long": ("test_each_providers_text_is_an_overflow"),
    "what only sounds like it": "test_what_only_sounds_like_an_overflow_is_none",
    "silence before and inside the stream": ("test_silence_longer_than_the_limit_is_a_timeout_that_names_it"),
    "comments that are no progress": "test_a_limit_that_is_broken_is_its_own_error_with_what_came_until_then",
    "a reader who leaves": "test_leaving_at_any_delta_closes_the_connection_and_leaves_no_task",
    "a task that is cancelled": "test_a_stream_cancelled_while_it_waits_for_bytes_is_closed",
    "a connection that breaks after the last word": (
        "test_a_connection_that_breaks_after_the_last_word_has_spoilt_nothing"
    ),
    "a redirect to another host": "test_a_redirect_takes_neither_the_key_nor_the_request_to_another_host",
    "a key that comes back in an error": "test_a_key_that_the_server_echoes_is_taken_out_of_the_error",
}


TESTS = "\n".join(path.read_text() for path in Path(__file__).parents[1].rglob("test_*.py"))


@pytest.mark.parametrize("name", ELSEWHERE.values(), ids=ELSEWHERE)
def test_the_rest_has_the_test_that_this_table_names(name: str) -> None:
    assert re.search(rf"^(async )?def {name}\(", TESTS, re.MULTILINE)
