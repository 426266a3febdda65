"""What base models can say of a scripted answer."""

from __future__ import annotations

import pytest

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Call, Refusal, Text, Thinking
from streamkit.testing.plain_text import heard, plain_text


def test_text_and_refusals_are_one_text() -> None:
    answer = heard(Answer(["a", "b", Refusal("c")], id="r", model="m"))
    assert (answer.blocks, answer.finish_type, answer.id, answer.model) == ([Text("abc")], "stop", "r", "m")
    assert plain_text(Answer(["a", Refusal("c")], finish="refusal")) == "ac"


@pytest.mark.parametrize("block", [Thinking("a"), Call("f")], ids=["thinking", "a call"])
def test_anything_else_is_refused(block: Thinking | Call) -> None:
    with pytest.raises(ConfigError, match=type(block).__name__):
        heard(Answer([block]))
