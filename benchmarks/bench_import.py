"""What `import streamkit` costs a process, beside `import msgspec`."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from statistics import median

from benchmarks.results import Row

__all__ = ["imports"]

PAIRS = 21
CASES = [
    ("import streamkit", "import streamkit", 1.6),
    ("… and use of the engine", "import streamkit as s; s.get_protocol('openai-chat').parser(); s.Accumulator()", None),
    ("… and of the client", "import streamkit as s; s.Client('llamacpp/m')", None),
]


def imports() -> Iterator[Row]:
    """Yield the wall time of the process as a multiple of msgspec's: median of 21 pairs."""
    for name, code, budget in CASES:
        pairs = [(_run("import msgspec"), _run(code)) for _ in range(PAIRS)]
        note = f"{median(b for _, b in pairs) * 1e3:.0f} ms, msgspec {median(a for a, _ in pairs) * 1e3:.0f} ms"
        yield Row("import", name, median(b / a for a, b in pairs), "× msgspec", budget, note=note)


def _run(code: str) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start
