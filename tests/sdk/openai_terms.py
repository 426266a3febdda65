"""The conversation of `spoken` in the terms of the SDKs that speak OpenAI's dialects."""

from __future__ import annotations

from typing import Any

from tests.sdk.sdks import import_sdk
from tests.sdk.spoken import CALL, SCHEMA, URL

__all__ = ["called", "chat", "completion", "function", "groq", "mistral", "response"]


def function(**more: Any) -> dict[str, Any]:
    return {"name": "weather", "description": "Tells the weather.", "parameters": SCHEMA, **more}


def called() -> dict[str, Any]:
    return {"id": CALL, "type": "function", "function": {"name": "weather", "arguments": '{"city":"Tromsø"}'}}


def conversation(system: str = "system") -> list[dict[str, Any]]:
    return [
        {"role": system, "content": "Be brief."},
        {
            "role": "user",
            "content": [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": URL}}],
        },
        {"role": "assistant", "content": "A cat.", "tool_calls": [called()]},
        {"role": "tool", "tool_call_id": CALL, "content": "12 °C"},
        {"role": "assistant", "content": "Mild."},
        {"role": "user", "content": "And <now>?"},
    ]


def chat() -> dict[str, Any]:
    form = {"name": "answer", "schema": SCHEMA, "strict": True}
    return {
        "messages": conversation("developer"),
        "tools": [{"type": "function", "function": function(strict=True)}],
        "tool_choice": "required",
        "temperature": 0.5,
        "top_p": 0.9,
        "stop": ["END"],
        "max_completion_tokens": 100,
        "seed": 7,
        "reasoning_effort": "low",
        "response_format": {"type": "json_schema", "json_schema": form},
    }


def response() -> dict[str, Any]:
    return {
        "input": [
            {"role": "developer", "content": "Be brief."},
            {
                "role": "user",
                "content": [
                    {"type": "input_text", "text": "What is this?"},
                    {"type": "input_image", "image_url": URL, "detail": "auto"},
                ],
            },
            {"type": "message", "role": "assistant", "content": "A cat."},
            {"type": "function_call", "call_id": CALL, "name": "weather", "arguments": '{"city":"Tromsø"}'},
            {"type": "function_call_output", "call_id": CALL, "output": "12 °C"},
            {"type": "message", "role": "assistant", "content": "Mild."},
            {"role": "user", "content": "And <now>?"},
        ],
        "tools": [{"type": "function", **function(strict=True)}],
        "tool_choice": "required",
        "max_output_tokens": 100,
        "reasoning": {"effort": "low", "summary": "auto"},
        "include": ["reasoning.encrypted_content"],
        "store": False,
    }


def completion() -> dict[str, Any]:
    return {
        "prompt": "Once upon a time",
        "temperature": 0.5,
        "top_p": 0.9,
        "stop": ["END"],
        "max_tokens": 100,
        "seed": 7,
        "logprobs": 2,
        "logit_bias": {"50256": -100},
    }


def mistral() -> dict[str, Any]:
    models = import_sdk("mistralai.client.models")
    form = models.JSONSchema(name="answer", schema_definition=SCHEMA, strict=True)
    return {
        "messages": conversation(),
        "tools": [models.Tool(function=models.Function(**function(strict=True)))],
        "tool_choice": "required",
        "temperature": 0.5,
        "top_p": 0.9,
        "stop": ["END"],
        "max_tokens": 100,
        "random_seed": 7,
        "response_format": models.ResponseFormat(type="json_schema", json_schema=form),
    }


def groq() -> dict[str, Any]:
    return {
        "messages": conversation(),
        "tools": [{"type": "function", "function": function(strict=True)}],
        "tool_choice": "required",
        "temperature": 0.5,
        "top_p": 0.9,
        "stop": ["END"],
        "max_completion_tokens": 100,
        "seed": 7,
        "reasoning_effort": "low",
    }
