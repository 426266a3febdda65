"""What a caller asks for."""

from __future__ import annotations

import msgspec

from streamkit.messages import Message
from streamkit.protocols import EncodedRequest, Request, ToolSpec


def test_a_request_leaves_everything_but_model_and_messages_to_the_provider() -> None:
    request = Request(model="m", messages=[])
    left = {name: value for name, value in msgspec.structs.asdict(request).items() if value not in (None, [], {}, "")}
    assert left == {"model": "m", "output_name": "answer", "instruct_output": False, "foreign_thinking": "drop"}


def test_requests_and_tools_do_not_share_their_containers() -> None:
    assert Request(model="m", messages=[]).extra is not Request(model="m", messages=[]).extra
    assert ToolSpec(name="f").parameters is not ToolSpec(name="f").parameters
    assert ToolSpec(name="f").parameters == {"type": "object", "properties": {}}


def test_a_request_is_data() -> None:
    request = Request(model="m", messages=[Message("user", "hi")], tools=[{"type": "x"}], thinking=5, stop=["a"])
    assert msgspec.json.decode(msgspec.json.encode(request)) == {
        **msgspec.to_builtins(Request(model="m", messages=[Message("user", "hi")])),
        "tools": [{"type": "x"}],
        "thinking": 5,
        "stop": ["a"],
    }


def test_an_encoded_request_needs_no_headers() -> None:
    assert EncodedRequest("/x", {}).headers == {}
