"""What the tests of programs that use streamkit need: recorded and scripted streams, cut, spoilt, served for real.

- `chunking`: every way in which a network may cut a body
- `mutations`: what proxies and servers do to one, and what must come of it
- `scripts`: answers written once, rendered as bodies of real responses
- `replay`: `ReplayTransport`, for `httpx.AsyncClient(transport=…)`
- `server`: `ReplayServer`, real HTTP on the loopback interface, at any pace
"""

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
    "render",
    "render_error",
]
