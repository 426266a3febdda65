"""What an application adds to the loop: what the model is shown, and what happens between two turns."""

from __future__ import annotations

from typing import Any

import pytest

from streamkit.agent.hooks import Hooks
from streamkit.agent.turns import NextTurn, Turn
from streamkit.custom import CompactionSummary, custom_message
from streamkit.errors import ConfigError, ContextOverflow
from streamkit.events import Done, Failed, Progress, TurnStart
from streamkit.messages import FinishReason, Message, MessageOutput
from streamkit.parts import TextPart
from streamkit.testing import Answer, Call, error_reply
from streamkit.tools import ToolResult
from streamkit.usage import Usage

pytestmark = pytest.mark.parametrize("provider", ["openai"], indirect=True)

CALL = Answer([Call("add", {"a": 1})])
FINE = Answer(["Fine."])
TOO_LONG = error_reply(
    400,
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
)


async def add(a: int) -> int:
    """Add one."""
    return a + 1


def sent(agent: Any) -> list[list[str]]:
    """What each request said, by its messages."""
    requests = agent._client._given._transport.requests
    return [[str(message.get("content") or "") for message in request.json["messages"]] for request in requests]


# What the model is shown


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.feature("4.37")
async def test_the_context_is_transformed_then_converted_and_then_sent(make_agent: Any, plain: bool) -> None:
    told: list[tuple[str, int]] = []

    def transform(messages: list[Message]) -> list[Message]:
        told.append(("transform", len(messages)))
        return messages[-1:]

    async def convert(messages: list[Message]) -> list[Message]:
        told.append(("convert", len(messages)))
        return [Message("user", [TextPart(message.text.upper())]) for message in messages]

    async def transform_later(messages: list[Message]) -> list[Message]:
        return transform(messages)

    agent = make_agent(
        [FINE, FINE],
        history=["old"],
        transform_context=transform if plain else transform_later,
        convert_to_llm=convert,
    )
    async for _ in agent.run("new"):
        pass
    assert told == [("transform", 2), ("convert", 1)]
    assert sent(agent) == [["NEW"]]
    assert [message.text for message in agent.history] == ["old", "new", "Fine."]


@pytest.mark.feature("4.22")
async def test_hooks_are_given_a_copy_of_the_conversation(make_agent: Any) -> None:
    given: list[list[Message]] = []

    def transform(messages: list[Message]) -> list[Message]:
        given.append(messages)
        return list(messages)

    agent = make_agent([CALL, FINE], tools=[add], transform_context=transform)
    async for _ in agent.run("go"):
        pass
    assert [len(messages) for messages in given] == [1, 3]
    given[0].clear()
    assert len(agent.history) == 4


async def test_a_hook_that_fails_ends_the_run_by_its_own_error(make_agent: Any) -> None:
    def transform(messages: list[Message]) -> list[Message]:
        raise LookupError("no such memory")

    agent = make_agent([FINE], transform_context=transform)
    events = []
    with pytest.raises(LookupError):
        async for event in agent.run_events("go"):
            events.append(event)  # noqa: PERF401 - what came before an error counts
    assert events[-1] == Failed("LookupError", "no such memory")
    assert agent.history == []
    assert agent.state.error_message == "LookupError: no such memory"


# What is no answer of a hook


async def in_time(_: Any) -> Any:
    yield Message("user", ["late"])


OF_MESSAGES: list[tuple[str, Any, str]] = [
    ("nothing", lambda _: None, "gave None, not a list of messages"),
    ("a text", lambda _: "short", "gave str, not a list of messages"),
    ("one message", lambda _: Message("user", ["short"]), "gave Message, not a list of messages"),
    ("a generator", lambda messages: (message for message in messages), "gave generator, not a list of messages"),
    ("an async generator", in_time, "gave async_generator, not a list of messages"),
    ("no message in the list", lambda messages: [*messages[:1], None], "item 1: .* not NoneType"),
    ("another form", lambda _: [{"role": "user", "content": "x"}], "item 0: .* no `content`"),
]
OF_TURNS: list[tuple[str, str, Any, str]] = [
    ("a text", "should_stop", "no", "should_stop gave str, not True, False or None"),
    ("a number", "should_stop", 1, "should_stop gave int, not True, False or None"),
    ("a dict", "prepare_next_turn", {"model": "openai/x"}, "prepare_next_turn gave dict, not a NextTurn or None"),
]
WRONG = [
    *(
        pytest.param(name, gives, f"{name} .*{told}", id=f"{name}: {what}")
        for name in ("transform_context", "convert_to_llm", "compact")
        for what, gives, told in OF_MESSAGES
    ),
    pytest.param("compact", lambda _: [], "compact gave an empty list, not the messages", id="compact: an empty list"),
    *(pytest.param(name, lambda _, x=x: x, told, id=f"{name}: {what}") for what, name, x, told in OF_TURNS),
]


@pytest.mark.parametrize("plain", [True, False])
@pytest.mark.parametrize(("name", "gives", "told"), WRONG)
async def test_a_hook_that_gives_what_it_is_not_to_give_is_named(
    make_agent: Any, assert_whole: Any, name: str, gives: Any, told: str, plain: bool
) -> None:
    wrong = True

    def hook(given: Any) -> Any:
        if wrong:
            return gives(given)
        return given if isinstance(given, list) else None

    async def later(given: Any) -> Any:
        return hook(given)

    options = {name: hook if plain else later, "context_window": 19 if name == "compact" else None}
    agent = make_agent([CALL, *[FINE] * 3], tools=[add], history=["old", Message("assistant", ["Yes."])], **options)
    before = list(agent.history)
    with pytest.raises(ConfigError, match=told):
        async for _ in agent.run("go"):
            pass
    kept = agent.history[: len(before)]
    assert kept == before
    assert [message.role for message in agent.history[len(before) :]] in ([], ["user", "assistant", "tool"])
    assert agent.state.error_message.startswith(f"ConfigError: {name} gave ")
    wrong = False
    assert [output.message.text async for output in agent.run("again")][-1] == "Fine."
    assert_whole(agent.history)


async def test_a_hook_that_aborts_its_run_need_give_nothing(make_agent: Any) -> None:
    def give_up(_: Any) -> None:
        agent.abort()

    agent = make_agent([CALL, FINE], tools=[add], transform_context=give_up)
    assert [output async for output in agent.run("go")] == []
    agent = make_agent([CALL, FINE], tools=[add], prepare_next_turn=lambda _: give_up(_) or "nothing")
    assert len([output async for output in agent.run("go")]) == 2


@pytest.mark.parametrize(
    "name",
    [
        *("transform_context", "convert_to_llm", "compact", "should_stop", "prepare_next_turn"),
        *("before_tool", "after_tool"),
    ],
)
def test_a_hook_is_a_function(make_agent: Any, name: str) -> None:
    with pytest.raises(ConfigError, match=f"{name} is a function, plain or async, not bool"):
        make_agent([], **{name: False})


# A conversation that is too long


async def compact(messages: list[Message]) -> list[Message]:
    kept = messages[-2:] if messages[-1].role == "tool" else messages[-1:]  # a result has its call before it
    return [custom_message(CompactionSummary("They said much.", 9000)), *kept]


async def test_a_conversation_that_does_not_fit_is_made_shorter_and_sent_again(make_agent: Any) -> None:
    agent = make_agent([TOO_LONG, FINE], history=["a", "b", "c"], compact=compact)
    events = [event async for event in agent.run_events("d")]
    assert [event for event in events if isinstance(event, Progress)] == [
        Progress("compacting", {"messages": 4}),
        Progress("compacted", {"before": 4, "after": 2}),
    ]
    assert isinstance(events[-1], Done)
    assert ["They said much." in text for text in sent(agent)[-1]] == [True, False]
    assert [message.text for message in agent.history[1:]] == ["d", "Fine."]


async def test_a_conversation_that_cannot_be_made_short_enough_is_an_error(make_agent: Any) -> None:
    agent = make_agent([TOO_LONG, TOO_LONG, FINE], compact=compact)
    with pytest.raises(ContextOverflow):
        async for _ in agent.run("d"):
            pass
    assert len(sent(agent)) == 2


async def test_without_a_hook_a_conversation_that_does_not_fit_is_an_error(make_agent: Any) -> None:
    agent = make_agent([TOO_LONG])
    with pytest.raises(ContextOverflow):
        async for _ in agent.run("d"):
            pass


async def test_a_conversation_is_made_shorter_before_the_window_is_full(make_agent: Any) -> None:
    agent = make_agent([CALL, FINE, FINE], tools=[add], compact=compact, context_window=24)
    kinds = [event.kind async for event in agent.run_events("go") if isinstance(event, Progress)]
    assert kinds == []  # 12 tokens in, 7 out: 19 of 24
    agent = make_agent([CALL, FINE, FINE], tools=[add], compact=compact, context_window=24, compact_at=0.7)
    kinds = [event.kind async for event in agent.run_events("go") if isinstance(event, Progress)]
    assert kinds == ["compacting", "compacted"]
    async for event in agent.run_events("more"):
        kinds += [event.kind] if isinstance(event, Progress) else []
    assert kinds == ["compacting", "compacted"] * 2  # the last answer had filled it again


CUT: list[tuple[str, Any, list[str]]] = [
    ("the result alone", lambda messages: messages[-1:], ["user", "assistant"]),
    ("the call alone", lambda messages: messages[:-1], ["user", "assistant", "tool", "assistant"]),
    ("both the wrong way round", lambda messages: messages[::-1], ["user", "assistant", "tool", "user", "assistant"]),
]


@pytest.mark.parametrize(("cut", "roles"), [case[1:] for case in CUT], ids=[case[0] for case in CUT])
async def test_what_a_conversation_was_cut_to_is_made_whole(
    make_agent: Any, assert_whole: Any, cut: Any, roles: list[str]
) -> None:
    agent = make_agent([CALL, FINE, FINE], tools=[add], compact=cut, context_window=19)
    async for _ in agent.run("go"):
        pass
    assert [message.role for message in agent.history] == roles
    assert_whole(agent.history)
    assert [message["role"] for message in agent._client._given._transport.requests[1].json["messages"]] == roles[:-1]


INSTRUCTED: list[tuple[str, str | None, Any, list[str]]] = [
    ("left out", "Be brief.", lambda messages: messages[-1:], ["Be brief.", "go"]),
    ("kept", "Be brief.", lambda messages: [messages[0], messages[-1]], ["Be brief.", "go"]),
    ("another one", "Be brief.", lambda messages: [Message("system", "Be kind."), messages[-1]], ["Be kind.", "go"]),
    ("behind a summary", "Be brief.", lambda messages: ["a summary", *messages], ["a summary", "Be brief.", "go"]),
    ("none", None, lambda messages: messages[-1:], ["go"]),
]


@pytest.mark.parametrize(("instruction", "cut", "texts"), [c[1:] for c in INSTRUCTED], ids=[c[0] for c in INSTRUCTED])
async def test_a_conversation_made_shorter_has_the_instruction(
    make_agent: Any, instruction: str | None, cut: Any, texts: list[str]
) -> None:
    agent = make_agent([TOO_LONG, FINE], instruction=instruction, compact=cut)
    async for _ in agent.run("go"):
        pass
    assert [message.text for message in agent.history] == [*texts, "Fine."]


FULL = [
    ("below", Usage(70, 9), None, False),
    ("at the share", Usage(70, 10), None, True),
    ("caches count", Usage(10, 10, cache_read_tokens=50, cache_write_tokens=10), None, True),
    ("nothing reported", None, None, False),
    ("more than all of it", Usage(101, 1), None, True),
]


@pytest.mark.parametrize(("usage", "finish", "full"), [case[1:] for case in FULL], ids=[case[0] for case in FULL])
def test_when_a_conversation_is_full(
    provider: str, usage: Usage | None, finish: FinishReason | None, full: bool
) -> None:
    output = MessageOutput(Message("assistant"), finish or FinishReason("stop"), usage)
    assert Hooks(compact=list, window=100).is_full(output) is full
    assert Hooks(window=100).is_full(output) is False


@pytest.mark.parametrize(("options", "why"), [({"window": 0}, "context_window"), ({"compact_at": 1.5}, "compact_at")])
def test_sizes_that_are_none_are_errors(provider: str, options: Any, why: str) -> None:
    with pytest.raises(ConfigError, match=why):
        Hooks(**options)


# Between two turns


async def test_a_hook_may_end_the_run_between_two_turns(make_agent: Any, assert_whole: Any) -> None:
    turns: list[Turn] = []

    def should_stop(turn: Turn) -> bool:
        turns.append(turn)
        return turn.number == 2

    agent = make_agent([CALL, CALL, FINE], tools=[add], should_stop=should_stop)
    events = [event async for event in agent.run_events("go")]
    assert events[-1].summary.turns == 2
    assert events[-1].summary.finish_reason.type == "tool_call"
    assert [(turn.number, turn.finish_reason.type, len(turn.results), len(turn.history)) for turn in turns] == [
        (1, "tool_call", 1, 3),
        (2, "tool_call", 1, 5),
    ]
    assert turns[1].usage == events[-1].summary.usage
    assert_whole(agent.history)
    assert [piece async for piece in agent.continue_()]


async def test_a_hook_is_not_asked_after_the_last_turn(make_agent: Any) -> None:
    def never(turn: Turn) -> bool:
        raise AssertionError

    agent = make_agent([FINE], should_stop=never, prepare_next_turn=never)
    assert [output.message.text async for output in agent.run("go")] == ["Fine."]


async def test_a_hook_changes_the_model_and_the_parameters_of_the_next_turn(make_agent: Any) -> None:
    async def prepare(turn: Turn) -> NextTurn | None:
        return (
            NextTurn(model="openai/other", params={"temperature": 0.5, "thinking": "high"})
            if turn.number == 1
            else None
        )

    agent = make_agent([CALL, CALL, FINE, FINE], tools=[add], prepare_next_turn=prepare, temperature=0.1)
    async for _ in agent.run("go"):
        pass
    async for _ in agent.run("again"):
        pass
    bodies = [request.json for request in agent._client._given._transport.requests]
    assert [(body["model"], body["temperature"], body.get("reasoning_effort")) for body in bodies] == [
        ("m", 0.1, None),
        ("other", 0.5, "high"),
        ("other", 0.5, "high"),
        ("m", 0.1, None),
    ]


async def test_a_hook_says_which_tools_the_model_may_call_next(make_agent: Any) -> None:
    async def multiply(a: int) -> int:
        """Multiply."""
        return a

    script = [CALL, CALL, FINE]
    agent = make_agent(script, tools=[add, multiply], prepare_next_turn=lambda turn: NextTurn(tools=["multiply"]))
    async for _ in agent.run("go"):
        pass
    bodies = [request.json for request in agent._client._given._transport.requests]
    assert [[tool["function"]["name"] for tool in body["tools"]] for body in bodies] == [
        ["add", "multiply"],
        ["multiply"],
        ["multiply"],
    ]
    results = [message.contents[0].value for message in agent.history if message.role == "tool"]
    assert results[0] == 2
    assert "no tool 'add'" in results[1]


async def clock() -> str:
    """Tell the time of day."""
    return "late"


async def unlock() -> ToolResult:
    """Bring two."""
    return ToolResult("there", added_tool_names=["add", "clock", "nothing"])


FIND = Answer([Call("find_tools", {"query": "time of day"})])
BASE = ["add", "unlock", "find_tools"]
SOME = ["find_tools", "unlock"]
# What the model calls in turn, the tools that the hook names after each turn, and those that each request shows.
LATER: list[tuple[str, list[Any], list[list[str] | None], list[list[str]]]] = [
    (
        "found after the change",
        [CALL, FIND, CALL, CALL],
        [SOME, None, None, None],
        [BASE, SOME, [*SOME, "clock"], [*SOME, "clock"], [*SOME, "clock"]],
    ),
    (
        "found after the change, by a hook that says the same each time",
        [CALL, FIND, CALL],
        [SOME, SOME, SOME],
        [BASE, SOME, [*SOME, "clock"], [*SOME, "clock"]],
    ),
    ("found before the change", [FIND, CALL], [SOME, None], [BASE, SOME, SOME]),
    ("another list", [CALL, FIND, CALL], [SOME, None, ["add"]], [BASE, SOME, [*SOME, "clock"], ["add"]]),
    ("found twice", [CALL, FIND, FIND], [SOME, None, None], [BASE, SOME, *[[*SOME, "clock"]] * 2]),
    ("of the shed", [CALL], [["clock"]], [BASE, ["clock"]]),
    (
        "a result that brings what the list had left out",
        [CALL, Answer([Call("unlock")])],
        [["unlock"], None],
        [BASE, ["unlock"], ["unlock", "add", "clock"]],
    ),
]


@pytest.mark.parametrize(("calls", "named", "shown"), [case[1:] for case in LATER], ids=[case[0] for case in LATER])
async def test_what_results_bring_after_a_change_of_the_tools_is_seen_too(
    make_agent: Any, calls: list[Any], named: list[list[str] | None], shown: list[list[str]]
) -> None:
    agent = make_agent(
        [*calls, FINE],
        tools=[add, unlock],
        shed=[clock],
        prepare_next_turn=lambda turn: NextTurn(tools=named[turn.number - 1]),
    )
    async for _ in agent.run("go"):
        pass
    bodies = [request.json for request in agent._client._given._transport.requests]
    assert [[tool["function"]["name"] for tool in body["tools"]] for body in bodies] == shown


NO_CHANGES: list[tuple[NextTurn, str]] = [
    *(
        (NextTurn(params={name: None}), f"NextTurn.params: {name} is an option of Agent, and no parameter")
        for name in ("model", "tools", "shed", "api_key", "base_url", "http_client", "client", "history", "retry")
    ),
    *((NextTurn(params={name: "x"}), f"NextTurn.params: {name} belongs to a run") for name in ("query", "output_type")),
    (NextTurn(params={"n": 2}), "NextTurn.params: an agent follows one answer"),
    (NextTurn(params={"messages": []}), "NextTurn.params: messages is no parameter"),
    (NextTurn(params={"temprature": 0.5}), "NextTurn.params: .* did you mean 'temperature'"),
    (NextTurn(params={"timeout_": 0.5}, tools=["add"], model="nobody/m"), "NextTurn.model: unknown provider 'nobody'"),
    (NextTurn(model="gpt-5"), "NextTurn.model: model 'gpt-5' must be"),
    (NextTurn(tools=["add", "subtract"]), "NextTurn.tools: there is no tool 'subtract': there are add"),
    (NextTurn(params=None), r"prepare_next_turn gave a NextTurn .* at `\$.params`"),
    (NextTurn(params={1: 2}), r"at `key` in `\$.params`"),
    (NextTurn(tools="add"), r"at `\$.tools`"),
    (NextTurn(model=3), r"at `\$.model`"),
]


@pytest.mark.parametrize(("following", "told"), NO_CHANGES)
async def test_a_change_is_checked_as_what_the_agent_was_made_with(
    make_agent: Any, assert_whole: Any, following: NextTurn, told: str
) -> None:
    changes = [following]
    agent = make_agent([CALL, FINE], tools=[add], prepare_next_turn=lambda _: changes.pop() if changes else None)
    with pytest.raises(ConfigError, match=told):
        async for _ in agent.run("go"):
            pass
    assert [message.role for message in agent.history] == ["user", "assistant", "tool"]
    assert_whole(agent.history)
    assert [piece async for piece in agent.continue_()]


async def test_a_parameter_that_only_the_vendor_knows_may_change(make_agent: Any) -> None:
    following = NextTurn(params={"n": 1, "service_tier": "flex", "stop": "END", "extra": {"x": 1}})
    agent = make_agent([CALL, FINE], tools=[add], prepare_next_turn=lambda _: following)
    async for _ in agent.run("go"):
        pass
    body = agent._client._given._transport.requests[-1].json
    assert (body["service_tier"], body["stop"], body["x"]) == ("flex", ["END"], 1)


async def test_turns_are_counted_over_all_of_a_run(make_agent: Any) -> None:
    agent = make_agent([CALL, FINE, FINE], tools=[add])
    agent.follow_up("and?")
    turns = [event.turn async for event in agent.run_events("go") if isinstance(event, TurnStart)]
    assert turns == [1, 2, 3]


async def test_a_run_aborted_before_it_compacts_does_not_ask_the_hook(make_agent: Any) -> None:
    asked: list[int] = []

    async def slow(messages: list[Message]) -> list[Message]:
        asked.append(len(messages))
        return messages

    agent = make_agent([CALL, FINE], tools=[add], compact=slow, context_window=20)
    events: list[Any] = []
    async for event in agent.run_events("go"):
        events.append(event)
        if isinstance(event, Progress) and event.kind == "compacting":
            agent.abort()
    assert (asked, events[-1].summary.finish_reason.type) == ([], "aborted")


async def test_an_error_without_a_text_of_its_own_ends_the_run_as_itself(make_agent: Any) -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise ValueError("no text")

    def stop(_: Turn) -> bool:
        raise MuteError

    agent = make_agent([CALL, FINE], tools=[add], should_stop=stop)
    events: list[Any] = []
    with pytest.raises(MuteError):
        async for event in agent.run_events("go"):
            events.append(event)  # noqa: PERF401 # they are looked at after the error
    assert [event.kind for event in events if isinstance(event, Failed)] == ["MuteError"]
    assert not agent.state.is_streaming
    [output async for output in agent.run("again")]
