import json
import subprocess
import sys

import msgspec
import pytest

from streamkit.cli.inspect import new_parser, read_deltas
from streamkit.errors import ConfigError, ProtocolError
from streamkit.testing.expected import expected
from streamkit.testing.mutations import corrupt_frame, fail, truncations
from streamkit.testing.scripts import Answer, Call, Thinking, render, render_error

ANSWER = Answer([Thinking("Hm.", "sig"), "Bonjour, ça va ?", Call("f", {"n": 2**70})])


def run(*arguments, stdin=b"", **options):
    command = [sys.executable, "-m", "streamkit.cli", "inspect", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=60, **options)


@pytest.fixture
def recorded(tmp_path):
    def write(body):
        path = tmp_path / "body.sse"
        path.write_bytes(body)
        return str(path)

    return write


def plain(output):
    return json.loads(msgspec.json.encode(output))


NAMES = [("--protocol", "openai-chat", ""), ("--protocol", "anthropic", ""), ("--provider", "anthropic", "anthropic")]


@pytest.mark.parametrize(("option", "name", "provider"), NAMES)
def test_the_message_is_printed_as_json(recorded, option, name, provider):
    done = run(recorded(render(ANSWER, name)), option, name)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout) == plain(expected(ANSWER, name, provider))
    assert done.stdout.startswith(b'{\n  "message": {\n')


def test_deltas_are_printed_one_a_line():
    done = run("-", "--protocol", "anthropic", "--deltas", stdin=render(ANSWER, "anthropic", piece=100))
    assert done.returncode == 0
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == [
        *("message_start", "usage_snapshot", "thinking_start", "thinking_delta", "thinking_end"),
        *("text_start", "text_delta", "text_end", "tool_call_start", "tool_call_delta", "tool_call_end"),
        *("usage_snapshot", "message_end"),
    ]


CHAT = render(ANSWER, "openai-chat", piece=100)
BROKEN = [
    ("cut short", truncations(CHAT)[3], "TruncatedStream"),
    ("a broken frame", corrupt_frame(CHAT, 3), "ProtocolError"),
    ("an error of the provider", fail(CHAT, 3, render_error("openai-chat", "at capacity")), "at capacity"),
]


@pytest.mark.parametrize(("body", "error"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
@pytest.mark.parametrize("deltas", [False, True], ids=["message", "deltas"])
def test_of_a_broken_body_what_there_is_is_printed(body, error, deltas):
    done = run("-", "--provider", "openai", *["--deltas"] * deltas, stdin=body)
    assert done.returncode == 1
    assert error in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    if deltas:
        last = [json.loads(line) for line in done.stdout.splitlines()][-1]
        assert last == {"type": "text_delta", "index": 1, "text": "Bonjour, ça va ?"}
    else:
        output = json.loads(done.stdout)
        assert output["message"]["thinking"] == "Hm."
        assert output["message"]["contents"] == [{"type": "text", "text": "Bonjour, ça va ?"}]
        assert "finish_reason" not in output


def test_every_choice_is_printed_on_request():
    body = render(Answer(["one"], choices=[Answer(["two"])]), "openai-chat")
    done = run("-", "--protocol", "openai-chat", "--choices", stdin=body)
    texts = [output["message"]["contents"][0]["text"] for output in json.loads(done.stdout)]
    assert texts == ["one", "two"]


def test_a_log_of_events_is_read_by_its_framing():
    lines = b"".join(frame.removeprefix(b"data: ") + b"\n" for frame in CHAT.split(b"\n\n")[:-2])
    done = run("-", "--protocol", "openai-chat", "--framing", "json-lines", stdin=lines)
    assert done.returncode == 0
    assert json.loads(done.stdout) == plain(expected(ANSWER))


def test_nothing_on_the_screen_is_a_control_character():
    evil = "\x1b[2J\x9b31m\x7f\u202etxt"
    done = run("-", "--protocol", "openai-chat", stdin=render(Answer([evil])))
    assert not set(done.stdout.decode()) & set("\x1b\x9b\x7f\u202e")
    assert json.loads(done.stdout)["message"]["contents"][0]["text"] == evil


def test_an_error_on_the_screen_holds_no_control_character():
    done = run("-", "--protocol", "openai-chat", stdin=render_error("openai-chat", "\x1b[31mred"))
    assert "␛[31mred" in done.stderr.decode()


MISTAKES = [
    ("no such file", ["nowhere.sse", "--protocol", "anthropic"], "nowhere.sse cannot be read"),
    ("neither provider nor protocol", ["-"], "--provider or --protocol"),
    ("both", ["-", "--provider", "openai", "--protocol", "openai-chat"], "--provider or --protocol"),
    ("an unknown provider", ["-", "--provider", "acme"], "unknown provider 'acme'"),
    ("an unknown protocol", ["-", "--protocol", "morse"], "unknown protocol 'morse'"),
    ("an unknown framing", ["-", "--protocol", "anthropic", "--framing", "morse"], "unknown framing 'morse'"),
    ("no file", ["--protocol", "anthropic"], "Missing argument"),
]


@pytest.mark.parametrize(("arguments", "said"), [case[1:] for case in MISTAKES], ids=[case[0] for case in MISTAKES])
def test_a_mistake_in_the_arguments_is_explained_with_code_2(arguments, said, tmp_path):
    done = run(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert said in " ".join(done.stderr.decode().split())


def test_output_begins_before_the_input_ends():
    command = [sys.executable, "-m", "streamkit.cli", "inspect", "-", "--protocol", "openai-chat", "--deltas"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        child.stdin.write(truncations(CHAT)[4])
        child.stdin.flush()
        assert json.loads(child.stdout.readline())["type"] == "message_start"
        child.stdin.close()
        assert child.wait(timeout=30) == 1


def test_deltas_that_come_with_an_error_are_yielded_before_it_is_raised():
    parser = new_parser(None, "openai-chat", None)
    deltas = read_deltas(parser, [CHAT[:200], corrupt_frame(CHAT, 3)[200:]])
    seen = []
    with pytest.raises(ProtocolError):
        for delta in deltas:
            seen.append(delta)
    assert parser.ended
    assert [type(delta).__name__ for delta in seen][-1] == "TextDelta"


def test_a_parser_is_asked_for_by_one_name():
    with pytest.raises(ConfigError, match="one of the two"):
        new_parser(None, None, None)
    assert new_parser("anthropic", None, None).provider == "anthropic"
