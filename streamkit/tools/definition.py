"""Tools: functions that a model may call. What a model sees of one, and the check of what it passes."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, TypeVar, Union, overload

from msgspec import Struct

from streamkit.errors import ConfigError, ToolError
from streamkit.protocols.request import ToolSpec
from streamkit.tools.context import ToolContext
from streamkit.tools.docstrings import parse_docstring
from streamkit.tools.schemas import JSONSchema, RawSignature, StructSignature, read_described
from streamkit.tools.signatures import Signature, read_signature, unwrap

__all__ = ["Tool", "ToolMode", "TypedTool", "as_tool", "tool", "tool_list"]

F = TypeVar("F", bound=Callable[..., Any])
# Covariant, without a bound, and no ParamSpec: so that mypy sees a list of two tools as one of tools, not of objects.
F_co = TypeVar("F_co", covariant=True)

ToolMode: TypeAlias = Literal["parallel", "sequential"]
Parameters: TypeAlias = Union[Mapping[str, Any], type[Struct]]

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

    `parameters` describes the arguments in place of the signature: a msgspec `Struct`, an instance of which the
    function then takes as its one argument, or a JSON Schema, whose arguments it takes as keywords. A parameter
    annotated `ToolContext` is given one and is no argument. `prepare_arguments` (plain or async) makes of the
    arguments that came those that are validated.

    `mode` says whether calls of the tool may run beside others, None leaves it to the agent; `depends_on` names tools
    whose calls in the same message come first. After `timeout_s`, in which hooks do not count, a call is answered by an
    error; `max_result_chars` is how much text of a result the model gets, None leaves it to the agent.

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
        parameters: Parameters | JSONSchema | None = None,
        prepare_arguments: Callable[[dict[str, Any]], Any] | None = None,
        mode: ToolMode | None = None,
        timeout_s: float | None = None,
        max_result_chars: int | None = None,
        depends_on: Iterable[str] = (),
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
        self.prepare_arguments = prepare_arguments
        self.mode = mode
        self.timeout_s = timeout_s
        self.max_result_chars = max_result_chars
        self.depends_on = _names(depends_on)
        self._check_options()
        self._descriptions = doc.parameters
        self._strict, self._extra = strict, dict(extra or {})
        self._described = _described(parameters, self.name)
        self._signature: Signature | RawSignature | StructSignature | None = None
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

    def call(self, arguments: Mapping[str, Any], context: ToolContext) -> Any:
        """Call the function with what `validate` returned, and with the context where it takes one."""
        parameter = self._read().context
        return self.function(**arguments) if parameter is None else self.function(**arguments, **{parameter: context})

    def renamed(self, name: str, description: str | None = None, function: Callable[..., Any] | None = None) -> Tool:
        """Return the same tool by another name, and with another description or function where one is given."""
        return Tool(
            self.function if function is None else function,
            name=name,
            description=self.description if description is None else description,
            strict=self._strict,
            extra=self._extra,
            parameters=self._described,
            prepare_arguments=self.prepare_arguments,
            mode=self.mode,
            timeout_s=self.timeout_s,
            max_result_chars=self.max_result_chars,
            depends_on=self.depends_on,
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function as it is: no validation, no thread."""
        return self.function(*args, **kwargs)

    def __get__(self, instance: object, owner: type | None = None) -> Tool:
        bind = getattr(self.function, "__get__", None)
        bound = bind(instance, owner) if bind else self.function
        if bound is self.function:
            return self
        return self.renamed(self.name, function=bound)

    def __repr__(self) -> str:
        return f"<Tool {self.name}>"

    def _read(self) -> Signature | RawSignature | StructSignature:
        if self._signature is None:
            if self._described is None:
                self._signature = read_signature(self.function, self.name, self._descriptions, self._bound)
            else:
                self._signature = read_described(self.function, self.name, self._described, self._bound)
        return self._signature

    def _check_options(self) -> None:
        wrong = None
        if self.mode not in (None, "parallel", "sequential"):
            wrong = f"mode is 'parallel' or 'sequential', not {self.mode!r}"
        elif self.timeout_s is not None and self.timeout_s <= 0:
            wrong = f"timeout_s must be above 0, not {self.timeout_s}"
        elif self.max_result_chars is not None and self.max_result_chars < 1:
            wrong = f"max_result_chars must be 1 at least, not {self.max_result_chars}"
        elif self.name in self.depends_on:
            wrong = "it cannot depend on itself; mode='sequential' runs one call at a time"
        if wrong is not None:
            raise ConfigError(f"tool {self.name!r}: {wrong}")


class TypedTool(Tool, Generic[F_co]):
    """What `@tool` makes of a function: a `Tool` whose direct call has the types of the function, for type checkers."""

    if TYPE_CHECKING:

        @property
        def __call__(self) -> F_co: ...  # type: ignore[override] # a function of narrower types is one of any


@overload
def tool(function: F, /) -> TypedTool[F]: ...


@overload
def tool(
    *,
    name: str | None = None,
    description: str | None = None,
    strict: bool | None = None,
    extra: Mapping[str, Any] | None = None,
    parameters: Parameters | None = None,
    prepare_arguments: Callable[[dict[str, Any]], Any] | None = None,
    mode: ToolMode | None = None,
    timeout_s: float | None = None,
    max_result_chars: int | None = None,
    depends_on: Iterable[str] = (),
) -> Callable[[F], TypedTool[F]]: ...


def tool(function: Callable[..., Any] | None = None, /, **options: Any) -> Tool | Callable[[Callable[..., Any]], Tool]:
    """Make a function a tool: `@tool`, or `@tool(name=…, description=…)`; see `Tool`."""
    if function is None:
        return partial(TypedTool, **options)
    return TypedTool(function)


def tool_list(tools: Any) -> list[Any]:
    """Return `tools` as a list; raises `ConfigError` for one tool, or one group, in place of a list of them."""
    given = tools or ()
    if isinstance(given, (Tool, Mapping, str)) or callable(given) or not isinstance(given, Iterable):
        raise ConfigError("tools is a list: put the one tool or group in brackets")
    return list(given)


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


def _names(depends_on: Iterable[str]) -> tuple[str, ...]:
    if isinstance(depends_on, str):
        raise ConfigError(f"depends_on is a list of names: put {depends_on!r} in brackets")
    return tuple(depends_on)


def _described(parameters: Any, name: str) -> JSONSchema | type[Struct] | None:
    if isinstance(parameters, Mapping):
        return JSONSchema(parameters, name)
    if parameters is None or isinstance(parameters, JSONSchema):
        return parameters
    if isinstance(parameters, type) and issubclass(parameters, Struct):
        return parameters
    raise ConfigError(f"tool {name!r}: parameters are a JSON Schema or a Struct type, not {parameters!r}")


def _in_class_body(function: Callable[..., Any]) -> bool:
    """Whether a function, not yet a method, was written in the body of a class."""
    if isinstance(function, (classmethod, staticmethod)):
        return True
    scope = getattr(function, "__qualname__", "").rpartition(".")[0]
    return inspect.isfunction(function) and bool(scope) and not scope.endswith("<locals>")
