from __future__ import annotations

import msgspec
import pytest

from streamkit import Message, Request, ToolSpec, get_protocol
from streamkit.interop.foundation import scheme
from streamkit.interop.foundation.content import TextContent
from streamkit.interop.foundation.messages import User, agent, system, user
from streamkit.interop.foundation.request import (
    JsonObject,
    JsonSchema,
    ModelInteraction,
    ModelParams,
    TextFormat,
    from_request,
    to_request,
)
from streamkit.interop.foundation.scheme import Args
from streamkit.interop.foundation.tools import SingleCommand, ToolDeclarations, ToolDefinition
from streamkit.parts import TextPart

SEARCH = Args(scheme.object().required("q", scheme.string()).build())
TOOLS = ToolDeclarations(tools=[SingleCommand(ToolDefinition("search", "Look.", SEARCH))])


@pytest.mark.feature("3.32")
def test_the_defaults_are_foundations() -> None:
    params = ModelParams()
    sampled = (params.max_tokens, params.temperature, params.top_p, params.top_k, params.repeat_penalty)
    assert sampled == (2048, 0.7, 0.9, 40.0, 1.1)
    request = to_request(ModelInteraction(messages=[user("Hi")]), params, "m")
    assert request == Request(
        model="m",
        messages=[Message("user", [TextPart("Hi")])],
        max_tokens=2048,
        temperature=0.7,
        top_p=0.9,
        top_k=40,
    )


@pytest.mark.feature("3.31", "3.33")
def test_all_that_has_a_place_is_in_the_request() -> None:
    interaction = ModelInteraction("Be brief.", "Be kind.", TOOLS, [agent("Hi"), system("Now.")], None, "search")
    params = ModelParams(
        seed=1,
        stop_tokens=["END"],
        thinking_level="low",
        thinking_budget=500,
        frequency_penalty=0.1,
        presence_penalty=0.2,
        logit_bias={"5": 1.0},
        output_format=JsonSchema({"type": "array"}, "list"),
    )
    request = to_request(interaction, params, "m")
    assert [message.text for message in request.messages] == ["Be brief.Be kind.", "Hi", "Now."]
    assert request.tools == [ToolSpec(name="search", description="Look.", parameters=SEARCH.schema)]
    assert (request.tool_choice, request.seed, request.stop, request.thinking) == ("search", 1, ["END"], 500)
    assert (request.frequency_penalty, request.presence_penalty, request.logit_bias) == (0.1, 0.2, {"5": 1.0})
    assert (request.output_schema, request.output_name) == ({"type": "array"}, "list")
    assert get_protocol("openai-chat").encode(request).body["max_completion_tokens"] == 2048


INTERACTIONS = [
    ModelInteraction(),
    ModelInteraction("Be brief."),
    ModelInteraction("Be brief.", "Be kind."),
    ModelInteraction(None, "Be kind."),
    ModelInteraction("Be brief.", None, TOOLS, [User(TextContent("Hi"), id="1")], None, "required"),
]
PARAMS = [
    ModelParams(),
    ModelParams(1, 0.0, 1.0, 1.0, seed=5, stop_tokens=["END"], thinking_level="high"),
    ModelParams(thinking_budget=500, output_format=JsonObject(), frequency_penalty=0.5),
    ModelParams(output_format=JsonSchema({"type": "array"}, "list"), presence_penalty=0.5, logit_bias={"1": 2.0}),
]


@pytest.mark.feature("3.31", "3.33")
@pytest.mark.parametrize("interaction", INTERACTIONS)
@pytest.mark.parametrize("params", PARAMS)
def test_a_request_comes_back(interaction: ModelInteraction, params: ModelParams) -> None:
    again, sampled = from_request(to_request(interaction, params, "m"))
    for message in again.messages:
        message.id = "1"
    assert (again, sampled) == (interaction, params)
    assert msgspec.json.decode(msgspec.json.encode(params), type=ModelParams) == params
    assert msgspec.json.decode(msgspec.json.encode(interaction), type=ModelInteraction) == interaction


def test_what_our_request_leaves_open_is_foundations_default() -> None:
    interaction, params = from_request(Request(model="m", messages=[], tool_choice={"type": "any"}, thinking={"x": 1}))
    assert (interaction, params) == (ModelInteraction(), ModelParams())
    assert params.output_format == TextFormat()
