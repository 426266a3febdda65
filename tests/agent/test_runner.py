"""Calls in parallel: their order, their progress, their failures and their end."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import anyio
import pytest

from streamkit.agent.calling import ToolRules
from streamkit.agent.runner import QUEUE_SIZE, THREADS, ToolRunner
from streamkit.errors import ToolError
from streamkit.events import ToolEnd, ToolStart, ToolUpdate
from streamkit.messages import Message
from streamkit.parts import EmbeddedImage, FunctionCall, FunctionPart, ImagePart, Part, TextPart, ValuePart
from streamkit.tools import Tool, ToolContext, ToolResult, tool


def call(name: str, id: str = "", error: str | None = None, **arguments: Any) -> FunctionPart:
    return FunctionPart(id or name, FunctionCall(name, arguments), error=error)


def runner(calls: list[FunctionPart], *tools: Any) -> ToolRunner:
    named = {made.name: made for made in (item if isinstance(item, Tool) else tool(item) for item in tools)}
    return ToolRunner(named, calls)


async def drain(running: ToolRunner) -> list[Any]:
    running.start()
    try:
        events = [event async for event in running.events]
        running.check()
    finally:
        await running.aclose()
    return events


async def results(calls: list[FunctionPart], *tools: Any) -> list[Message]:
    running = runner(calls, *tools)
    with anyio.fail_after(5):
        await drain(running)
    assert None not in running.results
    return [message for message in running.results if message is not None]


async def one(call: FunctionPart, *tools: Any) -> tuple[list[Part], bool]:
    (message,) = await results([call], *tools)
    assert message.role == "tool" and message.id == call.id and message.meta is not None
    assert message.meta.name == call.function.name
    return message.contents, message.meta.is_error


@pytest.mark.feature("4.2")
async def test_calls_overlap() -> None:
    met = [anyio.Event(), anyio.Event()]

    async def meet(me: int) -> None:
        met[me].set()
        await met[1 - me].wait()

    first, second = await results([call("meet", "a", me=0), call("meet", "b", me=1)], meet)
    assert (first.contents, second.contents) == ([ValuePart(None)], [ValuePart(None)])


async def test_plain_functions_overlap_in_threads() -> None:
    barrier = threading.Barrier(2, timeout=3)

    def meet() -> bool:
        barrier.wait()
        return threading.current_thread() is not threading.main_thread()

    assert [m.contents for m in await results([call("meet", "a"), call("meet", "b")], meet)] == [[ValuePart(True)]] * 2


async def test_results_are_in_the_order_of_the_calls_however_they_end() -> None:
    fast_ended = anyio.Event()

    async def slow() -> str:
        await fast_ended.wait()
        return "slow"

    async def fast() -> str:
        return "fast"

    running = runner([call("slow", "a"), call("fast", "b")], slow, fast)
    running.start()
    ends = []
    async for position, event in running.events:
        if isinstance(event, ToolEnd):
            ends.append((position, event.id))
            fast_ended.set()
    await running.aclose()
    assert ends == [(1, "b"), (0, "a")]
    assert [message and message.contents for message in running.results] == [[ValuePart("slow")], [ValuePart("fast")]]


async def test_calls_start_in_their_order() -> None:
    async def nothing() -> None: ...

    events = await drain(runner([call("nothing", str(n)) for n in range(5)], nothing))
    assert [event.id for _, event in events if isinstance(event, ToolStart)] == ["0", "1", "2", "3", "4"]


@pytest.mark.feature("4.19")
async def test_progress_is_live_and_its_last_value_the_result() -> None:
    seen = anyio.Event()

    async def steps() -> AsyncIterator[Any]:
        yield {"done": 1}
        await seen.wait()  # goes on only when the first value has arrived
        yield {"done": 2}

    running = runner([call("steps")], steps)
    running.start()
    values = []
    with anyio.fail_after(3):
        async for _, event in running.events:
            if isinstance(event, ToolUpdate):
                values.append(event.value)
                seen.set()
    await running.aclose()
    assert values == [{"done": 1}, {"done": 2}]
    assert running.results[0] is not None and running.results[0].contents == [ValuePart({"done": 2})]


async def test_a_generator_that_yields_nothing_gives_null() -> None:
    async def silent() -> AsyncIterator[int]:
        return
        yield 1

    assert await one(call("silent"), silent) == ([ValuePart(None)], False)


@pytest.mark.feature("first-6")
async def test_a_tool_that_reports_much_waits_for_the_reader() -> None:
    reported = 0

    async def chatty() -> AsyncIterator[int]:
        nonlocal reported
        for reported in range(1000):
            yield reported

    running = runner([call("chatty")], chatty)
    running.start()
    await anyio.sleep(0.05)
    assert reported <= QUEUE_SIZE
    assert len([event async for event in running.events]) == 1002
    await running.aclose()


IMAGE = ImagePart(EmbeddedImage("image/png", b"png"))

# What tools return and what the model gets.
VALUES: list[tuple[str, Any, list[Part]]] = [
    ("null", None, [ValuePart(None)]),
    ("text", "hi", [ValuePart("hi")]),
    ("a number", 12.3, [ValuePart(12.3)]),
    ("nested", {"a": [1, None, {"b": True}]}, [ValuePart({"a": [1, None, {"b": True}]})]),
    ("a list", [1, 2], [ValuePart([1, 2])]),
    ("an empty list", [], [ValuePart([])]),
    ("what becomes JSON", (1, {2: "x"}), [ValuePart([1, {"2": "x"}])]),
    ("a struct", FunctionCall("f", {"x": 1}), [ValuePart({"name": "f", "arguments": {"x": 1}})]),
    ("a part", IMAGE, [IMAGE]),
    ("parts", [TextPart("see"), IMAGE], [TextPart("see"), IMAGE]),
    ("a message", Message("user", [TextPart("a"), TextPart("b")]), [TextPart("a"), TextPart("b")]),
]


@pytest.mark.parametrize(("value", "contents"), [case[1:] for case in VALUES], ids=[case[0] for case in VALUES])
async def test_what_a_tool_returns_is_what_the_model_gets(value: Any, contents: list[Part]) -> None:
    async def give() -> Any:
        return value

    assert await one(call("give"), give) == (contents, False)


class Custom(Exception):
    """An error of the application's."""


class Mute(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__


def raiser(error: BaseException) -> Any:
    async def fail() -> None:
        raise error

    return fail


def returner(value: Any) -> Any:
    async def fail() -> Any:
        return value

    return fail


async def strict(n: int) -> int:
    return n


async def breaks_off() -> AsyncIterator[int]:
    yield 1
    raise ValueError("on the way")


def in_thread() -> None:
    raise KeyError("missing")


def stops() -> None:
    raise StopIteration


# Calls that fail, and what the model is told.
FAILURES: list[tuple[str, FunctionPart, Any, str]] = [
    ("an exception", call("fail"), raiser(ValueError("bad city")), "ValueError: bad city"),
    ("an exception without text", call("fail"), raiser(Custom()), "Custom"),
    ("what the tool wants to say", call("fail"), raiser(ToolError("Ask for a city.")), "Ask for a city."),
    ("a lone surrogate", call("fail"), raiser(ValueError("\ud800")), "ValueError: ?"),
    ("an exception whose text fails", call("fail"), raiser(Mute()), "Mute"),
    ("one of those in a group", call("fail"), raiser(ExceptionGroup("g", [Mute(), KeyError(1)])), "Mute; KeyError: 1"),
    ("a group of one", call("fail"), raiser(ExceptionGroup("g", [ValueError("in")])), "ValueError: in"),
    (
        "a group",
        call("fail"),
        raiser(ExceptionGroup("g", [ValueError("a"), KeyError("b")])),
        "ValueError: a; KeyError: 'b'",
    ),
    ("in a thread", call("in_thread"), in_thread, "KeyError: 'missing'"),
    ("an iterator's end", call("stops"), stops, "RuntimeError: coroutine raised StopIteration"),
    ("after progress", call("breaks_off"), breaks_off, "ValueError: on the way"),
    (
        "no JSON",
        call("fail"),
        returner(1j),
        "complex has no JSON form: Encoding objects of type complex is unsupported",
    ),
    ("unknown", call("nobody"), strict, "There is no tool 'nobody'. There are: strict."),
    ("wrong type", call("strict", n="x"), strict, "invalid arguments for strict: Expected `int`, got `str` - at `$.n`"),
    ("missing", call("strict"), strict, "invalid arguments for strict: missing: n"),
    (
        "cut short",
        call("strict", error="the call was cut short"),
        strict,
        "The call of strict was not run: the call was cut short. Make it again with its arguments complete.",
    ),
]


@pytest.mark.feature("0.18")
@pytest.mark.parametrize(("failing", "function", "text"), [c[1:] for c in FAILURES], ids=[c[0] for c in FAILURES])
async def test_a_failure_is_a_result_that_the_model_can_act_on(failing: FunctionPart, function: Any, text: str) -> None:
    (contents, is_error) = await one(failing, function)
    if failing.function.name != "stops":  # trio and asyncio word it differently
        assert contents == [ValuePart(text)]
    assert is_error


async def test_without_tools_the_model_is_told_so() -> None:
    assert await one(call("f")) == ([ValuePart("There is no tool 'f'. There are: none.")], True)


async def test_a_failing_call_leaves_the_others_alone() -> None:
    async def slow() -> str:
        await anyio.sleep(0.02)
        return "done"

    first, second = await results([call("fail", "a"), call("slow", "b")], raiser(ValueError("x")), slow)
    assert (first.contents, second.contents) == ([ValuePart("ValueError: x")], [ValuePart("done")])


@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_tool_that_is_cancelled_from_inside_has_failed_alone() -> None:
    async def gives_up() -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        future.cancel()
        await future

    async def slow() -> str:
        await anyio.sleep(0.02)
        return "done"

    first, second = await results([call("gives_up", "a"), call("slow", "b")], gives_up, slow)
    assert (first.contents, second.contents) == ([ValuePart("CancelledError")], [ValuePart("done")])


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
async def test_what_is_no_failure_of_a_tool_ends_all_and_is_raised(kind: type[BaseException]) -> None:
    ended = []

    async def waits() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("waits")

    with pytest.raises(kind), anyio.fail_after(3):
        await drain(runner([call("waits"), call("fail")], waits, raiser(kind())))
    assert ended == ["waits"]


@pytest.mark.parametrize("fails", [False, True])
async def test_a_tool_that_ends_in_a_group_when_it_is_cancelled_is_no_failure_of_the_run(fails: bool) -> None:
    began = anyio.Event()

    async def task() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            if fails:
                raise ValueError("there is nothing to clean up")

    async def tasks() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(task)
            group.start_soon(task)
            began.set()
            await anyio.sleep_forever()

    running = runner([call("tasks")], tasks)
    running.start()
    with anyio.fail_after(3):
        await began.wait()
        running.interrupt("Enough.")
        assert [type(event) async for _, event in running.events] == [ToolStart, ToolEnd]
        await running.aclose()
    running.check()
    assert running.results[0] is not None and running.results[0].contents == [ValuePart("Enough.")]


async def test_a_function_may_return_what_must_be_awaited() -> None:
    async def inner(x: int) -> int:
        return x + 1

    async def many() -> AsyncIterator[int]:
        yield 1
        yield 2

    later = tool(name="later")(lambda x: inner(x))
    several = tool(name="several")(lambda: many())
    assert await one(call("later", x=1), later) == ([ValuePart(2)], False)
    assert await one(call("several"), several) == ([ValuePart(2)], False)


variable: contextvars.ContextVar[str] = contextvars.ContextVar("variable", default="unset")


@contextmanager
def variable_set() -> Iterator[None]:
    token = variable.set("set")
    try:
        yield
    finally:
        variable.reset(token)


async def test_context_variables_reach_every_kind_of_tool() -> None:
    async def awaited() -> str:
        return variable.get()

    def threaded() -> str:
        return variable.get()

    async def reporting() -> AsyncIterator[str]:
        yield variable.get()

    with variable_set():
        found = await results([call("awaited"), call("threaded"), call("reporting")], awaited, threaded, reporting)
    assert [message.contents for message in found] == [[ValuePart("set")]] * 3


async def test_closing_ends_tools_and_their_clean_up_and_waits_for_no_thread() -> None:
    ended = []

    async def waits() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await anyio.sleep(0.02)
            ended.append("waits")

    async def reports() -> AsyncIterator[int]:
        try:
            while True:
                await anyio.sleep(0.001)
                yield 1
        finally:
            ended.append("reports")

    def blocks() -> None:
        time.sleep(1.5)

    running = runner([call("waits"), call("reports"), call("blocks")], waits, reports, blocks)
    running.start()
    await anyio.sleep(0.02)
    started = time.perf_counter()
    await running.aclose()
    assert time.perf_counter() - started < 0.5
    assert sorted(ended) == ["reports", "waits"]
    assert running.results == [None, None, None]


async def test_threads_that_were_left_behind_keep_no_later_call_waiting() -> None:
    released = threading.Event()

    def hangs() -> None:
        released.wait(10)

    def answers() -> str:
        return "here"

    try:
        running = runner([call("hangs", str(number)) for number in range(THREADS)], hangs)
        running.start()
        await anyio.sleep(0.05)
        await running.aclose()
        assert await one(call("answers"), answers) == ([ValuePart("here")], False)
    finally:
        released.set()


async def test_closing_does_not_wait_for_ever_for_a_tool_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streamkit.agent.runner.CLOSE_S", 0.05)
    release = anyio.Event()

    async def stubborn() -> None:
        with anyio.CancelScope(shield=True):
            await release.wait()

    running = runner([call("stubborn")], stubborn)
    running.start()
    await anyio.sleep(0.01)
    with anyio.fail_after(1):
        await running.aclose()
    release.set()
    await anyio.wait_all_tasks_blocked()


@pytest.mark.feature("D: pi#8935")
async def test_closing_right_after_the_start_runs_nothing() -> None:
    ran = []

    async def runs() -> None:
        ran.append(1)
        await anyio.sleep(0.001)
        ran.append(2)

    running = runner([call("runs")], runs)
    running.start()
    await running.aclose()
    assert 2 not in ran


@pytest.mark.feature("D: pi#7053")
async def test_a_finished_call_keeps_its_result_when_another_is_cancelled() -> None:
    async def quick() -> str:
        return "quick"

    running = runner([call("quick"), call("forever")], quick, tool(name="forever")(anyio.sleep_forever))
    running.start()
    await anyio.sleep(0.02)
    await running.aclose()
    first, second = running.results
    assert first is not None and first.contents == [ValuePart("quick")]
    assert second is None


def part(name: str, id: str, *depends_on: str, hint: Any = None) -> FunctionPart:
    return FunctionPart(id, FunctionCall(name), depends_on=depends_on, execution_hint=hint)


def tracer(log: list[str], name: str) -> Any:
    async def traced() -> str:
        log.append(f"+{name}")
        await anyio.sleep(0.005)
        log.append(f"-{name}")
        return name

    return traced


@pytest.mark.feature("4.2")
@pytest.mark.parametrize("by", ["agent", "tool", "hint"])
async def test_sequential_calls_never_overlap(by: str) -> None:
    log: list[str] = []
    tools = {name: tool(name=name)(tracer(log, name)) for name in "abc"}
    if by == "tool":
        tools["b"] = Tool(tools["b"].function, name="b", mode="sequential")
    calls = [part(name, name, hint="sequential" if by == "hint" and name == "b" else None) for name in "abc"]
    await drain(ToolRunner(tools, calls, rules=ToolRules(mode="sequential" if by == "agent" else "parallel")))
    assert log == ["+a", "-a", "+b", "-b", "+c", "-c"]


@pytest.mark.feature("4.2")
async def test_parallel_tools_overlap_in_a_sequential_agent() -> None:
    met = [anyio.Event(), anyio.Event()]

    @tool(mode="parallel")
    async def meet(me: int) -> None:
        met[me].set()
        await met[1 - me].wait()

    calls = [call("meet", "a", me=0), call("meet", "b", me=1)]
    with anyio.fail_after(3):
        await drain(ToolRunner({"meet": meet}, calls, rules=ToolRules(mode="sequential")))


@pytest.mark.feature("3.17")
async def test_a_call_starts_when_what_it_depends_on_has_ended() -> None:
    log: list[str] = []
    tools = [tool(name=name)(tracer(log, name)) for name in "abc"] + [
        tool(name="d", depends_on=["a"])(tracer(log, "d"))
    ]
    running = runner([part("d", "4"), part("a", "1", "3"), part("b", "2"), part("c", "3")], *tools)
    events = await drain(running)
    assert log.index("-c") < log.index("+a") and log.index("-a") < log.index("+d")
    assert log.index("+b") < log.index("-c"), "the others overlap"
    starts = [event.id for _, event in events if isinstance(event, ToolStart)]
    assert starts == ["2", "3", "1", "4"]
    assert [message and message.id for message in running.results] == ["4", "1", "2", "3"]


async def test_a_call_whose_dependency_failed_is_not_run_and_what_needs_it_neither() -> None:
    ran = []

    async def runs() -> None:
        ran.append(1)

    calls = [
        call("fail", "a"),
        part("runs", "b", "a"),
        part("runs", "c", "b"),
        part("runs", "d", "x"),
        part("runs", "e"),
    ]
    found = await results(calls, tool(name="fail")(raiser(ValueError("bad"))), runs)
    told = [message.contents[0].value for message in found if isinstance(message.contents[0], ValuePart)]
    assert told == [
        "ValueError: bad",
        "The call was not run: it depends on 'a', which failed.",
        "The call was not run: it depends on 'b', which failed.",
        "The call was not run: it depends on 'x', no call of the same message.",
        None,
    ]
    assert ran == [1]


async def test_a_circle_is_an_error_and_no_hang() -> None:
    async def runs() -> str:
        return "ran"

    found = await results([part("runs", "a", "b"), part("runs", "b", "a"), part("runs", "c")], runs)
    assert [message.meta and message.meta.is_error for message in found] == [True, True, False]


async def test_one_after_another_a_failure_keeps_no_other_from_running() -> None:
    async def fine() -> str:
        return "fine"

    running = ToolRunner(
        {"fail": tool(name="fail")(raiser(ValueError())), "fine": tool(fine)},
        [call("fail", "a"), call("fine", "b")],
        rules=ToolRules(mode="sequential"),
    )
    await drain(running)
    assert running.results[1] is not None and running.results[1].contents == [ValuePart("fine")]


def values(running: ToolRunner) -> list[Any]:
    return [message and message.contents[0].value for message in running.results]


async def quick() -> str:
    return "quick"


forever = tool(name="forever")(anyio.sleep_forever)


@pytest.mark.feature("D: pi#7053")
async def test_a_finished_result_outlives_a_sibling_that_stalls() -> None:
    running = runner([call("forever", "a"), call("quick", "b"), part("quick", "c", "a")], quick, forever)
    running.start()
    events = [await anext(running.events) for _ in range(3)]  # to the end of the quick one
    running.interrupt("stopped by the user")
    with anyio.fail_after(0.5):
        events += [event async for event in running.events]
    await running.aclose()
    assert values(running) == ["stopped by the user", "quick", "stopped by the user"]
    assert [message and message.meta and message.meta.is_error for message in running.results] == [True, False, True]
    for id in "abc":
        assert [type(event) for _, event in events if event.id == id] == [ToolStart, ToolEnd]
    ends = [event.message for _, event in events if isinstance(event, ToolEnd)]
    assert [message.id for message in ends] == ["b", "a", "c"]


@pytest.mark.feature("D: pi#8935")
@pytest.mark.parametrize("how", ["interrupt", "aclose"])
@pytest.mark.parametrize("at", ["before the start", "while it is prepared", "in the hook"])
async def test_a_call_that_was_only_prepared_is_not_run_after_the_end(at: str, how: str) -> None:
    ran, reached = [], anyio.Event()

    async def runs() -> None:
        ran.append(1)

    async def waits(*_: Any) -> None:
        reached.set()
        with anyio.CancelScope(shield=True):
            await anyio.sleep(0.02)
        return None

    async def prepares(arguments: dict[str, Any]) -> dict[str, Any]:
        await waits()
        return arguments

    made = Tool(runs, prepare_arguments=prepares if at == "while it is prepared" else None)
    running = ToolRunner({"runs": made}, [call("runs")], rules=ToolRules(before=waits if at == "in the hook" else None))
    running.start()
    if at != "before the start":
        await reached.wait()
    if how == "interrupt":
        running.interrupt("no")
    await running.aclose()
    await anyio.sleep(0.03)
    assert ran == []
    assert [message is not None for message in running.results] == [how == "interrupt"]


@pytest.mark.feature("D: pi#9897", "first-3")
async def test_a_call_that_was_cut_short_is_never_run() -> None:
    ran = []

    async def write(path: str = "/", text: str = "") -> None:
        ran.append((path, text))

    cut = FunctionPart("c", FunctionCall("write"), raw_arguments='{"path": "/etc/pass', error="the call was cut short")
    for rules in (ToolRules(), ToolRules(before=lambda request: {"path": "/", "text": ""})):
        running = ToolRunner({"write": tool(write)}, [cut], rules=rules)
        await drain(running)
        assert "Make it again with its arguments complete" in values(running)[0]
    assert ran == []


async def test_a_tool_may_interrupt_its_own_batch() -> None:
    async def stops() -> str:
        running.interrupt("enough")
        await anyio.sleep(0.001)
        return "never"

    running = runner([call("stops", "a"), call("forever", "b")], stops, forever)
    with anyio.fail_after(1):
        await drain(running)
    assert values(running) == ["enough", "enough"]


async def test_what_does_not_end_is_left_behind_and_what_it_gives_later_ignored(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("streamkit.agent.runner.CLOSE_S", 0.05)
    caplog.set_level("INFO", logger="streamkit")
    release, released = anyio.Event(), threading.Event()

    async def stubborn() -> str:
        with anyio.CancelScope(shield=True):
            await release.wait()
        return "late"

    def hangs() -> str:
        released.wait(5)
        return "late"

    running = runner([call("stubborn", "a"), call("hangs", "b")], stubborn, hangs)
    running.start()
    await anyio.sleep(0.02)
    running.interrupt("stopped")
    with anyio.fail_after(0.5):
        events = [event async for event in running.events]
        await running.aclose()
    assert "they are left behind" in caplog.text and "hangs goes on in its thread" in caplog.text
    release.set()
    released.set()
    await anyio.sleep(0.02)
    assert "the tool stubborn ended after its call was answered" in caplog.text
    assert values(running) == ["stopped", "stopped"]
    assert len(events) == 4


async def test_an_interrupt_after_the_end_changes_nothing() -> None:
    running = runner([call("quick")], quick)
    await drain(running)
    running.interrupt("too late")
    assert values(running) == ["quick"]


@pytest.mark.feature("4.21")
async def test_a_tool_sees_that_the_run_is_being_ended() -> None:
    seen: list[bool] = []
    began, ended = threading.Event(), threading.Event()

    def polls(context: ToolContext) -> None:
        began.set()
        while not context.aborted:
            time.sleep(0.001)
        seen.append(context.aborted)
        ended.set()

    running = runner([call("polls")], polls)
    running.start()
    assert await anyio.to_thread.run_sync(began.wait, 3)
    running.interrupt("stop")
    await running.aclose()
    assert await anyio.to_thread.run_sync(ended.wait, 3)
    assert seen == [True]


async def test_a_context_passes_any_item_through_and_waits_for_the_reader() -> None:
    passed = 0

    async def passes(context: ToolContext) -> str:
        nonlocal passed
        for passed in range(200):
            await context._forward(("item", passed))
        return "done"

    running = runner([call("quick"), call("passes")], quick, passes)
    running.start()
    await anyio.sleep(0.02)
    assert passed <= QUEUE_SIZE
    items = [item async for item in running.events if isinstance(item[1], tuple)]
    await running.aclose()
    assert items == [(1, ("item", n)) for n in range(200)]


@pytest.mark.feature("4.20")
@pytest.mark.parametrize("says", [True, False])
async def test_one_result_that_terminates_is_enough(says: bool) -> None:
    async def gives() -> ToolResult:
        return ToolResult("x", terminate=says)

    running = runner([call("quick", "a"), call("gives", "b")], quick, gives)
    await drain(running)
    assert running.terminates is says
