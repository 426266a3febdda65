"""Every row has its test, and the page says so."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeAlias

from tests.features.rows import DOCUMENTS, OUT_OF_SCOPE
from tests.features.table import PAGE, page, row_ids

TESTS = Path(__file__).parents[1]
# What keeps a test from running, or lets it fail.
EXCUSES = {"skip", "skipif", "xfail", "importorskip", "recording", "live", "sdk", "soak", "bench"}
# The first number of each document's rows, and how many it has.
LAST = {"Message format": ("0", 31), "Content items": ("1", 14), "Foundation": ("3", 51), "AgentCore": ("4", 43)}

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@cache
def marked() -> dict[str, tuple[Function, list[str]]]:
    """Every marked test by its path and name, with its rows."""
    found = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        source = path.read_text()
        if "mark.feature(" in source:
            for function, ids in _marked(ast.parse(source)):
                found[f"{path.relative_to(TESTS.parent).as_posix()}::{function.name}"] = function, ids
    return found


def _marked(tree: ast.Module) -> Iterator[tuple[Function, list[str]]]:
    for function in tree.body:
        if isinstance(function, Function):
            calls = [mark for mark in function.decorator_list if isinstance(mark, ast.Call)]
            marks = [call for call in calls if ast.unparse(call.func) == "pytest.mark.feature"]
            if marks:
                yield function, [ast.literal_eval(id) for mark in marks for id in mark.args]


def test_every_row_has_a_test_and_every_mark_a_row() -> None:
    proven = {id for _, ids in marked().values() for id in ids}
    bare = [id for id in row_ids() if id not in proven]
    assert not bare, f"no test proves {', '.join(bare)}"
    unknown = proven - set(row_ids())
    assert not unknown, f"no row is {', '.join(sorted(unknown))}"


def test_the_rows_are_those_of_the_documents() -> None:
    for title, (number, last) in LAST.items():
        numbers = [f"{number}.{n}" for n in range(1, last + 1)]
        assert list(DOCUMENTS[title]) == [id for id in numbers if id not in OUT_OF_SCOPE]
    assert len(set(row_ids())) == len(row_ids())


def test_a_test_that_proves_a_row_always_runs() -> None:
    """Neither its marks nor its body skip it, and what it needs is always there."""
    for test, (function, _) in marked().items():
        names = {node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
        names |= {argument.arg for argument in function.args.args}
        assert not names & EXCUSES, f"{test} may be skipped: {names & EXCUSES}"


def test_the_page_is_that_of_the_tests() -> None:
    proofs: dict[str, dict[str, str]] = {}
    for test, (_, ids) in marked().items():
        for id in ids:
            proofs.setdefault(id, {})[test] = "passed"
    assert PAGE.read_text() == page(proofs), "run: python -m pytest -m feature --features-table"
