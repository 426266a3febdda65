"""What the tests of programs that use streamkit need: recorded and scripted streams, cut, spoilt, served for real.

    async with ReplayServer([Answer([Call("add", {"a": 1, "b": 2})]), Answer(["It is 3."])]) as server:
        agent = Agent("openai/any", api_key="none", base_url=server.url, tools=[add])
        outputs = [output async for output in agent.run("What is 1 + 2?")]
    assert outputs[-1].message.text == "It is 3."
    assert server.requests[1].json["messages"][-1]["content"] == "3"

- `answers`, `scripts`: what a model should say, written once, rendered as bodies of real responses
- `expected`: the message that such an answer must become
- `server`: `ReplayServer`, real HTTP on the loopback interface, at any pace
- `replay`: `ReplayTransport`, for `httpx.AsyncClient(transport=…)`
- `wires`: what goes wrong on the way, byte by byte, for a `ReplayServer`
- `chunking`: every way in which a network may cut a body
- `mutations`: what proxies and servers do to one, and what must come of it
- `outcome`: all that reading a body comes to, to compare one way of reading with another
"""

from streamkit.testing import wires
from streamkit.testing.expected import expected
from streamkit.testing.replay import ReplayTransport
from streamkit.testing.replies import Received, Reply, error_reply
from streamkit.testing.scripts import Answer, Call, Refusal, Text, Thinking, render, render_error
from streamkit.testing.server import ReplayServer

__all__ = [
    "Answer",
    "Call",
    "Received",
    "Refusal",
    "ReplayServer",
    "ReplayTransport",
    "Reply",
    "Text",
    "Thinking",
    "error_reply",
    "expected",
    "render",
    "render_error",
    "wires",
]
