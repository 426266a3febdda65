"""`streamkit chat`: a conversation with any model, in the terminal or from a pipe.

The event loop runs in a thread of its own for the whole conversation, so that its connection stays open between two
answers. The main thread reads the keyboard and waits for answers. Ctrl-C is an exception while it reads; while it
answers and saves, a handler notes it and stops the answer, so that however often it comes, the history is kept.

In a terminal a key that is pressed during an answer holds the screen for a line, which the agent is told of before its
next turn. What is said too late for that begins a turn of its own.
"""

from __future__ import annotations

import signal
import sys
from collections import deque
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future, wait
from contextlib import AbstractAsyncContextManager, ExitStack, contextmanager
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

from anyio.from_thread import BlockingPortal, start_blocking_portal
from rich.console import Console

from streamkit.agent import Agent
from streamkit.cli.conversation import load_conversation, save_conversation
from streamkit.cli.keyboard import Keyboard, can_be_watched, watched
from streamkit.cli.live import Live
from streamkit.cli.local import local_server
from streamkit.cli.local_model import find_model
from streamkit.cli.loopback import loopback_client
from streamkit.cli.meter import Meter
from streamkit.cli.screen import Screen
from streamkit.client import Client
from streamkit.deltas import MessageStart
from streamkit.errors import StreamkitError
from streamkit.events import OutputDelta, Progress
from streamkit.messages import Message
from streamkit.parts import TextPart

__all__ = ["chat"]

LOCAL = "local"
PROMPT = "> "
QUEUE_PROMPT = "queue> "
HINT = "Ctrl-C stops an answer, Ctrl-D leaves."
QUEUE_HINT = "What you type during an answer is said next. "
LEAVE_HINT = "Ctrl-C again or Ctrl-D leaves."


def chat(
    model: str,
    *,
    system: str | None = None,
    base_url: str | None = None,
    thinking: str | None = None,
    save: Path | None = None,
    resume: Path | None = None,
) -> int:
    """Chat with `model` (`provider/model`, or `local`) until the input ends; return the exit code.

    It is 0, or 1 where the input is no terminal and the last answer failed. `thinking` is a level or a number of
    tokens. The history is written to `save` after each answer, and read from `resume` first. Raises `ConfigError` for
    whatever is wrong in these, and `TransportError` where the local server does not start.
    """
    history = load_conversation(resume) if resume is not None else []
    if system is not None:
        history[:1] = [Message("system", [TextPart(system)]), *(m for m in history[:1] if m.role != "system")]
    params: dict[str, Any] = {}
    if thinking is not None:
        params["thinking"] = int(thinking) if thinking.isdecimal() else thinking
    with ExitStack() as stack:
        if model == LOCAL:
            model_file = find_model(lambda line: Screen(Console(stderr=True)).line(line, "dim"))
            server = stack.enter_context(local_server(model_file))
            http = loopback_client()
            client = Client(server.model, base_url=server.base_url, api_key=server.api_key, http_client=http)
            opened: list[AbstractAsyncContextManager[Any]] = [http, client]
        else:
            client = Client(model, base_url=base_url)
            opened = [client]
        agent = Agent(client=client, history=history, **params)
        portal = stack.enter_context(start_blocking_portal())
        for manager in opened:
            stack.enter_context(portal.wrap_async_context_manager(manager))
        return _Chat(agent, portal, save).run()


class _Chat:
    def __init__(self, agent: Agent, portal: BlockingPortal, save: Path | None) -> None:
        self._agent = agent
        self._portal = portal
        self._save = save
        self._screen = Screen()
        self._errors = Screen(Console(stderr=True))
        self._is_interactive = sys.stdin.isatty() and self._screen.is_terminal
        self._is_watched = self._is_interactive and can_be_watched()
        self._failed = False
        self._answering: Future[None] | None = None
        self._said: deque[str] = deque()  # during an answer, and not taken up yet
        self._is_typing = False
        self._leaves = False
        self._interrupts = 0  # how many Ctrl-C have come since the user said anything else

    def run(self) -> int:
        if self._is_interactive:
            told = [message for message in self._agent.history if message.role != "system"]
            so_far = f"{len(told)} messages so far. " if told else ""
            queue = QUEUE_HINT if self._is_watched else ""
            self._screen.line(f"{so_far}{queue}{HINT}", "dim")
        while self._interrupts < 2 and not self._leaves and (text := self._read()) is not None:
            if text.strip():
                with self._noting_interrupts():
                    self._turn(text.rstrip("\r\n"))
                    while self._agent.queued:
                        self._turn(None)
                    self._keep()
        return int(self._failed and not self._is_interactive)

    def _read(self) -> str | None:
        """The next thing that the user says, None where there is no more.

        A Ctrl-C that comes just after its answer must not end the conversation: it takes a second one.
        """
        while True:
            try:
                return input(PROMPT) if self._is_interactive else sys.stdin.readline() or None
            except (EOFError, KeyboardInterrupt) as error:
                self._screen.write("\n")
                if isinstance(error, EOFError) or self._interrupts or not self._is_interactive:
                    return None
                self._interrupts = 1
                self._screen.line(LEAVE_HINT, "dim")

    @contextmanager
    def _noting_interrupts(self) -> Iterator[None]:
        def note(*_: object) -> None:
            if self._is_typing:  # the line is dropped, and no more
                self._is_typing = False
                raise KeyboardInterrupt
            self._interrupts += 1
            if self._answering is not None:
                self._answering.cancel()

        self._failed, self._interrupts = False, 0
        if current_thread() is not main_thread():  # where no signal comes
            yield
            return
        before = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)

    def _turn(self, text: str | None) -> None:
        """Ask, or say what was said last, and show the answer, until it ends in whatever way."""
        live, meter = Live(self._screen), Meter()
        self._answering = self._portal.start_task_soon(self._answer, text, live, meter)
        if self._interrupts:  # before there was anything to stop
            self._answering.cancel()
        if self._is_watched:
            self._listen(self._answering)
        wait([self._answering])
        try:
            self._answering.result()
        except CancelledError:
            live.close()
            self._screen.line("[stopped]", "yellow")
            self._forget()
        except StreamkitError as error:
            live.close()
            self._fail(error)
            self._forget()
        if self._is_interactive:
            self._screen.line(meter.summary(), "dim")

    def _listen(self, answering: Future[None]) -> None:
        """Let the user say more while the answer comes; what comes while he types waits for his line."""
        with watched(answering) as keyboard:
            while not (self._leaves or self._interrupts) and keyboard.pressed():
                with self._screen.held():
                    try:
                        line = self._read_more(keyboard)
                    except KeyboardInterrupt:
                        print(flush=True)
                    else:
                        if line.strip():
                            self._portal.call(self._say, line)

    def _read_more(self, keyboard: Keyboard) -> str:
        """The line; Ctrl-D ends the conversation after the answer, and Ctrl-C is an exception here, which drops it."""
        self._is_typing = True
        try:
            return "" if self._interrupts else keyboard.line(QUEUE_PROMPT)
        except EOFError:
            self._leaves = True
            print(flush=True)
            return ""
        finally:
            self._is_typing = False

    def _say(self, line: str) -> None:
        self._said.append(line)
        self._agent.steer(line)

    def _forget(self) -> None:
        """Drop what was said during an answer that came to nothing; the keyboard's memory still has it."""
        self._said.clear()
        for message in self._portal.call(self._agent.clear_queues):
            self._screen.line(f"[not said] {message.text}", "yellow")

    def _keep(self) -> None:
        """Save the history; the conversation goes on where that fails."""
        try:
            if self._save is not None:
                save_conversation(self._save, self._agent.history)
        except StreamkitError as error:
            self._fail(error)

    def _fail(self, error: StreamkitError) -> None:
        self._failed = True
        self._screen.line()
        self._errors.line(f"{type(error).__name__}: {error}", "red")

    async def _answer(self, text: str | None, live: Live, meter: Meter) -> None:
        async with self._agent.run_events(text) as run:
            async for event in run:
                if isinstance(event, Progress) and event.kind == "retrying":
                    told = event.detail
                    self._errors.line(f"[again in {told['wait_s']:.1f} s: {told['error']}]", "yellow")
                if not isinstance(event, OutputDelta):
                    continue
                delta = event.output.delta
                if isinstance(delta, MessageStart):
                    for _ in range(len(self._said) - len(self._agent.queued)):  # what this message answers
                        self._screen.line(f"{PROMPT}{self._said.popleft()}", "bold")
                meter.feed(delta)
                live.show(delta)
