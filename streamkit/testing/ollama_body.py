"""A scripted answer as a body of Ollama's `/api/chat`.

Facts: `api/types.go` and `docs/api.md` of https://github.com/ollama/ollama, checked 2026-11-29. Records are lines of
JSON, with `<`, `>`, `&` and the separators of lines escaped as Go's encoder does; calls come whole, their arguments as
an object; the last record has `done` and the counts, which are left out where they are zero. There is no response id,
no signature, and no split of the input by caches.
"""

from __future__ import annotations

from typing import Any

import msgspec

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Block, Call, Refusal, Text, Thinking, cut
from streamkit.usage import Usage

__all__ = ["FINISH_WORDS", "error_frame", "heard", "render"]

# https://pkg.go.dev/encoding/json#HTMLEscape, checked 2026-11-30; none of them stands outside a string.
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}

FINISH_WORDS = {"stop": "stop", "length": "length", "tool_call": "stop"}


def render(answer: Answer, piece: int, interleave: bool) -> list[bytes]:
    """Return the lines of the stream; raises `ConfigError` for more than one choice."""
    if answer.choices:
        raise ConfigError("ollama has no answers beside the first; leave out `choices`")
    said = heard(answer)
    messages = [{}, *(message for block in said.parts() for message in _messages(block, piece))]
    records = [_record(answer, message) for message in messages]
    word = answer.raw_finish or FINISH_WORDS.get(said.finish_type, said.finish_type)
    last = _record(answer, {}) | {"done": True, "done_reason": word}
    if said.usage is not None:
        counts = {"prompt_eval_count": said.usage.input_tokens, "eval_count": said.usage.output_tokens}
        last |= {name: count for name, count in counts.items() if count}
    return [*map(_line, records), _line(last)]


def error_frame(message: str, type: str) -> bytes:
    """Return an error as a line of the stream: a text; there are no types."""
    return _line({"error": message})


def heard(answer: Answer) -> Answer:
    """Return what of an answer the dialect can say: a refusal is text, and no id or signature is sent."""
    usage = answer.usage
    if usage is not None:
        read, written = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
        usage = Usage((usage.input_tokens or 0) + read + written, usage.output_tokens)
    finish = None if answer.finish == "refusal" else answer.finish
    return Answer([_heard(block) for block in answer.parts()], finish, answer.raw_finish, usage, "", answer.model)


def _heard(block: Block) -> Block:
    if isinstance(block, Refusal):
        return Text(block.text)
    return Thinking(block.text) if isinstance(block, Thinking) else block


def _messages(block: Block, piece: int) -> list[dict[str, Any]]:
    if isinstance(block, Call):
        return [{"tool_calls": [{"id": block.id, "function": {"name": block.name, "arguments": _arguments(block)}}]}]
    field = "thinking" if isinstance(block, Thinking) else "content"
    return [{field: text} for text in cut(block.text, piece)]


def _arguments(call: Call) -> Any:
    """The arguments as the object that they are, or the text of what is none."""
    try:
        value = msgspec.json.decode(call.text)
    except msgspec.DecodeError:
        return call.text
    return value if isinstance(value, dict) else call.text


def _record(answer: Answer, message: dict[str, Any]) -> dict[str, Any]:
    return {
        "model": answer.model,
        "created_at": "2026-01-01T00:00:00.123456789Z",
        "message": {"role": "assistant", "content": "", **message},
        "done": False,
    }


def _line(record: dict[str, Any]) -> bytes:
    return msgspec.json.encode(record).decode().translate(_ESCAPES).encode() + b"\n"
