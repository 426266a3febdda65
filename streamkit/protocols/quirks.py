"""Where a vendor departs from its dialect: one flat table."""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Quirks"]


class Quirks(Struct, frozen=True, kw_only=True):
    """Each field is one departure, off by default, with who needs it. Set by a vendor's data row, never guessed."""

    # Reading.
    think_tags: bool = False  # thinking comes as <think>…</think> inside the text: raw open-weight hosts
    think_tag_open: bool = False  # the answer starts inside the thinking, its opening tag is missing: R1 templates
    reasoning_outside_output: bool = False  # completion_tokens leaves reasoning out: xAI
    end_without_finish: bool = False  # a clean end of input without a finish reason is a whole answer: Ollama /v1

    # Writing.
    max_tokens_field: str = "max_completion_tokens"  # "max_tokens": nearly all but OpenAI and Azure
    system_role: str = "system"  # "developer": OpenAI's reasoning models (both are taken)
    stream_options: bool = True  # asks for usage; refused or unknown: Mistral
    seed_field: str = "seed"  # "random_seed": Mistral
    required_word: str = "required"  # the tool choice that forces a call; "any": old Mistral
    tool_id_pattern: str = ""  # a call id must match this regular expression; "[A-Za-z0-9]{9}": Mistral
    thinking_field: str = ""  # the assistant field that takes thinking back: DeepSeek, Moonshot, OpenRouter
