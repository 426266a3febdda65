"""The mark `feature`, and the option that writes the page of features from what the tests so marked gave.

A case tells its rows by its report, so that the page is whole where several processes run the tests.
"""

from __future__ import annotations

import pytest

from tests.features.table import PAGE, page

OPTION = "--features-table"
PROPERTY = "features"
# A test is as good as the worst of its cases.
ORDER = ["passed", "xfailed", "skipped", "failed"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, action="store_true", help=f"write docs/{PAGE.name} from the marked tests of this run")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "feature(*ids): the test proves these rows of tests/features/rows.py")
    if config.getoption(OPTION) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Writer())


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        ids = [id for mark in item.iter_markers("feature") for id in mark.args]
        if ids:
            item.user_properties.append((PROPERTY, ids))


class _Writer:
    """Gathers what came of each test, and writes the page when all are done."""

    def __init__(self) -> None:
        self._proofs: dict[str, dict[str, str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and report.outcome == "passed":
            return
        result = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        name = report.nodeid.partition("[")[0]
        for id in (id for key, ids in report.user_properties if key == PROPERTY for id in ids):
            tests = self._proofs.setdefault(id, {})
            tests[name] = max(tests.get(name, "passed"), result, key=ORDER.index)

    def pytest_sessionfinish(self) -> None:
        PAGE.write_text(page(self._proofs))
