"""What base models can say of a scripted answer."""

from __future__ import annotations

import pytest

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Call, Refusal, Text, Thinking
from streamkit.testing.plain_text import counted, heard, plain_text
from streamkit.usage import Usage


def test_text_and_refusals_are_one_text() -> None:
    answer = heard(Answer(["a", "b", Refusal("c")], id="r", model="m"))
    assert (answer.blocks, answer.finish_type, answer.id, answer.model) == ([Text("abc")], "stop", "r", "m")
    assert plain_text(Answer(["a", Refusal("c")], finish="refusal")) == "ac"


def test_where_no_cache_is_counted_its_tokens_went_in() -> None:
    answer = counted(Answer(["a"], "length", usage=Usage(10, 7, 3, 2, 4), id="r", model="m"))
    assert (answer.finish, answer.usage, answer.id, answer.model) == ("length", Usage(15, 7), "", "")
    assert counted(Answer(["a"], usage=None)).usage is None


@pytest.mark.parametrize("block", [Thinking("a"), Call("f")], ids=["thinking", "a call"])
def test_anything_else_is_refused(block: Thinking | Call) -> None:
    with pytest.raises(ConfigError, match=type(block).__name__):
        heard(Answer([block]))
