"""What a run has of its agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import ref

from streamkit.agent.calling import ToolRules
from streamkit.agent.history import load_history
from streamkit.agent.hooks import Hooks
from streamkit.agent.turns import NextTurn
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.protocols import ToolSpec
from streamkit.tools import Tool

if TYPE_CHECKING:
    from streamkit.agent.agent import Agent

__all__ = ["AgentLink"]


class AgentLink:
    """The agent as one run has it: how the model is asked, with which tools and hooks, as changed for this run.

    Of the agent itself only a weak reference is kept: an abandoned run is held until it is closed, and must not hold
    the agent, its tools and hooks, and by them perhaps whoever should have closed it.
    """

    def __init__(self, agent: Agent) -> None:
        self.name = agent.name
        self.client, self.owns_client = agent._connect()
        self.params = agent.params
        self._agent = ref(agent)
        self._chosen: list[str] | None = None  # the names of tools that a hook gave last, None for all
        self._brought: list[str] = []  # the names that results have brought since then

    @property
    def hooks(self) -> Hooks:
        """What the application adds to the loop."""
        agent = self._agent()
        return Hooks() if agent is None else agent._hooks

    @property
    def rules(self) -> ToolRules:
        """What the agent says of all its tools."""
        agent = self._agent()
        return ToolRules() if agent is None else agent._rules

    @property
    def specs(self) -> list[ToolSpec | dict[str, Any]]:
        """What the model sees of the tools."""
        agent = self._agent()
        return [] if agent is None else agent._toolbox.only(self._allowed())[0]

    @property
    def functions(self) -> dict[str, Tool]:
        """The tools that the model may call."""
        agent = self._agent()
        return {} if agent is None else agent._toolbox.only(self._allowed())[1]

    def instructed(self, messages: list[Message]) -> list[Message]:
        """Return a conversation that was made shorter, with the agent's instruction at its front if it has none now."""
        agent = self._agent()
        if agent is None or any(message.role == "system" for message in messages):
            return messages
        return load_history(messages, agent._instruction)

    def activate(self, names: Iterable[str]) -> None:
        """Show the model the tools that a result names."""
        agent = self._agent()
        if agent is not None:
            self._brought += agent._toolbox.activate(names)

    def change(self, following: NextTurn | None) -> None:
        """Ask the model otherwise from now on; raises `ConfigError` for a model, a parameter or a tool that is none."""
        agent = self._agent()
        if following is None or agent is None:
            return
        with _told("params"):
            agent._check(following.params)
        if following.tools is not None and following.tools != self._chosen:
            with _told("tools"):
                agent._toolbox.only(following.tools)
            self._chosen, self._brought = following.tools, []
        if following.model is not None:
            with _told("model"):
                self.client = self.client.on(following.model)
            self.params = {name: value for name, value in self.params.items() if name != "model"}
        self.params = {**self.params, **following.params}

    def _allowed(self) -> list[str] | None:
        return None if self._chosen is None else self._chosen + self._brought


@contextmanager
def _told(field: str) -> Iterator[None]:
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"NextTurn.{field}: {error}") from None
