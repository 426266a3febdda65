"""One call: what is asked in which order, and what becomes of hooks, times and long results."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import AsyncIterator
from typing import Any

import anyio
import pytest

from streamkit.agent.calling import ToolRules
from streamkit.agent.runner import ToolRunner
from streamkit.errors import ToolError
from streamkit.events import ToolUpdate
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, FunctionCall, FunctionPart, ImagePart, TextPart, ValuePart
from streamkit.tools import Block, Tool, ToolContext, ToolRequest, ToolResult
from streamkit.usage import Usage


async def called(tool: Tool, arguments: dict[str, Any] | None = None, **rules: Any) -> tuple[Message, ToolRunner]:
    call = FunctionPart("c", FunctionCall(tool.name, arguments or {}))
    running = ToolRunner({tool.name: tool}, [call], rules=ToolRules(**rules))
    with anyio.fail_after(5):
        running.start()
        async for _ in running.events:
            pass
        running.check()
        await running.aclose()
    (message,) = running.results
    assert message is not None
    return message, running


async def said(tool: Tool, arguments: dict[str, Any] | None = None, **rules: Any) -> tuple[Any, bool]:
    """The value that the model gets, and whether it is an error."""
    message, _ = await called(tool, arguments, **rules)
    (part,) = message.contents
    assert isinstance(part, ValuePart) and message.meta is not None
    return part.value, message.meta.is_error


async def double(n: int) -> int:
    return 2 * n


@pytest.mark.feature("4.38", "4.39", "4.40")
async def test_a_call_is_prepared_asked_about_validated_run_and_asked_about_again_in_this_order() -> None:
    order: list[Any] = []

    def prepare(arguments: dict[str, Any]) -> dict[str, Any]:
        order.append(("prepare", dict(arguments)))
        return {"n": arguments["text"]}

    def before(request: ToolRequest) -> dict[str, Any]:
        order.append(("before", dict(request.arguments)))
        return {"n": int(request.arguments["n"]) + 1}

    async def doubled(n: int) -> int:
        order.append(("run", n))
        return 2 * n

    async def after(request: ToolRequest, result: ToolResult) -> ToolResult:
        order.append(("after", request.arguments, result.value))
        return ToolResult(result.value + 1)

    tool = Tool(doubled, prepare_arguments=prepare)
    assert await said(tool, {"text": "3"}, before=before, after=after) == (9, False)
    assert order == [("prepare", {"text": "3"}), ("before", {"n": "3"}), ("run", 4), ("after", {"n": 4}, 8)]


async def gives(value: Any, *_: Any) -> Any:
    return value


def raises(*_: Any) -> Any:
    raise ValueError("broken")


async def raises_later(*_: Any) -> Any:
    raise ValueError("broken later")


NOT_RUN: list[tuple[str, dict[str, Any], str]] = [
    ("blocked", {"before": lambda r: Block("not on Sundays")}, "not on Sundays"),
    ("blocked later", {"before": lambda r: gives(Block("no"))}, "no"),
    ("replaced by what does not fit", {"before": lambda r: {"n": "x"}}, "invalid arguments for run: Expected `int`"),
    ("replaced by too much", {"before": lambda r: {"n": 1, "x": 1}}, "invalid arguments for run: unknown: x"),
    ("a hook raises", {"before": raises}, "ValueError: broken"),
    ("a hook raises later", {"before": raises_later}, "ValueError: broken later"),
    ("a hook says what nobody knows", {"before": lambda r: False}, "before_tool gave bool"),
]


@pytest.mark.feature("4.39")
@pytest.mark.parametrize(("rules", "told"), [case[1:] for case in NOT_RUN], ids=[case[0] for case in NOT_RUN])
async def test_the_hook_before_keeps_a_call_from_being_run(rules: dict[str, Any], told: str) -> None:
    ran = []

    async def run(n: int) -> None:
        ran.append(n)

    value, is_error = await said(Tool(run), {"n": 1}, after=lambda *_: ToolResult("never asked"), **rules)
    assert value.startswith(told)
    assert (is_error, ran) == (True, [])


PREPARERS: list[tuple[str, Any, str]] = [
    ("raises", raises, "ValueError: broken"),
    ("raises later", raises_later, "ValueError: broken later"),
    ("gives no arguments", lambda a: [1], "prepare_arguments of double gave list, not a dict"),
    ("gives others", lambda a: {"m": 1}, "invalid arguments for double: missing: n; unknown: m; known are: n"),
]


@pytest.mark.parametrize(("prepare", "told"), [case[1:] for case in PREPARERS], ids=[case[0] for case in PREPARERS])
async def test_arguments_that_cannot_be_prepared_are_an_error_of_the_call(prepare: Any, told: str) -> None:
    assert await said(Tool(double, prepare_arguments=prepare), {"n": 1}) == (told, True)


async def test_what_is_done_to_arguments_leaves_the_call_as_it_was() -> None:
    call = FunctionPart("c", FunctionCall("double", {"n": 1, "deep": {"a": [1]}}))

    def prepare(arguments: dict[str, Any]) -> dict[str, Any]:
        arguments.pop("deep")["a"].append(2)
        return arguments

    def before(request: ToolRequest) -> None:
        request.arguments["n"] = 5

    running = ToolRunner({"double": Tool(double, prepare_arguments=prepare)}, [call], rules=ToolRules(before=before))
    running.start()
    assert len([event async for event in running.events]) == 2
    assert running.results[0] is not None and running.results[0].contents == [ValuePart(10)]
    assert call.function.arguments == {"n": 1, "deep": {"a": [1]}}


async def fails() -> None:
    raise KeyError("x")


AFTER: list[tuple[str, Any, Any, tuple[Any, bool]]] = [
    ("nothing", double, lambda q, r: None, (2, False)),
    ("another value", double, lambda q, r: ToolResult("two"), ("two", False)),
    ("another value, later", double, lambda q, r: gives(ToolResult("two")), ("two", False)),
    ("only that it failed", double, lambda q, r: ToolResult(is_error=True), (2, True)),
    ("that an error is none", fails, lambda q, r: ToolResult(is_error=False), ("KeyError: 'x'", False)),
    ("an exception", double, raises, ("ValueError: broken", True)),
    ("an exception, later", double, raises_later, ("ValueError: broken later", True)),
    ("what nobody knows", double, lambda q, r: "two", ("after_tool gave str, not None or a ToolResult", True)),
]


@pytest.mark.feature("4.40")
@pytest.mark.parametrize(("run", "after", "result"), [case[1:] for case in AFTER], ids=[case[0] for case in AFTER])
async def test_the_hook_after_replaces_what_it_gives(run: Any, after: Any, result: tuple[Any, bool]) -> None:
    assert await said(Tool(run), {"n": 1} if run is double else {}, after=after) == result


@pytest.mark.feature("4.18", "4.41")
async def test_what_else_a_result_says_stands_in_the_message_or_counts() -> None:
    async def run() -> ToolResult:
        return ToolResult(
            "for the model", {"for": ("the", "app")}, Usage(input_tokens=5), ["other"], terminate=True, is_error=True
        )

    message, running = await called(Tool(run))
    assert message.meta is not None and message.contents == [ValuePart("for the model")]
    assert message.meta.details == {"for": ["the", "app"]}
    assert (message.meta.added_tool_names, message.meta.is_error) == (("other",), True)
    assert (running.usages, running.terminates) == ([Usage(input_tokens=5)], True)


async def test_usage_counts_also_where_the_result_came_to_nothing() -> None:
    async def run() -> ToolResult:
        return ToolResult(1j, usage=Usage(input_tokens=5))

    message, running = await called(Tool(run))
    assert message.meta is not None and message.meta.is_error
    assert running.usages == [Usage(input_tokens=5)]


@pytest.mark.feature("4.19")
@pytest.mark.parametrize("kind", ["async", "thread", "generator"])
async def test_progress_comes_while_the_tool_runs(kind: str) -> None:
    seen = threading.Event()

    async def reports(context: ToolContext) -> str:
        await context.update({"half": True})
        await anyio.to_thread.run_sync(seen.wait, 3)
        return "whole"

    def reports_from_a_thread(context: ToolContext) -> str:
        anyio.from_thread.run(context.update, {"half": True})
        seen.wait(3)
        return "whole"

    async def yields() -> AsyncIterator[Any]:
        yield {"half": True}
        await anyio.to_thread.run_sync(seen.wait, 3)
        yield ToolResult("whole", {"more": 1})

    tool = Tool({"async": reports, "thread": reports_from_a_thread, "generator": yields}[kind], name="t")
    running = ToolRunner({"t": tool}, [FunctionPart("c", FunctionCall("t"))])
    running.start()
    values = []
    async for _, event in running.events:
        if isinstance(event, ToolUpdate):
            values.append((event.value, running.results[0]))
            seen.set()
    assert values[0] == ({"half": True}, None)
    assert [value for value, _ in values[1:]] == ["whole"] * (kind == "generator")
    assert running.results[0] is not None and running.results[0].contents == [ValuePart("whole")]


async def test_progress_after_the_end_is_ignored() -> None:
    kept: list[ToolContext] = []

    async def run(context: ToolContext) -> str:
        kept.append(context)
        return "done"

    _, running = await called(Tool(run))
    with anyio.fail_after(1):
        for _ in range(200):  # more than there is room for
            await kept[0].update("late")
    assert [event async for event in running.events] == []
    assert kept[0].aborted


async def test_progress_that_is_no_json_fails_where_it_is_reported() -> None:
    async def run(context: ToolContext) -> str:
        with pytest.raises(ToolError, match="complex has no JSON form"):
            await context.update(1j)
        return "went on"

    assert await said(Tool(run)) == ("went on", False)


@pytest.mark.feature("4.17", "4.22")
async def test_a_context_tells_of_the_call_and_its_conversation() -> None:
    history = [Message("user", "hi")]

    async def run(context: ToolContext) -> Any:
        return [context.call_id, context.name, context.source_agent, context.depth, len(context.messages)]

    call = FunctionPart("c", FunctionCall("run"))
    running = ToolRunner({"run": Tool(run)}, [call], source_agent="me", depth=2, messages=lambda: tuple(history))
    running.start()
    assert len([event async for event in running.events]) == 2
    assert running.results[0] is not None and running.results[0].contents == [ValuePart(["c", "run", "me", 2, 1])]


async def sleeps() -> str:
    await anyio.sleep(3)
    return "slept"


async def fails_on_the_way_out() -> None:
    try:
        await anyio.sleep(3)
    finally:
        raise ValueError("while it was stopped")


@pytest.mark.parametrize("run", [sleeps, fails_on_the_way_out])
async def test_a_tool_that_takes_too_long_is_stopped_and_the_model_told(run: Any) -> None:
    told = f"{run.__name__} was stopped: it took longer than 0.02 s."
    assert await said(Tool(run, timeout_s=0.02)) == (told, True)


async def test_the_hook_after_is_asked_of_a_tool_that_took_too_long() -> None:
    assert await said(Tool(sleeps, timeout_s=0.02), after=lambda q, r: ToolResult("later")) == ("later", True)


async def test_a_thread_that_takes_too_long_is_left_behind(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="streamkit")
    release = threading.Event()

    def hangs() -> None:
        release.wait(5)

    try:
        assert (await said(Tool(hangs, timeout_s=0.05)))[1]
        assert "the tool hangs goes on in its thread" in caplog.text
    finally:
        release.set()


async def test_a_tool_that_does_not_end_after_its_time_is_answered_all_the_same(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("streamkit.agent.calling.GRACE_S", 0.02)
    monkeypatch.setattr("streamkit.agent.runner.CLOSE_S", 0.02)
    release = anyio.Event()

    async def stubborn() -> str:
        with anyio.CancelScope(shield=True):
            await release.wait()
        return "at last"

    assert await said(Tool(stubborn, timeout_s=0.02)) == (
        "stubborn was stopped: it took longer than 0.02 s.",
        True,
    )
    assert "the tool stubborn does not end after its time" in caplog.text
    release.set()
    await anyio.wait_all_tasks_blocked()


async def test_a_tool_in_time_is_not_touched_and_nobody_waits_for_its_time() -> None:
    started = time.perf_counter()
    assert await said(Tool(double, timeout_s=30), {"n": 2}) == (4, False)
    assert time.perf_counter() - started < 5


async def slowly(request: ToolRequest, *_: Any) -> None:
    await anyio.sleep(0.06)


async def slowly_prepared(arguments: dict[str, Any]) -> dict[str, Any]:
    await anyio.sleep(0.06)
    return arguments


async def refuses_slowly(request: ToolRequest) -> Block:
    await anyio.sleep(0.06)
    return Block("no")


@pytest.mark.parametrize(
    ("rules", "prepare", "told"),
    [
        ({"before": slowly}, None, (4, False)),
        ({"after": slowly}, None, (4, False)),
        ({}, slowly_prepared, (4, False)),
        ({"before": refuses_slowly}, None, ("no", True)),
    ],
)
async def test_the_time_of_a_tool_is_its_functions_alone(
    rules: Any, prepare: Any, told: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("streamkit.agent.calling.GRACE_S", 0.01)
    assert await said(Tool(double, timeout_s=0.02, prepare_arguments=prepare), {"n": 2}, **rules) == told
    assert not caplog.records


async def test_a_call_that_was_not_run_is_not_told_to_take_too_long(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("streamkit.agent.calling.GRACE_S", 0.01)

    async def waits() -> str:
        await anyio.sleep(0.06)
        return "done"

    tools = {made.name: made for made in (Tool(waits), Tool(double, timeout_s=0.02))}
    calls = [FunctionPart(name, FunctionCall(name, {})) for name in tools]
    running = ToolRunner(tools, calls, rules=ToolRules(before=lambda q: Block("no") if q.call.id == "double" else None))
    running.start()
    assert len([event async for event in running.events]) == 4
    await running.aclose()
    assert not caplog.records


IMAGE = ImagePart(EmbeddedImage("image/png", b"x" * 100))


def note(missing: int, total: int, limit: int) -> str:
    return f"\n[{missing} of {total} characters left out: a result may have {limit}]"


HUNDRED = "0123456789" * 10
NOTE = len(note(100, 100, 60))
LONG: list[tuple[str, int, Any, list[Any]]] = [
    ("short", 10, "0123456789", [ValuePart("0123456789")]),
    ("text", 60, HUNDRED, [ValuePart("01234" + note(95, 100, 60))]),
    ("a value", 60, {"k": HUNDRED[8:]}, [ValuePart('{"k":' + note(95, 100, 60))]),
    ("no text", 10, [IMAGE, IMAGE], [IMAGE, IMAGE]),
    (
        "parts share the limit",
        60,
        [TextPart("012"), IMAGE, TextPart(HUNDRED[:90]), TextPart("defghij"), IMAGE],
        [TextPart("012"), IMAGE, TextPart("01" + note(95, 100, 60)), IMAGE],
    ),
    ("room for the note alone", NOTE, HUNDRED, [ValuePart(note(100, 100, NOTE))]),
    ("no room for a note", NOTE - 1, HUNDRED, [ValuePart(HUNDRED[: NOTE - 2] + "…")]),
    ("room for some", 10, "0123456789abc", [ValuePart("012345678…")]),
    ("parts with no room for a note", 5, [TextPart("012"), TextPart("345")], [TextPart("012"), TextPart("3…")]),
    ("room for nothing", 1, "0123456789", [ValuePart("…")]),
]


@pytest.mark.parametrize(("limit", "value", "contents"), [case[1:] for case in LONG], ids=[case[0] for case in LONG])
async def test_a_long_result_is_cut_with_a_note_of_what_is_missing(limit: int, value: Any, contents: list[Any]) -> None:
    async def run() -> Any:
        return value

    assert (await called(Tool(run), max_result_chars=limit))[0].contents == contents
    assert (await called(Tool(run, max_result_chars=limit)))[0].contents == contents
    whole, _ = await called(Tool(run, max_result_chars=1000), max_result_chars=limit)
    assert whole.contents == (await called(Tool(run), max_result_chars=None))[0].contents


async def test_an_error_is_cut_too() -> None:
    async def run() -> None:
        raise ToolError("0123456789abc")

    assert await said(Tool(run), max_result_chars=10) == ("012345678…", True)


async def test_the_hook_after_sees_the_whole() -> None:
    async def run() -> str:
        return "x" * 100_000

    lengths = []
    value, _ = await said(Tool(run), after=lambda q, r: lengths.append(len(r.value)))
    assert lengths == [100_000]
    assert len(value) == 29_999  # the note is made for numbers that may be one longer
    assert value.endswith("x\n[70,067 of 100,000 characters left out: a result may have 30,000]")


async def test_what_a_hook_raises_is_logged_for_the_application(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "streamkit"):
        await said(Tool(double), {"n": 1}, before=raises)
    assert "ValueError: broken" in caplog.text
