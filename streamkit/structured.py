"""Answers as values of a type: the schema that asks for them, their value while they come, and its check at the end."""

from __future__ import annotations

import re
from typing import Any, Generic, TypeVar

import msgspec
from msgspec import structs

from streamkit.accumulator import Accumulator
from streamkit.deltas import BlockAdded, Delta, Replace, Retract, TextDelta
from streamkit.errors import ConfigError, OutputError
from streamkit.messages import Message, MessageOutput
from streamkit.partial_json import PartialJSON
from streamkit.parts import RefusalPart, TextPart
from streamkit.protocols.lenient import rejoin
from streamkit.protocols.request import Request
from streamkit.protocols.schemas import map_schema
from streamkit.providers.abilities import Structured
from streamkit.tools.signatures import convert, schema_of

__all__ = ["OutputReader", "OutputType", "TypedOutput", "correction", "fit_schema"]

T = TypeVar("T")

_INSTRUCTION = "Answer with one JSON object alone, no code fence and no words around it, valid by this JSON Schema:\n"
_CORRECTION = "That answer cannot be used: {}. Answer again, with the whole JSON object alone, corrected."

# What models write around an object all the same, where they are merely told not to.
_OBJECT = re.compile(r"\s*+(?:```(?:json)?\s*+)?(\{.*\})\s*+(?:```\s*+)?", re.DOTALL | re.IGNORECASE)
_AHEAD = ("```", "```json")

# What msgspec lists as an `enum`, by the name of its type there.
_KINDS = {str: "string", int: "integer", type(None): "null"}


class TypedOutput(MessageOutput, Generic[T], dict=True):
    """A `MessageOutput`, with the same JSON form, whose text was read as a value of the type that was asked for."""

    @property
    def value(self) -> T:
        """The value; raises `ConfigError` where this was made by `msgspec.structs.replace`, which leaves it behind."""
        if "value" not in self.__dict__:
            raise ConfigError(
                "this was made of another output, whose value was not taken along: TypedOutput.of adds it"
            )
        found: T = self.__dict__["value"]
        return found

    @classmethod
    def of(cls, output: MessageOutput, value: T) -> TypedOutput[T]:
        """Return the same with its value."""
        typed = cls(**{name: getattr(output, name) for name in output.__struct_fields__})
        typed.__dict__["value"] = value
        return typed

    def __copy__(self) -> TypedOutput[T]:
        return TypedOutput.of(self, self.value)

    def __reduce__(self) -> tuple[Any, ...]:
        plain = MessageOutput(**{name: getattr(self, name) for name in self.__struct_fields__})
        return TypedOutput.of, (plain, self.value)


class OutputType(Generic[T]):
    """A type that answers are to be of: any that msgspec reads from JSON.

    `schema` is the JSON Schema of an object, since few providers take another: what is none stands in its `value`.
    Its objects have no properties but those of the type, so that OpenAI's strict mode can enforce a type without
    defaults. Raises `ConfigError` for a type that has no JSON form.
    """

    def __init__(self, kind: type[T] | Any) -> None:
        try:
            wrapper = msgspec.defstruct("Answer", [("value", kind)])
            schema = _closed(schema_of(wrapper))
        except (TypeError, NameError) as error:
            raise ConfigError(f"{kind!r} is no output_type: {str(error).rpartition(chr(10))[2]}") from None
        inner = schema["properties"]["value"]
        self.wrapped = "properties" not in inner
        self.schema: dict[str, Any] = schema if self.wrapped else inner
        if not self.wrapped and "$defs" in schema:
            self.schema = {**inner, "$defs": schema["$defs"]}
        self._target = wrapper if self.wrapped else kind
        self._decoder = msgspec.json.Decoder(self._target)
        self._name = kind.__name__ if isinstance(kind, type) else str(kind)

    @classmethod
    def make(cls, kind: Any) -> OutputType[Any]:
        """Return `kind` as one, if it is none already."""
        return kind if isinstance(kind, OutputType) else OutputType(kind)

    def read(self, output: MessageOutput) -> T:
        """Return what a complete answer says; raises `OutputError` where that is not of the type.

        As in JSON Schema, a number without a fraction is an integer.
        """
        message = output.message
        found = _OBJECT.fullmatch(message.text)
        if found is None:
            refused = [part.text for part in message.contents if isinstance(part, RefusalPart)]
            calls = ", ".join(call.function.name for call in message.tool_calls or ())
            if refused or (output.finish_reason is not None and output.finish_reason.type == "refusal"):
                raise self._error(output, f"the model refused: {''.join(refused) or message.text}", refused=True)
            raise self._error(output, f"it calls {calls}" if calls else "it is not one JSON object alone")
        try:
            return self._unwrapped(self._decoder.decode(found[1]))
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            pass  # what follows is slower, takes more and tells more
        parser = PartialJSON()
        parser.feed(rejoin(found[1]))
        parser.finish()
        if parser.error is not None:
            raise self._error(output, str(parser.error))
        try:
            return self._unwrapped(convert(parser.value, self._target))
        except (msgspec.ValidationError, RecursionError) as error:  # the latter by what is nested nearly too deep
            raise self._error(output, str(error)) from None

    def _unwrapped(self, found: Any) -> T:
        value: T = found.value if self.wrapped else found
        return value

    def _error(self, output: MessageOutput, reason: str, *, refused: bool = False) -> OutputError:
        if output.finish_reason is not None and output.finish_reason.type == "length":
            reason = f"it was cut off at its greatest length; {reason}"
        error = OutputError(f"the answer is no {self._name}: {reason}", text=output.message.text, reason=reason)
        error.refused = refused
        error.partial = output
        error.provider = output.provider or ""
        return error


class OutputReader:
    """What an answer says so far, at a cost that does not grow with it, and none where nobody looks."""

    def __init__(self, kind: OutputType[Any], accumulator: Accumulator) -> None:
        self.kind = kind
        self._accumulator = accumulator
        self._parser = PartialJSON()
        self._ahead: str | None = ""  # what came before the object, None once that has begun
        self._pieces: list[str] = []  # that nobody has looked at yet

    def feed(self, delta: Delta) -> None:
        """Take in a delta, after the accumulator has."""
        if isinstance(delta, TextDelta):
            if not delta.choice:
                self._pieces.append(delta.text)
        elif isinstance(delta, BlockAdded):
            if isinstance(delta.part, TextPart) and not delta.choice:
                self._pieces.append(delta.part.text)
        elif isinstance(delta, Retract):
            self._restart("")
        elif isinstance(delta, Replace) and not delta.choice:
            self._restart(self._accumulator.snapshot().message.text)

    @property
    def value(self) -> Any:
        """The value so far as JSON has it, not checked, None before there is any; its lists and dicts are live."""
        text = "".join(self._pieces)
        self._pieces.clear()
        if self._ahead is not None:
            text = (self._ahead + text).lstrip()
            before, mark, _ = text.partition("{")
            word = before.rstrip()
            if not mark and len(word) <= len(_AHEAD[-1]):
                self._ahead = word + "\n" if word != before else word  # however much space there is
                return None
            self._ahead = None
            if mark and word.lower() in _AHEAD:
                text = text[len(before) :]
        self._parser.feed(text)
        value = self._parser.value
        if not isinstance(value, dict):
            return None
        return value.get("value") if self.kind.wrapped else value

    def _restart(self, text: str) -> None:
        self._parser, self._ahead, self._pieces = PartialJSON(), "", [text]


def fit_schema(request: Request, structured: Structured, *, system: bool = True) -> Request:
    """Return `request` as a provider takes it: one that follows no schema is told it in the system message.

    It is then asked for JSON by its own mode, where it has one. One that takes no `system` message, but a prompt alone,
    is told behind that.
    """
    if structured == "schema" or request.output_schema is None:
        return request
    told = TextPart(_INSTRUCTION + msgspec.json.encode(request.output_schema).decode())
    first, *others = request.messages
    if not system:
        told = TextPart(f"\n\n{told.text}\n")
    if not system or first.role == "system":
        messages = [structs.replace(first, contents=[*first.contents, told]), *others]
    else:
        messages = [Message("system", [told]), first, *others]
    return structs.replace(request, messages=messages, output_schema={} if structured == "json" else None)


def correction(error: OutputError) -> Message | None:
    """Return what a model is told of its answer, None where it would not help: it refused, or was cut off."""
    finish = None if error.partial is None else error.partial.finish_reason
    if finish is None or finish.type != "stop" or error.refused:
        return None
    return Message("user", [TextPart(_CORRECTION.format(error.reason))])


def _closed(schema: Any) -> Any:
    """The schema with objects that take no properties but theirs, and the type of what is one of some values."""
    if not isinstance(schema, dict):
        return schema
    out = map_schema(schema, _closed)
    if "properties" in out:
        out["additionalProperties"] = False
    if "enum" in out and "type" not in out:
        kinds = sorted({_KINDS.get(type(word), "") for word in out["enum"]})
        if all(kinds):
            out["type"] = kinds[0] if len(kinds) == 1 else kinds
    return out
