"""What one answer says, in terms that an official SDK and streamkit can be compared in."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from msgspec import Struct

from streamkit.messages import MessageOutput
from streamkit.parts import RefusalPart

__all__ = ["Said", "arguments_of", "said"]


class Said(Struct):
    """One choice of an answer.

    `calls` are (id, name, arguments). `given` counts all tokens of input, cached ones included, `written` those of
    output, `cached` what was read from a cache, `thought` the reasoning; None where nothing was reported. `finish` is
    the provider's own word.
    """

    text: str = ""
    thinking: str = ""
    refusal: str = ""
    calls: list[tuple[str, str, Any]] = []
    finish: str | None = None
    given: int | None = None
    written: int | None = None
    cached: int | None = None
    thought: int | None = None

    @property
    def counts(self) -> list[int | None]:
        """The counts, none where all are zero: that is how some SDKs say that nothing was reported."""
        counts = [self.given, self.written, self.cached, self.thought]
        return counts if any(counts) else []

    @property
    def words(self) -> tuple[str, str, str, list[tuple[str, str, Any]], str | None]:
        """All but the counts."""
        return self.text, self.thinking, self.refusal, self.calls, self.finish


def said(output: MessageOutput, *, without: Collection[str] = ()) -> Said:
    """What a message of streamkit's says, `without` what an SDK does not show: `ids` of calls, a refusal's `reason`."""
    message, usage, finish = output.message, output.usage, output.finish_reason
    out = Said(message.text, message.thinking or "")
    out.refusal = "".join(part.text for part in message.contents if isinstance(part, RefusalPart))
    if finish is not None:
        out.finish = finish.raw
        if finish.type == "refusal" and finish.reason and "reason" not in without:
            out.refusal += finish.reason
    for call in message.tool_calls or []:
        arguments = call.function.arguments if call.error is None else call.raw_arguments
        out.calls.append(("" if "ids" in without else call.id, call.function.name, arguments))
    if usage is not None:
        out.given = sum(n or 0 for n in (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens))
        out.written, out.cached, out.thought = usage.output_tokens, usage.cache_read_tokens, usage.reasoning_tokens
    return out


def arguments_of(text: str) -> Any:
    """The object that the arguments of a call are, or their text where they are none."""
    try:
        value = json.loads(text or "{}")
    except ValueError:
        return text
    return value if isinstance(value, dict) else text
