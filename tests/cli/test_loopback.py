from streamkit.cli.loopback import loopback_client
from streamkit.testing.server import ReplayServer


async def test_no_proxy_stands_between_us_and_our_own_machine(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    async with ReplayServer(b"ok") as server, loopback_client() as client:
        assert (await client.get(server.url)).content == b"ok"
