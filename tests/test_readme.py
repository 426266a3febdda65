"""What the README and the docs show runs, and what they list is so."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import anyio
import pytest

from streamkit import get_provider, provider_names
from streamkit.testing import Answer, Call, ReplayServer

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S), 1)
]


@pytest.mark.parametrize("code", EXAMPLES)
async def test_an_example_runs(code: str) -> None:
    script = [Answer([Call("get_weather", {"city": "Seoul"})]), Answer(["Clear, 12.3 °C."])]
    async with ReplayServer(script if "get_weather" in code else Answer(["The Rhine."]), piece=20) as server:
        environment = {
            "ANTHROPIC_BASE_URL": server.url,
            "OPENAI_BASE_URL": server.url,
            "ANTHROPIC_API_KEY": "none",
            "OPENAI_API_KEY": "none",
            "PYTHONPATH": str(ROOT),
            "PYTHONIOENCODING": "utf-8",
        }
        command = [sys.executable, "-W", "error", "-c", code]
        with anyio.fail_after(60):
            done = await anyio.run_process(command, env=environment, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    if "print" in code:
        assert b"lear" in done.stdout or b"Rhine" in done.stdout


def test_the_table_of_providers_is_that_of_the_package() -> None:
    text = (ROOT / "docs" / "providers.md").read_text()
    assert provider_table() in text, f"docs/providers.md should hold:\n{provider_table()}"


def provider_table() -> str:
    """The table as Markdown: one row a vendor."""
    rows = ["| provider | dialect | key | address |", "|---|---|---|---|"]
    for name in provider_names():
        row = get_provider(name)
        key = f"`{row.key_variable}`" if row.key_variable else "none"
        key = f"({key})" if row.key_optional else key
        rows.append(f"| {name} | {row.protocol} | {key} | {row.base_url or 'your own'} |")
    return "\n".join(rows)
