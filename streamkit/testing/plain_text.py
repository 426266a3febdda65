"""What of a scripted answer the dialects of base models can say: text."""

from __future__ import annotations

from streamkit.errors import ConfigError
from streamkit.testing.answers import Answer, Refusal, Text
from streamkit.usage import Usage

__all__ = ["counted", "heard", "plain_text"]


def heard(answer: Answer) -> Answer:
    """Return the answer with refusals as text; raises `ConfigError` for thinking and calls."""
    texts = []
    for block in answer.parts():
        if not isinstance(block, (Text, Refusal)):
            raise ConfigError(f"a base model says text only, and no {type(block).__name__}")
        texts.append(block.text)
    finish = None if answer.finish == "refusal" else answer.finish
    return Answer([Text("".join(texts))], finish, answer.raw_finish, answer.usage, answer.id, answer.model)


def plain_text(answer: Answer) -> str:
    """Return the text of an answer as it is heard."""
    return "".join(block.text for block in heard(answer).parts() if isinstance(block, Text))


def counted(answer: Answer) -> Answer:
    """Return an answer as it is heard where only its text, its end and what went in and came out can be said."""
    said, usage = heard(answer), answer.usage
    if usage is not None:
        counts = (usage.input_tokens, usage.cache_read_tokens, usage.cache_write_tokens)
        usage = Usage(sum(count or 0 for count in counts), usage.output_tokens)
    return Answer(said.blocks, said.finish, said.raw_finish, usage, "", "")
