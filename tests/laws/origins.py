"""Answers with everything that only its origin can read, one a dialect, as its servers stream them.

What is signed, encrypted or an id of the provider's own has SEALED in it, so that it can be looked for in a body. The
ids of calls are in the style of the provider; each answer makes two parallel calls.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from streamkit.testing.event_stream import event_message
from streamkit.testing.scripts import Answer, Call, Thinking, render

__all__ = ["sealed_body"]

BIG = 2**70  # an argument that no float holds


def sealed_body(protocol: str) -> bytes:
    """Return the body of such an answer; of a dialect that is not among them, one that is rendered."""
    if protocol in _BODIES:
        return _BODIES[protocol]()
    return render(Answer([Thinking("Two cities."), "Let me see. ", *_calls("call_1f0e")]), protocol)


def _calls(prefix: str) -> list[Call]:
    ids = [f"{prefix}{number}" if prefix else "" for number in range(2)]
    return [Call("weather", {"city": "Oslo", "n": BIG}, ids[0]), Call("weather", {"city": "Ærø"}, ids[1])]


def _sse(events: list[dict[str, Any]], *, named: bool = True) -> bytes:
    frames = [(f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events]
    return "".join(frames).encode()


def _anthropic() -> bytes:
    citation = {
        "type": "web_search_result_location",
        "url": "https://example.org",
        "title": "Weather",
        "encrypted_index": "SEALEDindex",
        "cited_text": "Rain.",
    }
    found = {"type": "web_search_result", "url": "https://example.org", "title": "x", "encrypted_content": "SEALEDpage"}
    blocks: list[tuple[dict[str, Any], list[dict[str, Any]]]] = [
        (
            {"type": "thinking", "thinking": "", "signature": ""},
            [
                {"type": "thinking_delta", "thinking": "Two cities."},
                {"type": "signature_delta", "signature": "SEALEDs1="},
            ],
        ),
        ({"type": "redacted_thinking", "data": "SEALEDredacted="}, []),
        (
            {"type": "server_tool_use", "id": "srvtoolu_SEALED", "name": "web_search", "input": {}},
            [{"type": "input_json_delta", "partial_json": '{"query": "weather"}'}],
        ),
        ({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_SEALED", "content": [found]}, []),
        (
            {"type": "text", "text": ""},
            [{"type": "text_delta", "text": "It rains."}, {"type": "citations_delta", "citation": citation}],
        ),
        (
            {"type": "thinking", "thinking": "", "signature": ""},
            [{"type": "signature_delta", "signature": "SEALEDs2="}],
        ),
        *(
            (
                {"type": "tool_use", "id": call.id, "name": call.name, "input": {}},
                [{"type": "input_json_delta", "partial_json": call.text}],
            )
            for call in _calls("toolu_01A09q90qw90lq91788")
        ),
    ]
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {"id": "msg_1", "role": "assistant", "model": "m"}}
    ]
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    events += [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]
    return _sse(events)


def _responses() -> bytes:
    text = {
        "type": "output_text",
        "text": "It rains.",
        "annotations": [
            {"type": "url_citation", "url": "https://example.org", "title": "x", "start_index": 0, "end_index": 9}
        ],
    }
    items: list[dict[str, Any]] = [
        {
            "type": "reasoning",
            "id": "rs_SEALED1",
            "summary": [{"type": "summary_text", "text": "Two cities."}],
            "encrypted_content": "SEALEDreasoning1=",
        },
        {
            "type": "web_search_call",
            "id": "ws_SEALED",
            "status": "completed",
            "action": {"type": "search", "query": "weather"},
        },
        {"type": "reasoning", "id": "rs_SEALED2", "summary": [], "encrypted_content": "SEALEDreasoning2="},
        {"type": "message", "id": "msg_SEALED", "status": "completed", "role": "assistant", "content": [text]},
        *(
            {
                "type": "function_call",
                "id": f"fc_SEALED{number}",
                "status": "completed",
                "call_id": call.id,
                "name": call.name,
                "arguments": call.text,
            }
            for number, call in enumerate(_calls("call_zr3DnkHFEVvmq2Mm"))
        ),
    ]
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "resp_1", "model": "m", "output": []}}
    ]
    for at, item in enumerate(items):
        events.append({"type": "response.output_item.added", "output_index": at, "item": item})
        events.append({"type": "response.output_item.done", "output_index": at, "item": item})
    done = {"id": "resp_1", "model": "m", "status": "completed", "output": items}
    events.append({"type": "response.completed", "response": done})
    return _sse(events)


def _chat() -> bytes:
    """As OpenRouter streams: typed details of the reasoning, and Google's signature of a call."""
    details = [
        {"type": "reasoning.text", "text": "Two cities.", "signature": "SEALEDs1=", "index": 0, "format": "x"},
        {"type": "reasoning.encrypted", "data": "SEALEDdata=", "id": "rs_SEALED", "index": 1, "format": "x"},
    ]
    calls = [
        {"index": at, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.text}}
        for at, call in enumerate(_calls("functions.weather:"))
    ]
    calls[0]["extra_content"] = {"google": {"thought_signature": "SEALEDs2="}}
    deltas = [
        {"role": "assistant", "content": ""},
        {"reasoning": "Two cities.", "reasoning_details": details},
        {"content": "Let me see. "},
        *({"tool_calls": [call]} for call in calls),
    ]
    chunks = [{"id": "c1", "model": "m", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"id": "c1", "model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    return _sse(chunks, named=False) + b"data: [DONE]\n\n"


def _gemini() -> bytes:
    """Calls without ids, as the API gives them; only the first of the parallel ones is signed."""
    first, second = ({"name": call.name, "args": call.arguments} for call in _calls(""))
    parts: list[dict[str, Any]] = [
        {"text": "Two cities.", "thought": True},
        {"executableCode": {"id": "SEALEDcode", "language": "PYTHON", "code": "print(1)"}},
        {"codeExecutionResult": {"id": "SEALEDcode", "outcome": "OUTCOME_OK", "output": "1"}},
        {"text": "Let me see. ", "thoughtSignature": "SEALEDs1"},
        {"functionCall": first, "thoughtSignature": "SEALEDs2"},
        {"functionCall": second},
        {"text": "", "thoughtSignature": "SEALEDs3"},
    ]
    records = [{"candidates": [{"content": {"role": "model", "parts": [part]}}], "modelVersion": "m"} for part in parts]
    records.append({"candidates": [{"content": {"role": "model", "parts": []}, "finishReason": "STOP"}]})
    return _sse(records, named=False)


def _bedrock() -> bytes:
    server = {"toolUseId": "srvtoolu_SEALED", "name": "nova_grounding", "type": "server_tool_use"}
    result = {"toolUseId": "srvtoolu_SEALED", "type": "nova_grounding_result", "status": "success"}
    citation = {"title": "SEALEDtitle", "location": {"web": {"url": "https://example.org"}}}
    first, second = _calls("tooluse_kZJMlvQmRJ6eAyJE5GIl7Q")
    blocks: list[tuple[dict[str, Any] | None, list[dict[str, Any]]]] = [
        (None, [{"reasoningContent": {"text": "Two cities."}}, {"reasoningContent": {"signature": "SEALEDs1="}}]),
        (None, [{"reasoningContent": {"redactedContent": "SEALEDredactedA="}}]),
        ({"toolUse": server}, [{"toolUse": {"input": "{}"}}]),
        ({"toolResult": result}, [{"toolResult": [{"text": "SEALEDfound"}]}]),
        (None, [{"text": "It rains."}, {"citation": citation}]),
        *(
            ({"toolUse": {"toolUseId": call.id, "name": call.name}}, [{"toolUse": {"input": call.text}}])
            for call in (first, second)
        ),
    ]
    events: list[tuple[str, dict[str, Any]]] = [("messageStart", {"role": "assistant"})]
    for index, (start, deltas) in enumerate(blocks):
        number = {"contentBlockIndex": index}
        events += [("contentBlockStart", number | {"start": start})] if start else []
        events += [("contentBlockDelta", number | {"delta": delta}) for delta in deltas]
        events.append(("contentBlockStop", number))
    events.append(("messageStop", {"stopReason": "tool_use"}))
    return b"".join(event_message(name, json.dumps(event).encode()) for name, event in events)


def _cohere() -> bytes:
    source = {"type": "tool", "id": "SEALEDsource", "tool_output": {}}
    citation = {"start": 0, "end": 3, "text": "Let", "sources": [source], "type": "TEXT_CONTENT"}

    def said(type: str, index: int | None = None, **message: Any) -> dict[str, Any]:
        return {"type": type, **({} if index is None else {"index": index}), "delta": {"message": message}}

    events = [
        {"type": "message-start", "id": "m1", "delta": {"message": {"role": "assistant"}}},
        said("tool-plan-delta", tool_plan="SEALED plan."),
        said("content-start", 0, content={"type": "thinking", "thinking": ""}),
        said("content-delta", 0, content={"thinking": "Two cities."}),
        {"type": "content-end", "index": 0},
        said("content-start", 1, content={"type": "text", "text": ""}),
        said("content-delta", 1, content={"text": "Let me see. "}),
        {"type": "content-end", "index": 1},
        said("citation-start", 0, citations=citation),
        {"type": "citation-end", "index": 0},
    ]
    for at, call in enumerate(_calls("weather_k3v")):
        function = {"name": call.name, "arguments": call.text}
        events.append(said("tool-call-start", at, tool_calls={"id": call.id, "type": "function", "function": function}))
        events.append({"type": "tool-call-end", "index": at})
    events.append({"type": "message-end", "delta": {"finish_reason": "TOOL_CALL", "usage": {}}})
    return _sse(events)


_BODIES: dict[str, Callable[[], bytes]] = {
    "anthropic": _anthropic,
    "openai-responses": _responses,
    "openai-chat": _chat,
    "gemini": _gemini,
    "bedrock-converse": _bedrock,
    "cohere": _cohere,
}
