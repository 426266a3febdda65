"""Rows of figures: how they are kept, printed and compared."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import msgspec
from msgspec import Struct

__all__ = ["Report", "Row", "compare", "load", "save", "table"]

_PACKAGES = ("streamkit", "msgspec", "httpx", "httpcore", "h11", "anyio", "httpx2", "httpx-aiohttp", "aiohttp")


class Row(Struct, frozen=True, omit_defaults=True):
    """One figure. `at_most` and `at_least` are its budget, if it has one; `note` says what it is made of."""

    suite: str
    name: str
    value: float
    unit: str
    at_most: float | None = None
    at_least: float | None = None
    note: str = ""

    @property
    def met(self) -> bool:
        """Whether the figure keeps its budget; true where it has none."""
        low = self.at_least is None or self.value >= self.at_least
        return low and (self.at_most is None or self.value <= self.at_most)


class Report(Struct, frozen=True):
    """The rows of one run with the machine and the versions that gave them."""

    machine: str
    python: str
    versions: dict[str, str]
    rows: list[Row]


def save(rows: list[Row], path: Path) -> None:
    """Write the rows as JSON, with the machine and the versions."""
    machine = f"{platform.machine()}, {platform.system()}"
    report = Report(machine, platform.python_version(), dict(_versions()), rows)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(report)) + b"\n")


def load(path: Path) -> Report:
    """Read what `save` wrote."""
    return msgspec.json.decode(path.read_bytes(), type=Report)


def table(rows: Iterable[Row]) -> str:
    """Return the rows as lines of text, a row that breaks its budget marked."""
    return "\n".join(_line(row) for row in rows)


def compare(before: Report, after: Report) -> str:
    """Return a line for each figure that both runs have, with the ratio of the later to the earlier."""
    old = {(row.suite, row.name): row for row in before.rows}
    lines = []
    for row in after.rows:
        was = old.get((row.suite, row.name))
        if was is not None and was.value:
            lines.append(
                f"{row.suite:9} {row.name:44} {was.value:10.2f} → {row.value:10.2f} {row.unit:10} "
                f"× {row.value / was.value:.2f}"
            )
    return "\n".join(lines)


def _line(row: Row) -> str:
    budget = ""
    if row.at_most is not None:
        budget = f"≤ {row.at_most:g}"
    elif row.at_least is not None:
        budget = f"≥ {row.at_least:g}"
    mark = "" if row.met else "OVER BUDGET"
    return f"{row.suite:9} {row.name:44} {row.value:10.2f} {row.unit:10} {budget:8} {mark:11} {row.note}".rstrip()


def _versions() -> Iterable[tuple[str, str]]:
    for package in _PACKAGES:
        try:
            yield package, version(package)
        except PackageNotFoundError:
            continue
