"""The agent: a model and its tools in a loop, with a history that outlives any break."""

from streamkit.agent.agent import Agent
from streamkit.agent.builder import AgentBuilder
from streamkit.agent.inbox import QueueMode
from streamkit.agent.run import EventRun, Run, TypedEventRun, TypedRun
from streamkit.agent.state import AgentState
from streamkit.agent.turns import NextTurn, Turn

__all__ = [
    "Agent",
    "AgentBuilder",
    "AgentState",
    "EventRun",
    "NextTurn",
    "QueueMode",
    "Run",
    "Turn",
    "TypedEventRun",
    "TypedRun",
]
