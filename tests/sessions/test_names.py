from __future__ import annotations

import os
from pathlib import Path

import pytest

from streamkit.errors import ConfigError, SessionError
from streamkit.sessions.names import check_name, check_regular, create_file, make_root, open_file

GOOD = ["trip", "Trip-2", "2026-11-30T10.00_a", "a" * 128, "common"]
BAD = [
    "",
    ".",
    "..",
    "../a",
    "a/b",
    "a\\b",
    "/etc/passwd",
    "a\0b",
    "a\n",
    " a",
    "-a",
    ".a",
    "a.",
    "ä",
    "a" * 129,
    "CON",
]


@pytest.mark.parametrize("name", GOOD)
def test_a_name_is_one_component_of_plain_characters(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize("name", [*BAD, "nul.txt", "com1", "a:b", "~", "a b"])
def test_a_name_that_could_lead_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="is no name for a session"):
        check_name(name)


def test_the_root_is_made_for_its_owner_only_and_a_symlink_to_it_is_followed(tmp_path: Path) -> None:
    root = make_root(tmp_path / "a" / "b")
    assert root.stat().st_mode & 0o777 == 0o700
    (tmp_path / "link").symlink_to(root)
    assert make_root(tmp_path / "link") == root


def test_a_symlink_is_not_opened(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    link = tmp_path / "link"
    for target in [secret, tmp_path / "missing", tmp_path]:
        link.symlink_to(target)
        with pytest.raises(SessionError, match="symlink"):
            open_file(link, os.O_RDWR | os.O_CREAT)
        with pytest.raises(SessionError, match="symlink"):
            create_file(link)
        link.unlink()
    assert not (tmp_path / "missing").exists()


def test_a_symlink_that_appears_after_the_check_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "missing")
    monkeypatch.setattr("streamkit.sessions.names.check_regular", lambda path: False)
    with pytest.raises(OSError, match="symbolic"):
        open_file(tmp_path / "link", os.O_RDWR | os.O_CREAT)


def test_what_is_no_regular_file_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in [tmp_path, tmp_path / "pipe"]:
        with pytest.raises(SessionError, match="no regular file"):
            check_regular(path)


def test_a_file_is_made_for_its_owner_only_and_once(tmp_path: Path) -> None:
    path = tmp_path / "a"
    assert not check_regular(path)
    create_file(path)
    path.write_text("kept")
    create_file(path)
    assert check_regular(path)
    assert path.read_text() == "kept"
    assert path.stat().st_mode & 0o777 == 0o600
