"""Where a vendor departs from its dialect: one flat table."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

__all__ = ["CHOICES", "EFFORTS", "Quirks"]

# Every word of thinking effort of chat completions, rising; https://platform.openai.com/docs/api-reference/chat,
# checked 2026-11-29.
EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")

# What a tool choice may say there: one of three words, or the name of a tool.
CHOICES = ("auto", "none", "required", "named")


class Quirks(Struct, frozen=True, kw_only=True):
    """Each field is one departure, off by default, with who needs it. Set by a vendor's data row, never guessed."""

    # Reading.
    think_tags: bool = False  # thinking comes as <think>…</think> inside the text: raw open-weight hosts
    think_tag_open: bool = False  # the answer starts inside the thinking, its opening tag is missing: R1 templates
    reasoning_outside_output: bool = False  # completion_tokens leaves reasoning out: xAI, Vertex
    reasoning_snapshots: bool = False  # reasoning is whole so far in each chunk, text is not: some MiniMax models
    plan_as_thinking: bool = False  # the plan before calls streams as thinking, not whole as a part: Cohere
    server_custom_tools: bool = False  # custom tools are the provider's, which runs their calls itself: xAI's Responses
    # A clean end of input without a finish reason is a whole answer: servers that never give one.
    end_without_finish: bool = False
    # "cumulative": each record holds all so far, in a dialect that has increments: some gateways. "auto": found out.
    mode: str = ""

    # Writing chat completions.
    max_tokens_field: str = "max_completion_tokens"  # "max_tokens": nearly all but OpenAI, Azure, Groq and xAI
    system_role: str = "system"  # "developer": OpenAI's reasoning models (both are taken)
    stream_options: bool = True  # asks for usage; refused or unknown, and usage comes all the same: Groq, Mistral
    seed_field: str = "seed"  # "random_seed": Mistral
    required_word: str = "required"  # the tool choice that forces a call; "any": old Mistral
    tool_choices: tuple[str, ...] = CHOICES  # the choices that are taken, others are left out: Moonshot, Zhipu, Qwen, …
    choice_field: str = "tool_choice"  # where a choice in a word goes; "tool_choice_option": watsonx
    strict_tools: bool = True  # False, the `strict` of a tool is refused, so left out: watsonx, Zhipu, Gemini
    union_types: bool = True  # False, a schema's `type` beside its `anyOf` is refused, so goes into each: Moonshot
    tool_id_pattern: str = ""  # a call id must match this regular expression: OpenAI (40 characters), Mistral
    unsupported: tuple[str, ...] = ()  # fields of `Request` that are refused, so left out with a warning
    json_schema: bool = True  # False, only "json_object" makes JSON: DeepSeek, Moonshot, MiniMax, Zhipu
    schema_as_value: bool = False  # a schema goes as the `value` of "json_object": TGI
    temperatures: tuple[float, float] | None = None  # what lies outside becomes the nearer of the two: MiniMax, Zhipu
    names: bool = True  # False, the `name` of a speaker is refused: Groq, Mistral
    string_content: bool = False  # several texts go as one string, no list of parts: DeepSeek, Ollama, SambaNova, …
    image_urls: bool = True  # False, an image is taken by its bytes only: Moonshot, Ollama, Claude at clouds, …
    refusal_as_text: bool = False  # knows no `refusal` in history: nearly all but OpenAI and Azure
    custom_calls: bool = False  # takes back calls of tools whose input is free text; else they are told: OpenAI, Azure
    tool_attachments: bool = False  # a tool message may hold images, else they follow as a user message: Mistral
    alternating: bool = False  # system messages first, then no two of one role in a row: Perplexity
    assistant_after_tool: bool = False  # refuses a user message right after a tool message: Mistral
    cache_control: bool = False  # takes Anthropic's `cache_control` on parts and tools: OpenRouter
    thinking_field: str = ""  # the assistant field that takes thinking back ("content": as parts of it): DeepSeek, …
    thinking_required: bool = False  # refuses a message with calls that lacks that field, even empty: DeepSeek
    reasoning_details: bool = False  # takes `reasoning_details` back unchanged: OpenRouter, MiniMax
    unsigned_call: dict[str, Any] = {}  # what the first call of a message has where it brings no such field: Gemini 3
    thinking_blocks: bool = False  # takes Anthropic's blocks back as `thinking_blocks`: LiteLLM
    efforts: tuple[str, ...] = EFFORTS  # the words of thinking effort that are taken; others become the nearest
    # How thinking is asked for:
    # "reasoning_effort": that field, an effort
    # "thinking": {"type": "enabled" | "disabled"} with `reasoning_effort`: DeepSeek, Moonshot, Zhipu, Volcengine
    # "adaptive": {"thinking": {"type": "adaptive" | "disabled"}}: MiniMax
    # "reasoning": {"effort": …} or {"max_tokens": …}: OpenRouter
    # "enabled": {"reasoning": {"enabled": …}} with `reasoning_effort`: Together
    # "template": {"chat_template_kwargs": {"enable_thinking": …}} with `reasoning_effort`: vLLM, llama.cpp, SGLang, …
    # "enable_thinking": that field, true or false, with `thinking_budget` for a budget: Qwen, Novita
    thinking_form: str = "reasoning_effort"
    fields: dict[str, Any] = {}  # what every body has besides, where a parameter does not say otherwise: MiniMax
    model_field: str = "model"  # "model_id": watsonx
    stream_field: bool = True  # False, the path says that a stream is wanted: watsonx
    chat_path: str = "/chat/completions"  # below the base URL; another at watsonx

    # Writing Anthropic messages.
    anthropic_version: str = "2023-06-01"  # from "2026-10-21" on, sampling parameters are refused, so left out
    # A cloud's own way to Claude, with the model in the path and the version in the body:
    # "bedrock": InvokeModelWithResponseStream; "vertex": streamRawPredict
    anthropic_door: str = ""
    adaptive_thinking: bool = False  # a level is no budget of tokens: Claude from 4.6, Gemini from 3 on
    unsigned_thinking: bool = False  # thinking without a signature is sent back: servers that sign nothing (llama.cpp)
    inline_system: bool = False  # a later system message stays among the turns, not with the first: newer Claude models

    # Writing Gemini requests.
    gemini_version: str = "v1beta"  # stands before the model in the path; "" where the base URL has it: Vertex AI

    # Writing DashScope requests.
    multimodal: bool = False  # the model is served by the multimodal path, whatever a message holds: Qwen-VL, Qwen3.5
