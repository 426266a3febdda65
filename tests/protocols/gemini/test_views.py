"""The names on the wire."""

from __future__ import annotations

import msgspec
import pytest

from streamkit.protocols.gemini.views import Chunk, Head, Part


def test_a_chunk_is_read_by_its_names_on_the_wire() -> None:
    text = (
        b'{"candidates":[{"content":{"parts":[{"text":"a","thought":true,"thoughtSignature":"s"},null]},"index":1,'
        b'"finishReason":"STOP","finishMessage":"m","groundingMetadata":{},"new":1}],'
        b'"usageMetadata":{"promptTokenCount":1,"toolUsePromptTokenCount":2},"promptFeedback":{},"error":null}'
    )
    chunk = msgspec.json.decode(text, type=Chunk)
    assert chunk.candidates is not None and chunk.candidates[0] is not None and chunk.usage_metadata is not None
    candidate = chunk.candidates[0]
    assert candidate.content is not None
    assert candidate.content.parts == [Part("a", True, "s"), None]
    assert (candidate.index, candidate.finish_reason, candidate.finish_message) == (1, "STOP", "m")
    assert candidate.grounding_metadata == {}
    assert (chunk.usage_metadata.prompt_token_count, chunk.usage_metadata.tool_use_prompt_token_count) == (1, 2)


def test_the_head_is_read_by_its_names_on_the_wire() -> None:
    assert msgspec.json.decode(b'{"responseId":"r","modelVersion":"m"}', type=Head) == Head("r", "m")


@pytest.mark.parametrize("text", [b'{"candidates":{}}', b'{"candidates":[{"content":{"parts":[{"text":1}]}}]}'])
def test_what_is_of_another_form_is_refused(text: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Chunk)
