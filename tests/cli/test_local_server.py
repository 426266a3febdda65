import os
import signal
import subprocess
import sys
import time

import pytest

CHILD = """
import time
from streamkit.cli.local_server import end_with_parent
end_with_parent()
print("ready", flush=True)
while True:
    time.sleep(1)
"""
PARENT = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", {CHILD!r}], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(60)
"""


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    with open(f"/proc/{pid}/stat") as stat:
        return stat.read().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_a_server_never_outlives_its_parent_however_that_ends(ending):
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as parent:
        pid = int(parent.stdout.readline())
        assert is_alive(pid)
        parent.send_signal(ending)
        parent.wait(timeout=10)
    deadline = time.monotonic() + 5
    while is_alive(pid):
        assert time.monotonic() < deadline, "the child is still there"
        time.sleep(0.02)
