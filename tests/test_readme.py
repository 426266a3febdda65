"""What the README and the docs show runs, and what they list is so."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import get_args

import pytest

import streamkit
from streamkit import Event, Message, Part, Provider, Usage, get_provider, provider_names
from streamkit.deltas import Delta
from streamkit.messages import Finish
from streamkit.protocols import PROTOCOLS
from streamkit.providers.base import SCHEMES
from streamkit.testing import Answer, Call, ReplayServer
from tests.examples import EXAMPLES, PAGES, run_example
from tests.test_examples import KEYBOARD, SHOWN

COMMON = 4  # vendors that a dialect needs for a table of its own

CODE = re.compile(r"```.*?```|`[^`]+`", re.S)

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("anyio_backend", ["asyncio"])  # the example itself, in its process, chooses its own
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in SHOWN and name != KEYBOARD])
async def test_an_example_runs(name: str) -> None:
    code = EXAMPLES[name]
    script = [Answer([Call("get_weather", {"city": "Seoul"})]), Answer(["Clear, 12.3 °C."])]
    async with ReplayServer(script if "get_weather" in code else Answer(["The Rhine."]), piece=20) as server:
        done = await run_example(code, server.url)
    if "print" in code:
        assert b"lear" in done.stdout or b"Rhine" in done.stdout


def test_the_table_of_events_is_that_of_the_package() -> None:
    table = (ROOT / "docs" / "agent.md").read_text().partition("| event | when | fields |\n")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[1:]]
    events = {name.strip("`"): re.findall(r"`(\w+)`", fields) for name, _, fields in rows}
    assert events == {kind.__name__: list(kind.__struct_fields__) for kind in get_args(Event)}
    assert all(when for _, when, _ in rows)


def test_the_example_of_tests_is_one(tmp_path: Path) -> None:
    [code] = [code for code in EXAMPLES.values() if "@pytest.mark.anyio" in code]
    (tmp_path / "test_example.py").write_text(code)
    command = [sys.executable, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_example.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert "4 passed" in done.stdout, done.stdout + done.stderr


def test_every_public_name_stands_on_some_page() -> None:
    code = [text for page in PAGES if page.stem != "features" for text in CODE.findall(page.read_text())]
    words = set(re.findall(r"\w+", " ".join(code)))
    assert [name for name in streamkit.__all__ if not name.startswith("_") and name not in words] == []


def test_the_tables_of_messages_are_those_of_the_package() -> None:
    page = (ROOT / "docs" / "messages.md").read_text()
    assert _named(page, "| field | holds |") == set(Message.__struct_fields__)
    assert _named(page, "| part | fields | found |") == {kind.__name__ for kind in get_args(Part)}
    assert _named(page, "| `type` | the model stopped because |") == set(get_args(Finish))
    assert _named(page, "| field | counts |") == set(Usage.__struct_fields__)
    assert _named(page, "| delta | says |") == {kind.__name__ for kind in get_args(Delta)}


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


def _named(page: str, head: str) -> set[str]:
    """What the first column names, of the table with this head."""
    rows = page.partition(f"{head}\n")[2].partition("\n\n")[0].splitlines()[1:]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}


def _table(head: str, rows: list[list[str]]) -> str:
    lines = [f"| {head} | key | address |", "|---" * len(rows[0]) + "|"]
    return "\n".join([*lines, *(f"| {' | '.join(cells)} |" for cells in rows)])


def _cells(row: Provider) -> list[str]:
    key = f"`{row.key_variable}`" if row.key_variable else "a cloud's" if row.auth in SCHEMES else "none"
    return [row.name, f"({key})" if row.key_optional else key, row.base_url or "your own"]
