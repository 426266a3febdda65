"""The conversation of `spoken` in the terms of each official SDK."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.sdk.openai_terms import called, chat, completion, function, groq, mistral, response
from tests.sdk.sdks import import_sdk
from tests.sdk.spoken import CALL, DATA, IMAGE, SCHEMA, URL, WHERE

__all__ = ["THEIRS"]


def _anthropic() -> dict[str, Any]:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": DATA}}
    return {
        "system": "Be brief.",
        "messages": [
            {"role": "user", "content": [{"type": "text", "text": "What is this?"}, image]},
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "A cat?", "signature": "c2ln"},
                    {"type": "text", "text": "A cat."},
                    {"type": "tool_use", "id": CALL, "name": "weather", "input": WHERE},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": CALL, "content": "12 °C"}]},
            {"role": "assistant", "content": [{"type": "text", "text": "Mild."}]},
            {"role": "user", "content": [{"type": "text", "text": "And <now>?"}]},
        ],
        "tools": [{"name": "weather", "description": "Tells the weather.", "input_schema": SCHEMA, "strict": True}],
        "thinking": {"type": "enabled", "budget_tokens": 1024},
        "max_tokens": 2000,
    }


def _gemini() -> dict[str, Any]:
    types = import_sdk("google.genai.types")
    part, content = types.Part, types.Content
    image = part.from_bytes(data=IMAGE, mime_type="image/png")
    call = types.FunctionCall(id=CALL, name="weather", args=WHERE)
    result = types.FunctionResponse(id=CALL, name="weather", response={"output": "12 °C"})
    declared = types.FunctionDeclaration(
        name="weather", description="Tells the weather.", parameters_json_schema=SCHEMA
    )
    called = types.FunctionCallingConfig(mode="ANY")
    return {
        "contents": [
            content(role="user", parts=[part(text="What is this?"), image]),
            content(
                role="model",
                parts=[
                    part(text="A cat?", thought=True, thought_signature=b"sig"),
                    part(text="A cat."),
                    part(function_call=call),
                ],
            ),
            content(role="user", parts=[part(function_response=result)]),
            content(role="model", parts=[part(text="Mild.")]),
            content(role="user", parts=[part(text="And <now>?")]),
        ],
        "config": types.GenerateContentConfig(
            system_instruction=content(parts=[part(text="Be brief.")]),
            tools=[types.Tool(function_declarations=[declared])],
            tool_config=types.ToolConfig(function_calling_config=called),
            temperature=0.5,
            top_p=0.9,
            stop_sequences=["END"],
            max_output_tokens=100,
            seed=7,
            thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_budget=1024),
            response_mime_type="application/json",
            response_json_schema=SCHEMA,
        ),
    }


def _interaction() -> dict[str, Any]:
    return {
        "system_instruction": "Be brief.",
        "input": [
            {
                "type": "user_input",
                "content": [
                    {"type": "text", "text": "What is this?"},
                    {"type": "image", "data": DATA, "mime_type": "image/png"},
                ],
            },
            {"type": "thought", "signature": "c2ln", "summary": [{"type": "text", "text": "A cat?"}]},
            {"type": "model_output", "content": [{"type": "text", "text": "A cat."}]},
            {"type": "function_call", "id": CALL, "name": "weather", "arguments": WHERE},
            {"type": "function_result", "call_id": CALL, "name": "weather", "result": "12 °C"},
            {"type": "model_output", "content": [{"type": "text", "text": "Mild."}]},
            {"type": "user_input", "content": [{"type": "text", "text": "And <now>?"}]},
        ],
        "tools": [{"type": "function", **function()}],
        "generation_config": {"max_output_tokens": 100, "seed": 7, "tool_choice": "any"},
        "response_format": {"type": "text", "mime_type": "application/json", "schema": SCHEMA},
        "store": False,
    }


def _cohere() -> dict[str, Any]:
    sdk = import_sdk("cohere")
    image = sdk.ImageUrlContent(image_url=sdk.ImageUrl(url=URL))
    call = sdk.ToolCallV2Function(name="weather", arguments=json.dumps(WHERE, ensure_ascii=False).replace(" ", ""))
    return {
        "messages": [
            sdk.SystemChatMessageV2(content="Be brief."),
            sdk.UserChatMessageV2(content=[sdk.TextContent(text="What is this?"), image]),
            sdk.AssistantChatMessageV2(
                tool_plan="A cat.",
                content=[sdk.ThinkingAssistantMessageV2ContentOneItem(thinking="A cat?")],
                tool_calls=[sdk.ToolCallV2(id=CALL, function=call)],
            ),
            sdk.ToolChatMessageV2(tool_call_id=CALL, content="12 °C"),
            sdk.AssistantChatMessageV2(content="Mild."),
            sdk.UserChatMessageV2(content="And <now>?"),
        ],
        "tools": [sdk.ToolV2(function=sdk.ToolV2Function(**function()))],
        "strict_tools": True,
        "tool_choice": "REQUIRED",
        "temperature": 0.5,
        "p": 0.9,
        "stop_sequences": ["END"],
        "max_tokens": 100,
        "seed": 7,
        "thinking": sdk.Thinking(type="enabled", token_budget=1024),
    }


def _ollama() -> dict[str, Any]:
    sdk = import_sdk("ollama")
    call = sdk.Message.ToolCall(function=sdk.Message.ToolCall.Function(name="weather", arguments=WHERE))
    return {
        "messages": [
            sdk.Message(role="system", content="Be brief."),
            sdk.Message(role="user", content="What is this?", images=[sdk.Image(value=IMAGE)]),
            sdk.Message(role="assistant", content="A cat.", tool_calls=[call]),
            sdk.Message(role="tool", content="12 °C", tool_name="weather"),
            sdk.Message(role="assistant", content="Mild."),
            sdk.Message(role="user", content="And <now>?"),
        ],
        "tools": [{"type": "function", "function": function()}],
        "think": "low",
        "format": SCHEMA,
        "options": sdk.Options(temperature=0.5, top_p=0.9, stop=["END"], num_predict=100, seed=7),
    }


def _bedrock() -> dict[str, Any]:
    tool = {"name": "weather", "description": "Tells the weather.", "inputSchema": {"json": SCHEMA}, "strict": True}
    return {
        "system": [{"text": "Be brief."}],
        "messages": [
            {
                "role": "user",
                "content": [{"text": "What is this?"}, {"image": {"format": "png", "source": {"bytes": IMAGE}}}],
            },
            {
                "role": "assistant",
                "content": [
                    {"reasoningContent": {"reasoningText": {"text": "A cat?", "signature": "c2ln"}}},
                    {"text": "A cat."},
                    {"toolUse": {"toolUseId": CALL, "name": "weather", "input": WHERE}},
                ],
            },
            {"role": "user", "content": [{"toolResult": {"toolUseId": CALL, "content": [{"text": "12 °C"}]}}]},
            {"role": "assistant", "content": [{"text": "Mild."}]},
            {"role": "user", "content": [{"text": "And <now>?"}]},
        ],
        "inferenceConfig": {"maxTokens": 100, "temperature": 0.5, "topP": 0.9, "stopSequences": ["END"]},
        "toolConfig": {"tools": [{"toolSpec": tool}], "toolChoice": {"any": {}}},
        "additionalModelRequestFields": {"top_k": 5},
    }


def _dashscope() -> dict[str, Any]:
    call = {"index": 0, **called()}
    return {
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "assistant", "content": "A cat.", "tool_calls": [call]},
            {"role": "tool", "content": "12 °C", "tool_call_id": CALL},
            {"role": "assistant", "content": "Mild."},
            {"role": "user", "content": "Once upon a time"},
        ],
        "tools": [{"type": "function", "function": function()}],
        "tool_choice": "required",
        "temperature": 0.5,
        "top_p": 0.9,
        "stop": ["END"],
        "max_tokens": 100,
        "seed": 7,
        "enable_thinking": True,
        "thinking_budget": 1024,
    }


def _multimodal() -> dict[str, Any]:
    call = {"index": 0, **called()}
    return {
        "messages": [
            {"role": "system", "content": [{"text": "Be brief."}]},
            {"role": "user", "content": [{"text": "What is this?"}, {"image": URL}]},
            {"role": "assistant", "content": [{"text": "A cat."}], "tool_calls": [call]},
            {"role": "tool", "content": [{"text": "12 °C"}], "tool_call_id": CALL},
            {"role": "assistant", "content": [{"text": "Mild."}]},
            {"role": "user", "content": [{"text": "And <now>?"}]},
        ],
        "tools": [{"type": "function", "function": function()}],
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 100,
    }


# What makes the keywords by which each SDK is asked the same.
THEIRS: dict[str, Callable[[], dict[str, Any]]] = {
    "openai": chat,
    "openai-responses": response,
    "openai-completions": completion,
    "anthropic": _anthropic,
    "gemini": _gemini,
    "gemini-interactions": _interaction,
    "cohere": _cohere,
    "mistral": mistral,
    "groq": groq,
    "ollama": _ollama,
    "bedrock": _bedrock,
    "dashscope": _dashscope,
    "dashscope-multimodal": _multimodal,
}
