"""The shape of the package: which module may import what, and that registries, files and tests agree."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import streamkit
from streamkit.protocols import PROTOCOLS, get_protocol
from streamkit.providers import PROVIDERS, get_provider

TESTS = Path(__file__).parent
PACKAGE = TESTS.parent / "streamkit"

# A module imports from its own row or an earlier one. The names are those of modules and packages in `streamkit`.
ROWS = [
    "errors extras usage partial_json limits tags timing",
    "parts blocks messages marks deltas wire",
    "events accumulator assembly protocols stopwatch tools custom",
    "providers ui interop keys endpoint params images models structured",
    "transport credentials testing",
    "sessions",
    "client telemetry",
    "agent bench relay mcp",
    "cli __main__",
]
ROW = {name: number for number, names in enumerate(ROWS, 1) for name in names.split()}
FIRST_WITH_IO = ROW["transport"]
IO = {"anyio", "h11", "httpcore", "httpx", "httpx2", "httpx_aiohttp", "httpx_sse", "sniffio", "socket", "ssl", "trio"}
CLOCKS = {"time", "datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
HOLD_THE_TIME = {"interop/foundation/ids"}  # what makes ids that sort by time
IMPORTERS_OF_TESTING = {"cli", "testing"}

# Modules without a test of their own, and where they are tested.
TESTED_ELSEWHERE: dict[str, str] = {
    "__init__": "tests/test_layout.py",
    "agent/link": "tests/agent/test_hooks.py",
    "agent/transcript": "tests/agent/test_loop.py",
    "agent/turns": "tests/agent/test_hooks.py",
    "client/asking": "tests/client/test_stream.py",
    "assembly": "tests/test_accumulator.py",
    "transport/faults": "tests/transport/test_exchange.py",
}

MODULES = {str(path.relative_to(PACKAGE).with_suffix("")): path for path in sorted(PACKAGE.rglob("*.py"))}
TREES = {name: ast.parse(path.read_text()) for name, path in MODULES.items()}
INSIDE = [name for name in MODULES if name != "__init__"]


def part(name: str) -> str:
    """The module or package of the first level that a module belongs to."""
    return name.partition("/")[0]


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Every node that runs: what stands under TYPE_CHECKING is for type checkers only."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and isinstance(child.test, ast.Name) and child.test.id == "TYPE_CHECKING":
            continue
        yield child
        yield from statements(child)


def imports(name: str) -> set[str]:
    """The dotted names that a module imports, wherever in it."""
    found: set[str] = set()
    for node in statements(TREES[name]):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name} has a relative import at line {node.lineno}"
            found |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def imported_parts(name: str) -> set[str]:
    return {found.split(".")[1] for found in imports(name) if found.startswith("streamkit.")} & set(ROW)


def is_trivial(name: str) -> bool:
    """Whether a module is a docstring, imports and constants."""
    return not any(isinstance(node, (ast.ClassDef, ast.FunctionDef)) for node in ast.walk(TREES[name]))


def is_row_of_data(name: str) -> bool:
    return part(name) == "providers" and is_trivial(name)


@pytest.mark.parametrize("name", INSIDE)
def test_a_module_imports_from_its_own_row_or_an_earlier_one(name: str) -> None:
    assert part(name) in ROW, f"{part(name)} stands in no row"
    later = {other for other in imported_parts(name) if ROW[other] > ROW[part(name)]}
    assert not later, f"{name} imports from later rows: {sorted(later)}"


@pytest.mark.parametrize("name", [name for name in INSIDE if ROW.get(part(name), 0) < FIRST_WITH_IO])
def test_the_lower_rows_know_no_network_no_clock_and_no_await(name: str) -> None:
    roots = {found.partition(".")[0] for found in imports(name)}
    attributes = {ast.unparse(node) for node in ast.walk(TREES[name]) if isinstance(node, ast.Attribute)}
    forbidden = (roots & IO) | (set() if name in HOLD_THE_TIME else (roots | attributes) & CLOCKS)
    assert not forbidden, f"{name} uses {sorted(forbidden)}"
    asynchronous = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await)
    lines = [node.lineno for node in ast.walk(TREES[name]) if isinstance(node, asynchronous)]
    assert not lines, f"{name} is asynchronous at lines {lines}"


def test_only_the_command_line_imports_the_testing_kit() -> None:
    assert {part(name) for name in INSIDE if "testing" in imported_parts(name)} <= IMPORTERS_OF_TESTING


@pytest.mark.parametrize("name", MODULES)
def test_a_module_has_its_test(name: str) -> None:
    package, _, module = name.removesuffix("/__init__").rpartition("/")
    test = TESTS / package / f"test_{module}.py"
    if name in TESTED_ELSEWHERE:
        assert not test.exists(), f"{name} has a test of its own: take it off the list"
        assert (TESTS.parent / TESTED_ELSEWHERE[name]).exists()
    elif not is_row_of_data(name) and not (name.endswith("__init__") and is_trivial(name)):
        assert test.exists(), f"{name} has no {test.relative_to(TESTS.parent)}"


def test_the_list_of_modules_tested_elsewhere_names_modules() -> None:
    assert set(TESTED_ELSEWHERE) <= set(MODULES)


def test_the_registry_of_providers_and_their_files_agree() -> None:
    files = {name.partition("/")[2].replace("_", "-") for name in INSIDE if is_row_of_data(name)}
    assert files == set(PROVIDERS)
    for word in PROVIDERS:
        assert get_provider(word).name == word
        assert get_provider(word).protocol in PROTOCOLS


def test_the_registry_of_protocols_and_their_files_agree() -> None:
    files = {
        name.removeprefix("protocols/").removesuffix("/__init__")
        for name, tree in TREES.items()
        if part(name) == "protocols"
        for node in tree.body
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == "PROTOCOL" for to in node.targets)
    }
    assert files == set(PROTOCOLS.values())
    for word in PROTOCOLS:
        assert get_protocol(word).name == get_protocol(word).parser_type.protocol == word


@pytest.mark.parametrize("module", streamkit._HOME)
def test_what_the_top_level_exports_is_public_where_it_is_defined(module: str) -> None:
    home = import_module(module)
    assert set(streamkit._HOME[module]) <= set(home.__all__)
    for name in streamkit._HOME[module]:
        assert getattr(streamkit, name) is getattr(home, name)


def test_the_top_level_exports_each_name_once() -> None:
    names = [name for names in streamkit._HOME.values() for name in names]
    assert sorted(streamkit.__all__) == sorted(["__version__", *names])
    assert set(dir(streamkit)) >= set(streamkit.__all__)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = streamkit.nonsense


USES = [
    ("import", "pass"),
    ("parsing", "s.get_provider('anthropic').parser().feed(b''); s.get_provider('openai').parser(); s.accumulate([])"),
]


@pytest.mark.parametrize("use", [case[1] for case in USES], ids=[case[0] for case in USES])
def test_neither_import_nor_parsing_loads_the_network(use: str) -> None:
    code = f"import sys, streamkit as s; {use}; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {name.partition(".")[0] for name in loaded} & {"anyio", "asyncio", "httpx", "httpx_sse", "h11", "ssl"}
