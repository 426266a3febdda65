"""The vocabulary of scripted answers: what a model should say, whatever dialect says it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, Union

import msgspec
from msgspec import Struct

from streamkit.messages import Finish
from streamkit.usage import Usage

__all__ = ["Answer", "Block", "Call", "Refusal", "Text", "Thinking", "cut", "take_turns"]


class Text(Struct, frozen=True):
    """A block of text."""

    text: str


class Thinking(Struct, frozen=True):
    """A block of thinking. OpenAI's chat dialect has no place for the signature and leaves it out."""

    text: str
    signature: str | None = None


class Call(Struct, frozen=True):
    """A tool call; arguments given as a string are sent as they are, be they JSON or not."""

    name: str
    arguments: dict[str, Any] | str = {}
    id: str = ""  # "" gets one from its place: call_0, call_1, …

    @property
    def text(self) -> str:
        """The arguments as they go over the wire."""
        return self.arguments if isinstance(self.arguments, str) else msgspec.json.encode(self.arguments).decode()


class Refusal(Struct, frozen=True):
    """The model refuses: text of its own for OpenAI, the explanation of the stop reason for Anthropic and Gemini."""

    text: str


Block: TypeAlias = Union[Text, Thinking, Call, Refusal]


class Answer(Struct, frozen=True):
    """One response of a model, in the order in which it is streamed; a plain string is a block of text.

    Where `finish` is None it follows from the blocks: `tool_call` where there is a call, `refusal` where there is
    one, else `stop`. `raw_finish` puts any word on the wire instead. `usage=None` sends none. `choices` are further
    answers to the same request (n > 1), which OpenAI's chat and Gemini have; their own id, model and usage are unused.
    """

    blocks: list[Block | str]
    finish: Finish | None = None
    raw_finish: str | None = None
    usage: Usage | None = Usage(input_tokens=12, output_tokens=7)
    id: str = "resp_1"
    model: str = "scripted-model"
    choices: list[Answer] = []

    def parts(self) -> list[Block]:
        """Return the blocks, strings as `Text` and each call with an id."""
        out: list[Block] = []
        calls = 0
        for block in self.blocks:
            if isinstance(block, str):
                block = Text(block)
            elif isinstance(block, Call):
                block = msgspec.structs.replace(block, id=block.id or f"call_{calls}")
                calls += 1
            out.append(block)
        return out

    @property
    def finish_type(self) -> Finish:
        """Why the answer ends, worked out where it is not given."""
        if self.finish is not None:
            return self.finish
        kinds = {type(block) for block in self.blocks}
        return "tool_call" if Call in kinds else "refusal" if Refusal in kinds else "stop"


def cut(text: str, piece: int) -> Iterator[str]:
    """Yield `text` in pieces of `piece` characters; nothing for an empty text."""
    for at in range(0, len(text), piece):
        yield text[at : at + piece]


def take_turns(runs: list[list[Any]]) -> list[Any]:
    """Return the items of `runs` one from each in turn."""
    longest = max((len(run) for run in runs), default=0)
    return [run[at] for at in range(longest) for run in runs if at < len(run)]
