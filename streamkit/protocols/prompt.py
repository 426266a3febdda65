"""A conversation → the one text that a base model goes on with.

A base model knows no roles, and how a chat model is told them is for its own template to say. So nothing is made up
here: the one user message is the prompt as it stands.
"""

from __future__ import annotations

from collections.abc import Sequence

from streamkit.errors import ConfigError
from streamkit.messages import Message
from streamkit.parts import ImagePart
from streamkit.protocols.values import part_text

__all__ = ["encode_prompt", "text_prompt"]


def encode_prompt(messages: Sequence[Message], what: str, marker: str = "") -> tuple[str, list[ImagePart]]:
    """Return the text of the only message, with `marker` in place of each image, and its images.

    Its texts are joined as they are, nothing between; `what` names the endpoint in errors. Raises `ConfigError` where
    there is another message, one of another role, or a part that is neither text nor an image.
    """
    if len(messages) != 1 or messages[0].role != "user":
        roles = ", ".join(message.role for message in messages) or "none"
        raise ConfigError(
            f"{what} goes on with one text: give one user message, which is the prompt as it stands, not {roles}; a "
            "conversation must be put into words by the model's own template first"
        )
    texts: list[str] = []
    images: list[ImagePart] = []
    for block in messages[0].iter_blocks():
        part = block.part
        if isinstance(part, ImagePart):
            images.append(part)
            texts.append(marker)
        elif (text := part_text(part)) is not None:
            texts.append(text)
        else:
            raise ConfigError(f"{what} has no form for a {type(part).__name__} in a prompt")
    return "".join(texts), images


def text_prompt(messages: Sequence[Message], what: str) -> str:
    """Return the text of the only message; raises `ConfigError` as `encode_prompt` does, and for an image."""
    text, images = encode_prompt(messages, what)
    if images:
        raise ConfigError(f"{what} takes no images; the server's chat completions may")
    return text
