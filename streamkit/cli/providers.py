"""`streamkit providers`: every vendor that is known here, and what each takes."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import groupby
from typing import Any

import msgspec
from msgspec import Struct, structs

from streamkit.cli.escape import escape_json
from streamkit.cli.screen import Screen
from streamkit.protocols import PROTOCOLS, Quirks
from streamkit.protocols.thinking import LEVELS
from streamkit.providers import PROVIDERS, Provider, get_provider, provider_names
from streamkit.providers.abilities import Abilities, find_abilities

__all__ = ["Listing", "list_providers", "read_listing"]

NARROWEST, WIDEST = 40, 100  # columns of a terminal that are used
LABEL = 12  # columns of the labels of one vendor
HEADS = ("NAME", "DIALECT", "KEY", "SET", "ADDRESS", "THINKING", "TOOLS", "IMAGES", "ANSWERS", "LEFT-OUT")


class Listing(Struct, frozen=True, kw_only=True):
    """A vendor as it is listed: `key_set` says whether the variable holds anything, never what.

    `departures` are the fields of `Quirks` that are not as in the dialect.
    """

    name: str
    dialect: str
    also: tuple[str, ...]
    about: str
    address: str
    address_variable: str
    key_variable: str
    key_optional: bool
    key_set: bool
    auth: str
    abilities: Abilities
    departures: dict[str, Any]


def list_providers(name: str | None = None, *, as_json: bool = False, screen: Screen | None = None) -> int:
    """Print all vendors by their dialect, or the one called `name` in full; return the exit code.

    In a terminal a vendor has two lines, in a pipe one. Raises `ConfigError` where there is no vendor `name`.
    """
    screen = screen or Screen()
    listings = [read_listing(get_provider(each)) for each in ([name] if name else provider_names())]
    if as_json:
        text = msgspec.json.format(msgspec.json.encode(listings[0] if name else listings), indent=2)
        screen.line(escape_json(text.decode()))
    elif name:
        _show(listings[0], screen)
    elif screen.is_terminal:
        _list(listings, screen)
    else:
        for line in _lines(listings):
            screen.line(line)
    return 0


def read_listing(row: Provider) -> Listing:
    """Return what is to be told of the vendor of `row`."""
    plain = Quirks()
    return Listing(
        name=row.name,
        dialect=row.protocol,
        also=row.also,
        about=_about(row),
        address=row.base_url,
        address_variable=row.env_base_url,
        key_variable=row.key_variable,
        key_optional=row.key_optional,
        key_set=bool(row.key_variable and os.environ.get(row.key_variable, "").strip()),
        auth=row.auth,
        abilities=find_abilities(row),
        departures={name: value for name, value in structs.asdict(row.quirks).items() if value != getattr(plain, name)},
    )


def _about(row: Provider) -> str:
    """What the file of a row says of it; a row of the user's own has none."""
    if row.name not in PROVIDERS:
        return ""
    return (import_module(f"streamkit.providers.{row.name.replace('-', '_')}").__doc__ or "").strip()


def _list(listings: list[Listing], screen: Screen) -> None:
    width = _width()
    order = list(PROTOCOLS)
    listings = sorted(listings, key=lambda listing: (order.index(listing.dialect), listing.name))
    for dialect, group in groupby(listings, key=lambda listing: listing.dialect):
        members = list(group)
        name, key = (max(len(text) for text in column) for column in zip(*map(_labels, members), strict=True))
        left = width - name - key - len("  ".join(("", "", "", "set", "")))
        screen.line(dialect, "bold")
        for listing in members:
            screen.write(f"  {listing.name:<{name}}", "cyan")
            screen.write(f"  {_labels(listing)[1]:<{key}}  ")
            screen.write(f"{'set' if listing.key_set else 'no':<3}", "green" if listing.key_set else "dim")
            screen.write(f"  {_cut(listing.address.removeprefix('https://') or 'your own', left)}\n")
            for line in textwrap.wrap(_summary(listing.abilities), width - 6):
                screen.line(f"      {line}", "dim")
        screen.gap()
    screen.line("Each with the variable of its key, whether that is set, and its address.", "dim")
    screen.line("A key in brackets is optional.", "dim")
    screen.line("`streamkit providers NAME` shows one in full.", "dim")


def _labels(listing: Listing) -> tuple[str, str]:
    key = listing.key_variable or "no key"
    return listing.name, f"({key})" if listing.key_optional or not listing.key_variable else key


def _show(listing: Listing, screen: Screen) -> None:
    width = _width()
    screen.line(listing.name, "bold")
    for paragraph in filter(None, listing.about.split("\n\n")):
        for line in textwrap.wrap(" ".join(paragraph.split()), width - 2, break_on_hyphens=False):
            screen.line(f"  {line}")
    screen.gap()
    for label, text in _facts(listing):
        lines = [
            line for part in text.split("\n") for line in textwrap.wrap(part, width - LABEL - 2, break_on_hyphens=False)
        ]
        for number, line in enumerate(lines):
            screen.write(f"  {'' if number else label:<{LABEL}}", "dim")
            screen.write(f"{line}\n")


def _facts(listing: Listing) -> Iterator[tuple[str, str]]:
    can = listing.abilities
    yield "dialect", ", ".join((listing.dialect, *(f"and reads {other}" for other in listing.also)))
    variable = f"; {listing.address_variable} overrides it" if listing.address_variable else ""
    yield "address", (listing.address or "your own") + variable
    if listing.key_variable:
        optional = ", optional" if listing.key_optional else ""
        yield "key", f"{listing.key_variable} ({'set' if listing.key_set else 'not set'}{optional})"
    yield "sent as", listing.auth
    yield "thinking", ", ".join([*can.thinking, *["a number of tokens"] * can.budget]) or "cannot be asked for"
    several = "; whether several at once" if can.parallel_calls else ""
    yield "tools", f"{', '.join(can.tool_choices)}{several}" if can.tools else "none"
    yield "images", " or ".join(f"by {way}" for way in can.images) or "none"
    yield "answers", {"schema": "text, or JSON by a schema", "json": "text, or any JSON", "no": "text"}[can.structured]
    yield "left out", ", ".join(can.left_out) or "nothing"
    yield "departures", "\n".join(f"{name} = {value!r}" for name, value in listing.departures.items()) or "none"


def _summary(can: Abilities) -> str:
    """What a vendor takes, in a few words: what is as everywhere in one, what is not in more."""
    thinking = ", ".join([*_runs(can.thinking), *["budget"] * can.budget])
    choices = "" if len(can.tool_choices) == 4 else f" ({', '.join(can.tool_choices)})"
    parts = [
        f"thinking {thinking}" if thinking else "no thinking",
        f"tools{choices}" if can.tools else "no tools",
        "images" if len(can.images) == 2 else f"images by {can.images[0]}" if can.images else "no images",
        {"schema": "schemas", "json": "JSON", "no": "no JSON"}[can.structured],
    ]
    return "; ".join([*parts, *([f"not {', '.join(can.left_out)}"] if can.left_out else [])])


def _runs(levels: list[str]) -> list[str]:
    """Levels with three or more in a row as `first..last`."""
    places = [LEVELS.index(level) if level in LEVELS else -9 * number for number, level in enumerate(levels, 1)]
    runs: list[list[str]] = []
    for number, (level, place) in enumerate(zip(levels, places, strict=True)):
        if number and place == places[number - 1] + 1:
            runs[-1].append(level)
        else:
            runs.append([level])
    return [text for run in runs for text in ([f"{run[0]}..{run[-1]}"] if len(run) > 2 else run)]


def _lines(listings: Iterable[Listing]) -> Iterator[str]:
    """A table with no space in any cell, its columns as wide as they need to be."""
    rows = [HEADS, *map(_cells, listings)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADS))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _cells(listing: Listing) -> tuple[str, ...]:
    can = listing.abilities
    return (
        listing.name,
        listing.dialect,
        listing.key_variable or "-",
        "yes" if listing.key_set else "no",
        listing.address or "-",
        _listed([*can.thinking, *["budget"] * can.budget]),
        _listed(can.tool_choices),
        _listed(can.images),
        can.structured,
        _listed(can.left_out),
    )


def _listed(words: Iterable[str]) -> str:
    return ",".join(words) or "-"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 2, 0)] + ".."


def _width() -> int:
    return min(max(shutil.get_terminal_size().columns, NARROWEST), WIDEST)
