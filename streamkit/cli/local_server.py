"""A real llama.cpp server in a process of its own: `python -m streamkit.cli.local_server MODEL.gguf`.

It writes its address as the one line of its standard output, logs to standard error, and ends when its standard
input does: a parent that ends in whatever way, be it killed, leaves no server behind. It asks for the key in the
environment variable `STREAMKIT_LOCAL_KEY`, since any page in a browser may call a server of this machine.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from importlib import import_module
from pathlib import Path

__all__ = ["ALIAS", "KEY_VARIABLE", "end_with_parent", "serve"]

ALIAS = "local"
KEY_VARIABLE = "STREAMKIT_LOCAL_KEY"
CONTEXT = 8192  # tokens, what SmolLM2 was trained for


def end_with_parent() -> None:
    """End this process when its standard input ends, whatever it is doing then."""
    threading.Thread(target=_wait_for_end, daemon=True).start()


def serve(model: Path) -> None:
    """Serve `model` on a free port of the loopback interface until the process ends."""
    channel = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # llama.cpp's log must not get into the channel
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which shares the terminal
    end_with_parent()

    xllamacpp = import_module("xllamacpp")  # by name: the extra may be absent where this is type-checked
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.model_alias = {ALIAS}
    params.api_keys = [os.environ[KEY_VARIABLE]]
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.n_gpu_layers = 0
    params.cpuparams.n_threads = max(1, (os.cpu_count() or 1) // 2)  # more than the free cores slows it down
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.use_jinja = True
    params.ui = False
    server = xllamacpp.Server(params)  # returns once the model is loaded
    print(server.listening_address, file=channel, flush=True)
    threading.Event().wait()


def _wait_for_end() -> None:
    while os.read(0, 1024):
        pass
    os._exit(0)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
