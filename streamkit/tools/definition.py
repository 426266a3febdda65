"""Tools: functions that a model may call. What a model sees of one, and the check of what it passes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from functools import partial, update_wrapper
from typing import Any, overload

from streamkit.errors import ConfigError, ToolError
from streamkit.protocols.request import ToolSpec
from streamkit.tools.docstrings import parse_docstring
from streamkit.tools.signatures import Signature, read_signature, unwrap

__all__ = ["Tool", "as_tool", "tool", "tool_list"]

# What OpenAI takes, the strictest of the large ones: https://platform.openai.com/docs/api-reference/chat/create,
# checked 2026-11-29.
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


class Tool:
    """A function that a model may call, with its name, its description and the schema of its arguments.

    The function may be `async def`, plain (it is run in a worker thread), or an async generator: each value that it
    yields is reported at once as progress, and the last one is the result. It may be a method (`tool` decorates it
    in the class; the instance's attribute is the tool), a `functools.partial`, whose keywords the model does not
    see, or an object with `__call__`. The parameters' types become the schema; their descriptions come from
    `Annotated[…, msgspec.Meta(description=…)]`, else from the docstring. Calling a `Tool` calls the function as it is.

    A plain function cannot be stopped: where a run ends before it, its thread is left behind and its result dropped,
    but on asyncio Python waits for the thread when the program exits.

    Raises `ConfigError` for a function that cannot be a tool; for one defined in a class body, whose first parameter
    is not known to be the instance yet, types are looked at when the schema is first asked for.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = None,
        extra: Mapping[str, Any] | None = None,
    ) -> None:
        """Make a tool; `strict` and `extra` are those of `ToolSpec`."""
        target, self._bound = unwrap(function)
        update_wrapper(self, target, updated=())
        self.function = function
        self.runs_in_thread = not (inspect.iscoroutinefunction(target) or inspect.isasyncgenfunction(target))
        self.name = name if name is not None else _name(function)
        if not _NAME.fullmatch(self.name):
            raise ConfigError(
                f"{self.name!r} is no name for a tool: letters, digits, _ and - only, 64 at most; "
                "give one by tool(name=…)"
            )
        if isinstance(target, type) or inspect.isgeneratorfunction(target):
            what = "a class" if isinstance(target, type) else "a generator"
            raise ConfigError(f"{self.name!r} is {what}; a tool is a function, plain, async def or an async generator")
        doc = parse_docstring(target.__doc__)
        self.description = doc.description if description is None else description
        self._descriptions = doc.parameters
        self._strict, self._extra = strict, dict(extra or {})
        self._signature: Signature | None = None
        if not _in_class_body(function):
            self._read()

    @property
    def spec(self) -> ToolSpec:
        """The tool as the model sees it."""
        return ToolSpec(
            name=self.name,
            description=self.description,
            parameters=self._read().schema,
            strict=self._strict,
            extra=self._extra,
        )

    def validate(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return keyword arguments for the function, of the types that it declares.

        What is not given is left to the function's defaults. Raises `ToolError`, in words for the model, where
        `arguments` do not fit.
        """
        try:
            return self._read().validate(arguments)
        except ToolError as error:
            raise ToolError(f"invalid arguments for {self.name}: {error}") from None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function as it is: no validation, no thread."""
        return self.function(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Tool:
        bind = getattr(self.function, "__get__", None)
        bound = bind(instance, owner) if bind else self.function
        if bound is self.function:
            return self
        return Tool(bound, name=self.name, description=self.description, strict=self._strict, extra=self._extra)

    def __repr__(self) -> str:
        return f"<Tool {self.name}>"

    def _read(self) -> Signature:
        if self._signature is None:
            self._signature = read_signature(self.function, self.name, self._descriptions, self._bound)
        return self._signature


@overload
def tool(function: Callable[..., Any], /) -> Tool: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    strict: bool | None = None,
    extra: Mapping[str, Any] | None = None,
) -> Callable[[Callable[..., Any]], Tool]: ...


def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a function a tool: `@tool`, or `@tool(name=…, description=…)`; see `Tool`."""
    if function is None:
        return partial(Tool, **options)
    return Tool(function)


def tool_list(tools: Any) -> list[Any]:
    """Return `tools` as a list; raises `ConfigError` for one tool in place of a list of them."""
    if isinstance(tools, (Tool, Mapping, str)) or callable(tools):
        raise ConfigError("tools is a list: put the one tool in brackets")
    return list(tools or ())


def as_tool(value: Tool | Callable[..., Any]) -> Tool:
    """Return `value` as a tool; raises `ConfigError` for what is no function."""
    if isinstance(value, Tool):
        return value
    if not callable(value):
        raise ConfigError(f"{value!r} is no tool: pass a function or what @tool makes of one")
    return Tool(value)


def _name(function: Callable[..., Any]) -> str:
    """The function's own name, of an object with `__call__` its class's."""
    while isinstance(function, partial):
        function = function.func
    return str(getattr(function, "__name__", type(function).__name__))


def _in_class_body(function: Callable[..., Any]) -> bool:
    """Whether a function, not yet a method, was written in the body of a class."""
    if isinstance(function, (classmethod, staticmethod)):
        return True
    scope = getattr(function, "__qualname__", "").rpartition(".")[0]
    return inspect.isfunction(function) and bool(scope) and not scope.endswith("<locals>")
