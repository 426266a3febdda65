"""What every test shares: how hard hypothesis searches, and the recorded corpus where it is at hand.

A test with a `recording` argument runs once for each recorded stream of the protocols that streamkit has; one that
needs only some gives a condition: `@pytest.mark.recordings(lambda recording: recording.protocol == "anthropic")`.
"""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from msgspec import Struct

from streamkit.protocols import PROTOCOLS

pytest_plugins = ["tests.features.plugin"]

# The default repeats the same examples on each run, so that a failure is the change's; `thorough` looks for new ones:
# pytest --hypothesis-profile=thorough
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
PHASES = [Phase.explicit, Phase.generate, Phase.shrink]
settings.register_profile(
    "quick", max_examples=15, deadline=None, derandomize=True, phases=PHASES, suppress_health_check=SLOW
)
settings.register_profile("thorough", max_examples=2000, deadline=None, suppress_health_check=SLOW)
settings.load_profile("quick")


def pytest_collection_finish() -> None:
    """Let no collection of garbage look through all the tests: they stay to the end, and some tests collect often."""
    gc.collect()
    gc.freeze()


CORPORA = [Path(__file__).parents[2] / "shared" / name for name in ("corpus", "corpus-local")]
# The corpus names how a recording was kept; streamkit what it takes.
FRAMINGS = {
    "sse": "sse",
    "ndjson": "ndjson",
    "json-array": "json-array",
    "json-lines-of-events": "json-lines",
    "eventstream": "aws-eventstream",
}
# An excerpt of a page, written over by hand: its first record is no JSON.
MANGLED = "prochat-sse.en-us"


class Recording(Struct, frozen=True):
    """One recorded stream. `mode` is set where its protocol has more than one."""

    path: Path
    protocol: str
    provider: str
    framing: str
    features: tuple[str, ...]
    mode: str | None

    def __str__(self) -> str:
        return f"{self.protocol}/{self.provider}/{self.path.stem}"

    @property
    def body(self) -> bytes:
        return self.path.read_bytes()

    @property
    def options(self) -> dict[str, Any]:
        """What the parser must be told to read it."""
        return {"framing": self.framing, "mode": self.mode}


@cache
def recordings() -> list[Recording]:
    """Every recorded stream of the known protocols, none where there is no corpus."""
    return [recording for corpus in CORPORA if corpus.is_dir() for recording in _read(corpus)]


def _read(corpus: Path) -> Iterator[Recording]:
    for line in (corpus / "manifest.jsonl").read_text().splitlines():
        entry = json.loads(line)
        framing = FRAMINGS.get(entry["framing"].split(" ")[0])
        if entry["protocol"] not in PROTOCOLS or framing is None:
            continue
        path = corpus / entry["path"]
        if path.stem == MANGLED:
            continue
        mode = json.loads(path.with_suffix(".expected.json").read_text()).get("mode")
        yield Recording(path, entry["protocol"], entry["provider"], framing, tuple(entry["features"]), mode)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "recording" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("recordings")
    chosen = [recording for recording in recordings() if marker is None or marker.args[0](recording)]
    absent = pytest.param(None, marks=pytest.mark.skip(reason=f"no corpus at {CORPORA[0].parent}"), id="absent")
    metafunc.parametrize("recording", chosen or [absent], ids=str)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "recordings(condition): the recordings that a test with `recording` runs over")
