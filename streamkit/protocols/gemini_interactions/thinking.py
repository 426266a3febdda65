"""How much to think, in the terms of the Interactions API.

There is a level and no budget, and summaries only where they are asked for: `google-genai` 3.6.1, checked 2026-11-30.
"""

from __future__ import annotations

from typing import Any

from streamkit.protocols.thinking import thinking_level

__all__ = ["encode_thinking"]

_LEVELS = {
    "off": "minimal",  # the least there is
    "max": "xhigh",
}


def encode_thinking(thinking: str | int | dict[str, Any]) -> dict[str, Any]:
    """Return the fields of `generation_config`; a dict is them already.

    A budget becomes the highest level that it covers. Summaries are asked for unless thinking is off. Raises
    `ConfigError` for an unknown word.
    """
    if isinstance(thinking, dict):
        return thinking
    level = thinking_level(thinking)
    summaries = "none" if level == "off" else "auto"
    return {"thinking_level": _LEVELS.get(level, level), "thinking_summaries": summaries}
