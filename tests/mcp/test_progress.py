"""Reports of progress, as the SDK gives them: each in a task of its own."""

from __future__ import annotations

from typing import Any

import anyio

from streamkit.mcp.progress import MAX_REPORTS, Progress


async def test_reports_are_handed_on_in_order_until_the_call_has_ended() -> None:
    taken: list[Any] = []

    async def update(report: Any) -> None:
        taken.append(report)

    progress = Progress(update)
    await progress(1, 3, "begun")
    await progress(2, None, None)
    await progress(1.5, 3, "late")
    progress.ended = True
    await progress(3, 3, None)
    assert taken == [{"progress": 1, "total": 3, "message": "begun"}, {"progress": 2}]


async def test_reports_that_nobody_takes_do_not_pile_up() -> None:
    held = anyio.Event()
    taken: list[Any] = []

    async def update(report: Any) -> None:
        taken.append(report)
        await held.wait()

    progress = Progress(update)
    async with anyio.create_task_group() as tasks:
        for step in range(MAX_REPORTS + 50):
            tasks.start_soon(progress, step, None, None)
        await anyio.wait_all_tasks_blocked()
        assert 0 < len(taken) <= MAX_REPORTS
        held.set()
    await progress(1000, None, None)
    assert taken[-1] == {"progress": 1000}
