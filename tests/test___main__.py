import subprocess
import sys

import streamkit


def test_the_module_is_the_command():
    command = [sys.executable, "-W", "error", "-m", "streamkit", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"streamkit {streamkit.__version__}\n", "")
