import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import httpx
import pytest

from streamkit.cli import local
from streamkit.cli.local import local_server
from streamkit.cli.local_model import find_model
from streamkit.client import Client
from streamkit.errors import TransportError

needs_extra = [
    pytest.mark.live,
    pytest.mark.skipif(find_spec("xllamacpp") is None, reason="the extra `local` is not installed"),
]


@pytest.fixture
def anyio_backend():
    return "asyncio"  # the server is the same for both


def test_a_server_that_does_not_start_is_explained_by_its_log(tmp_path, monkeypatch):
    (tmp_path / "xllamacpp.py").write_text("raise ImportError('no such runtime')")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with pytest.raises(TransportError, match="did not start") as raised, local_server(Path("model.gguf")):
        pytest.fail("there is no server")
    assert "ImportError: no such runtime" in str(raised.value)


FAKE = """
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from types import SimpleNamespace


class CommonParams:
    def __init__(self):
        self.model, self.cpuparams = SimpleNamespace(), SimpleNamespace()


class Handler(BaseHTTPRequestHandler):
    asked = 0

    def do_GET(self):
        Handler.asked += 1
        self.send_response(503 if Handler.asked < 3 else 200)
        self.end_headers()
        self.wfile.write(repr(vars(self.server.params)).encode())


class Server:
    def __init__(self, params):
        print("loading", params.model.path)
        http = HTTPServer((params.hostnames[0], params.port), Handler)
        http.params = params
        threading.Thread(target=http.serve_forever, daemon=True).start()
        self.listening_address = f"http://127.0.0.1:{http.server_port}"
"""


def test_a_server_is_waited_for_and_ends_with_the_block(tmp_path, monkeypatch):
    (tmp_path / "xllamacpp.py").write_text(FAKE)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    with local_server(Path("model.gguf")) as server:
        assert server.base_url.startswith("http://127.0.0.1:")
        assert server.base_url.endswith("/v1")
        settings = httpx.get(server.base_url, trust_env=False).text
        assert f"'api_keys': ['{server.api_key}']" in settings
        assert "'hostnames': ['127.0.0.1']" in settings
    with pytest.raises(httpx.ConnectError):
        httpx.get(server.base_url, trust_env=False)


def test_a_server_that_never_gets_ready_is_given_up(tmp_path, monkeypatch):
    (tmp_path / "xllamacpp.py").write_text(FAKE.replace("< 3", "< 3000"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setattr(local, "READY_S", 0.2)
    with pytest.raises(TransportError, match="did not start"), local_server(Path("model.gguf")):
        pytest.fail("it is not ready")


class TestLive:
    pytestmark = needs_extra

    async def test_a_real_model_answers(self):
        with local_server(find_model(print)) as server:
            async with Client(server.model, base_url=server.base_url, api_key=server.api_key) as client:
                output = await client.send("Say hello.", max_tokens=16)
        assert output.message.text
        assert output.usage.output_tokens > 0

    def test_the_command_chats_with_it(self):
        command = [sys.executable, "-m", "streamkit", "chat", "local"]
        done = subprocess.run(command, input="Say hello.\n", capture_output=True, text=True, timeout=120)
        assert (done.returncode, done.stderr) == (0, "")
        assert len(done.stdout.split()) > 1

    def test_it_takes_nobody_without_the_key(self):
        with local_server(find_model(print)) as server:
            url = f"{server.base_url}/chat/completions"
            assert httpx.post(url, json={"messages": []}, trust_env=False).status_code == httpx.codes.UNAUTHORIZED
