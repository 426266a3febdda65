import json
import sys
import termios
from contextlib import asynccontextmanager
from functools import partial

import anyio
import anyio.to_thread
import pytest
from typer.testing import CliRunner

from streamkit.cli.app import app
from streamkit.testing.mutations import fail, truncations
from streamkit.testing.replies import Reply, error_reply
from streamkit.testing.scripts import Answer, Call, Refusal, Thinking, render, render_error
from streamkit.testing.server import ReplayServer
from tests.terminal import terminal as terminal_of

KEY = "sk-very-secret-key"
CHAT = [sys.executable, "-W", "error", "-m", "streamkit", "chat"]


@pytest.fixture
def anyio_backend():
    return "asyncio"  # of the test; the command has one of its own


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "LLAMA_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


async def chat(*arguments, said="", model="llamacpp/m"):
    """Run the command in a thread, as it waits for a server in this one; return its code, output and errors."""
    arguments = ["chat", model, *arguments]
    done = await anyio.to_thread.run_sync(partial(CliRunner().invoke, app, arguments, said, catch_exceptions=False))
    return done.exit_code, done.stdout, done.stderr


def said_to(request):
    """What a request to either dialect says, a role and a text a message."""
    messages = request.json["messages"]
    texts = [m["content"] if isinstance(m["content"], str) else m["content"][0]["text"] for m in messages]
    return list(zip((m["role"] for m in messages), texts, strict=True))


async def test_each_line_is_a_question_in_one_conversation():
    async with ReplayServer([Answer(["Hello!"]), Answer([Thinking("Hm."), "Fine."])]) as server:
        code, out, err = await chat("--base-url", server.url, "--system", "Be kind.", said="Hi\n\n  \nHow are you?")
    assert (code, out, err) == (0, "Hello!\nHm.\nFine.\n", "")
    assert said_to(server.requests[1]) == [
        ("system", "Be kind."),
        ("user", "Hi"),
        ("assistant", "Hello!"),
        ("user", "How are you?"),
    ]


async def test_a_retry_is_told_beside_the_answer():
    late = error_reply(529, "busy", headers={"retry-after": "0.2"})
    async with ReplayServer([late, Answer(["Hello!"])]) as server:
        code, out, err = await chat("--base-url", server.url, said="Hi\n")
    assert (code, out) == (0, "Hello!\n")
    assert err.startswith("[again in 0.2 s: Overloaded: busy")


async def test_the_connection_stays_open_between_two_answers():
    peers = set()

    async def reply(request):
        peers.add(server.connections)
        return Answer(["a"])

    async with ReplayServer(reply) as server:
        await chat("--base-url", server.url, said="1\n2\n3\n")
        assert peers == {1}
        assert len(server.requests) == 3


async def test_any_provider_will_do(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    async with ReplayServer(Answer(["Bonjour"])) as server:
        code, out, _ = await chat("--base-url", server.url, "--thinking", "2048", said="Hi\n", model="anthropic/m")
    assert (code, out) == (0, "Bonjour\n")
    request = server.requests[0]
    assert (request.path, request.headers["x-api-key"]) == ("/v1/messages", KEY)
    assert request.json["thinking"] == {"type": "enabled", "budget_tokens": 2048}


async def test_thinking_may_be_a_level():
    async with ReplayServer(Answer(["a"])) as server:
        await chat("--base-url", server.url, "--thinking", "high", said="Hi\n", model="vllm/m")
    assert server.requests[0].json["reasoning_effort"] == "high"


async def test_without_a_key_the_variable_is_named():
    code, out, err = await chat(said="Hi\n", model="anthropic/claude")
    assert (code, out) == (2, "")
    assert "ANTHROPIC_API_KEY" in err


async def test_a_history_is_saved_and_resumed(tmp_path):
    first, second = tmp_path / "a.json", tmp_path / "b.json"
    async with ReplayServer([Answer(["One."]), Answer(["Two."])]) as server:
        await chat("--base-url", server.url, "--save", str(first), "--system", "Old.", said="1\n")
        await chat(
            *("--base-url", server.url, "--resume", str(first), "--save", str(second), "--system", "New."), said="2\n"
        )
    assert said_to(server.requests[1]) == [("system", "New."), ("user", "1"), ("assistant", "One."), ("user", "2")]
    saved = json.loads(second.read_text())
    assert [(m["role"], m["contents"][0]["text"]) for m in saved] == [
        *said_to(server.requests[1]),
        ("assistant", "Two."),
    ]
    assert [m["role"] for m in json.loads(first.read_text())] == ["system", "user", "assistant"]


async def test_a_history_that_is_none_is_refused(tmp_path):
    path = tmp_path / "a.json"
    path.write_text("no")
    code, _, err = await chat("--base-url", "http://127.0.0.1:9", "--resume", str(path))
    assert code == 2
    assert "holds no conversation" in err


BODY = render(Answer(["Half of it"], usage=None), piece=100)
ERRORS = [
    ("refused", error_reply(401, "no such key"), "", "AuthenticationError: no such key"),
    ("in the middle", fail(BODY, 2, render_error("openai-chat", "at capacity")), "Half of it\n", "at capacity"),
    ("cut off", Reply(body=truncations(BODY)[2], ends="drops"), "Half of it\n", "TruncatedStream"),
    ("controls in it", error_reply(400, "\x1b[31mred"), "", "\\x1b[31mred"),
]


@pytest.mark.parametrize(("reply", "shown", "error"), [case[1:] for case in ERRORS], ids=[case[0] for case in ERRORS])
async def test_an_error_is_shown_and_the_chat_goes_on(reply, shown, error):
    async with ReplayServer([reply, Answer(["Better."])]) as server:
        code, out, err = await chat("--base-url", server.url, said="1\n2\n")
    assert (code, out) == (0, f"{shown}Better.\n")
    assert error in err


async def test_the_code_tells_a_script_that_the_last_answer_failed():
    async with ReplayServer([Answer(["Good."]), error_reply(500, "bad")]) as server:
        code, out, _ = await chat("--base-url", server.url, said="1\n2\n")
    assert (code, out) == (1, "Good.\n")


async def test_a_history_that_cannot_be_saved_is_an_error_that_the_chat_survives(tmp_path):
    async with ReplayServer(Answer(["a"])) as server:
        code, out, err = await chat("--base-url", server.url, "--save", str(tmp_path / "no" / "a"), said="1\n2\n")
    assert (code, out) == (1, "a\na\n")
    assert err.count("cannot be written") == 2


async def test_calls_and_refusals_are_shown():
    answers = [Answer([Call("search", {"q": "x"})]), Answer([Refusal("I cannot.")])]
    async with ReplayServer(answers) as server:
        code, out, _ = await chat("--base-url", server.url, said="1\n")
    assert code == 0
    assert out.startswith('→ search {"q":"x"}\n← ')
    assert out.endswith("\nI cannot.\n[ended by refusal]\n")


async def test_what_is_no_text_in_the_input_does_no_harm():
    async with ReplayServer(Answer(["a"])) as server:
        command = [*CHAT, "llamacpp/m", "--base-url", server.url]
        done = await anyio.run_process(command, input=b"caf\xe9\n", check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"a\n", b"")
    assert said_to(server.requests[0]) == [("user", "caf\ufffd")]


# In a terminal.


def terminal(*arguments):
    return terminal_of([*CHAT, *arguments])


SLOW = Answer(["word " * 200])


async def leave(screen, process):
    screen.type("\x04")
    with anyio.fail_after(20):
        return await process.wait()


async def test_ctrl_c_stops_the_answer_and_keeps_the_conversation(tmp_path):
    saved = tmp_path / "chat.json"
    async with ReplayServer([Reply(body=SLOW, pace_s=0.01), Answer(["Short."])]) as server:
        async with terminal("llamacpp/m", "--base-url", server.url, "--save", str(saved)) as (screen, process):
            await screen.expect("Ctrl-C stops an answer, Ctrl-D leaves.")
            await screen.expect("> ")
            screen.type("Go on\n")
            await screen.expect("word word word ")
            screen.type("\x03")
            await screen.expect("[stopped]")
            await screen.expect("> ")
            assert server.served == 0
            screen.type("And now?\n")
            await screen.expect("Short.")
            await screen.expect("12 tokens in · 7 out · first token after")
            assert await leave(screen, process) == 0
    partial = said_to(server.requests[1])[1]
    assert partial[0] == "assistant"
    assert partial[1].startswith("word word word ")
    assert len(partial[1]) < 1000
    assert [m["role"] for m in json.loads(saved.read_text())] == ["user", "assistant", "user", "assistant"]


async def test_a_second_ctrl_c_leaves():
    async with ReplayServer(Reply(body=SLOW, pace_s=0.01)) as server:
        async with terminal("llamacpp/m", "--base-url", server.url) as (screen, process):
            await screen.expect("> ")
            screen.type("Go on\n")
            await screen.expect("word ")
            screen.type("\x03")
            await screen.expect("[stopped]")
            await screen.expect("> ")
            screen.type("\x03")
            with anyio.fail_after(20):
                assert await process.wait() == 0
    screen.read()
    assert "Traceback" not in screen.screen


async def test_a_second_ctrl_c_may_come_before_the_answer_has_stopped(tmp_path):
    saved = tmp_path / "chat.json"
    async with ReplayServer(Reply(body=SLOW, pace_s=0.01)) as server:
        async with terminal("llamacpp/m", "--base-url", server.url, "--save", str(saved)) as (screen, process):
            await screen.expect("> ")
            screen.type("Go on\n")
            await screen.expect("word ")
            screen.type("\x03")
            await anyio.sleep(0.02)
            screen.type("\x03")
            with anyio.move_on_after(2):
                await process.wait()
            if process.returncode is None:
                screen.type("\x03")  # the system takes two for one where the process had no time between them
            with anyio.fail_after(20):
                assert await process.wait() == 0
            await screen.expect("[stopped]")
    assert "Traceback" not in screen.screen
    assert [m["role"] for m in json.loads(saved.read_text())] == ["user", "assistant"]


async def test_a_ctrl_c_that_comes_after_its_answer_leaves_only_the_second_time():
    async with ReplayServer(Answer(["Short."])) as server:
        async with terminal("llamacpp/m", "--base-url", server.url) as (screen, process):
            await screen.expect("> ")
            screen.type("1\n")
            await screen.expect("Short.")
            await screen.expect("> ")
            screen.type("\x03")
            await screen.expect("Ctrl-C again or Ctrl-D leaves.")
            await screen.expect("> ")
            screen.type("2\n")
            await screen.expect("Short.")
            await screen.expect("> ")
            screen.type("\x03")
            await screen.expect("Ctrl-C again or Ctrl-D leaves.")
            screen.type("\x03")
            with anyio.fail_after(20):
                assert await process.wait() == 0


async def test_in_a_terminal_an_error_is_shown_and_the_chat_goes_on():
    async with ReplayServer([error_reply(401, "no such key"), Answer(["Better."])]) as server:
        async with terminal("llamacpp/m", "--base-url", server.url) as (screen, process):
            await screen.expect("> ")
            screen.type("1\n")
            await screen.expect("AuthenticationError: no such key")
            await screen.expect("> ")
            screen.type("2\n")
            await screen.expect("Better.")
            assert await leave(screen, process) == 0


async def test_nothing_off_the_wire_controls_the_terminal():
    evil = "\x1b]52;c;cm0=\x07\x1b[2J\x9b2J\r[bold]x[/bold]"
    async with ReplayServer(Reply(body=Answer([evil]), piece=1)) as server:
        async with terminal("llamacpp/m", "--base-url", server.url) as (screen, process):
            await screen.expect("> ")
            screen.type("1\n")
            await screen.expect("\\x1b]52;c;cm0=\\x07\\x1b[2J\\x9b2J\\x0d[bold]x[/bold]")
            assert await leave(screen, process) == 0


# Said while an answer streams.

LONG = Reply(body=Answer(["word " * 60 + "over."]), pace_s=0.01)


@asynccontextmanager
async def asked(*replies, options=()):
    """A chat whose first answer has begun."""
    async with ReplayServer([LONG, *replies]) as server:
        async with terminal("llamacpp/m", "--base-url", server.url, *options) as (screen, process):
            await screen.expect("What you type during an answer is said next. Ctrl-C stops an answer")
            await screen.expect("> ")
            screen.type("Go on\n")
            await screen.expect("word word ")
            yield server, screen, process


async def test_what_is_typed_during_an_answer_is_queued_and_said_when_it_is_over(tmp_path):
    saved = tmp_path / "chat.json"
    async with asked(Answer(["Short."]), Answer(["Bye."]), options=["--save", str(saved)]) as (server, screen, process):
        screen.type("In br")
        await screen.expect("\r\nqueue> In br")
        before = screen.screen
        await anyio.sleep(0.1)
        screen.read()
        assert screen.screen == before  # nothing comes between while somebody types
        screen.type("ief\n")
        await screen.expect("ief\r\n")
        await screen.expect("word over.")
        await screen.expect("> In brief")
        await screen.expect("\r\nShort.")
        await screen.expect("first token after")
        await screen.expect("\r\n> ")
        screen.type("Bye\n")
        await screen.expect("Bye.")
        assert await leave(screen, process) == 0
    assert screen.screen.replace("\r\n", "\n").replace("\nqueue> In brief\n", "").count("word ") == 60
    assert [text for role, text in said_to(server.requests[-1]) if role == "user"] == ["Go on", "In brief", "Bye"]
    assert said_to(server.requests[1])[1] == ("assistant", "word " * 60 + "over.")
    assert [m["role"] for m in json.loads(saved.read_text())] == ["user", "assistant"] * 3


async def test_lines_that_are_queued_are_answered_one_after_another():
    async with asked(Answer(["First."]), Answer(["Second."])) as (server, screen, process):
        screen.type("1\n")
        await screen.expect("queue> 1\r\n")
        screen.type("2\n")
        await screen.expect("queue> 2\r\n")
        for text in ("over.", "> 1", "First.", "> 2", "Second.", "\r\n> "):
            await screen.expect(text)
        assert await leave(screen, process) == 0
    assert [role for role, _ in said_to(server.requests[-1])] == ["user", "assistant", "user", "assistant", "user"]


async def test_a_line_that_is_not_ready_when_the_answer_is_over_is_said_then():
    async with asked(Answer(["Short."])) as (server, screen, process):
        screen.type("In brief")
        await screen.expect("queue> In brief")
        with anyio.fail_after(20):
            while not server.served:  # noqa: ASYNC110 - nothing tells when an answer has gone out
                await anyio.sleep(0.01)
        await anyio.sleep(0.1)
        screen.type("?\n")
        for text in ("over.", "first token after", "> In brief?", "Short.", "first token after", "\r\n> "):
            await screen.expect(text)
        assert await leave(screen, process) == 0
    assert said_to(server.requests[1])[2:] == [("user", "In brief?")]


DROPPED = [("by ctrl-c", "In brief\x03"), ("by taking it away", "In\x7f\x7f\n")]


@pytest.mark.parametrize("typed", [case[1] for case in DROPPED], ids=[case[0] for case in DROPPED])
async def test_a_line_that_is_dropped_is_not_said_and_the_answer_goes_on(typed):
    async with asked() as (server, screen, process):
        screen.type(typed[0])
        await screen.expect("queue> ")
        screen.type(typed[1:])
        for text in ("over.", "first token after", "\r\n> "):
            await screen.expect(text)
        assert await leave(screen, process) == 0
    assert len(server.requests) == 1


async def test_ctrl_c_stops_the_answer_and_what_is_queued_is_not_said_but_comes_back_by_a_key():
    async with asked(Answer(["Short."])) as (server, screen, process):
        screen.type("In brief\n")
        await screen.expect("queue> In brief\r\n")
        await screen.expect("word ")
        screen.type("\x03")
        for text in ("[stopped]", "[not said] In brief", "\r\n> "):
            await screen.expect(text)
        screen.type("\x1b[A")  # the key up
        await screen.expect("In brief")
        screen.type("\n")
        await screen.expect("Short.")
        assert await leave(screen, process) == 0
    assert said_to(server.requests[1])[2:] == [("user", "In brief")]


async def test_what_is_queued_for_an_answer_that_fails_is_not_said():
    broken = Reply(body=truncations(render(Answer(["word " * 60]), piece=4))[60], pace_s=0.01, ends="drops")
    async with ReplayServer([broken, Answer(["Short."])]) as server:
        async with terminal("llamacpp/m", "--base-url", server.url) as (screen, process):
            await screen.expect("\r\n> ")
            screen.type("Go on\n")
            await screen.expect("word ")
            screen.type("In brief\n")
            for text in ("queue> In brief\r\n", "TruncatedStream", "[not said] In brief", "\r\n> "):
                await screen.expect(text)
            assert await leave(screen, process) == 0
    assert len(server.requests) == 1


async def test_ctrl_d_during_an_answer_leaves_after_it():
    async with asked(Answer(["Short."])) as (_, screen, process):
        screen.type("In brief\n")
        await screen.expect("queue> In brief\r\n")
        screen.type("\x04")
        for text in ("over.", "> In brief", "Short."):
            await screen.expect(text)
        with anyio.fail_after(20):
            assert await process.wait() == 0


async def test_the_terminal_is_as_it_was_after_the_chat():
    async with asked() as (_, screen, process):
        before = screen.modes()
        await screen.expect("over.")
        await screen.expect("\r\n> ")
        assert await leave(screen, process) == 0
        assert before & termios.ECHO == 0
        assert screen.modes() & (termios.ICANON | termios.ECHO) == termios.ICANON | termios.ECHO
