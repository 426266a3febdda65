"""`streamkit demo`: an agent at work, with no key and no network.

Only the model is scripted. It sits behind a real HTTP server on this machine and speaks a real dialect; the client,
the agent and the calculator are what a program would use, and the answer is made of what the calculator returned.
"""

from __future__ import annotations

import anyio

from streamkit.agent import Agent
from streamkit.cli.calculator import calculate
from streamkit.cli.live import Live
from streamkit.cli.loopback import loopback_client
from streamkit.cli.meter import Meter
from streamkit.cli.screen import Screen
from streamkit.client import Client
from streamkit.providers import Provider
from streamkit.testing.answers import Answer, Block, Call, Thinking
from streamkit.testing.replies import Received, Reply
from streamkit.testing.server import ReplayServer
from streamkit.usage import Usage

__all__ = ["demo"]

QUESTION = """\
How many seconds are there in a leap year? And if the first square of a
chessboard holds one grain of rice, and each further one twice as many as the
one before: how many grains lie on the last?"""
SECONDS, GRAINS = "366 * 24 * 60 * 60", "2 ** 63"
PIECE = 4  # characters a delta, about what a token is
PROVIDER = Provider(name="demo", protocol="openai-chat")

ABOUT = """\
The model is a script, served over real HTTP on this machine. The client, the
agent and the tool are the real ones.
"""


def demo(pace_s: float, screen: Screen | None = None) -> int:
    """Show one turn of an agent, with `pace_s` seconds between two events of the model; return the exit code."""
    anyio.run(_demo, pace_s, screen or Screen())
    return 0


async def _demo(pace_s: float, screen: Screen) -> None:
    screen.line(ABOUT, "dim")
    screen.line(f"> {QUESTION}", "bold")

    def reply(request: Received) -> Reply:
        return Reply(body=_answer(request), piece=PIECE, pace_s=pace_s)

    async with (
        ReplayServer(reply) as server,
        loopback_client() as http,
        Client("scripted", provider=PROVIDER, base_url=server.url, http_client=http) as client,
    ):
        agent = Agent(client=client, instruction="Calculate with the tool.", tools=[calculate])
        live, meter = Live(screen), Meter()
        async with agent.run_stream(QUESTION) as run:
            async for output in run:
                meter.feed(output.delta)
                live.show(output.delta)
    screen.gap()
    screen.line(meter.summary(), "dim")


def _answer(request: Received) -> Answer:
    """What the model says to `request`: first it asks the calculator, then it answers with what that returned."""
    results = [message["content"] for message in request.json["messages"] if message["role"] == "tool"]
    blocks = _conclusion(*map(int, results)) if results else _start()
    said = sum(len(block if isinstance(block, str) else block.text) for block in blocks)
    usage = Usage(input_tokens=len(request.body) // PIECE, output_tokens=-(-said // PIECE))
    return Answer(blocks, usage=usage, model="scripted")


def _start() -> list[Block | str]:
    return [
        Thinking("Two sums. I should not do these in my head: the second has nineteen digits."),
        "I will let the calculator work out both.",
        Call("calculate", {"expression": SECONDS}, "call_seconds"),
        Call("calculate", {"expression": GRAINS}, "call_grains"),
    ]


def _conclusion(seconds: int, grains: int) -> list[Block | str]:
    answer = f"A leap year has {seconds:,} seconds.\nThe last of the 64 squares holds {grains:,} grains of rice.\n"
    return [f"{answer}Counted at one grain a second, that takes {grains // seconds:,} leap years."]
