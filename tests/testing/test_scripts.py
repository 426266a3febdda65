import pytest

from streamkit.errors import ConfigError
from streamkit.testing.mutations import split_frames
from streamkit.testing.scripts import SCRIPTED, Answer, framing_of, render, render_error


@pytest.mark.parametrize("protocol", SCRIPTED)
def test_smaller_pieces_say_it_in_more_frames(protocol):
    answer = Answer(["one two three four"])
    framing = framing_of(protocol)
    frames = [len(split_frames(render(answer, protocol, piece=piece), framing)) for piece in (1, 2, 100)]
    assert frames[0] - frames[1] == 9
    assert frames[1] - frames[2] == 8


def test_an_error_frame_is_the_dialects_own():
    assert render_error("anthropic").startswith(b"event: error\n")
    assert render_error("openai-chat").startswith(b'data: {"error":')
    assert render_error("ollama") == b'{"error":"Overloaded"}\n'


@pytest.mark.parametrize("call", [lambda: render(Answer(["a"]), "morse"), lambda: render_error("morse")])
def test_other_dialects_are_refused_by_name(call):
    with pytest.raises(ConfigError, match="openai-chat, .*anthropic, .*not for 'morse'"):
        call()
