"""What a docstring says of a function and of its parameters: Google's, NumPy's and Sphinx's styles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from inspect import cleandoc

from msgspec import Struct

__all__ = ["Docstring", "parse_docstring"]

# Headings, in lower case, of sections about parameters and of others, in Google's and NumPy's styles.
_PARAMETERS = {"args", "arguments", "parameters", "params", "keyword args", "keyword arguments", "other parameters"}
_OTHERS = {
    *("returns", "return", "yields", "yield", "receives", "raises", "raise", "except", "exceptions", "warns"),
    *("warning", "warnings", "note", "notes", "example", "examples", "see also", "references", "attributes", "todo"),
}
_HEADINGS = _PARAMETERS | _OTHERS

_GOOGLE_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\(.*?\))?\s*:(?:\s+(.*))?$")
_NUMPY_RULE = re.compile(r"-{3,}\s*$")
_NUMPY_ENTRY = re.compile(r"(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$")
_FIELD = re.compile(r":(\w+)(?:\s+([^:]+))?:(?:\s+(.*))?$")
_FIELD_PARAMETERS = {"param", "parameter", "arg", "argument", "key", "keyword"}
_FIELDS = _FIELD_PARAMETERS | {"type", "return", "returns", "rtype", "raise", "raises", "except", "exception", "yields"}


class Docstring(Struct, frozen=True):
    """The prose before the first section, and what is said of each parameter, in one line each."""

    description: str
    parameters: dict[str, str]


class _Section(Struct):
    style: str  # prose, google, numpy or field
    heading: str = ""
    lines: list[str] = []


def parse_docstring(doc: str | None) -> Docstring:
    """Return what `doc` says; what is in none of the three styles counts as prose."""
    opening, *sections = _sections(cleandoc(doc or "").splitlines())
    found: dict[str, list[str]] = {}
    for section in sections:
        if section.style == "field":
            found.update(_field(section))
        elif section.heading in _PARAMETERS:
            found.update(_google(section.lines) if section.style == "google" else _numpy(section.lines))
    texts = {name: " ".join(filter(None, map(str.strip, lines))) for name, lines in found.items()}
    return Docstring("\n".join(opening.lines).strip(), {name: text for name, text in texts.items() if text})


def _sections(lines: list[str]) -> Iterator[_Section]:
    section = _Section("prose")
    for at, line in enumerate(lines):
        following = lines[at + 1] if at + 1 < len(lines) else ""
        if _NUMPY_RULE.match(line) and section.style == "numpy" and not section.lines:
            continue
        if line and not line[0].isspace() and (opened := _opened(line, following, section.style)):
            yield section
            section = opened
        else:
            section.lines.append(line)
    yield section


def _opened(line: str, following: str, style: str) -> _Section | None:
    """The section that an unindented line opens, None where it goes on with the one before."""
    title = line.strip()
    if title.lower() in _HEADINGS and _NUMPY_RULE.match(following):
        return _Section("numpy", title.lower())
    if title.endswith(":") and title[:-1].lower() in _HEADINGS and (not following or following[0].isspace()):
        return _Section("google", title[:-1].lower())
    if (match := _FIELD.match(title)) and match[1] in _FIELDS:
        return _Section("field", title)
    if style in ("google", "field"):
        return _Section("prose", lines=[line])  # their sections are indented, so this one is over
    return None


def _google(lines: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    entry: list[str] = []
    first = next((line for line in lines if line.strip()), "")
    indent = len(first) - len(first.lstrip())
    for line in lines:
        if (match := _GOOGLE_ENTRY.match(line[indent:])) and not line[:indent].strip():
            entry = found[match[1]] = [match[2] or ""]
        else:
            entry.append(line)
    return found


def _numpy(lines: list[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    entry: list[str] = []
    for line in lines:
        if match := _NUMPY_ENTRY.match(line):
            entry = []
            found.update((name.strip(" *"), entry) for name in match[1].split(","))
        else:
            entry.append(line)
    return found


def _field(section: _Section) -> dict[str, list[str]]:
    match = _FIELD.match(section.heading)
    if match is None or match[1] not in _FIELD_PARAMETERS or not match[2]:
        return {}
    return {match[2].split()[-1].lstrip("*"): [match[3] or "", *section.lines]}
