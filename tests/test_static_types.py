"""What a type checker says of code that uses the package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.examples import EXAMPLES, ROOT


def test_examples_and_calls_have_the_types_that_a_caller_expects(tmp_path: Path) -> None:
    checked = [ROOT / "tests" / "typed_usage.py"]
    for name, code in EXAMPLES.items():
        checked.append(tmp_path / f"{name.replace('-', '_')}.py")
        checked[-1].write_text(code)
    done = subprocess.run([sys.executable, "-m", "mypy", *checked], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
