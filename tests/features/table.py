"""The page of features: every row with the tests that prove it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from tests.features.rows import COMPLAINTS, DOCUMENTS, FIRST, OUT_OF_SCOPE, link

__all__ = ["PAGE", "Proofs", "page", "row_ids"]

PAGE = Path(__file__).parents[2] / "docs" / "features.md"

# For the id of a row its tests, as `tests/path.py::name`, and what came of each.
Proofs: TypeAlias = Mapping[str, Mapping[str, str]]

HEAD = """# Features, each with the test that proves it

The tests make this page, and one of them compares it with what they prove:

```sh
python -m pytest -m feature --features-table
```

A row is a mark, `@pytest.mark.feature("0.17")`, on each test that proves it. A test runs for all its cases, and has
passed where all of them have.

"""


def page(proofs: Proofs) -> str:
    """The page, as Markdown."""
    parts = [HEAD, *(_section(title, "what works", rows, proofs) for title, rows in DOCUMENTS.items())]
    parts.append("Out of scope:\n\n" + "".join(f"- {id}: {text}\n" for id, text in OUT_OF_SCOPE.items()) + "\n")
    parts.append(_section("Tests that came first", "what is tested", FIRST, proofs))
    parts.append(_section("Complaints that this ends", "what users of others complain of", COMPLAINTS, proofs, link))
    return "".join(parts).rstrip("\n") + "\n"


def row_ids() -> list[str]:
    """The ids of all rows, in the order of the page."""
    return [*(id for rows in DOCUMENTS.values() for id in rows), *FIRST, *COMPLAINTS]


def _section(title: str, what: str, rows: Mapping[str, str], proofs: Proofs, shown: Callable[[str], str] = str) -> str:
    lines = [f"## {title}", "", f"| | {what} | test | result |", "|---|---|---|---|"]
    for id, text in rows.items():
        tests = proofs.get(id, {})
        where = "<br>".join(f"`{test}`" for test in sorted(tests))
        lines.append(f"| {shown(id)} | {text} | {where} | {_result(tests)} |")
    return "\n".join(lines) + "\n\n"


def _result(tests: Mapping[str, str]) -> str:
    """What came of a row: the worst of its tests."""
    return next((bad for bad in tests.values() if bad != "passed"), "passed") if tests else "not proven"
