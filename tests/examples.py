"""The code blocks of the README and of the docs, and a process that runs one."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import anyio

__all__ = ["EXAMPLES", "PAGES", "command", "environment", "run_example"]

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
# By page and number: "agent-4" is the fourth of docs/agent.md.
EXAMPLES = {
    f"{page.stem}-{number}": block
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.S), 1)
}


def command(code: str, backend: str = "asyncio") -> list[str]:
    """What runs an example, on the event loop of that name; warnings are errors."""
    code = re.sub(r"^( *anyio\.run\(.*)\)$", rf"\1, backend={backend!r})", code, flags=re.M)
    return [sys.executable, "-W", "error", "-c", code]


def environment(url: str) -> dict[str, str]:
    """Where an example finds the providers."""
    return {
        "ANTHROPIC_BASE_URL": url,
        "OPENAI_BASE_URL": url,
        "ANTHROPIC_API_KEY": "none",
        "OPENAI_API_KEY": "none",
        "PYTHONPATH": str(ROOT),
        "PYTHONIOENCODING": "utf-8",
    }


async def run_example(code: str, url: str, backend: str = "asyncio") -> subprocess.CompletedProcess[bytes]:
    """Run it to its end against the server at `url`; it succeeds without a word on standard error, or an empty line."""
    with anyio.fail_after(60):
        done = await anyio.run_process(command(code, backend), env=environment(url), check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    assert all(line.strip() for line in done.stdout.splitlines())
    return done
