"""What each API refuses in the conversation of a request: one checker a dialect, written from what the APIs document.

`check(body, protocol, quirks)` raises `AssertionError` with the reason for which a request would be refused. The
official SDKs' types say what a body may be made of; here is what they cannot say: which message may follow which, that
calls and results pair off, what may not be blank. Checked 2026-11-30 against

- https://platform.openai.com/docs/api-reference/chat/create and /responses/create
- https://platform.claude.com/docs/en/api/messages and its guide to tool use
- https://ai.google.dev/gemini-api/docs/function-calling and /thought-signatures
- https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html
- https://docs.cohere.com/v2/reference/chat, https://docs.ollama.com/api and
  https://help.aliyun.com/en/model-studio/qwen-api-via-dashscope
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterable
from typing import Any

from streamkit.protocols import Quirks

__all__ = ["CHECKERS", "check"]

Messages = list[dict[str, Any]]


def check(body: dict[str, Any], protocol: str, quirks: Quirks | None = None) -> None:
    """Raise `AssertionError` with the reason for which the API would refuse `body`."""
    json.dumps(body)
    CHECKERS[protocol](body, quirks or Quirks())


def need(condition: object, why: str, what: Any = "") -> None:
    if not condition:
        raise AssertionError(f"{why}: {what!r}"[:1000])


def only(value: dict[str, Any], keys: Iterable[str], why: str) -> None:
    need(not value.keys() - set(keys), f"{why} has unknown fields {sorted(value.keys() - set(keys))}", value)


def is_base64(text: Any) -> bool:
    try:
        return isinstance(text, str) and bool(base64.b64decode(text, validate=True))
    except binascii.Error:
        return False


def is_address(url: Any) -> bool:
    """Whether this is an address by https, or a `data:` URL with base64."""
    return isinstance(url, str) and (
        url.startswith("https://") or is_base64(re.sub(r"\Adata:[a-z0-9.+-]+/[a-z0-9.+-]+;base64,", "", url))
    )


def arguments(text: Any) -> None:
    need(isinstance(text, str) and isinstance(json.loads(text), dict), "arguments are no text of an object", text)


# ---- chat completions, and the dialects that took their form


def pair(messages: Messages, id_pattern: str, *, ids: set[str] | None = None) -> None:
    """Each assistant message with calls is followed by one tool message a call, and nothing else by any."""
    seen: set[str] = set() if ids is None else ids
    waiting: list[str] = []
    for message in messages:
        if message["role"] == "tool":
            need(message["tool_call_id"] in waiting, "a result answers no call right before it", message)
            waiting.remove(message["tool_call_id"])
            continue
        need(not waiting, "calls were not answered right after", waiting)
        for call in message.get("tool_calls", ()):
            need(re.fullmatch(id_pattern, call["id"], re.DOTALL), "the id of a call is refused", call)
            need(call["id"] not in seen, "the id of a call came before", call)
            seen.add(call["id"])
            waiting.append(call["id"])
    need(not waiting, "calls were not answered", waiting)


def chat(body: dict[str, Any], quirks: Quirks) -> None:
    need(body[quirks.model_field] and body["messages"], "a required field is missing", body)
    need(body.get("stream") is True or not quirks.stream_field, "no stream is asked for", body)
    pair(body["messages"], quirks.tool_id_pattern or ".+")
    for at, message in enumerate(body["messages"]):
        content = message["content"]
        parts = content if isinstance(content, list) else []
        need(content is None or isinstance(content, (str, list)) and content != [], "content of no form", message)
        need(
            isinstance(message.get("name", "x"), str) and re.fullmatch(r"[^\s<|\\/>]+", message.get("name", "x")),
            "name",
        )
        after = body["messages"][at - 1]["role"] if at else ""
        if quirks.alternating:
            need(message["role"] != after or message["role"] in ("system", "tool"), "two of one role", message)
            need(after or message["role"] != "assistant", "the user does not begin", message)
        match message["role"]:
            case "system" | "developer":
                need(not quirks.alternating or after in ("", "system"), "the system does not begin", message)
                only(message, ("role", "content", "name"), "a system message")
                need(all(part["type"] == "text" for part in parts), "a system message holds text only", message)
            case "user":
                only(message, ("role", "content", "name"), "a user message")
                need(content is not None, "a user message has no content", message)
                for part in parts:
                    chat_part(part, quirks)
                need(not (quirks.assistant_after_tool and after == "tool"), "a user message follows a result", message)
            case "tool":
                only(message, ("role", "content", "tool_call_id"), "a tool message")
                need(content is not None, "a tool message has no content", message)
                kinds = {part["type"] for part in parts}
                need(kinds <= {"text"} or quirks.tool_attachments, "a tool message holds more than text", message)
            case "assistant":
                chat_answer(message, quirks)
            case role:
                raise AssertionError(f"no such role: {role!r}")


def chat_part(part: dict[str, Any], quirks: Quirks) -> None:
    match part["type"]:
        case "text":
            need(isinstance(part["text"], str), "a text is none", part)
        case "image_url":
            need(is_address(part["image_url"]["url"]), "an image has no address", part)
        case "input_audio":
            need(is_base64(part["input_audio"]["data"]) and part["input_audio"]["format"], "sound has no data", part)
        case "file":
            need("file_id" in part["file"] or is_address(part["file"]["file_data"]), "a file has no data", part)
        case kind:
            raise AssertionError(f"no such part: {kind!r}")


def chat_answer(message: dict[str, Any], quirks: Quirks) -> None:
    known = {"role", "content", "name", "tool_calls", "refusal", "audio"}
    known |= {quirks.thinking_field} - {"", "content"}
    known |= {"reasoning_details"} if quirks.reasoning_details else set()
    known |= {"thinking_blocks"} if quirks.thinking_blocks else set()
    only(message, known, "an answer")
    calls = message.get("tool_calls")
    need(calls is None or calls, "an empty list of calls", message)
    need(
        not (calls and quirks.thinking_required) or quirks.thinking_field in message, "calls without thinking", message
    )
    need(message["content"] or calls or "refusal" in message or "audio" in message, "an answer says nothing", message)
    need("refusal" not in message or not quirks.refusal_as_text, "a refusal where none is known", message)
    kinds = {"text"} | ({"thinking"} if quirks.thinking_field == "content" else set())
    parts = message["content"] if isinstance(message["content"], list) else []
    need(all(part["type"] in kinds for part in parts), "an answer holds other than text", message)
    for call in calls or ():
        if call["type"] == "function":
            arguments(call["function"]["arguments"])
            need(call["function"]["name"], "a call has no name", call)
        else:
            need(call["type"] == "custom" and isinstance(call["custom"]["input"], str), "a call of no type", call)


def ollama(body: dict[str, Any], quirks: Quirks) -> None:
    need(body["model"] and body["stream"] is True and body["messages"], "a required field is missing", body)
    pair(body["messages"], ".+")
    names: dict[str, str] = {}
    for message in body["messages"]:
        only(message, ("role", "content", "images", "thinking", "tool_calls", "tool_name", "tool_call_id"), "a message")
        need(message["role"] in ("system", "user", "assistant", "tool"), "no such role", message)
        need(isinstance(message["content"], str), "content is no string", message)
        need(all(map(is_base64, message.get("images", ()))), "an image is not bare base64", message)
        need("thinking" not in message or message["role"] == "assistant", "who thinks is no model", message)
        for call in message.get("tool_calls", ()):
            need(isinstance(call["function"]["arguments"], dict), "arguments are no object", call)
            names[call["id"]] = call["function"]["name"]
        if message["role"] == "tool":
            need(message["tool_name"] == names[message["tool_call_id"]], "a result of another tool", message)


def cohere(body: dict[str, Any], quirks: Quirks) -> None:
    need(body["model"] and body["stream"] is True and body["messages"], "a required field is missing", body)
    pair(body["messages"], ".+")
    for message in body["messages"]:
        content = message.get("content")
        parts = content if isinstance(content, list) else []
        kinds = {part["type"] for part in parts}
        need(content is None or content != [], "an empty list of content", message)
        match message["role"]:
            case "system":
                only(message, ("role", "content"), "a system message")
                need(content is not None and kinds <= {"text"}, "a system message holds text only", message)
            case "user":
                only(message, ("role", "content"), "a user message")
                need(content is not None and kinds <= {"text", "image_url"}, "a user sends text and images", message)
                images = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
                need(all(map(is_address, images)), "an image has no address", message)
            case "tool":
                only(message, ("role", "content", "tool_call_id"), "a tool message")
                need(content is not None and kinds <= {"text", "document"}, "a result of no form", message)
            case "assistant":
                only(message, ("role", "content", "tool_calls", "tool_plan", "citations"), "an answer")
                need(
                    content or message.get("tool_calls") or message.get("tool_plan"), "an answer says nothing", message
                )
                need(kinds <= {"text", "thinking"}, "an answer holds other than text", message)
                need("tool_plan" not in message or message["tool_plan"], "an empty plan", message)
                for call in message.get("tool_calls", ()):
                    arguments(call["function"]["arguments"])
            case role:
                raise AssertionError(f"no such role: {role!r}")


def dashscope(body: dict[str, Any], quirks: Quirks) -> None:
    need(body["model"] and body["input"]["messages"], "a required field is missing", body)
    messages = body["input"]["messages"]
    pair(messages, ".+")
    lists = {isinstance(message["content"], list) for message in messages}
    need(len(lists) == 1, "content is a text here and a list there", messages)
    for message in messages:
        known = ["role", "content", *([quirks.thinking_field] if quirks.thinking_field else ())]
        known += {"assistant": ["tool_calls"], "tool": ["tool_call_id"]}.get(message["role"], [])
        only(message, known, f"a message of {message['role']}")
        need(message["role"] in ("system", "user", "assistant", "tool"), "no such role", message)
        if lists == {True}:
            kinds = {kind for part in message["content"] for kind in part}
            shown = {"text", "image", "audio", "video"} if message["role"] == "user" else {"text"}
            need(kinds <= shown and all(len(part) == 1 for part in message["content"]), "a part of no kind", message)
            media = [part[kind] for part in message["content"] for kind in part.keys() - {"text"}]
            need(all(map(is_address, media)), "media without an address", message)
        for call in message.get("tool_calls", ()):
            arguments(call["function"]["arguments"])


# ---- the items of Responses


def responses(body: dict[str, Any], quirks: Quirks) -> None:
    need(body["model"] and body["stream"] is True and body["input"], "a required field is missing", body)
    waiting: dict[str, str] = {}
    seen: set[str] = set()
    stored = body.get("store") is not False
    for at, item in enumerate(body["input"]):
        kind = item.get("type", "message")
        if kind in ("function_call", "custom_tool_call"):
            need(0 < len(item["call_id"]) <= 64 and item["call_id"] not in seen, "the id of a call is refused", item)
            seen.add(item["call_id"])
            waiting[item["call_id"]] = kind
            if kind == "function_call":
                arguments(item["arguments"])
        elif kind in ("function_call_output", "custom_tool_call_output"):
            need(waiting.pop(item["call_id"], "") == kind.removesuffix("_output"), "a result answers no call", item)
            output = item["output"]
            need(isinstance(output, str) or output and all(map(responses_part, output)), "a result of no form", item)
        elif kind == "reasoning":
            need(stored or item.get("encrypted_content") or item.get("content"), "thinking that nobody kept", item)
            following = body["input"][at + 1] if at + 1 < len(body["input"]) else {"role": "user"}
            led_to = following.get("role", "assistant") == "assistant" and "output" not in following
            need(led_to, "thinking that leads to nothing", (item, following))
            need(isinstance(item["summary"], list), "thinking without its summary", item)
        elif kind == "message":
            responses_message(item)
        else:
            need("id" in item, "an item of a server tool has no id", item)
    need(not waiting, "calls were not answered", waiting)


def responses_message(item: dict[str, Any]) -> None:
    content = item["content"]
    need(item["role"] in ("system", "developer", "user", "assistant"), "no such role", item)
    need(isinstance(content, str) or isinstance(content, list) and content, "content of no form", item)
    if isinstance(content, str):
        need(content or item["role"] != "assistant", "an answer says nothing", item)
    elif item["role"] == "assistant":
        need({part["type"] for part in content} <= {"output_text", "refusal"}, "an answer of other parts", item)
        need("id" in item, "parts of an answer that is no item", item)
    else:
        need(all(map(responses_part, content)), "content of no form", item)
        text_only = item["role"] != "user"
        need(not text_only or {part["type"] for part in content} <= {"input_text"}, "instructions are text", item)


def responses_part(part: dict[str, Any]) -> bool:
    match part["type"]:
        case "input_text":
            return isinstance(part["text"], str)
        case "input_image":
            return "file_id" in part or is_address(part["image_url"])
        case "input_file":
            return "file_id" in part or "file_url" in part or is_address(part["file_data"])
        case "input_audio":
            return is_base64(part["input_audio"]["data"])
    return False


# ---- turns that alternate: Anthropic, Gemini, Bedrock


def alternate(turns: Messages, model: str, content: str) -> None:
    need(turns and turns[0]["role"] == "user", "the user does not begin", turns[:1])
    for turn, following in zip(turns, turns[1:], strict=False):
        need(turn["role"] != following["role"], "two turns of one role", following)
    need({turn["role"] for turn in turns} <= {"user", model}, "no such role")
    need(all(turn[content] for turn in turns), "an empty turn", turns)


def answered(
    turns: Messages,
    content: str,
    calls: Callable[[Any], str | None],
    results: Callable[[Any], str | None],
    pattern: str,
) -> None:
    """The calls of a turn have one result each in the next, before anything else there; no other results exist."""
    seen: set[str] = set()
    waiting: list[str] = []
    for turn in turns:
        ids = [id for block in turn[content] if (id := results(block)) is not None]
        need(sorted(ids) == sorted(waiting), "results are not those of the calls right before", (ids, waiting))
        first = [results(block) for block in turn[content][: len(ids)]]
        need(None not in first, "something stands before a result", turn)
        waiting = [id for block in turn[content] if (id := calls(block)) is not None]
        for id in waiting:
            need(re.fullmatch(pattern, id), "the id of a call is refused", id)
            need(id not in seen, "the id of a call came before", id)
            seen.add(id)
    need(not waiting, "calls were not answered", waiting)


def anthropic(body: dict[str, Any], quirks: Quirks) -> None:
    if quirks.anthropic_door:  # a cloud's, where the path says the model
        need(body["anthropic_version"] and "model" not in body, "a required field is missing", body)
    else:
        need(body["model"] and body["stream"] is True, "a required field is missing", body)
    need(isinstance(body["max_tokens"], int), "there is no limit of tokens")
    need(isinstance(body.get("system", "x"), (str, list)) and body.get("system", "x"), "an empty system prompt")
    turns = body["messages"]
    alternate(turns, "assistant", "content")

    def result(block: dict[str, Any]) -> str | None:
        return block["tool_use_id"] if block["type"] == "tool_result" else None

    answered(turns, "content", lambda block: block["id"] if block["type"] == "tool_use" else None, result, r"[\w-]+")
    for turn in turns:
        for block in turn["content"]:
            anthropic_block(block, turn["role"])
        if turn["role"] == "assistant":
            kinds = [block["type"] for block in turn["content"]]
            need(kinds[-1] not in ("thinking", "redacted_thinking"), "thinking stands last", turn)
            served = {block["id"] for block in turn["content"] if block["type"] == "server_tool_use"}
            need(served <= {block.get("tool_use_id") for block in turn["content"]}, "a server's call is open", turn)
    last = turns[-1]["content"][-1]
    need(turns[-1]["role"] == "user" or last.get("text", "x") == last.get("text", "x").rstrip(), "white space last")


def anthropic_block(block: dict[str, Any], role: str) -> None:
    match block["type"]:
        case "text":
            need(block["text"].strip(), "a blank text", block)
        case "image" | "document" if role == "user":
            source = block["source"]
            data = source.get("data")
            fine = source["type"] in ("url", "file") or (is_base64(data) if source["type"] == "base64" else data)
            need(fine, "media without data", block)
        case "tool_result" if role == "user":
            content = block.get("content", "x")
            need(content or not block.get("is_error"), "an error that says nothing", block)
            for inner in content if isinstance(content, list) else ():
                anthropic_block(inner, "user")
        case "tool_use" if role == "assistant":
            need(isinstance(block["input"], dict) and block["name"], "arguments are no object", block)
        case "thinking" if role == "assistant":
            need(block["signature"], "thinking is not signed", block)
        case "redacted_thinking" | "server_tool_use" | "web_search_tool_result" if role == "assistant":
            pass
        case kind:
            raise AssertionError(f"no such block of {role}: {kind!r}")


def gemini(body: dict[str, Any], quirks: Quirks) -> None:
    contents = body["contents"]
    alternate(contents, "model", "parts")
    instruction = body.get("systemInstruction", {"parts": [{"text": "x"}]})["parts"]
    need(instruction and all(part.keys() == {"text"} for part in instruction), "an instruction is text", instruction)
    waiting: list[dict[str, Any]] = []
    for content in contents:
        results = [part["functionResponse"] for part in content["parts"] if "functionResponse" in part]
        need(
            [(result["name"], result.get("id")) for result in results]
            == [(call["name"], call.get("id")) for call in waiting],
            "results are not those of the calls right before, in their order",
            (results, waiting),
        )
        need(all(isinstance(result["response"], dict) for result in results), "a result is no object", results)
        waiting = [part["functionCall"] for part in content["parts"] if "functionCall" in part]
        need(all(isinstance(call["args"], dict) for call in waiting), "arguments are no object", waiting)
        for part in content["parts"]:
            gemini_part(part, content["role"])
    need(not waiting, "calls were not answered", waiting)


def gemini_part(part: dict[str, Any], role: str) -> None:
    data = part.keys() - {"thought", "thoughtSignature", "videoMetadata", "mediaResolution"}
    need(len(data) == 1, "a part of several kinds or none", part)
    match data.pop():
        case "text":
            need(part["text"] or "thoughtSignature" in part, "an empty text", part)
        case "inlineData":
            need(is_base64(part["inlineData"]["data"]) and part["inlineData"]["mimeType"], "no data", part)
        case "fileData":
            need(part["fileData"]["fileUri"], "no address", part)
        case "functionResponse":
            need(role == "user", "a model gives a result", part)
        case "functionCall" | "executableCode" | "codeExecutionResult" | "toolCall" | "toolResponse":
            need(role == "model", "a user makes a call", part)
        case kind:
            raise AssertionError(f"no such part: {kind!r}")


def bedrock(body: dict[str, Any], quirks: Quirks) -> None:
    turns = body["messages"]
    alternate(turns, "assistant", "content")

    def call(block: dict[str, Any]) -> str | None:
        use = block.get("toolUse", {})
        return use.get("toolUseId") if use.get("type") != "server_tool_use" else None

    def result(block: dict[str, Any]) -> str | None:
        return block.get("toolResult", {}).get("toolUseId") if "type" not in block.get("toolResult", {}) else None

    answered(turns, "content", call, result, r"[A-Za-z0-9_-]{1,64}")
    names: list[str] = []
    for block in (*body.get("system", ()), *(block for turn in turns for block in turn["content"])):
        need(len(block) == 1, "a block of several kinds", block)
        kind, value = next(iter(block.items()))
        match kind:
            case "text":
                need(value.strip(), "a blank text", block)
            case "image":
                need(value["format"] in ("png", "jpeg", "gif", "webp"), "an image of no format", block)
            case "document":
                names.append(value["name"])
                need(re.fullmatch(r"[A-Za-z0-9\s\-()\[\]]{1,200}", value["name"]), "a document's name", block)
            case "toolUse":
                need(isinstance(value["input"], dict), "arguments are no object", block)
            case "toolResult":
                need(value["content"], "an empty result", block)
            case "reasoningContent":
                need("redactedContent" in value or value["reasoningText"]["signature"], "unsigned thinking", block)
            case "audio" | "video" | "cachePoint" | "guardContent" | "citationsContent":
                pass
            case kind:
                raise AssertionError(f"no such block: {kind!r}")
        if kind in ("image", "document", "audio", "video"):
            source = value["source"]
            need(is_base64(source["bytes"]) if "bytes" in source else source["s3Location"], "no data", block)
    need(len(names) == len(set(names)), "two documents of one name", names)
    for turn in turns:
        if any("document" in block for block in turn["content"]):
            need(any("text" in block for block in turn["content"]), "a document without a text", turn)
    used = any("toolUse" in block for turn in turns for block in turn["content"])
    need(
        not used or body.get("toolConfig", {}).get("tools"), "calls in a request without tools", body.get("toolConfig")
    )
    if turns[-1]["role"] == "assistant" and "text" in (last := turns[-1]["content"][-1]):
        need(last["text"] == last["text"].rstrip(), "white space last", last)


# ---- the steps of an interaction


def interactions(body: dict[str, Any], quirks: Quirks) -> None:
    need(body["model"] and body["stream"] is True and body["input"], "a required field is missing", body)
    need(isinstance(body.get("system_instruction", "x"), str), "an instruction is no text")
    waiting: dict[str, str] = {}
    seen: set[str] = set()
    for step in body["input"]:
        match step["type"]:
            case "function_call":
                need(step["id"] and step["id"] not in seen, "the id of a call came before", step)
                need(isinstance(step["arguments"], dict), "arguments are no object", step)
                seen.add(step["id"])
                waiting[step["id"]] = step["name"]
            case "function_result":
                need(waiting.pop(step["call_id"], "") == step["name"], "a result answers no call", step)
                need(isinstance(step["result"], (str, dict, list)), "a result of no form", step)
            case "user_input" | "model_output":
                need(not waiting or step["type"] == "model_output", "calls were not answered right after", waiting)
                need(step["content"], "a step says nothing", step)
                for content in step["content"]:
                    fine = content["text"] if content["type"] == "text" else content.get("data") or content.get("uri")
                    need(fine, "content that says nothing", content)
            case "thought":
                need(step.get("signature") or step.get("summary"), "an empty thought", step)
            case kind:
                need(kind.endswith(("_call", "_result")), "no such step", step)
    need(not waiting, "calls were not answered", waiting)


CHECKERS: dict[str, Callable[[dict[str, Any], Quirks], None]] = {
    "openai-chat": chat,
    "openai-responses": responses,
    "anthropic": anthropic,
    "gemini": gemini,
    "gemini-interactions": interactions,
    "bedrock-converse": bedrock,
    "cohere": cohere,
    "ollama": ollama,
    "dashscope": dashscope,
}
