import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from streamkit.cli import main
from streamkit.extras import how_to_install


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
    assert done.stderr == f"The command line of streamkit needs its extra `cli`: {how_to_install('cli')}\n"


def test_another_missing_module_is_not_taken_for_the_extra():
    done = run("-c", "import sys; sys.modules['streamkit.errors'] = None; from streamkit.cli import main; main()")
    assert "ModuleNotFoundError" in done.stderr


WRITERS = [["demo", "--pace", "0"], ["--help"], ["inspect", "-", "--protocol", "openai-chat"]]
BODY = b'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("arguments", WRITERS, ids=lambda arguments: arguments[0])
def test_a_full_disk_is_said_in_one_line(arguments):
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "streamkit", *arguments]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, input=BODY, timeout=60)
    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[0] == "OSError: [Errno 28] No space left on device"
    assert b"Traceback" not in done.stderr


# command, what the parent has closed, exit code
CLOSED = [("demo", ">&-", 0), ("demo", "<&- >&- 2>&-", 0), ("inspect", ">&-", 0), ("inspect", "<&-", 1)]


@pytest.mark.parametrize(("name", "closed", "code"), CLOSED)
def test_a_standard_stream_may_be_closed(name, closed, code):
    (arguments,) = (arguments for arguments in WRITERS if arguments[0] == name)
    command = ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, "-m", "streamkit", *arguments]
    done = subprocess.run(command, capture_output=True, input=BODY, timeout=60)
    assert done.returncode == code
    assert b"Traceback" not in done.stderr
