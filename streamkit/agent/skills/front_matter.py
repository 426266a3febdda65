"""The front matter of a `SKILL.md`: what a skill is for.

The form is that of https://agentskills.io/specification, checked 2026-11-30: YAML between two lines `---`, with a
`name` (that of the folder), a `description`, and perhaps a license, what it needs (`compatibility`), metadata, and the
tools that it asks for (`allowed-tools`: text with spaces, or a list). After it come the instructions.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec
from msgspec import Struct, field

from streamkit.errors import ConfigError
from streamkit.extras import how_to_install

__all__ = ["BadSkill", "FrontMatter", "parse_front_matter", "split_front_matter"]

MAX_FRONT_MATTER = 16_384  # bytes: the texts that it may hold, each at its longest, and room for metadata
MAX_NAME = 64  # characters, and so are the next
MAX_DESCRIPTION = 1024
MAX_COMPATIBILITY = 500

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_FENCE = re.compile(rb"---[ \t]*\r?\n")
_END = re.compile(rb"^---[ \t]*(\r?\n|\Z)", re.MULTILINE)


class BadSkill(Exception):
    """What is wrong with a `SKILL.md`."""


class FrontMatter(Struct, frozen=True, rename={"allowed_tools": "allowed-tools"}):
    """What stands in it; fields that nobody knows are ignored."""

    name: str
    description: str
    license: str = ""
    compatibility: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    allowed_tools: str | list[str] = ""


def split_front_matter(text: bytes) -> tuple[bytes, bytes]:
    """Return the YAML and the instructions after it; raises `BadSkill` where there is none, or no end of it."""
    text = text.removeprefix(b"\xef\xbb\xbf")
    begin = _FENCE.match(text)
    if begin is None:
        raise BadSkill("it does not begin with front matter: YAML between two lines ---")
    end = _END.search(text, begin.end())
    if end is None or end.end() > MAX_FRONT_MATTER:
        raise BadSkill(f"its front matter has no end, a line ---, within {MAX_FRONT_MATTER} bytes")
    return text[begin.end() : end.start()], text[end.end() :]


def parse_front_matter(yaml: bytes, folder: str) -> FrontMatter:
    """Return what the YAML says, every value as text; raises `BadSkill` for what is not of the form.

    Raises `ConfigError` where PyYAML is not installed.
    """
    try:
        found = msgspec.convert(_decode(yaml), FrontMatter)
    except msgspec.ValidationError as error:
        raise BadSkill(f"its front matter is not of the form: {error}") from None
    if len(found.name) > MAX_NAME or not _NAME.fullmatch(found.name):
        raise BadSkill(f"{found.name[:99]!r} is no name: it takes {MAX_NAME} small letters, digits and single hyphens")
    if found.name != folder:
        raise BadSkill(f"its name is {found.name!r}, but its folder's {folder!r}: they must be the same")
    for name, text, longest in (
        ("description", found.description, MAX_DESCRIPTION),
        ("compatibility", found.compatibility, MAX_COMPATIBILITY),
    ):
        if len(text) > longest:
            raise BadSkill(f"its {name} has {len(text)} characters, more than {longest}")
    if not found.description.strip():
        raise BadSkill("its description is empty, so nothing tells what it is for")
    return found


def _decode(yaml: bytes) -> Any:
    try:
        from yaml import BaseLoader, YAMLError, load
    except ImportError:
        raise ConfigError(f"skills are read by PyYAML: {how_to_install('skills')}") from None
    try:
        # The loader that knows text, lists and maps only: no tag makes an object, no number or date is guessed, and no
        # merge key multiplies what it names. What an alias names is never copied, since no field of ours holds depth.
        return load(yaml.decode(), Loader=BaseLoader)
    except UnicodeDecodeError as error:
        raise BadSkill(f"its front matter is no UTF-8: {error.reason} at byte {error.start}") from None
    except (YAMLError, ValueError, ArithmeticError, RecursionError) as error:
        raise BadSkill(f"its front matter is no YAML: {' '.join(str(error).split())}") from None
