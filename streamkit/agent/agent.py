"""The agent."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from copy import copy
from functools import cache
from types import TracebackType
from typing import Any, TypeVar, overload

from streamkit.agent.calling import ToolRules
from streamkit.agent.history import Conversation, History, load_history, load_query
from streamkit.agent.hooks import COMPACT_AT, Hooks, check_function
from streamkit.agent.inbox import Inbox, QueueMode
from streamkit.agent.loop import Loop
from streamkit.agent.results import MAX_RESULT_CHARS
from streamkit.agent.run import EventRun, Run, TypedEventRun, TypedRun
from streamkit.agent.skills import Roots, Skills, as_skills
from streamkit.agent.state import AgentState
from streamkit.agent.sub_agent import make_tool
from streamkit.agent.toolbox import AgentTool, Toolbox
from streamkit.agent.turns import Compact, ConvertToLlm, PrepareNextTurn, ShouldStop, TransformContext
from streamkit.client import Client
from streamkit.deltas import MessageDeltaOutput
from streamkit.errors import ConfigError
from streamkit.keys import ApiKey
from streamkit.messages import Message, MessageLike, MessageOutput
from streamkit.params import check_names
from streamkit.tools import AfterTool, BeforeTool, Tool, ToolMode, tool_list
from streamkit.usage import Usage

__all__ = ["Agent", "AgentTool"]

T = TypeVar("T")

MAX_TURNS = 64
OUTPUT_RETRIES = 2

_CLIENT_OPTIONS = inspect.signature(Client).parameters.keys() - {"model", "api_key", "base_url", "http_client"}

# What others call it; some providers have fields of these names, which would be sent beside it.
_INSTRUCTION = dict.fromkeys(("system", "system_prompt", "prompt"), "instruction")


class Agent:
    """A model that answers, and runs its tools until it has the answer.

    agent = Agent("openai/gpt-5", instruction="Be brief.", tools=[get_weather])
    async for out in agent.run_stream("What is the weather in Oslo?"):
        ...

    What it is: `model` is `provider/model`, `name` what its outputs are signed with, `instruction` the system message,
    after which stand its `skills` (`Skills`, or the folders that they are in). `history` is a conversation to go on
    with: messages, dicts, or the JSON text of their list. `params` are those of `Client.stream`, for every request, and
    of `Client` (`retry`, `fallback`, `idle_timeout_s`, …).

    What it may do: `tools` are functions, `Tool`s, `ToolGroup`s, or dicts in the provider's own form (tools that it
    runs itself). The model does not see those of the `shed` until it finds one or a tool's result names it. `tool_mode`
    says whether the calls of a message run beside each other, `before_tool` and `after_tool` are asked of each (see
    `ToolRequest`), `max_result_chars` is how much text of a result the model gets, with the note of what was cut (None:
    all).

    How far: a run asks the model `max_turns` times at most, and tells it `output_retries` times that its answer is not
    of the `output_type`. `compact` makes a conversation shorter that does not fit, or has `compact_at` of the
    `context_window` (in tokens). `steering_mode` and `follow_up_mode` say how many queued messages are said at a time.
    Hooks, plain or async: `transform_context` and `convert_to_llm` for what the model is shown, `should_stop` and
    `prepare_next_turn` between two turns (see `Turn` and `NextTurn`).

    Each run opens and closes its own connections, with `api_key`, `base_url` and `http_client` as for `Client`, so
    that an agent may be used in one event loop after another. Inside `async with agent` the runs share one client. A
    `client` given stays the caller's to close; `model` may then be left out.

    Raises `ConfigError` for whatever is wrong in the arguments.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        instruction: str | None = None,
        tools: Iterable[AgentTool] = (),
        shed: Iterable[AgentTool] = (),
        skills: Skills | Roots = (),
        before_tool: BeforeTool | None = None,
        after_tool: AfterTool | None = None,
        tool_mode: ToolMode = "parallel",
        max_result_chars: int | None = MAX_RESULT_CHARS,
        name: str = "agent",
        history: History | None = None,
        max_turns: int = MAX_TURNS,
        output_retries: int = OUTPUT_RETRIES,
        transform_context: TransformContext | None = None,
        convert_to_llm: ConvertToLlm | None = None,
        compact: Compact | None = None,
        compact_at: float = COMPACT_AT,
        context_window: int | None = None,
        should_stop: ShouldStop | None = None,
        prepare_next_turn: PrepareNextTurn | None = None,
        steering_mode: QueueMode = "one-at-a-time",
        follow_up_mode: QueueMode = "one-at-a-time",
        client: Client | None = None,
        api_key: ApiKey | None = None,
        base_url: str | None = None,
        http_client: Any = None,
        **params: Any,
    ) -> None:
        options = {name: params.pop(name) for name in _CLIENT_OPTIONS & params.keys()}
        self._check(params)
        if max_turns < 1:
            raise ConfigError(f"max_turns must be 1 at least, not {max_turns}")
        if output_retries < 0:
            raise ConfigError(f"output_retries cannot be {output_retries}: 0 is none")
        if tool_mode not in ("parallel", "sequential"):
            raise ConfigError(f"tool_mode is 'parallel' or 'sequential', not {tool_mode!r}")
        if max_result_chars is not None and max_result_chars < 1:
            raise ConfigError(f"max_result_chars must be 1 at least, not {max_result_chars}")
        for hook, function in (("before_tool", before_tool), ("after_tool", after_tool)):
            if function is not None:
                check_function(hook, function)
        self.name = name
        self.max_turns = max_turns
        self.output_retries = output_retries
        self.params = params
        found = as_skills(skills)
        self._toolbox = Toolbox([*tool_list(tools), *found.tools], shed)
        self._rules = ToolRules(tool_mode, before_tool, after_tool, max_result_chars)
        self._instruction = found.added_to(instruction)
        inbox = Inbox(steering_mode, follow_up_mode)
        self._conversation = Conversation(load_history(history, self._instruction), inbox)
        self._hooks = Hooks(
            transform_context,
            convert_to_llm,
            compact,
            should_stop,
            prepare_next_turn,
            window=context_window,
            compact_at=compact_at,
        )
        self._toolbox.activate_again(self.history)
        self._given = client
        self._kept: Client | None = None
        if client is not None:
            if options or api_key is not None or base_url is not None or http_client is not None:
                raise ConfigError("a client has its own key, address, limits and http client: give them to it")
            if model is not None:
                self.params = {"model": _model_at(client, model), **params}
            return
        if model is None:
            raise ConfigError("an agent needs a model (provider/model), or a client")
        # Whatever is wrong is found here. It never has a connection: its twins do.
        self._client = Client(model, api_key=api_key, base_url=base_url, http_client=http_client, **options)

    @property
    def history(self) -> list[Message]:
        """The conversation: a live list, to be changed between runs only.

        Set to another one it begins with the instruction, unless it has a system message at its front already.
        """
        return self._conversation.history

    @history.setter
    def history(self, history: History) -> None:
        self._conversation.history = load_history(history, self._instruction)
        self._toolbox.activate_again(self.history)

    @property
    def tools(self) -> list[Tool | dict[str, Any]]:
        """The tools that the model sees."""
        return list(self._toolbox.active)

    @property
    def usage(self) -> Usage:
        """What all responses have used, aborted ones included."""
        return self._conversation.usage

    def as_tool(self, name: str | None = None, *, description: str, output_type: Any = None) -> Tool:
        """Return a tool by which another agent asks this one; its name is the agent's, if none is given.

        Each call is a run of its own, from the history and with the tools that this agent has by then, which stay as
        they are. What it says comes through live in the run of who asks, with a `depth` of one more and this agent's
        name as `source_agent`; what it uses counts there, and it ends with it. The result is the text of its last
        message, or, with an `output_type`, the value. Raises `ConfigError` for what is no name or type.
        """
        return make_tool(self, name or self.name, description, output_type)

    @property
    def state(self) -> AgentState:
        """How the agent stands now; costs as much as joining the text of the message that is under way."""
        conversation, client = self._conversation, self._given or self._client
        running, history = conversation.holder, conversation.history
        system = history[0].text if history and history[0].role == "system" else ""
        return AgentState(
            system_prompt=system,
            model=f"{client.provider.name}/{self.params.get('model') or client.model}",
            thinking_level=self.params.get("thinking"),
            tools=[tool.name for tool in self.tools if isinstance(tool, Tool)],
            messages=list(history),
            is_streaming=running is not None,
            streaming_message=None if running is None else running.partial,
            pending_tool_calls=frozenset() if running is None else frozenset(running.pending),
            error_message=conversation.error,
        )

    @overload
    def run(self, query: MessageLike | None = None, *, output_type: type[T]) -> TypedRun[MessageOutput, T]: ...

    @overload
    def run(self, query: MessageLike | None = None, *, output_type: Any = None) -> Run[MessageOutput]: ...

    def run(self, query: MessageLike | None = None, *, output_type: Any = None) -> Run[MessageOutput]:
        """Answer `query` (a string, a message, or a dict in its form); yields each message when it is complete.

        The messages are those of the model, with their tool calls, each tool's result, and the final answer. A tool
        that fails is a result that the model sees. An error of the model's ends the run and is raised, with
        `partial`: what was shown is kept in the history; where nothing was, the query is taken back. Raises
        `TurnLimit` after `max_turns`.

        With `output_type` the final answer is to be a value of that type (any that msgspec reads from JSON): `value`
        of the run. Where it is not, the model is told why, in a user message of the history, and asked again,
        `output_retries` times at most; then, or where it refused or was cut off, `OutputError` is raised.
        """
        kind = Run if output_type is None else TypedRun
        return kind(self, _loop(query, output_type), MessageOutput)

    @overload
    def run_stream(
        self, query: MessageLike | None = None, *, output_type: type[T]
    ) -> TypedRun[MessageDeltaOutput, T]: ...

    @overload
    def run_stream(self, query: MessageLike | None = None, *, output_type: Any = None) -> Run[MessageDeltaOutput]: ...

    def run_stream(self, query: MessageLike | None = None, *, output_type: Any = None) -> Run[MessageDeltaOutput]:
        """The same in pieces: the deltas between two finish reasons fold to what `run` yields."""
        kind = Run if output_type is None else TypedRun
        return kind(self, _loop(query, output_type), MessageDeltaOutput)

    @overload
    def run_events(self, query: MessageLike | None = None, *, output_type: type[T]) -> TypedEventRun[T]: ...

    @overload
    def run_events(self, query: MessageLike | None = None, *, output_type: Any = None) -> EventRun: ...

    def run_events(self, query: MessageLike | None = None, *, output_type: Any = None) -> EventRun:
        """The same with all that happens: turns, pieces, messages, tools and their progress."""
        kind = EventRun if output_type is None else TypedEventRun
        return kind(self, _loop(query, output_type))

    @overload
    def continue_(self, *, output_type: type[T]) -> TypedRun[MessageDeltaOutput, T]: ...

    @overload
    def continue_(self, *, output_type: Any = None) -> Run[MessageDeltaOutput]: ...

    def continue_(self, *, output_type: Any = None) -> Run[MessageDeltaOutput]:
        """Go on from the history, as `run_stream` without a query.

        Raises `ConfigError`, when it is read, where neither a user nor a tool spoke last and nothing is queued.
        """
        run: Run[MessageDeltaOutput] = self.run_stream(output_type=output_type)
        return run

    def steer(self, message: MessageLike, *, interrupt: bool = False) -> None:
        """Say something to the run that is under way: it is put into the history before the next turn.

        With `interrupt` that turn begins at once: what the model has said of its message is taken back by a `Retract`,
        and tools that run are stopped, whose calls are answered by that. Without a run it waits for the next one.
        To be called in the thread of the event loop: with `interrupt` another is refused by a `ConfigError`.
        """
        said = load_query(message)
        control = self._conversation.control("steer(…, interrupt=True)") if interrupt else None
        self._conversation.inbox.steering.put(said)
        if control is not None:
            control.interrupt()

    def follow_up(self, message: MessageLike) -> None:
        """Say something to be answered when the run would end; without a run it waits for the next one."""
        self._conversation.inbox.follow_ups.put(load_query(message))

    @property
    def queued(self) -> list[Message]:
        """What waits to be said, `steer`'s first."""
        return list(self._conversation.inbox)

    def clear_queues(self) -> list[Message]:
        """Return what waits in the queues, those of `steer` first, and forget it."""
        return self._conversation.inbox.clear()

    def abort(self) -> bool:
        """End the run that is under way, from the thread of its event loop; False where there is none.

        What the model was saying stays in the history as far as it was shown, with the finish reason `aborted`. Tools
        are stopped, and every call is answered. The run then ends as others do, without an error, within seconds.
        Raises `ConfigError` in another thread.
        """
        control = self._conversation.control("abort()")
        if control is not None:
            control.abort()
        return control is not None

    async def aclose(self) -> None:
        """Close the client that `async with` keeps. A later run opens its own."""
        kept, self._kept = self._kept, None
        if kept is not None:
            await kept.aclose()

    async def __aenter__(self) -> Agent:
        if self._given is None and self._kept is None:
            self._kept = self._client.twin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __repr__(self) -> str:
        return f"<Agent {self.name!r} on {(self._given or self._client)!r}>"

    def _fresh(self) -> Agent:
        """The same agent with a conversation and a toolbox of its own, which begin as these are."""
        other = copy(self)
        inbox = self._conversation.inbox
        other._conversation = Conversation(list(self.history), Inbox(inbox.steering.mode, inbox.follow_ups.mode))
        other._toolbox = self._toolbox.twin()
        return other

    @staticmethod
    def _check(params: Mapping[str, Any]) -> None:
        """Raise `ConfigError` for what is no parameter of an agent's requests."""
        if params.get("n") not in (None, 1):
            raise ConfigError("an agent follows one answer: leave out n")
        options = _options()
        for name in params:
            if name in ("query", "output_type"):
                raise ConfigError(f"{name} belongs to a run: agent.run(query, output_type=…)")
            if name in options:
                raise ConfigError(f"{name} is an option of Agent, and no parameter of its requests")
        check_names(params, options, _INSTRUCTION)

    def _connect(self) -> tuple[Client, bool]:
        """The client of a run, and whether it is the run's to close."""
        shared = self._given or self._kept
        return (shared, False) if shared is not None else (self._client.twin(), True)


@cache
def _options() -> frozenset[str]:
    """What an agent is made with beside the parameters of its requests."""
    return frozenset({*inspect.signature(Agent).parameters, *_CLIENT_OPTIONS} - {"params"})


def _loop(query: MessageLike | None, output_type: Any) -> Loop:
    return Loop(None if query is None else load_query(query), output_type)


def _model_at(client: Client, model: str) -> str:
    """The provider's own name of a model that a client is to be asked for."""
    vendor, slash, name = model.partition("/")
    if slash and vendor == client.provider.name:
        return name
    if model == client.model:
        return model
    raise ConfigError(f"the model {model!r} is not at {client.provider.name}, whose client was given")
