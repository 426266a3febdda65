"""What the README and the docs show runs, and what they list is so."""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import anyio
import pytest

from streamkit import Provider, get_provider, provider_names
from streamkit.protocols import PROTOCOLS
from streamkit.providers.base import SCHEMES
from streamkit.testing import Answer, Call, ReplayServer

COMMON = 4  # vendors that a dialect needs for a table of its own

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
EXAMPLES = [
    pytest.param(block, id=f"{page.stem}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S), 1)
]


@pytest.mark.parametrize("anyio_backend", ["asyncio"])  # the example itself, in its process, chooses its own
@pytest.mark.parametrize("code", EXAMPLES)
async def test_an_example_runs(code: str) -> None:
    script = [Answer([Call("get_weather", {"city": "Seoul"})]), Answer(["Clear, 12.3 °C."])]
    told = '{"name": "Rhine", "length_km": 1230}' if "output_type" in code else "The Rhine."
    async with ReplayServer(script if "get_weather" in code else Answer([told]), piece=20) as server:
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


KEYBOARD = next(block for block in EXAMPLES if "sys.stdin" in str(block.values[0])).values[0]
RIVERS = Answer(["The Danube, the Volga, the Rhine, the Elbe, the Oder, the Rhone, the Loire and the Seine."])

TYPED = [
    ("said", "And in brief?\n", [b"[stop]", b"Briefly: the Danube.", b"[stop]"]),
    ("said to interrupt", "!No: in brief.\n", [b"[taken back]", b"Briefly: the Danube.", b"[stop]"]),
    ("stopped", "/stop\n", [b"[aborted]"]),
]


@pytest.mark.parametrize(("typed", "shown"), [case[1:] for case in TYPED], ids=[case[0] for case in TYPED])
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_a_run_is_steered_from_a_keyboard(typed: str, shown: list[bytes]) -> None:
    async with ReplayServer([RIVERS, Answer(["Briefly: the Danube."])], piece=3, pace_s=0.01) as server:
        environment = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "none", "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-W", "error", "-c", str(KEYBOARD)]
        with anyio.fail_after(60):
            async with await anyio.open_process(command, env=environment) as process:
                assert process.stdin is not None
                assert process.stdout is not None
                assert process.stderr is not None
                told = await process.stdout.receive()
                await process.stdin.send(typed.encode())
                async for piece in process.stdout:
                    told += piece
                errors = b"".join([piece async for piece in process.stderr])
                await process.wait()
    assert (process.returncode, errors) == (0, b"")
    assert told.startswith(b"The")
    at = 0
    for words in shown:
        assert words in told[at:], told
        at = told.index(words, at) + len(words)
    assert (b"Seine." in told) is (shown[0] == b"[stop]")


def test_the_tables_of_providers_are_those_of_the_package() -> None:
    text = (ROOT / "docs" / "providers.md").read_text()
    assert provider_table() in text, f"docs/providers.md should hold:\n{provider_table()}"


def provider_table() -> str:
    """The tables as Markdown, one row a vendor: one of each dialect that many speak, one of all others."""
    rows = [get_provider(name) for name in provider_names()]
    spoken = Counter(row.protocol for row in rows)
    common = [name for name in PROTOCOLS if spoken[name] >= COMMON]
    tables = [_table(f"in `{name}`", [_cells(row) for row in rows if row.protocol == name]) for name in common]
    others = [[*_cells(row)[:1], f"`{row.protocol}`", *_cells(row)[1:]] for row in rows if row.protocol not in common]
    return "\n\n".join([*tables, _table("in others | dialect", others)])


def _table(head: str, rows: list[list[str]]) -> str:
    lines = [f"| {head} | key | address |", "|---" * len(rows[0]) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows)])


def _cells(row: Provider) -> list[str]:
    key = f"`{row.key_variable}`" if row.key_variable else "a cloud's" if row.auth in SCHEMES else "none"
    return [row.name, f"({key})" if row.key_optional else key, row.base_url or "your own"]
