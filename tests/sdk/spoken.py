"""One conversation as our client takes it, with the parameters that it is sent with to each vendor."""

from __future__ import annotations

from base64 import b64encode
from typing import Any

from streamkit.messages import Message, Meta, Origin
from streamkit.parts import EmbeddedImage, FunctionCall, FunctionPart, ImagePart
from streamkit.protocols import ToolSpec

__all__ = ["CALL", "DATA", "IMAGE", "OURS", "SCHEMA", "URL", "WHERE"]

IMAGE = b"\x89PNG\xff\xfe\xfd"
DATA = b64encode(IMAGE).decode()
URL = f"data:image/png;base64,{DATA}"
CALL = "call00001"  # nine letters and digits, as Mistral asks for
WHERE = {"city": "Tromsø"}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
TOOL = ToolSpec(name="weather", description="Tells the weather.", parameters=SCHEMA, strict=True)


def ours(protocol: str = "", thinking: str | None = None, signature: str | None = None) -> list[Message]:
    """The conversation, in which the model has called a tool; with thinking, the vendor's own model."""
    meta = Meta(Origin(protocol)) if thinking else None
    calls = [FunctionPart(CALL, FunctionCall("weather", WHERE))]
    return [
        Message("system", "Be brief."),
        Message("user", ["What is this?", ImagePart(EmbeddedImage("image/png", IMAGE))]),
        Message("assistant", "A cat.", thinking=thinking, signature=signature, tool_calls=calls, meta=meta),
        Message("tool", "12 °C", id=CALL),
        Message("assistant", "Mild."),
        Message("user", "And <now>?"),
    ]


PROMPT = [Message("user", "Once upon a time")]
SAMPLING: dict[str, Any] = {"temperature": 0.5, "top_p": 0.9, "stop": ["END"], "max_tokens": 100}
TOOLS: dict[str, Any] = {"tools": [TOOL], "tool_choice": "required"}

# What our client is asked with: the messages and the parameters.
OURS: dict[str, tuple[list[Message], dict[str, Any]]] = {
    "openai": (ours(), {**SAMPLING, **TOOLS, "seed": 7, "thinking": "low", "output_schema": SCHEMA}),
    "openai-responses": (ours(), {"max_tokens": 100, **TOOLS, "thinking": "low"}),
    "openai-completions": (PROMPT, {**SAMPLING, "seed": 7, "logprobs": 2, "logit_bias": {"50256": -100.0}}),
    "anthropic": (ours("anthropic", "A cat?", "c2ln"), {"max_tokens": 2000, "tools": [TOOL], "thinking": 1024}),
    "gemini": (
        ours("gemini", "A cat?", "c2ln"),
        {**SAMPLING, **TOOLS, "seed": 7, "thinking": 1024, "output_schema": SCHEMA},
    ),
    "gemini-interactions": (
        ours("gemini-interactions", "A cat?", "c2ln"),
        {"max_tokens": 100, **TOOLS, "seed": 7, "output_schema": SCHEMA},
    ),
    "cohere": (ours("cohere", "A cat?"), {**SAMPLING, **TOOLS, "seed": 7, "thinking": 1024}),
    "mistral": (ours(), {**SAMPLING, **TOOLS, "seed": 7, "output_schema": SCHEMA}),
    "groq": (ours(), {**SAMPLING, **TOOLS, "seed": 7, "thinking": "low"}),
    "ollama": (ours(), {**SAMPLING, "tools": [TOOL], "seed": 7, "thinking": "low", "output_schema": SCHEMA}),
    "bedrock": (ours("bedrock-converse", "A cat?", "c2ln"), {**SAMPLING, **TOOLS, "top_k": 5}),
    "dashscope": (
        [message for message in ours() if message.role != "user"] + PROMPT,
        {**SAMPLING, **TOOLS, "seed": 7, "thinking": 1024},
    ),
    "dashscope-multimodal": (ours(), {"temperature": 0.5, "top_p": 0.9, "max_tokens": 100, "tools": [TOOL]}),
}
