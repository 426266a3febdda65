"""Makes an agent step by step."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any

from streamkit.agent.agent import Agent, AgentTool
from streamkit.agent.history import History
from streamkit.agent.skills import Roots, Skills
from streamkit.client import Client
from streamkit.errors import ConfigError
from streamkit.keys import ApiKey
from streamkit.tools import tool_list

__all__ = ["AgentBuilder"]


class AgentBuilder:
    """Gathers what an agent is made of.

    agent = await AgentBuilder("openai/gpt-5").instruction("Be brief.").tool(get_weather).history(saved).build()

    Each method returns the builder; the arguments are those of `Agent`.
    """

    def __init__(self, model: str | None = None) -> None:
        self._options: dict[str, Any] = {"model": model}
        self._tools: list[AgentTool] = []

    def instruction(self, text: str) -> AgentBuilder:
        """Say how the model is to behave; no part of a history that begins with a system message already."""
        return self._set(instruction=text)

    def tool(self, tool: AgentTool) -> AgentBuilder:
        """Add one tool."""
        return self.tools([tool])

    def tools(self, tools: Iterable[AgentTool]) -> AgentBuilder:
        """Add tools."""
        self._tools += tool_list(tools)
        return self

    def skills(self, skills: Skills | Roots) -> AgentBuilder:
        """Give it skills, or the folders that they are in."""
        return self._set(skills=skills)

    def history(self, saved: History) -> AgentBuilder:
        """Go on with a conversation."""
        return self._set(history=saved)

    def name(self, name: str) -> AgentBuilder:
        """Name the agent: `source_agent` of what it yields."""
        return self._set(name=name)

    def max_turns(self, count: int) -> AgentBuilder:
        """Limit how often one run may ask the model."""
        return self._set(max_turns=count)

    def output_retries(self, count: int) -> AgentBuilder:
        """Limit how often one run may tell the model that its answer is not of the `output_type`."""
        return self._set(output_retries=count)

    def client(self, client: Client) -> AgentBuilder:
        """Use a client that stays the caller's."""
        return self._set(client=client)

    def api_key(self, key: ApiKey) -> AgentBuilder:
        """Set the key, or the function that gives one for each request."""
        return self._set(api_key=key)

    def base_url(self, url: str) -> AgentBuilder:
        """Set the address."""
        return self._set(base_url=url)

    def http_client(self, http_client: Any) -> AgentBuilder:
        """Use an http client that stays the caller's."""
        return self._set(http_client=http_client)

    def param(self, name: str, value: Any) -> AgentBuilder:
        """Set one parameter of every request."""
        return self._set(**{name: value})

    def params(self, **params: Any) -> AgentBuilder:
        """Set parameters of every request."""
        return self._set(**params)

    def options(self, **options: Any) -> AgentBuilder:
        """Set any other option of `Agent` by its name: its shed, its hooks, the modes of its queues."""
        unknown = options.keys() - inspect.signature(Agent).parameters.keys()
        if unknown:
            raise ConfigError(f"an agent has no option {', '.join(sorted(unknown))}")
        return self._set(**options)

    async def build(self) -> Agent:
        """Make the agent; raises `ConfigError` for whatever is wrong. May be called again for another one."""
        return Agent(**self._options, tools=self._tools)

    def _set(self, **options: Any) -> AgentBuilder:
        if "tools" in options:
            self.tools(options.pop("tools"))
        self._options.update(options)
        return self
