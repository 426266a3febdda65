import json
import subprocess
import sys

import msgspec
import pytest
from typer.testing import CliRunner

from streamkit.cli.app import app
from streamkit.cli.inspect import new_parser, read_deltas
from streamkit.deltas import TextDelta
from streamkit.errors import ConfigError, ProtocolError
from streamkit.testing.expected import expected
from streamkit.testing.mutations import corrupt_frame, fail, truncations
from streamkit.testing.scripts import Answer, Call, Thinking, render, render_error

ANSWER = Answer([Thinking("Hm.", "sig"), "Bonjour, ça va ?", Call("f", {"n": 2**70})])


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(body, *arguments):
        (tmp_path / "body.sse").write_bytes(body)
        return CliRunner().invoke(app, ["inspect", "body.sse", *arguments], catch_exceptions=False)

    return invoke


def plain(output):
    return json.loads(msgspec.json.encode(output))


NAMES = [("--protocol", "openai-chat", ""), ("--protocol", "anthropic", ""), ("--provider", "anthropic", "anthropic")]


@pytest.mark.parametrize(("option", "name", "provider"), NAMES)
def test_the_message_is_printed_as_json(run, option, name, provider):
    done = run(render(ANSWER, name), option, name)
    assert (done.exit_code, done.stderr) == (0, "")
    assert json.loads(done.stdout) == plain(expected(ANSWER, name, provider))
    assert done.stdout.startswith('{\n  "message": {\n')


def test_deltas_are_printed_one_a_line(run):
    done = run(render(ANSWER, "anthropic", piece=100), "--protocol", "anthropic", "--deltas")
    assert done.exit_code == 0
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
def test_of_a_broken_body_what_there_is_is_printed(run, body, error, deltas):
    done = run(body, "--provider", "openai", *["--deltas"] * deltas)
    assert done.exit_code == 1
    assert error in done.stderr
    if deltas:
        last = [json.loads(line) for line in done.stdout.splitlines()][-1]
        assert last == {"type": "text_delta", "index": 1, "text": "Bonjour, ça va ?"}
    else:
        output = json.loads(done.stdout)
        assert output["message"]["thinking"] == "Hm."
        assert output["message"]["contents"] == [{"type": "text", "text": "Bonjour, ça va ?"}]
        assert "finish_reason" not in output


@pytest.mark.parametrize(("sent", "read"), [("anthropic", "openai-chat"), ("openai-chat", "gemini")])
def test_of_a_body_in_another_dialect_that_is_said(run, sent, read):
    done = run(render(ANSWER, sent), "--protocol", read)
    assert done.exit_code == 1
    assert done.stderr.endswith("Not one of its frames is of this dialect: is the body another's?\n")


def test_every_choice_is_printed_on_request(run):
    body = render(Answer(["one"], choices=[Answer(["two"])]), "openai-chat")
    done = run(body, "--protocol", "openai-chat", "--choices")
    texts = [output["message"]["contents"][0]["text"] for output in json.loads(done.stdout)]
    assert texts == ["one", "two"]


def test_a_log_of_events_is_read_by_its_framing(run):
    lines = b"".join(frame.removeprefix(b"data: ") + b"\n" for frame in CHAT.split(b"\n\n")[:-2])
    done = run(lines, "--protocol", "openai-chat", "--framing", "json-lines")
    assert done.exit_code == 0
    assert json.loads(done.stdout) == plain(expected(ANSWER))


def test_nothing_on_the_screen_is_a_control_character(run):
    evil = "\x1b[2J\x9b31m\x7f\u202etxt"
    done = run(render(Answer([evil])), "--protocol", "openai-chat")
    assert not set(done.stdout) & set("\x1b\x9b\x7f\u202e")
    assert json.loads(done.stdout)["message"]["contents"][0]["text"] == evil


def test_an_error_on_the_screen_holds_no_control_character(run):
    done = run(render_error("openai-chat", "\x1b[31mred"), "--protocol", "openai-chat")
    assert "\\x1b[31mred" in done.stderr


MISTAKES = [
    ("neither provider nor protocol", [], "--provider or --protocol"),
    ("both", ["--provider", "openai", "--protocol", "openai-chat"], "--provider or --protocol"),
    ("an unknown provider", ["--provider", "acme"], "unknown provider 'acme'"),
    ("an unknown protocol", ["--protocol", "morse"], "unknown protocol 'morse'"),
    ("an unknown framing", ["--protocol", "anthropic", "--framing", "morse"], "unknown framing 'morse'"),
    ("two files", ["other.sse", "--protocol", "anthropic"], "unexpected extra argument"),
]


@pytest.mark.parametrize(("arguments", "said"), [case[1:] for case in MISTAKES], ids=[case[0] for case in MISTAKES])
def test_a_mistake_in_the_arguments_is_explained_with_code_2(run, arguments, said):
    done = run(CHAT, *arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.split())


@pytest.mark.parametrize(("file", "why"), [("nowhere.sse", "No such file"), (".", "Is a directory")])
def test_a_file_that_cannot_be_read_is_named_with_code_2(file, why):
    done = CliRunner().invoke(app, ["inspect", file, "--protocol", "anthropic"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert f"{file} cannot be read: {why}" in done.stderr


def test_standard_input_is_read_and_output_begins_before_it_ends():
    command = [sys.executable, "-m", "streamkit", "inspect", "-", "--protocol", "openai-chat", "--deltas"]
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
        while True:
            seen.append(next(deltas))
    assert parser.ended
    assert type(seen[-1]) is TextDelta


def test_a_parser_is_asked_for_by_one_name():
    with pytest.raises(ConfigError, match="one of the two"):
        new_parser(None, None, None)
    assert new_parser("anthropic", None, None).provider == "anthropic"
