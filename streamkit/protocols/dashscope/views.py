"""The fields of DashScope's records that are read.

Messages have the fields of chat completions; their text is a string or a list of parts. Fields are `Any` where models
and applications differ on the type. Facts: https://help.aliyun.com/en/model-studio/qwen-api-via-dashscope, the
`dashscope` package 2.0.2 and recordings, checked 2026-11-29.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from streamkit.protocols.openai_chat.views import Delta

__all__ = ["Choice", "Output", "Record"]


class Choice(Struct, gc=False):
    """One of n answers, or what is new of it."""

    index: Any = None
    message: Delta | None = None
    finish_reason: Any = None
    logprobs: Any = None


class Output(Struct, gc=False):
    """What a record says: choices; or bare text, of applications and older models; or one message, of deep research."""

    choices: list[Choice | None] | None = None
    text: Any = None
    finish_reason: Any = None
    message: Delta | None = None
    fininshed_reason: Any = None  # so spelt by deep research
    search_info: Any = None
    tool_info: Any = None
    doc_references: Any = None  # applications


class Record(Struct, gc=False):
    """One event of the stream; `code` and `message` are an error's."""

    output: Output | None = None
    usage: Any = None
    request_id: Any = None
    code: Any = None
    message: Any = None
