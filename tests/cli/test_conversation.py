import json

import pytest

from streamkit.cli.conversation import load_conversation, save_conversation
from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import FunctionCall, FunctionPart, TextPart

MESSAGES = [
    Message("system", [TextPart("Be brief.")]),
    Message("user", [TextPart("Grüße")]),
    Message("assistant", thinking="hm", signature="s", tool_calls=[FunctionPart("i", FunctionCall("f", {"n": 2**70}))]),
]


def test_a_conversation_comes_back_as_it_was(tmp_path):
    path = tmp_path / "chat.json"
    save_conversation(path, MESSAGES)
    assert load_conversation(path) == MESSAGES
    assert [message["role"] for message in json.loads(path.read_text())] == ["system", "user", "assistant"]


def test_saving_replaces_the_file_and_leaves_nothing_beside_it(tmp_path):
    path = tmp_path / "chat.json"
    path.write_text("old")
    save_conversation(path, [])
    assert path.read_text() == "[]\n"
    assert path.stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == [path]


def test_a_failed_save_leaves_nothing_behind(tmp_path):
    path = tmp_path / "folder"
    path.mkdir()
    with pytest.raises(ConfigError, match="folder cannot be written"):
        save_conversation(path, MESSAGES)
    assert list(tmp_path.iterdir()) == [path]
    with pytest.raises(ConfigError, match="cannot be written: No such file"):
        save_conversation(tmp_path / "nowhere" / "chat.json", MESSAGES)


@pytest.mark.parametrize("text", ["", "{}", '[{"role":"alien"}]', "[1]"])
def test_what_is_no_conversation_is_refused(tmp_path, text):
    path = tmp_path / "chat.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match="holds no conversation"):
        load_conversation(path)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"chat\.json cannot be read: No such file"):
        load_conversation(tmp_path / "chat.json")
