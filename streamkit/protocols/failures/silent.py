"""Conversations that did not fit the model's window though the provider reported no error.

Some servers cut the beginning of a prompt that is too long and answer what is left (Ollama, Zhipu), others stop before
the first token; only the counts tell. Checked 2026-11-30.
"""

from __future__ import annotations

from streamkit.errors import ContextOverflow, StreamkitError
from streamkit.messages import MessageOutput

__all__ = ["is_overflow"]

# The words of those who do say it, as a reason to stop: Anthropic, Zhipu.
_FINISH = {"model_context_window_exceeded"}

# From how much of the window on a prompt leaves no room to answer: chat templates take what is missing to all of it.
_FULL = 0.99


def is_overflow(answer: MessageOutput | StreamkitError, context_window: int | None = None) -> bool:
    """Whether an answer, or the error in place of one, shows that the conversation was too long for the model.

    An error does where it is a `ContextOverflow`; an answer does by its finish reason, and where `context_window` (in
    tokens) is given by its usage: the prompt, caches included, is larger than the window, or fills 99 % of it and the
    answer was cut off before its first token. Usage that the provider did not report shows nothing. It is for the
    usage of one response: the sum over several says nothing of how long any of them was.
    """
    if isinstance(answer, StreamkitError):
        if isinstance(answer, ContextOverflow):
            return True
        if answer.partial is None:
            return False
        answer = answer.partial
    finish, usage = answer.finish_reason, answer.usage
    if finish is not None and finish.raw in _FINISH:
        return True
    if usage is None or not context_window:
        return False
    if usage.prompt_tokens > context_window:
        return True
    cut = finish is not None and finish.type == "length" and not usage.output_tokens
    return cut and usage.prompt_tokens >= _FULL * context_window
