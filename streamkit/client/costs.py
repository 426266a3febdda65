"""What an answer costs, told as a delta of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import structs

from streamkit.client.catalog import Catalog
from streamkit.deltas import Delta, MessageEnd, MessageStart, Retract, UsageSnapshot
from streamkit.messages import MessageOutput
from streamkit.usage import Usage, UsageCost

__all__ = ["CostMeter"]

# What providers put behind the name of a model for one release of it: a date, a number, or that it is the newest.
_RELEASE = re.compile(r"[-@:](?:\d{3}[\d.-]*(?:-v\d+)?|v\d+|latest)(?::\d+)?")


class CostMeter:
    """Adds the cost to the deltas of an answer: a `UsageSnapshot` ahead of its end, or of being taken back.

    So whoever folds the deltas has it too. A cost that the provider reports stays as it is. The model is the one that
    the provider says has answered; where the catalog has no such, and its name is that of a release of the model that
    was asked (with a date behind it, say), it is that one.
    """

    def __init__(self, catalog: Catalog, provider: str, model: str, service_tier: str | None = None) -> None:
        """Begin; an answer of another service tier than the default has another price, which nobody knows."""
        self._catalog = catalog
        self._known = service_tier in (None, "default")
        self._usage = Usage()
        self._answered: str | None = None
        self._provider, self._asked = self._next = provider, model

    def ask(self, provider: str, model: str) -> None:
        """Say whose answer is the next to begin."""
        self._next = provider, model

    def feed(self, deltas: Iterable[Delta]) -> list[Delta]:
        """Return the deltas with those of the cost."""
        out: list[Delta] = []
        for delta in deltas:
            if isinstance(delta, UsageSnapshot):
                self._usage = self._usage.merge(delta.usage)
            elif isinstance(delta, MessageStart):
                self._provider, self._asked = self._next
                if not delta.choice:
                    self._usage = Usage()
                self._answered = delta.model or self._answered
            elif isinstance(delta, (MessageEnd, Retract)):
                if isinstance(delta, MessageEnd):
                    self._answered = delta.model or self._answered
                if cost := self._cost():
                    out.append(UsageSnapshot(Usage(cost=cost)))
                self._usage, self._answered = Usage(), None
            out.append(delta)
        return out

    def complete(self, output: MessageOutput) -> None:
        """Add the cost so far to the usage of a message that has not ended."""
        cost = self._cost()
        if cost is not None and output.usage is not None:
            whole = output.usage.cost + cost if output.usage.cost else cost
            output.usage = structs.replace(output.usage, cost=whole)

    def _cost(self) -> UsageCost | None:
        if not self._usage or self._usage.cost is not None or not self._known:
            return None
        model = None
        if self._answered:
            model = self._catalog.find_at(self._provider, self._answered)
        if model is None and (not self._answered or self._is_release(self._answered)):
            model = self._catalog.find_at(self._provider, self._asked)
        return None if model is None or model.cost is None else model.cost.of(self._usage)

    def _is_release(self, answered: str) -> bool:
        """Whether the model that answered is the one that was asked; `gpt-5-mini` is no `gpt-5`."""
        rest = answered.removeprefix(self._asked)
        return not rest or (rest != answered and _RELEASE.fullmatch(rest) is not None)
