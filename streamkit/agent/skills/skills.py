"""Skills: folders of instructions that a model loads when it needs them."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from html import escape
from itertools import islice
from pathlib import Path
from typing import Any, Literal, TypeAlias, Union

from msgspec import Struct, defstruct

from streamkit.agent.skills.files import Components, Kind, Unreadable, list_entries, list_files, read_file, split_path
from streamkit.agent.skills.front_matter import (
    MAX_FRONT_MATTER,
    BadSkill,
    parse_front_matter,
    split_front_matter,
)
from streamkit.errors import ConfigError, StreamkitWarning, ToolError
from streamkit.tools import Tool

__all__ = ["Roots", "Skill", "Skills", "as_skills"]

MAX_SKILLS = 500
MAX_FILE_BYTES = 131_072
MAX_LISTED = 100  # files of one skill that the model is told of

_MAIN = "SKILL.md"
_HOW_TO = (
    "Skills hold instructions for certain tasks. Where a task fits the description of one, load it by load_skill "
    "before you go on. What it says of files is about its own folder: read_skill_file reads them."
)

Root: TypeAlias = Union[str, os.PathLike[str]]
Roots: TypeAlias = Union[Root, Iterable[Root]]


class Skill(Struct, frozen=True):
    """What is known of a skill before it is loaded; `folder` is the absolute path of its folder.

    `license`, `compatibility` (what it needs), `metadata` and `allowed_tools` are as its author says, and bind nobody.
    """

    name: str
    description: str
    folder: Path
    license: str = ""
    compatibility: str = ""
    metadata: dict[str, str] = {}
    allowed_tools: tuple[str, ...] = ()


class Skills:
    """The skills in one folder or several: each is a folder with a `SKILL.md`, as https://agentskills.io has it.

    agent = Agent("openai/gpt-5", skills=Skills(".agents/skills"))

    Only front matter is read at first. `catalog` tells names and descriptions to the model, which loads the rest by
    `tools`. A skill is whatever its author wrote, and a model follows it: give folders that you trust.

    Raises `ConfigError` where a root is no folder, where there are more than `MAX_SKILLS` skills, and without PyYAML
    (the extra `skills`). A fault in one skill makes a `StreamkitWarning`, and the skill is left out: front matter that
    is not of the form, a name that is not its folder's or that a root before has, and a symlink in place of the folder
    or of its `SKILL.md`. No file outside the roots is ever read, and of one inside `max_file_bytes` at most.
    """

    def __init__(self, roots: Roots, *, max_file_bytes: int = MAX_FILE_BYTES) -> None:
        if max_file_bytes < 1:
            raise ConfigError(f"max_file_bytes must be 1 at least, not {max_file_bytes}")
        self._max_bytes = max_file_bytes
        self._skills: dict[str, Skill] = {}
        for root in [roots] if isinstance(roots, (str, os.PathLike)) else roots:
            self._find(root)

    def __iter__(self) -> Iterator[Skill]:
        return iter(self._skills.values())

    def __len__(self) -> int:
        return len(self._skills)

    @property
    def catalog(self) -> str:
        """What a system message tells of the skills, "" where there are none: names and descriptions, escaped."""
        if not self._skills:
            return ""
        told = [
            f"<skill>\n<name>{skill.name}</name>\n<description>{escape(_line(skill.description))}</description>\n</skill>"
            for skill in self
        ]
        return "\n".join([_HOW_TO, "", "<available_skills>", *told, "</available_skills>"])

    def added_to(self, instruction: str | None) -> str | None:
        """Return an instruction with the catalog after it, if there is one; None where there is neither."""
        return "\n\n".join([*([] if instruction is None else [instruction]), self.catalog]) if self else instruction

    @property
    def tools(self) -> list[Tool]:
        """`load_skill(name)` and `read_skill_file(name, path)`; none where there are no skills."""
        if not self._skills:
            return []
        name = ("name", Literal[tuple(self._skills)])

        def load_skill(asked: Any) -> str:
            """Load the instructions of a skill, and the paths of its files."""
            return self.load(asked.name)

        def read_skill_file(asked: Any) -> str:
            """Read a file of a skill by its path, which is relative to the skill's folder."""
            return self.read(asked.name, asked.path)

        chars = 2 * self._max_bytes  # what may be read is not cut
        return [
            Tool(load_skill, parameters=defstruct("LoadSkill", [name]), max_result_chars=chars),
            Tool(read_skill_file, parameters=defstruct("ReadSkillFile", [name, ("path", str)]), max_result_chars=chars),
        ]

    def load(self, name: str) -> str:
        """Return the instructions of a skill and the paths of its files; raises `ToolError` where there are none."""
        skill = self._named(name)
        with _told(f"the skill {name!r}"):
            text = _as_text(split_front_matter(self._read(skill, (_MAIN,)))[1])
            found = list(islice(list_files(skill.folder.parent, (name,)), MAX_LISTED + 2))
        files = [path for path in found if path != _MAIN]
        if len(files) > MAX_LISTED:
            files[MAX_LISTED:] = ["(and more)"]
        needs = [f"It needs: {_line(skill.compatibility)}"] if skill.compatibility else []
        has = ["\n".join(["Its files, for read_skill_file:", *files])] if files else []
        return "\n\n".join([text.strip(), *needs, *has])

    def read(self, name: str, path: str) -> str:
        """Return a file of a skill; raises `ToolError` where the path is not that of a text in its folder."""
        skill = self._named(name)
        with _told(f"{path!r} of the skill {name!r}"):
            return _as_text(self._read(skill, split_path(path)))

    def _named(self, name: str) -> Skill:
        if name not in self._skills:
            raise ToolError(f"there is no skill {name!r}, but: {', '.join(self._skills) or 'none'}")
        return self._skills[name]

    def _read(self, skill: Skill, parts: Components) -> bytes:
        return read_file(skill.folder.parent, (skill.name, *parts), self._max_bytes)

    def _find(self, given: Root) -> None:
        # A symlink to the root itself is the caller's own: it is followed, once.
        root = Path(given).expanduser().resolve()
        try:
            entries = list_entries(root)
        except (OSError, Unreadable) as error:
            raise ConfigError(f"skills are in a folder, and {root} cannot be read as one: {error}") from None
        for name, kind in entries:
            self._add(root / name, kind)

    def _add(self, folder: Path, kind: Kind) -> None:
        name = folder.name
        try:
            if kind == "link" and (folder / _MAIN).exists():
                raise BadSkill("its folder is a symlink, which is not followed")
            if kind != "folder":
                return
            text = read_file(folder.parent, (name, _MAIN), MAX_FRONT_MATTER + 8, whole=False)
            found = parse_front_matter(split_front_matter(text)[0], name)
            if name in self._skills:
                raise BadSkill(f"there is a skill of its name at {self._skills[name].folder}")
        except FileNotFoundError:  # a folder of something else
            return
        except (BadSkill, Unreadable, OSError) as error:
            warnings.warn(f"{folder / _MAIN} is left out of the skills: {error}", StreamkitWarning, stacklevel=4)
            return
        if len(self._skills) == MAX_SKILLS:
            raise ConfigError(f"{folder.parent} has more skills than the {MAX_SKILLS} that a model is told of")
        tools = found.allowed_tools
        self._skills[name] = Skill(
            name,
            found.description,
            folder,
            found.license,
            found.compatibility,
            found.metadata,
            tuple(tools.split() if isinstance(tools, str) else tools),
        )


def as_skills(given: Skills | Roots) -> Skills:
    """Return skills that are given as such, or by the folders that they are in."""
    return given if isinstance(given, Skills) else Skills(given)


def _line(text: str) -> str:
    """A text in one line, without what cannot be seen."""
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def _as_text(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise Unreadable("it is no text in UTF-8")
    return text


@contextmanager
def _told(what: str) -> Iterator[None]:
    """Tell a model, not the program, that something cannot be read."""
    try:
        yield
    except FileNotFoundError:
        raise ToolError(f"{what} cannot be read: there is no such file") from None
    except OSError as error:
        raise ToolError(f"{what} cannot be read: {error.strerror}") from None
    except (BadSkill, Unreadable) as error:
        raise ToolError(f"{what} cannot be read: {error}") from None
