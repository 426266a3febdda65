"""A real llama.cpp server with a real model, and clients of it in both dialects that it speaks.

The first run makes a virtual environment with streamkit and its extra `local`, and fetches the model (some 150 MB in
all); both are kept in pytest's cache until the dependencies change.
"""

from __future__ import annotations

import hashlib
import json
import os
import socket
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import anyio
import httpx
import pytest

from streamkit.client import Client
from streamkit.protocols import Quirks
from streamkit.providers import Provider

REPOSITORY = Path(__file__).parents[2]
SCRIPT = Path(__file__).with_name("llamacpp_server.py")
TEMPLATE = Path(__file__).with_name("chat_template.jinja")
FIND_MODEL = "import sys; from streamkit.cli.local_model import find_model; print(find_model(sys.stderr.write))"

MODEL = "smollm2"
KEY = "a-key-of-the-live-tests"
DIALECTS = ("openai-chat", "anthropic")

READY_S = 120.0  # how long a server may take to load the model
NOTICE_S = 10.0  # how long a server may take to notice that nobody reads an answer: one step of its work
WAIT_S = 120.0  # how long a client waits for the next bytes: the machine may be busy


class Environment(NamedTuple):
    """Where the extra `local` is installed."""

    folder: Path

    @property
    def model(self) -> str:
        """The path of the model."""
        return (self.folder / "model").read_text()

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables of a process in it."""
        return {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache")}

    def program(self, name: str) -> str:
        """The path of one of its programs."""
        return str(self.folder / "venv" / ("Scripts" if sys.platform == "win32" else "bin") / name)


class Server:
    """A server under way: `url` is its address, without a path."""

    def __init__(self, url: str, process: subprocess.Popen[bytes], log: Path) -> None:
        self.url = url
        self.log = log
        self._process = process

    def get(self, path: str) -> Any:
        """Return what it answers to a plain request."""
        return httpx.get(self.url + path, headers={"authorization": f"Bearer {KEY}"}, timeout=WAIT_S, trust_env=False)

    def post(self, path: str, body: Any) -> Any:
        """Return the JSON that it answers, without streamkit in between."""
        headers = {"authorization": f"Bearer {KEY}"}
        return httpx.post(self.url + path, json=body, headers=headers, timeout=WAIT_S, trust_env=False).json()

    async def idle(self) -> None:
        """Wait until it works on no answer; fails where that takes longer than noticing a closed connection does."""
        with anyio.fail_after(NOTICE_S):
            while any(slot["is_processing"] for slot in self.get("/slots").json()):  # noqa: ASYNC110 # it tells nobody
                await anyio.sleep(0.05)

    def kill(self) -> None:
        """End it as a crash would."""
        self._process.kill()
        self._process.wait()

    def wait(self) -> None:
        """Wait until the model is loaded."""
        deadline = time.monotonic() + READY_S
        while not self._is_ready():
            assert self._process.poll() is None and time.monotonic() < deadline, self.log.read_text()[-2000:]
            time.sleep(0.02)

    def _is_ready(self) -> bool:
        try:
            return bool(self.get("/health").status_code == httpx.codes.OK)
        except httpx.TransportError:
            return False  # it does not listen yet


Start: TypeAlias = Callable[..., AbstractContextManager[Server]]
Connect: TypeAlias = Callable[..., Client]


@pytest.fixture
def anyio_backend() -> str:
    """One event loop, where nothing of it is tested."""
    return "asyncio"


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proxy does not know our loopback interface."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(params=DIALECTS)
def dialect(request: pytest.FixtureRequest) -> str:
    """The dialects in turn."""
    return str(request.param)


@pytest.fixture(scope="session")
def environment(request: pytest.FixtureRequest) -> Environment:
    """The extra `local`, installed as a user would."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    wanted = [project["dependencies"], project["optional-dependencies"]["local"], str(REPOSITORY), sys.version]
    folder = request.config.cache.mkdir("live") / hashlib.sha256(json.dumps(wanted).encode()).hexdigest()[:16]
    environment = Environment(folder)
    if not (folder / "model").exists():
        run = environment.program("python")
        install = [run, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder / "venv")], check=True)
        subprocess.run([*install, "--editable", f"{REPOSITORY}[local]"], check=True)
        found = subprocess.run(
            [run, "-c", FIND_MODEL], env=environment.variables, stdout=subprocess.PIPE, text=True, check=True
        )
        (folder / "model").write_text(found.stdout.strip())
    return environment


@pytest.fixture(scope="session")
def start(environment: Environment, tmp_path_factory: pytest.TempPathFactory) -> Start:
    """Starts a server of its own settings: `with start(n_parallel=1) as server`; with `ready=False`, does not wait."""
    logs = tmp_path_factory.mktemp("llamacpp")

    @contextmanager
    def begin(*, ready: bool = True, **settings: Any) -> Iterator[Server]:
        port = _free_port()
        settings = {
            "hostnames": ["127.0.0.1"],
            "port": port,
            "api_keys": [KEY],
            "n_ctx": 2048,
            "n_parallel": 1,
            "n_gpu_layers": 0,
            "ui": False,
            "use_jinja": True,
            "chat_template": TEMPLATE.read_text(),
            "enable_reasoning": 0,  # it thinks where a request asks for it
            **settings,
        }
        command = [environment.program("python"), str(SCRIPT), environment.model, json.dumps(settings)]
        log = logs / f"{port}.log"
        with log.open("wb") as file:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=file, stderr=file)
        server = Server(f"http://127.0.0.1:{port}", process, log)
        try:
            if ready:
                server.wait()
            yield server
        finally:
            process.kill()
            process.communicate()

    return begin


@pytest.fixture(scope="session")
def server(start: Start) -> Iterator[Server]:
    """The server that most tests share; it answers two at a time."""
    with start(n_ctx=4096, n_parallel=2) as server:
        yield server


@pytest.fixture
def connect(dialect: str, server: Server) -> Connect:
    """Makes a client: `connect()`, `connect("anthropic")`, `connect(server=…, api_key=…)`."""

    def make(speaks: str = dialect, *, server: Server = server, path: str = "", **options: Any) -> Client:
        options = {"api_key": KEY, "read_timeout_s": WAIT_S, **options}
        url = server.url + path
        if speaks == "openai-chat":
            return Client(f"llamacpp/{MODEL}", base_url=f"{url}/v1", **options)
        row = Provider(
            name="llamacpp",
            protocol="anthropic",
            base_url=url,
            key_optional=True,
            auth="x-api-key",
            quirks=Quirks(unsigned_thinking=True),
        )
        return Client(MODEL, provider=row, **options)

    return make


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])
