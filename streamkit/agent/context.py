"""What of a conversation the model is shown, and when the conversation is made shorter."""

from __future__ import annotations

from streamkit.agent.turns import Compact, ConvertToLlm, TransformContext
from streamkit.errors import ConfigError
from streamkit.messages import MessageOutput
from streamkit.protocols.failures import is_overflow
from streamkit.usage import Usage

__all__ = ["COMPACT_AT", "Context"]

# From how much of the window on a conversation is made shorter: what is left takes an answer and the results of tools.
COMPACT_AT = 0.8


class Context:
    """The hooks that stand between a conversation and the model, and the size of the model's window in tokens.

    `transform` is given a copy of the list and returns what of it is sent; `convert` then makes it messages that
    providers know. `compact` is given a copy too, and returns the conversation that takes the place of the old one.
    """

    def __init__(
        self,
        transform: TransformContext | None,
        convert: ConvertToLlm | None,
        compact: Compact | None,
        window: int | None,
        compact_at: float = COMPACT_AT,
    ) -> None:
        if window is not None and window < 1:
            raise ConfigError(f"a context_window is a number of tokens, not {window}")
        if not 0 < compact_at <= 1:
            raise ConfigError(f"compact_at is a share of the window, more than 0 and 1 at most, not {compact_at}")
        self.transform = transform
        self.convert = convert
        self.compact = compact
        self.window = window
        self._compact_at = compact_at

    def is_full(self, output: MessageOutput) -> bool:
        """Whether the conversation should be made shorter after this answer."""
        if self.compact is None:
            return False
        if is_overflow(output, self.window):
            return True
        return self.window is not None and _tokens(output.usage) >= self._compact_at * self.window


def _tokens(usage: Usage | None) -> int:
    """How many tokens the conversation has, its last answer included."""
    if usage is None:
        return 0
    counts = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens, usage.output_tokens)
    return sum(count or 0 for count in counts)
