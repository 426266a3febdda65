"""The set-up: off unless given, with the process's own providers, and with none at all."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import streamkit
from streamkit.client import Client
from streamkit.errors import ConfigError
from streamkit.telemetry import Telemetry
from streamkit.testing import Answer, ReplayServer


async def test_spans_come_from_streamkit_by_a_schema(seen: Any) -> None:
    async with ReplayServer(Answer(["Hi"])) as server:
        client = Client("openai/gpt-5", api_key="none", base_url=server.url, telemetry=seen.telemetry())
        async with client:
            await client.send("Hello")
    scope = seen.span.instrumentation_scope
    assert (scope.name, scope.version) == ("streamkit", streamkit.__version__)
    assert scope.schema_url == "https://opentelemetry.io/schemas/1.44.0"


async def test_without_a_set_up_of_the_process_nothing_is_recorded() -> None:
    async with ReplayServer(Answer(["Hi"])) as server:
        telemetry = Telemetry(content="both", chunk_gaps=True)
        async with Client("openai/gpt-5", api_key="none", base_url=server.url, telemetry=telemetry) as client:
            assert (await client.send("Hello")).message.text == "Hi"


def test_what_is_to_be_recorded_must_be_known() -> None:
    with pytest.raises(ConfigError, match="not 'all'"):
        Telemetry(content="all")


UNUSED = """
import streamkit, sys
streamkit.Client("openai/m", api_key="none")
assert "opentelemetry" not in sys.modules
"""
MISSING = """
import sys
sys.modules["opentelemetry"] = None
try:
    import streamkit.telemetry
except ImportError as error:
    assert "streamkit[otel]" in str(error)
else:
    sys.exit("imported all the same")
"""


@pytest.mark.parametrize("code", [UNUSED, MISSING], ids=["a client", "a message"])
def test_opentelemetry_is_needed_only_where_it_is_used(code: str) -> None:
    subprocess.run([sys.executable, "-c", code], check=True)
