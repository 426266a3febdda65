"""The shapes of records that are errors: those of all who speak OpenAI's dialect, whom others' gateways copy."""

from __future__ import annotations

from typing import Any

__all__ = ["find_failure"]


def find_failure(value: dict[str, Any]) -> dict[str, Any] | None:
    """Return the part of a decoded record that is an error, as `read_failure` takes it; None where there is none.

    The shapes, read 2026-11-29 from the SDKs, servers and recordings of each: a truthy top-level `error` (OpenAI and
    most; a string at xAI and TGI), one in a choice (OpenRouter), `x_groq.error`, MiniMax's `base_resp`; and, in a
    record without choices, `object: error` (SGLang, Mistral), `error_code` (FastChat, Databricks), `errors` (watsonx,
    Cloudflare), and flat ones with `message` and a `code` or an error `type` (DashScope, Cerebras) or only
    `detail` (FastAPI).
    """
    if value.get("error"):
        return value
    choices = value.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and choice.get("error"):
            return {"error": choice["error"]}
    groq = value.get("x_groq")
    if isinstance(groq, dict) and groq.get("error"):
        return {"error": groq["error"]}
    base = value.get("base_resp")
    if isinstance(base, dict) and base.get("status_code") not in (None, 0, "0"):
        return value
    return value if not choices and _is_flat(value) else None


def _is_flat(value: dict[str, Any]) -> bool:
    if value.get("object") == "error" or value.get("error_code") or value.get("errors"):
        return True
    if value.keys() == {"detail"}:
        return True
    if not isinstance(value.get("message"), str):
        return False
    code, kind = value.get("code"), value.get("type")
    return code not in (None, "", 0, 200, "0", "200") or (isinstance(kind, str) and "error" in kind)
