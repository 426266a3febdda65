"""The stream of chat completions, in the forms of all who speak the dialect, each whole and byte by byte."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from streamkit.accumulator import accumulate
from streamkit.deltas import (
    BlockAdded,
    CitationAdded,
    Logprobs,
    MessageEnd,
    MessageStart,
    Replace,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    UnknownFrame,
    UsageSnapshot,
)
from streamkit.errors import APIError, ContextOverflow, ProtocolError, RateLimited, StreamkitError, TruncatedStream
from streamkit.limits import Limits
from streamkit.messages import FinishReason
from streamkit.parts import CitationPart
from streamkit.protocols import Quirks, Request, get_protocol
from streamkit.testing.chunking import bytewise
from streamkit.testing.outcome import Outcome, numbered_ids, read_pieces
from streamkit.usage import Usage, UsageCost

DONE = "[DONE]"


def chunk(delta: Any = None, finish: Any = None, *, index: Any = 0, choice: Any = None, **top: Any) -> dict[str, Any]:
    """A chunk with one choice; `choice` holds further fields of it, `top` of the chunk."""
    fields = {"index": index, "delta": delta if delta is not None else {}, "finish_reason": finish, **(choice or {})}
    return {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [fields], **top}


def body(*records: Any) -> bytes:
    """The records as events; a string or bytes is an event's data as it is."""
    out = b""
    for record in records:
        data = (
            record
            if isinstance(record, bytes)
            else (record if isinstance(record, str) else json.dumps(record)).encode()
        )
        out += b"data: " + data + b"\n\n"
    return out


def read_bytes(data: bytes, **options: Any) -> Outcome:
    """Read a body whole; any cut must give the same."""

    def read(pieces: Any) -> Outcome:
        return read_pieces(pieces, get_protocol("openai-chat").parser(mint=numbered_ids(), **options))

    outcome = read([data])
    assert read(bytewise(data)) == outcome
    return outcome


def read(*records: Any, **options: Any) -> Outcome:
    return read_bytes(body(*records), **options)


def fail(data: bytes, **options: Any) -> StreamkitError:
    """Read a body that ends in an error; return that."""
    parser = get_protocol("openai-chat").parser(**options)
    with pytest.raises(StreamkitError) as caught:
        parser.feed(data)
        parser.finish()
    return caught.value


def message(outcome: Outcome, choice: int = 0) -> Any:
    assert outcome.error is None
    return outcome.outputs[choice].message


def finish(outcome: Outcome, choice: int = 0) -> Any:
    assert outcome.error is None
    return outcome.outputs[choice].finish_reason


def calls(outcome: Outcome) -> list[tuple[str, str, Any]]:
    return [(call.id, call.function.name, call.function.arguments) for call in message(outcome).tool_calls or []]


TEXT = chunk({"content": "Hi"})
STOP = chunk(finish="stop")
USAGE = {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}
COUNTS = Usage(input_tokens=9, output_tokens=5)


# The order of deltas.


def test_a_whole_answer_in_order() -> None:
    call = {"index": 0, "id": "call_a", "type": "function", "function": {"name": "add", "arguments": ""}}
    outcome = read(
        chunk({"role": "assistant", "content": ""}),
        chunk({"reasoning_content": "hm"}),
        chunk({"content": "He"}),
        chunk({"content": "llo"}),
        chunk({"tool_calls": [call]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"a":'}}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": "1}"}}]}),
        chunk(finish="tool_calls"),
        {"id": "c1", "object": "chat.completion.chunk", "model": "m", "choices": [], "usage": USAGE},
        DONE,
        provider="acme",
    )
    assert outcome.deltas == [
        MessageStart(id="c1", model="m", provider="acme", protocol="openai-chat"),
        ThinkingStart(0),
        ThinkingDelta(0, "hm"),
        ThinkingEnd(0),
        TextStart(1),
        TextDelta(1, "Hello"),
        TextEnd(1),
        ToolCallStart(2, "call_a", "add"),
        ToolCallDelta(2, '{"a":1}'),
        UsageSnapshot(COUNTS),
        ToolCallEnd(2),
        MessageEnd(FinishReason("tool_call", "tool_calls")),
    ]


def test_text_is_given_out_with_the_frame_that_brings_it() -> None:
    parser = get_protocol("openai-chat").parser()
    parser.feed(body(chunk({"role": "assistant"})))
    assert parser.feed(body(TEXT)) == [TextStart(0), TextDelta(0, "Hi")]
    assert parser.feed(body(chunk({"content": "!"}))) == [TextDelta(0, "!")]


def test_each_return_of_a_kind_is_a_block_of_its_own() -> None:
    outcome = read(
        *(chunk(delta) for delta in ({"reasoning": "a"}, {"content": "b"}, {"reasoning": "c"}, {"content": "d"})),
        STOP,
        DONE,
    )
    starts = [delta for delta in outcome.deltas if isinstance(delta, (TextStart, ThinkingStart))]
    assert starts == [ThinkingStart(0), TextStart(1), ThinkingStart(2), TextStart(3)]
    assert message(outcome).thinking == "ac"


# 1. Empty choices.

EMPTY_CHOICES = [
    ("azure's filter first", [{"choices": [], "id": "", "model": "", "prompt_filter_results": [{}]}, TEXT, STOP]),
    ("null", [{"choices": None}, TEXT, STOP]),
    ("a null in them", [{"choices": [None]}, TEXT, STOP]),
    ("in the middle", [TEXT, {"choices": [], "moderation": {}, "object": "chat.completion.chunk"}, STOP]),
    ("last", [TEXT, STOP, {"choices": []}]),
    ("azure's offsets without a delta", [TEXT, STOP, {"choices": [{"index": 0, "content_filter_offsets": {}}]}]),
    ("progress with an empty delta", [chunk({}, prompt_progress={"total": 4}), TEXT, STOP]),
]


@pytest.mark.parametrize("records", [case[1] for case in EMPTY_CHOICES], ids=[case[0] for case in EMPTY_CHOICES])
def test_a_chunk_without_choices_says_nothing(records: list[Any]) -> None:
    outcome = read(*records, DONE)
    assert outcome.outputs[0].id == "c1"
    assert outcome.outputs[0].model == "m"
    assert message(outcome).text == "Hi"
    assert not any(isinstance(delta, UnknownFrame) for delta in outcome.deltas)


def test_an_empty_id_or_model_is_none() -> None:
    output = read({**TEXT, "id": "", "model": None}, STOP, DONE).outputs[0]
    assert (output.id, output.model) == (None, None)


# 2. Usage.

ZERO = dict.fromkeys(USAGE, 0)
USAGE_PLACES = [
    ("a chunk of its own", [TEXT, STOP, {"choices": [], "usage": USAGE}]),
    ("one without choices", [TEXT, STOP, {"usage": USAGE}]),
    ("the finish chunk", [TEXT, {**STOP, "usage": USAGE}]),
    ("every chunk", [{**TEXT, "usage": {**USAGE, "completion_tokens": 1}}, {**STOP, "usage": USAGE}]),
    ("the choice", [TEXT, chunk(finish="stop", choice={"usage": USAGE})]),
    ("x_groq", [TEXT, {**STOP, "x_groq": {"id": "r", "usage": USAGE}}]),
    ("null after it", [{**TEXT, "usage": USAGE}, {**STOP, "usage": None}]),
    ("zeros after it", [{**TEXT, "usage": USAGE}, {**STOP, "usage": ZERO}]),
    ("zeros before it", [{**TEXT, "usage": ZERO}, {**STOP, "usage": USAGE}]),
    ("before the finish", [TEXT, {"choices": [], "usage": USAGE}, STOP]),
    ("before the first choice", [{"choices": [], "usage": USAGE}, TEXT, STOP]),
]


@pytest.mark.parametrize("records", [case[1] for case in USAGE_PLACES], ids=[case[0] for case in USAGE_PLACES])
def test_usage_is_found_wherever_it_comes(records: list[Any]) -> None:
    outcome = read(*records, DONE)
    assert outcome.outputs[0].usage == COUNTS
    kinds = [type(delta) for delta in outcome.deltas]
    assert kinds[0] is MessageStart
    assert kinds[-1] is MessageEnd


def test_usage_is_told_only_when_it_changes() -> None:
    more = {**USAGE, "completion_tokens": 6}
    outcome = read(
        *({**TEXT, "usage": usage} for usage in (ZERO, USAGE, USAGE, None, more)), {**STOP, "usage": more}, DONE
    )
    told = [delta.usage.output_tokens for delta in outcome.deltas if isinstance(delta, UsageSnapshot)]
    assert told == [5, 6]


def test_usage_is_none_where_it_never_comes() -> None:
    assert read(TEXT, STOP, DONE).outputs[0].usage is None


def test_reasoning_beside_the_output_is_added_where_the_vendor_does_so() -> None:
    usage = {**USAGE, "total_tokens": 21, "completion_tokens_details": {"reasoning_tokens": 7}}
    records = [TEXT, {**STOP, "usage": usage}, DONE]
    assert read(*records).outputs[0].usage == Usage(9, 5, reasoning_tokens=7)
    assert read(*records, quirks=Quirks(reasoning_outside_output=True)).outputs[0].usage == Usage(
        9, 12, reasoning_tokens=7
    )


def test_the_price_of_a_response_is_kept() -> None:
    usage = read(TEXT, {**STOP, "usage": {**USAGE, "cost": 0.25}}, DONE).outputs[0].usage
    assert usage == Usage(9, 5, cost=UsageCost(total=0.25))


# 3. Calls: each oddity of their fragments is in test_openai_chat_calls.py.


def test_several_fragments_in_one_chunk_are_taken_one_by_one() -> None:
    whole_call = {"index": 1, "id": "b", "function": {"name": "g", "arguments": '{"y":2}'}}
    pieces = [
        {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x"'}},
        {"index": 0, "function": {"arguments": ":1}"}},
    ]
    outcome = read(chunk({"tool_calls": [*pieces, whole_call, None]}), chunk(finish="stop"), DONE)
    assert calls(outcome) == [("a", "f", {"x": 1}), ("b", "g", {"y": 2})]
    assert finish(outcome) == FinishReason("tool_call", "stop")


@pytest.mark.parametrize("nothing", [None, []])
def test_calls_that_are_none_say_nothing(nothing: Any) -> None:
    outcome = read(chunk({"content": "Hi", "tool_calls": nothing, "function_call": None}), STOP, DONE)
    assert finish(outcome) == FinishReason("stop", "stop")


def test_a_legacy_call_is_one() -> None:
    records = [
        chunk({"function_call": {"name": "f", "arguments": ""}}),
        chunk({"function_call": {"arguments": '{"x":1}'}}),
    ]
    outcome = read(*records, chunk(finish="function_call"), DONE)
    assert calls(outcome) == [("minted_0", "f", {"x": 1})]
    assert finish(outcome) == FinishReason("tool_call", "function_call")


def test_what_a_provider_signed_goes_back_to_it_as_it_came() -> None:
    signed = [
        {"type": "reasoning.text", "text": "hm", "signature": "sig", "index": 0},
        {"type": "reasoning.encrypted", "data": "xyz", "id": "r1", "index": 1},
    ]
    call = {"index": 0, "id": "a", "type": "function", "function": {"name": "f", "arguments": '{"x":1}'}}
    extra = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
    outcome = read(
        chunk({"reasoning": "h", "reasoning_details": [{**signed[0], "text": "h", "signature": None}]}),
        chunk({"reasoning": "m", "reasoning_details": [{**signed[0], "text": "m"}, signed[1]]}),
        chunk({"content": "Hi"}),
        chunk({"tool_calls": [{**call, **extra}]}),
        DONE,
        provider="openrouter",
    )
    request = Request(model="m", messages=[message(outcome)], provider="openrouter")
    encoded = get_protocol("openai-chat").encode(request, Quirks(reasoning_details=True))
    sent = encoded.body["messages"][0]
    del call["index"]
    assert sent["reasoning_details"] == signed
    assert sent["tool_calls"] == [{**call, **extra}]
    assert sent["content"] == "Hi"


# 4. Finish reasons and ends.


def test_text_after_the_finish_is_kept_and_the_last_finish_counts() -> None:
    outcome = read(TEXT, chunk(finish="length"), chunk({"content": "!"}), STOP, chunk(finish=""), DONE)
    assert message(outcome).text == "Hi!"
    assert finish(outcome) == FinishReason("stop", "stop")
    assert [type(delta) for delta in outcome.deltas].count(MessageEnd) == 1


FINISHES = [
    ("STOP", FinishReason("stop", "STOP")),
    ("eos", FinishReason("stop", "eos")),
    ("max_tokens", FinishReason("length", "max_tokens")),
    ("sensitive", FinishReason("refusal", "sensitive")),
    ("error", FinishReason("error", "error")),
    ("abort", FinishReason("aborted", "abort")),
    ("moon_phase", FinishReason("other", "moon_phase")),
    (7, FinishReason("other", "7")),
    ({"type": "length", "length": 3}, FinishReason("length", "length")),
]


@pytest.mark.parametrize(("word", "expected"), FINISHES, ids=str)
def test_a_finish_reason_is_mapped_and_kept(word: Any, expected: FinishReason) -> None:
    assert finish(read(TEXT, chunk(finish=word), DONE)) == expected


def test_a_finish_without_the_sentinel_is_an_end() -> None:
    assert finish(read(TEXT, STOP)) == FinishReason("stop", "stop")


@pytest.mark.feature("D: oh-my-pi#9433")
@pytest.mark.parametrize("word", ["", None, "null"])
def test_the_sentinel_without_a_finish_is_an_end(word: Any) -> None:
    assert finish(read(TEXT, chunk(finish=word), DONE)) == FinishReason("stop", synthesized=True)


def test_the_sentinel_without_a_finish_after_calls_is_a_tool_call() -> None:
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x":1}'}}
    assert finish(read(chunk({"tool_calls": [call]}), DONE)) == FinishReason("tool_call", synthesized=True)


def test_the_end_of_input_without_either_is_a_truncation_that_keeps_the_text() -> None:
    outcome = read(TEXT, chunk({"content": "!"}))
    assert outcome.error is not None
    assert outcome.error["kind"] == "TruncatedStream"
    assert outcome.outputs[0].message.text == "Hi!"
    assert outcome.outputs[0].finish_reason == FinishReason("other", synthesized=True)


def test_a_call_cut_short_is_not_closed() -> None:
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x":'}}
    outcome = read(chunk({"tool_calls": [call]}))
    assert not any(isinstance(delta, ToolCallEnd) for delta in outcome.deltas)
    assert outcome.outputs[0].message.tool_calls[0].error == "the call was cut short"


def test_where_the_vendor_never_says_why_it_ends_the_end_of_input_is_one() -> None:
    assert finish(read(TEXT, quirks=Quirks(end_without_finish=True))) == FinishReason("stop", synthesized=True)


EMPTY = [
    ("no bytes", b""),
    ("only the sentinel", body(DONE)),
    ("comments", b": hi\n\n: hi\n\n"),
    ("a role", body(chunk({"role": "assistant"}))),
    ("a role and the sentinel", body(chunk({"role": "assistant", "content": ""}), DONE)),
]


@pytest.mark.parametrize("data", [case[1] for case in EMPTY], ids=[case[0] for case in EMPTY])
@pytest.mark.parametrize("lax", [False, True])
def test_an_answer_without_a_word_or_a_finish_is_an_error(data: bytes, lax: bool) -> None:
    error = fail(data, quirks=Quirks(end_without_finish=lax))
    assert isinstance(error, TruncatedStream)
    assert "the stream is empty" in str(error)


def test_an_empty_answer_with_a_finish_is_one() -> None:
    outcome = read(chunk({"role": "assistant", "content": None}), STOP, DONE)
    assert message(outcome).contents == []


def test_one_choice_that_was_cut_short_makes_a_truncation_of_which_the_others_are_whole() -> None:
    outcome = read(chunk({"content": "a"}), chunk({"content": "b"}, index=1), STOP)
    assert outcome.error is not None
    assert [output.finish_reason.type for output in outcome.outputs if output.finish_reason] == ["stop", "other"]


def test_what_follows_the_sentinel_says_nothing() -> None:
    outcome = read(TEXT, STOP, DONE, chunk({"content": "!"}), {"error": {"message": "late"}}, "junk")
    assert message(outcome).text == "Hi"


@pytest.mark.parametrize("sentinel", ["[DONE]", " [DONE] ", "[DONE] bye"])
def test_the_sentinel_may_have_things_around_it(sentinel: str) -> None:
    parser = get_protocol("openai-chat").parser()
    parser.feed(body(TEXT, sentinel))
    assert parser.ended


@pytest.mark.feature("D: pi#2168")
def test_azures_filter_is_a_refusal_that_names_what_it_objected_to() -> None:
    results = {"hate": {"filtered": True, "severity": "high"}, "violence": {"filtered": False}}
    outcome = read(TEXT, chunk(finish="content_filter", choice={"content_filter_results": results}), DONE)
    assert finish(outcome) == FinishReason("refusal", "content_filter", category="hate")


# 5. Errors.

OPENAI_ERROR = {"error": {"message": "no", "type": "server_error", "param": None, "code": None}}
ERRORS = [
    ("an object", OPENAI_ERROR, "no"),
    ("a string", {"error": "no", "code": "unavailable"}, "no"),
    ("beside choices", {**chunk(finish="error"), "error": {"code": 502, "message": "no"}}, "no"),
    ("in a choice", chunk(finish="error", choice={"error": {"code": 502, "message": "no"}}), "no"),
    ("x_groq", chunk(x_groq={"id": "r", "error": "no"}), "no"),
    ("base_resp", {"choices": None, "base_resp": {"status_code": 1004, "status_msg": "no"}}, "no"),
    ("base_resp beside a choice", chunk(base_resp={"status_code": 1004, "status_msg": "no"}), "no"),
    ("fastchat", {"text": "no", "error_code": 50001, "message": "no"}, "no"),
    ("tgi", {"error": {"message": "no", "http_status_code": 422}}, "no"),
    ("tgi before the stream", {"error": "no", "error_type": "overloaded"}, "no"),
    ("flat", {"object": "error", "message": "no", "type": "BadRequestError", "code": 400}, "no"),
    ("flat with empty choices", {"object": "error", "message": "no", "choices": []}, "no"),
    ("dashscope", {"code": "InvalidParameter", "message": "no", "request_id": "r"}, "no"),
    ("cerebras", {"message": "no", "type": "invalid_request_error", "param": None, "code": None}, "no"),
    ("a list of one", [OPENAI_ERROR], "no"),
    ("cloudflare", {"success": False, "errors": [{"code": 1, "message": "no"}]}, "no"),
    ("fastapi", {"detail": "no"}, "no"),
]


@pytest.mark.parametrize(("record", "text"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS])
def test_an_error_in_the_stream_is_one_and_keeps_what_came(record: Any, text: str) -> None:
    outcome = read(TEXT, record, DONE, provider="acme")
    assert outcome.error is not None
    assert outcome.error["message"].startswith(text)
    assert outcome.outputs[0].message.text == "Hi"
    error = fail(body(TEXT, record), provider="acme")
    assert isinstance(error, APIError)
    assert (error.provider, error.status) == ("acme", 200)


@pytest.mark.parametrize(("record", "text"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS])
def test_an_error_as_the_whole_body_is_one(record: Any, text: str) -> None:
    error = fail(json.dumps(record, indent=2).encode())
    assert isinstance(error, APIError)
    assert error.message == text


ERROR_EVENTS = [
    ("with a key", b'event: error\ndata: {"error":{"message":"slow down","code":"rate_limit_exceeded"}}\n\n'),
    ("without one", b'event: error\ndata: {"message":"slow down","code":"rate_limit_exceeded"}\n\n'),
    ("llama.cpp's field", b'error: {"message":"slow down","code":429}\n\n'),
    ("of a longer name", b'event: upstream_error\ndata: {"message":"slow down","code":429}\n\n'),
    ("in words", b"event: error\ndata: slow down\n\n"),
]


@pytest.mark.parametrize("event", [case[1] for case in ERROR_EVENTS], ids=[case[0] for case in ERROR_EVENTS])
def test_an_error_event_is_an_error_whatever_it_holds(event: bytes) -> None:
    error = fail(body(TEXT) + event)
    assert isinstance(error, RateLimited if b"429" in event or b"rate" in event else APIError)
    assert "slow down" in str(error)
    assert read_bytes(body(TEXT) + event).outputs[0].message.text == "Hi"


def test_an_overflow_inside_a_stream_is_known_for_one() -> None:
    text = "This model's maximum context length is 8192 tokens."
    record = {"error": {"object": "error", "message": text, "type": "BadRequestError", "code": 400}}
    assert isinstance(fail(body(record, DONE)), ContextOverflow)


def test_what_the_chunk_of_an_error_says_comes_first() -> None:
    record = {**chunk({"content": "!"}, "error", usage=USAGE), "error": {"code": 502, "message": "no"}}
    outcome = read(TEXT, record, DONE)
    assert outcome.error is not None
    assert outcome.outputs[0].message.text == "Hi!"
    assert outcome.outputs[0].usage == COUNTS


@pytest.mark.parametrize("nothing", [None, {}, "", False])
def test_an_error_that_is_empty_is_none(nothing: Any) -> None:
    assert message(read({**TEXT, "error": nothing, "base_resp": {"status_code": 0}}, STOP, DONE)).text == "Hi"


def test_an_error_after_the_finish_counts_until_the_sentinel() -> None:
    assert read(TEXT, STOP, OPENAI_ERROR, DONE).error is not None
    assert read(TEXT, STOP, DONE, OPENAI_ERROR).error is None


def test_a_finish_of_error_without_an_error_is_the_end_of_the_message() -> None:
    assert finish(read(TEXT, chunk(finish="error"), DONE)) == FinishReason("error", "error")


# 6. Content.

CONTENTS = [
    ("null", None, ""),
    ("empty", "", ""),
    ("a list", [{"type": "text", "text": "a"}, {"type": "output_text", "text": "b"}, "c"], "abc"),
    ("one part", {"type": "text", "text": "a"}, "a"),
    ("an empty list", [], ""),
]


@pytest.mark.parametrize(("content", "text"), [case[1:] for case in CONTENTS], ids=[case[0] for case in CONTENTS])
def test_content_has_several_forms(content: Any, text: str) -> None:
    assert message(read(chunk({"content": content}), STOP, DONE)).text == text


def test_content_of_no_form_at_all_is_an_error_with_its_frame() -> None:
    record = chunk({"content": 5})
    error = fail(body(record))
    assert isinstance(error, ProtocolError)
    assert error.frame == json.dumps(record).encode()


# 7. Reasoning: its five places are in test_openai_chat_choice.py.


def test_think_tags_are_text_unless_the_vendor_sends_thinking_so() -> None:
    records = [chunk({"content": piece}) for piece in ("<th", "ink>h", "m</thin", "k>", "Hi")]
    assert message(read(*records, STOP, DONE)).text == "<think>hm</think>Hi"
    told = message(read(*records, STOP, DONE, quirks=Quirks(think_tags=True)))
    assert (told.thinking, told.text) == ("hm", "Hi")


def test_the_opening_think_tag_may_be_missing() -> None:
    records = [chunk({"content": piece}) for piece in ("hm", "</think>Hi")]
    told = message(read(*records, STOP, DONE, quirks=Quirks(think_tag_open=True)))
    assert (told.thinking, told.text) == ("hm", "Hi")


@pytest.mark.parametrize("text", ["a <thi", "<"])
@pytest.mark.parametrize("end", [[STOP, DONE], [DONE], []], ids=["ended", "ended without a reason", "cut short"])
def test_half_a_think_tag_at_the_end_is_text(end: list[Any], text: str) -> None:
    outcome = read(chunk({"content": text}), *end, quirks=Quirks(think_tags=True))
    assert outcome.outputs[0].message.text == text
    assert (outcome.error is None) == bool(end)


# 8. Messages beside and in place of deltas.


def test_a_delta_that_is_null_or_missing_says_nothing() -> None:
    missing = chunk()
    del missing["choices"][0]["delta"]
    null = chunk()
    null["choices"][0]["delta"] = None
    ended = chunk(finish="stop")
    ended["choices"][0]["delta"] = None
    outcome = read(null, missing, TEXT, ended, DONE)
    assert message(outcome).text == "Hi"
    assert finish(outcome) == FinishReason("stop", "stop")


def whole(content: Any, finish: Any = None, **fields: Any) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": content, **fields}, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion", "model": "m", "choices": [choice]}


def test_a_message_beside_a_delta_is_ignored() -> None:
    records = [chunk({"content": piece}) for piece in ("a", "b")]
    for record, text in zip(records, ("a", "ab"), strict=True):
        record["choices"][0]["message"] = {"role": "assistant", "content": text}
    assert message(read(*records, STOP, DONE)).text == "ab"


def test_a_message_in_place_of_a_delta_is_the_whole_text() -> None:
    outcome = read(whole("Hi", "stop"), DONE)
    assert message(outcome).text == "Hi"


def test_a_whole_message_after_deltas_says_nothing_new() -> None:
    outcome = read(TEXT, chunk({"content": " you"}), {**whole("Hi you", "length"), "usage": USAGE}, DONE)
    assert message(outcome).text == "Hi you"
    assert finish(outcome) == FinishReason("length", "length")
    assert outcome.outputs[0].usage == COUNTS


def test_a_whole_message_after_deltas_adds_the_calls_that_none_of_them_had() -> None:
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    outcome = read(TEXT, whole("Hi", "tool_calls", tool_calls=[call]), DONE)
    assert message(outcome).text == "Hi"
    assert calls(outcome) == [("a", "f", {})]
    again = read(chunk({"tool_calls": [{"index": 0, **call}]}), whole("", "tool_calls", tool_calls=[call]), DONE)
    assert calls(again) == [("a", "f", {})]


def test_an_answer_that_came_at_once_is_read_like_a_stream() -> None:
    two = [{"id": name, "type": "function", "function": {"name": name, "arguments": '{"x":1}'}} for name in "fg"]
    record = {**whole("Hi", "tool_calls", reasoning_content="hm", tool_calls=two), "usage": USAGE}
    outcome = read_bytes(b"\n\n" + json.dumps(record, indent=1).encode())
    assert message(outcome).text == "Hi"
    assert message(outcome).thinking == "hm"
    assert calls(outcome) == [("f", "f", {"x": 1}), ("g", "g", {"x": 1})]
    assert finish(outcome) == FinishReason("tool_call", "tool_calls")
    assert outcome.outputs[0].usage == COUNTS


# 9. Refusals, log probabilities, surrogates.


def test_a_refusal_is_a_block_and_a_reason() -> None:
    records = [chunk({"content": None, "refusal": piece}) for piece in ("I can", "not", "")]
    outcome = read(*records, STOP, DONE)
    assert [part.text for part in message(outcome).contents] == ["I cannot"]
    assert finish(outcome) == FinishReason("refusal", "stop")


def test_log_probabilities_are_passed_on() -> None:
    a, b = ({"token": token, "logprob": -0.5, "bytes": [240], "top_logprobs": []} for token in ("a", "b"))
    outcome = read(
        chunk({"content": "a"}, choice={"logprobs": {"content": [a], "refusal": None}}),
        chunk({"refusal": "b"}, choice={"logprobs": {"content": None, "refusal": [b]}}),
        chunk(finish="stop", choice={"logprobs": {"content": [], "refusal": None}}),
        DONE,
    )
    assert [delta for delta in outcome.deltas if isinstance(delta, Logprobs)] == [
        Logprobs(content=[a]),
        Logprobs(refusal=[b]),
    ]


def test_halves_of_a_surrogate_pair_are_joined_over_chunks() -> None:
    high, low = (chunk({"content": "#"}) for _ in range(2))
    data = body(high, low, STOP, DONE).replace(b"#", rb"a\ud83d", 1).replace(b"#", rb"\ude00b", 1)
    outcome = read_bytes(data)
    assert message(outcome).text == "a😀b"


def test_a_lone_surrogate_becomes_the_replacement_character() -> None:
    data = body(chunk({"content": "#"}), TEXT, STOP, DONE).replace(b"#", rb"a\ud83d")
    assert message(read_bytes(data)).text == "a\ufffdHi"
    assert read_bytes(data[: data.index(b"Hi")]).outputs[0].message.text == "a\ufffd"


LONE: list[tuple[str, dict[str, Any]]] = [
    ("the id and the model", chunk({"content": "x"}, id="#", model="#")),
    ("the reason", chunk({"content": "x"}, "#")),
    ("a reason of an odd kind", chunk({"content": "x"}, {"#": "#"})),
    ("a call", chunk({"tool_calls": [{"index": 0, "id": "#", "function": {"name": "#", "arguments": "#"}}]})),
    (
        "arguments as an object",
        chunk({"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": {"#": "#"}}}]}),
    ),
    (
        "what a call brings along",
        chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f"}, "extra_content": {"#": "#"}}]}),
    ),
    ("a custom call", chunk({"tool_calls": [{"index": 0, "type": "custom", "custom": {"name": "#", "input": "#"}}]})),
    ("an annotation", chunk({"content": "x", "annotations": ["#"]})),
    ("a secret", chunk({"reasoning_details": [{"type": "reasoning.encrypted", "data": "#"}]})),
    ("a signature", chunk({"reasoning_details": [{"type": "#", "text": "#", "signature": "#", "id": "#"}]})),
    ("the signature of a part", chunk({"content": [{"type": "thinking", "thinking": "x", "signature": "#"}]})),
    ("a part of an unknown kind", chunk({"content": [{"type": "#"}]})),
    ("an image", chunk({"images": [{"image_url": {"url": "#", "detail": "#"}}]})),
    ("sound", chunk({"audio": {"id": "#", "transcript": "#"}})),
    ("a tool that ran", chunk({"executed_tools": [{"type": "#", "index": "#", "output": "#"}]})),
    ("log probabilities", chunk({"content": "x"}, choice={"logprobs": {"content": [{"token": "#"}]}})),
    (
        "what a filter objected to",
        chunk({}, "content_filter", choice={"content_filter_results": {"#": {"filtered": True}}}),
    ),
    ("sources before the text", {"choices": [], "citations": ["#"], "search_results": [{"url": "#"}]}),
    ("an unknown frame", {"type": "#"}),
]


@pytest.mark.parametrize("record", [case[1] for case in LONE], ids=[case[0] for case in LONE])
def test_lone_surrogates_anywhere_can_be_written_as_json(record: dict[str, Any]) -> None:
    outcome = read_bytes(body(record, TEXT, DONE).replace(b"#", rb"\ud83d"))
    assert outcome.error is None
    written = msgspec.json.encode(outcome.deltas) + msgspec.json.encode(outcome.outputs)
    assert "\ufffd".encode() in written or rb"\ud83d" in written


BROKEN = [
    ("bad UTF-8", body(TEXT).replace(b"Hi", b"H\xffi"), "H\ufffdi"),
    ("a raw line end", body(TEXT).replace(b"Hi", b"H\ti"), "H\ti"),
    ("NaN", body({**TEXT, "created": "#"}).replace(b'"#"', b"NaN"), "Hi"),
]


@pytest.mark.parametrize(("data", "text"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_json_that_is_broken_as_in_the_wild_is_read(data: bytes, text: str) -> None:
    assert message(read_bytes(data + body(STOP, DONE))).text == text


# 10. Several choices.


def test_choices_that_take_turns_are_kept_apart() -> None:
    records = [chunk({"content": text}, index=index) for index, text in ((1, "b"), (0, "a"), (1, "B"), (0, "A"))]
    outcome = read(
        *records, chunk(finish="stop", index=1), chunk(finish="length"), {"choices": [], "usage": USAGE}, DONE
    )
    assert [output.message.text for output in outcome.outputs] == ["aA", "bB"]
    assert [output.finish_reason.type for output in outcome.outputs if output.finish_reason] == ["length", "stop"]
    assert outcome.outputs[0].usage == COUNTS
    assert [type(delta) for delta in outcome.deltas[-3:]] == [TextEnd, MessageEnd, MessageEnd]
    assert [delta.choice for delta in outcome.deltas if isinstance(delta, (MessageStart, MessageEnd))] == [1, 0, 0, 1]


def test_choices_in_one_chunk_and_without_an_index_go_by_their_position() -> None:
    record = chunk({"content": "a"}, index=None)
    record["choices"].append({"delta": {"content": "b"}, "finish_reason": None})
    outcome = read(record, DONE)
    assert [output.message.text for output in outcome.outputs] == ["a", "b"]


# 12–16. What else comes.


def test_fields_of_no_meaning_are_ignored() -> None:
    extras = {"obfuscation": "Xy", "service_tier": None, "system_fingerprint": "f", "timings": {"n": 1}}
    outcome = read({**TEXT, **extras}, STOP, DONE)
    assert not any(isinstance(delta, UnknownFrame) for delta in outcome.deltas)
    raw = [
        delta.raw for delta in read({**TEXT, **extras}, STOP, DONE, include_raw=True).deltas if hasattr(delta, "raw")
    ]
    assert json.loads(raw[0])["obfuscation"] == "Xy"


@pytest.mark.parametrize("role", ["", "assistant", None, "model"])
def test_roles_are_ignored(role: Any) -> None:
    outcome = read(*(chunk({"role": role, "content": text}) for text in "ab"), STOP, DONE)
    assert message(outcome).role == "assistant"
    assert message(outcome).text == "ab"


def test_comments_and_empty_data_are_heartbeats() -> None:
    data = b"\xef\xbb\xbf: OPENROUTER PROCESSING\n\ndata:\n\n" + body(TEXT) + b"data: \n\n" + body(STOP)
    outcome = read_bytes(data + b"data: [DONE]")
    assert message(outcome).text == "Hi"
    assert outcome.heartbeats == 3


def test_lines_end_as_they_like() -> None:
    outcome = read_bytes(body(TEXT, STOP, DONE).replace(b"\n", b"\r\n"))
    assert message(outcome).text == "Hi"
    assert message(read(chunk({"content": "a\u2028b"}), STOP, DONE)).text == "a\u2028b"


def test_several_records_in_one_event_are_read_one_by_one() -> None:
    data = body(TEXT, chunk({"content": "!"}), STOP, DONE).replace(b"\n\n", b"\n") + b"\n"
    assert message(read_bytes(data)).text == "Hi!"


UNKNOWN = [
    ("a named event", b'event: stats\ndata: {"tokens":5}\n\n', UnknownFrame('{"tokens":5}', "stats")),
    ("an object of no known key", b'data: {"type":"ping"}\n\n', UnknownFrame('{"type":"ping"}')),
    ("another dialect's", b'data: {"response":"x","p":"y"}\n\n', UnknownFrame('{"response":"x","p":"y"}')),
    ("no object", b"data: 5\n\n", UnknownFrame("5")),
    ("a list", b"data: [1,2]\n\n", UnknownFrame("[1,2]")),
]


@pytest.mark.parametrize(("event", "expected"), [case[1:] for case in UNKNOWN], ids=[case[0] for case in UNKNOWN])
def test_what_is_unknown_is_passed_through(event: bytes, expected: UnknownFrame) -> None:
    outcome = read_bytes(body(TEXT) + event + body(STOP, DONE))
    assert [delta for delta in outcome.deltas if isinstance(delta, UnknownFrame)] == [expected]
    assert message(outcome).text == "Hi"


@pytest.mark.parametrize("name", ["message", "chat.completion.chunk", "delta"])
def test_a_chunk_is_one_under_any_name(name: str) -> None:
    data = body(TEXT, STOP, DONE).replace(b"data: {", f"event: {name}\ndata: {{".encode())
    assert message(read_bytes(data)).text == "Hi"


MALFORMED = [
    ("no JSON", b"data: upstream connect error\n\n", b"upstream connect error"),
    ("half of it", b'data: {"choices":[\n\n', b'{"choices":['),
    ("choices of no kind", b'data: {"choices":"x"}\n\n', b'{"choices":"x"}'),
    (
        "a delta of no kind",
        b'data: {"choices":[{"index":0,"delta":"x"}]}\n\n',
        b'{"choices":[{"index":0,"delta":"x"}]}',
    ),
]


@pytest.mark.parametrize(("event", "frame"), [case[1:] for case in MALFORMED], ids=[case[0] for case in MALFORMED])
def test_a_malformed_chunk_is_an_error_with_its_frame(event: bytes, frame: bytes) -> None:
    error = fail(body(TEXT) + event + body(STOP, DONE))
    assert isinstance(error, ProtocolError)
    assert not isinstance(error, TruncatedStream)
    assert error.frame == frame
    assert read_bytes(body(TEXT) + event).outputs[0].message.text == "Hi"


def test_json_that_is_nested_without_end_is_an_error() -> None:
    error = fail(body(b'{"choices":' + b"[" * 200_000))
    assert isinstance(error, ProtocolError)
    assert "nested too deeply" in str(error)


DEEP = [
    ("content", '{"content":[%s]}', "null"),
    ("a detail", '{"reasoning_details":[{"type":"x","x":%s}]}', "null"),
    ("the index of a detail", '{"reasoning_details":[{"type":"x","text":"t","index":%s}]}', "null"),
    ("arguments", '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":%s}}]}', "null"),
    ("extra content", '{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"},"extra_content":%s}]}', "null"),
    ("an annotation", '{"content":"x","annotations":[%s]}', "null"),
    ("a tool that ran", '{"executed_tools":[{"type":%s}]}', "null"),
    ("a finish reason", "{}", "%s"),
]


@pytest.mark.parametrize(("delta", "reason"), [case[1:] for case in DEEP], ids=[case[0] for case in DEEP])
@pytest.mark.parametrize("depth", [200, 600, 800, 900, 950])
@pytest.mark.parametrize("leaf", ["1", '"\\ud83d"'], ids=["clean", "broken"])
def test_any_depth_is_read_or_is_an_error_with_its_frame(delta: str, reason: str, depth: int, leaf: str) -> None:
    deep = "[" * depth + leaf + "]" * depth
    record = '{"choices":[{"index":0,"delta":DELTA,"finish_reason":REASON}]}'
    record = record.replace("DELTA", delta.replace("%s", deep)).replace("REASON", reason.replace("%s", deep))
    parser = get_protocol("openai-chat").parser()
    try:
        parser.feed(body(TEXT, record))
        parser.feed(body(STOP, DONE))
    except ProtocolError as error:
        assert "nested too deeply" in str(error)
        assert record.startswith(str(error.frame, "ascii"))


ODD_NUMBERS = [
    ("as digits", ["0", "1"], [0, 1]),
    ("from one on", [1, 2], [1, 2]),
    ("far away", [10**9], [10**9]),
    ("below zero, which is none", [-1], [0]),
    ("true, which is none", [True], [0]),
    ("a fraction, which is none", [0.5], [0]),
    ("null", [None], [0]),
]


@pytest.mark.parametrize(
    ("wire", "expected"), [case[1:] for case in ODD_NUMBERS], ids=[case[0] for case in ODD_NUMBERS]
)
def test_no_choice_is_lost_however_it_is_numbered(wire: list[Any], expected: list[int]) -> None:
    texts = [chunk({"content": f"{place}"}, index=index) for place, index in enumerate(wire)]
    ends = [chunk(finish="stop", index=index) for index in wire]
    outcome = read(*texts, *ends, {"choices": [], "usage": USAGE}, DONE)
    assert [delta.choice for delta in outcome.deltas if isinstance(delta, MessageStart)] == expected
    assert all(type(delta.choice) is int for delta in outcome.deltas if isinstance(delta, MessageStart))
    assert [output.message.text for output in outcome.outputs] == [str(place) for place in range(len(wire))]
    assert [output.usage for output in outcome.outputs] == [COUNTS, *[None] * (len(wire) - 1)]
    assert accumulate(outcome.deltas) == outcome.outputs[0]


def test_choices_that_ended_stay_whole_where_another_is_cut() -> None:
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}, "extra_content": {"g": 1}}
    outcome = read(chunk({"tool_calls": [call]}, "tool_calls"), chunk({"content": "x"}, index=1))
    assert outcome.error is not None
    assert "TruncatedStream" in str(outcome.error)
    first, second = outcome.outputs
    assert first.finish_reason == FinishReason("tool_call", "tool_calls")
    assert [call.id for call in first.message.tool_calls or []] == ["a"]
    assert second.message.text == "x"


def test_an_error_in_a_frame_keeps_the_message_that_it_would_have_ended() -> None:
    parser = get_protocol("openai-chat").parser()
    assert parser.feed(body(TEXT, "junk", STOP))[-1] == TextDelta(0, "Hi")
    with pytest.raises(ProtocolError):
        parser.feed(body(STOP))


def test_arguments_over_the_limit_are_an_error_that_names_it() -> None:
    first = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"a":"'}}
    more = {"index": 0, "function": {"arguments": "x" * 9}}
    records = [chunk({"tool_calls": [fragment]}) for fragment in (first, more, more, more)]
    error = fail(body(*records), limits=Limits(max_argument_bytes=20))
    assert isinstance(error, ProtocolError)
    assert "max_argument_bytes (20)" in str(error)
    assert error.frame == json.dumps(records[2]).encode()


# Citations that belong to the answer as a whole.


def test_sources_repeated_on_each_chunk_are_told_once() -> None:
    sources = ["https://a.example", "https://b.example"]
    outcome = read(*({**record, "citations": sources} for record in (TEXT, chunk({"content": "!"}), STOP)), DONE)
    told = [delta for delta in outcome.deltas if isinstance(delta, CitationAdded)]
    assert told == [CitationAdded(0, source) for source in sources]
    assert message(outcome).text == "Hi!"
    assert message(outcome).contents[1:] == [CitationPart(source) for source in sources]


def test_a_search_result_stands_for_its_bare_address() -> None:
    results = [{"url": "https://b.example", "title": "B"}, {"url": "https://c.example", "title": "C"}]
    record = {**TEXT, "citations": ["https://a.example", "https://b.example"], "search_results": results}
    outcome = read(record, STOP, DONE)
    told = [delta.citation for delta in outcome.deltas if isinstance(delta, CitationAdded)]
    assert told == ["https://a.example", *results]


def test_sources_that_come_last_belong_to_the_text() -> None:
    outcome = read(TEXT, STOP, {"choices": [], "citations": ["https://a.example"], "usage": USAGE}, DONE)
    assert message(outcome).contents[1:] == [CitationPart("https://a.example")]


def test_sources_that_wait_are_not_lost_where_the_stream_breaks_off() -> None:
    outcome = read({**chunk({"reasoning": "hm"}), "citations": ["https://a.example"]})
    assert outcome.outputs[0].message.contents == [CitationPart("https://a.example")]


def test_sources_of_an_answer_without_text_are_blocks() -> None:
    outcome = read({**chunk({"reasoning": "hm"}), "citations": ["https://a.example"]}, STOP, DONE)
    assert [delta for delta in outcome.deltas if isinstance(delta, BlockAdded)] == [
        BlockAdded(1, CitationPart("https://a.example"))
    ]


# The cumulative mode.


def test_a_cumulative_stream_gives_the_deltas_of_an_incremental_one() -> None:
    def call(arguments: str) -> dict[str, Any]:
        return {"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": arguments}}]}

    pieces = [
        {"reasoning_content": "h"},
        {"reasoning_content": "m"},
        {"content": "ha"},
        {"content": "ha"},
        call('{"x"'),
    ]
    increments = [*pieces, {"tool_calls": [{"index": 0, "function": {"arguments": ":1}"}}]}]
    said = {"reasoning_content": "hm"}
    wholes = [
        {"reasoning_content": "h"},
        said,
        {**said, "content": "ha"},
        {**said, "content": "haha"},
        {**said, "content": "haha", **call('{"x"')},
        {**said, "content": "haha", **call('{"x":1}')},
    ]
    incremental = read(*(chunk(delta) for delta in increments), STOP, DONE)
    cumulative = read(*(chunk(delta) for delta in wholes), whole("haha", "stop"), DONE, mode="cumulative")
    assert incremental.outputs == cumulative.outputs
    assert incremental.deltas == cumulative.deltas


def test_a_revision_replaces_what_was_said() -> None:
    records = [chunk({"content": text}) for text in ("The cat", "The dog", "The dog", "The", "The end", "")]
    outcome = read(*records, STOP, DONE, mode="cumulative")
    assert [delta for delta in outcome.deltas if isinstance(delta, Replace)] == [
        Replace(0, "The dog"),
        Replace(0, "The"),
    ]
    assert message(outcome).text == "The end"


def test_think_tags_in_a_cumulative_stream() -> None:
    records = [chunk({"content": text}) for text in ("<thi", "<think>h", "<think>hm</th", "<think>hm</think>Hi <t")]
    outcome = read(*records, STOP, DONE, mode="cumulative", quirks=Quirks(think_tags=True))
    assert (message(outcome).thinking, message(outcome).text) == ("hm", "Hi <t")


@pytest.mark.parametrize("pieces", [("a", "and"), ("ha", "ha"), ("\n", "\n"), ("1", "10")], ids=repr)
def test_an_incremental_stream_may_repeat_itself(pieces: tuple[str, str]) -> None:
    assert message(read(*(chunk({"content": piece}) for piece in pieces), STOP, DONE)).text == "".join(pieces)


BESIDE_TEXT = [
    ("blocks", {"thinking_blocks": [{"type": "thinking", "thinking": "hm"}]}),
    ("steps", {"reasoning_steps": [{"thought": "hm"}]}),
    ("details", {"reasoning_details": [{"type": "reasoning.text", "text": "hm"}]}),
]


@pytest.mark.parametrize("beside", [case[1] for case in BESIDE_TEXT], ids=[case[0] for case in BESIDE_TEXT])
def test_reasoning_beside_a_piece_of_text_is_not_lost(beside: dict[str, Any]) -> None:
    found = message(read(TEXT, chunk({"content": " you", **beside}), STOP))
    assert (found.thinking.strip(), found.text) == ("hm", "Hi you")
