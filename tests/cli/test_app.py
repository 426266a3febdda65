import pytest
from typer.testing import CliRunner

from streamkit.cli.app import app

COMMANDS = ["demo", "chat", "inspect", "providers"]


@pytest.mark.parametrize("option", ["--help", "-h"])
@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_explains_itself(command, option):
    done = CliRunner().invoke(app, [command, option])
    assert done.exit_code == 0
    assert f"Usage: root {command}" in done.output


def test_without_a_command_all_are_listed():
    done = CliRunner().invoke(app, [])
    assert all(command in done.output for command in COMMANDS)
    assert "..." not in done.output.partition("Commands:")[2]


MISTAKES = [
    ("an unknown command", ["sing"], "No such command 'sing'"),
    ("an unknown option", ["demo", "--loud"], "No such option"),
    ("no model", ["chat"], "Missing argument 'model'"),
    ("a model without a provider", ["chat", "gpt-5"], "ConfigError: "),
    ("a pace that is none", ["demo", "--pace", "-1"], "Invalid value for '--pace'"),
]


@pytest.mark.parametrize(("arguments", "said"), [case[1:] for case in MISTAKES], ids=[case[0] for case in MISTAKES])
def test_a_mistake_is_explained_with_code_2(arguments, said):
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())
