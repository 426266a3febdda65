"""What an application adds to the loop: what the model is shown, and what happens between two turns."""

from __future__ import annotations

from streamkit.agent.turns import Compact, ConvertToLlm, PrepareNextTurn, ShouldStop, TransformContext
from streamkit.errors import ConfigError
from streamkit.messages import MessageOutput
from streamkit.protocols.failures import is_overflow

__all__ = ["COMPACT_AT", "Hooks"]

# From how much of the window on a conversation is made shorter: what is left takes an answer and the results of tools.
COMPACT_AT = 0.8


class Hooks:
    """The hooks of an agent, each plain or async, and the size of its model's window in tokens.

    `transform` is given a copy of the conversation and returns what of it is sent; `convert` then makes it messages
    that providers know. `compact` is given a copy too, and returns the conversation that takes the place of the old
    one. `should_stop` and `prepare_next_turn` are given the `Turn` that is over, where another would follow.
    """

    def __init__(
        self,
        transform: TransformContext | None = None,
        convert: ConvertToLlm | None = None,
        compact: Compact | None = None,
        should_stop: ShouldStop | None = None,
        prepare_next_turn: PrepareNextTurn | None = None,
        *,
        window: int | None = None,
        compact_at: float = COMPACT_AT,
    ) -> None:
        if window is not None and window < 1:
            raise ConfigError(f"a context_window is a number of tokens, not {window}")
        if not 0 < compact_at <= 1:
            raise ConfigError(f"compact_at is a share of the window, more than 0 and 1 at most, not {compact_at}")
        self.transform = transform
        self.convert = convert
        self.compact = compact
        self.should_stop = should_stop
        self.prepare_next_turn = prepare_next_turn
        self.window = window
        self._compact_at = compact_at

    def is_full(self, output: MessageOutput) -> bool:
        """Whether the conversation should be made shorter after this answer."""
        if self.compact is None:
            return False
        if is_overflow(output, self.window):
            return True
        used = (output.usage and output.usage.total_tokens) or 0
        return self.window is not None and used >= self._compact_at * self.window
