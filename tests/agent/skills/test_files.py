"""Files below a folder: what is read, and that nothing outside ever is."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from streamkit.agent.skills import files
from streamkit.agent.skills.files import Unreadable, list_entries, list_files, read_file, split_path

SECRET = b"SECRET"


@pytest.fixture(params=["below", "seen"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways to open a file: that of this system, and that of one which always follows symlinks."""
    if request.param == "seen":
        monkeypatch.setattr(files, "_OPENS_BELOW", False)
        monkeypatch.setattr(files, "_FILE", os.O_RDONLY | os.O_NONBLOCK)
    return str(request.param)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder with files beside one with a secret."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_bytes(SECRET)
    root = tmp_path / "root"
    (root / "a" / "b").mkdir(parents=True)
    (root / "a" / "one.md").write_bytes(b"one")
    (root / "a" / "b" / "two.md").write_bytes(b"two")
    return root


PATHS = [
    ("a.md", ("a.md",)),
    ("references/a.md", ("references", "a.md")),
    ("./references/./a.md", ("references", "a.md")),
    ("a b/\N{SNOWMAN}.md", ("a b", "\N{SNOWMAN}.md")),
    (".hidden", (".hidden",)),
    ("..a/b..", None),
    ("...", None),
    ("", None),
    (".", None),
    ("..", None),
    ("../secret.txt", None),
    ("a/../../outside/secret.txt", None),
    ("a/..", None),
    ("/etc/passwd", None),
    ("//host/share", None),
    ("a//b", None),
    ("a/", None),
    ("C:/Windows", None),
    ("C:a", None),
    ("a:stream", None),
    ("a\\b", None),
    ("..\\secret.txt", None),
    ("\\\\host\\share", None),
    ("a\0", None),
    ("a\n", None),
    ("a\x1b[31m", None),
    ("a\N{RIGHT-TO-LEFT OVERRIDE}b", None),
    ("a\ud800", None),
    ("a.", None),
    ("a ", None),
    ("con", None),
    ("a/NUL.txt", None),
    ("com1", None),
]


@pytest.mark.parametrize(("path", "parts"), PATHS)
def test_only_a_relative_path_downwards_is_taken(path: str, parts: tuple[str, ...] | None) -> None:
    if parts is not None:
        assert split_path(path) == parts
        return
    with pytest.raises(Unreadable):
        split_path(path)


def test_a_file_is_read_as_far_as_the_limit(root: Path) -> None:
    assert read_file(root, ("a", "one.md"), 3) == b"one"
    assert read_file(root, ("a", "b", "two.md"), 100) == b"two"
    assert read_file(root, ("a", "one.md"), 2, whole=False) == b"on"
    with pytest.raises(Unreadable, match="more than the 2 bytes that are read"):
        read_file(root, ("a", "one.md"), 2)


@pytest.mark.parametrize("parts", [("a", "none.md"), ("none", "one.md")])
def test_what_is_not_there_is_the_systems_own_error(root: Path, parts: tuple[str, ...]) -> None:
    with pytest.raises(FileNotFoundError):
        read_file(root, parts, 10)


@pytest.mark.parametrize("parts", [("a",), ("a", "b"), ("a", "one.md", "x")])
def test_what_is_no_file_is_not_read(root: Path, parts: tuple[str, ...]) -> None:
    with pytest.raises((Unreadable, NotADirectoryError)):
        read_file(root, parts, 10)


LINKS: list[tuple[str, str, tuple[str, ...]]] = [
    ("to a file outside", "a/link.md -> ../../outside/secret.txt", ("a", "link.md")),
    ("to a file by its absolute path", "a/link.md -> {outside}/secret.txt", ("a", "link.md")),
    ("to a file inside", "a/link.md -> one.md", ("a", "link.md")),
    ("to nothing", "a/link.md -> nothing", ("a", "link.md")),
    ("to itself", "a/link.md -> link.md", ("a", "link.md")),
    ("to a folder outside", "a/link -> ../../outside", ("a", "link", "secret.txt")),
    ("to a folder inside", "a/link -> b", ("a", "link", "two.md")),
    ("of the first component", "link -> ../outside", ("link", "secret.txt")),
]


@pytest.mark.parametrize(("link", "parts"), [case[1:] for case in LINKS], ids=[case[0] for case in LINKS])
def test_a_symlink_is_not_followed(root: Path, link: str, parts: tuple[str, ...]) -> None:
    place, _, target = link.partition(" -> ")
    (root / place).symlink_to(target.format(outside=root.parent / "outside"))
    with pytest.raises(Unreadable, match="symlink"):
        read_file(root, parts, 100)
    with pytest.raises(Unreadable, match="symlink"):
        list_entries(root, parts[: place.count("/") + 1])
    assert "secret" not in str(list(list_files(root)))


def test_a_root_that_became_a_symlink_is_not_followed(root: Path) -> None:
    root.rename(root.parent / "moved")
    root.symlink_to("moved")
    with pytest.raises(Unreadable, match="symlink"):
        read_file(root, ("a", "one.md"), 10)
    with pytest.raises(Unreadable, match="symlink"):
        list_entries(root)


def pipe(path: Path) -> None:
    os.mkfifo(path)


def listening(path: Path) -> None:
    here = os.getcwd()
    os.chdir(path.parent)  # the name of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(here)


@pytest.mark.parametrize("make", [pipe, listening])
def test_what_is_no_regular_file_neither_blocks_nor_is_read(root: Path, make: Callable[[Path], None]) -> None:
    make(root / "a" / "odd")
    with pytest.raises((Unreadable, OSError)):
        read_file(root, ("a", "odd"), 10)
    assert ("odd", "other") in list_entries(root, ("a",))
    assert "a/odd" not in list(list_files(root))


def test_files_are_listed_by_name_and_folder(root: Path) -> None:
    for path in (".git/config", "a/.env", "a/b/c/three.md", "zero.md", "a/b\\c", "a/con", "a/d:e", "a/f\n"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(b"")
    found = list(list_files(root))
    assert found == ["zero.md", "a/one.md", "a/b/two.md", "a/b/c/three.md"]
    assert all(read_file(root, split_path(path), 10) is not None for path in found)
    assert list(list_files(root, ("a", "b"))) == ["two.md", "c/three.md"]


def test_what_is_too_deep_is_not_listed(root: Path) -> None:
    deep = root
    for number in range(files.MAX_DEPTH + 1):
        deep = deep / "d"
        deep.mkdir()
        (deep / f"{number}.md").write_bytes(b"")
    assert len([path for path in list_files(root) if path.startswith("d/")]) == files.MAX_DEPTH


def test_no_descriptor_is_left_open(root: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    (root / "a" / "link").symlink_to("b")
    for parts in (("a", "one.md"), ("a", "none"), ("a", "link", "two.md"), ("a",), ("none", "x")):
        try:
            read_file(root, parts, 2)
        except (Unreadable, OSError):
            pass
    list(list_files(root))
    assert len(os.listdir("/dev/fd")) == before


# Where nothing can be opened below a folder, what comes between a look and the opening is noticed for the file only.
RACES = [("below", "folder"), ("below", "file"), ("seen", "file")]


@pytest.mark.parametrize(("way", "component"), RACES, indirect=["way"])
def test_a_symlink_that_appears_while_a_file_is_read_is_not_followed(root: Path, way: str, component: str) -> None:
    """Another thread puts a symlink in the place of the file, or of its folder, and takes it away, over and over."""
    place = root / "a" / ("b" if component == "folder" else "two.md")
    if component == "file":
        place.write_bytes(b"two")
    (root.parent / "outside" / "two.md").write_bytes(SECRET)
    target = "../../outside" if component == "folder" else "../../outside/two.md"
    ended = threading.Event()

    def swap() -> None:
        while not ended.is_set():
            place.rename(root / "kept")
            place.symlink_to(target)
            place.unlink()
            (root / "kept").rename(place)

    swapping = threading.Thread(target=swap)
    swapping.start()
    found = set()
    parts = ("a", "b", "two.md") if component == "folder" else ("a", "two.md")
    try:
        for attempt in range(100_000):
            try:
                found.add(read_file(root, parts, 10))
            except Unreadable:
                found.add(b"a symlink")
            except FileNotFoundError:
                pass
            if attempt > 500 and len(found) > 1:  # it was met in both states
                break
    finally:
        ended.set()
        swapping.join()
    assert found == {b"two", b"a symlink"}


@pytest.mark.parametrize("way", ["seen"], indirect=True)
def test_a_symlink_that_comes_between_the_look_and_the_opening_is_noticed(
    root: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    look = files._look_at

    def look_and_be_late(root: Path, parts: tuple[str, ...]) -> os.stat_result:
        seen = look(root, parts)
        (root / "a" / "one.md").unlink()
        (root / "a" / "one.md").symlink_to("../../outside/secret.txt")
        return seen

    monkeypatch.setattr(files, "_look_at", look_and_be_late)
    with pytest.raises(Unreadable, match="it was replaced while it was opened"):
        read_file(root, ("a", "one.md"), 10)
