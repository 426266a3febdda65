import subprocess
import sys
from importlib.metadata import entry_points

import pytest

from streamkit.cli import main


def run(*command):
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=60)


def test_the_command_is_installed_under_its_name():
    (entry,) = entry_points(group="console_scripts", name="streamkit")
    assert entry.load() is main


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_without_the_extra_the_command_says_what_to_install(package):
    code = f"import sys; sys.modules[{package!r}] = None; from streamkit.cli import main; main()"
    done = run("-c", code)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "The command line of streamkit needs the extra `cli`: pip install 'streamkit[cli]'\n"


def test_another_missing_module_is_not_taken_for_the_extra():
    done = run("-c", "import sys; sys.modules['streamkit.errors'] = None; from streamkit.cli import main; main()")
    assert "ModuleNotFoundError" in done.stderr
