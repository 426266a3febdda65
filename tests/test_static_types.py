"""What a type checker says of code that uses the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_types_of_calls_are_those_that_a_caller_expects() -> None:
    checked = [ROOT / "tests" / "typed_usage.py"]
    done = subprocess.run([sys.executable, "-m", "mypy", *checked], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
