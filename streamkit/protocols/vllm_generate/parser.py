"""`POST /generate` of vLLM's demonstration server, `vllm.entrypoints.api_server`.

Each line is an object whose `text` lists, for each of n outputs, the prompt and all of the output so far. There is no
finish reason, no usage, no error and no end but that of the input. The first servers ended records with NUL:
`framing="nul"`. Facts: `vllm/entrypoints/api_server.py` of https://github.com/vllm-project/vllm, checked 2026-11-30.
"""

from __future__ import annotations

from typing import Any, ClassVar

from msgspec import Struct

from streamkit.deltas import Delta
from streamkit.errors import TruncatedStream
from streamkit.protocols.echo import Echo
from streamkit.protocols.plain_parser import PlainParser
from streamkit.wire import Frame
from streamkit.wire.ndjson import NDJSONDecoder

__all__ = ["VLLMGenerateParser"]


class _Record(Struct, gc=False):
    text: list[str] | None = None
    error: Any = None  # a gateway's


class VLLMGenerateParser(PlainParser):
    """The stream of a generation, or the JSON of one that came at once → deltas; see `Parser`.

    `prompt` is what was sent, and is taken off the texts; without it the texts are as they came.
    """

    protocol: ClassVar[str] = "vllm-generate"
    framing: ClassVar[str] = "ndjson"
    modes: ClassVar[tuple[str, ...]] = ("cumulative",)
    view: ClassVar[Any] = _Record
    ending: ClassVar[str] = "its last record was cut off"

    def __init__(self, *, prompt: str | None = None, **options: Any) -> None:
        super().__init__(**options)
        self._prompt = prompt
        self._echoes: list[Echo] = []  # of each choice

    def _take(self, record: _Record, frame: Frame, out: list[Delta]) -> bool:
        if record.error or record.text is None:
            return False
        while len(self._echoes) < len(record.text):
            self._echoes.append(Echo(self._prompt))
        for index, (echo, text) in enumerate(zip(self._echoes, record.text, strict=False)):
            self._begin(index, out).say(out, echo.strip(text))
        return True

    def _end(self, out: list[Delta]) -> None:
        self._check_begun()
        if isinstance(self._decoder, NDJSONDecoder) and self._decoder.cut:
            raise TruncatedStream(f"the stream ended in the middle of the answer: {self.ending}")
        self._finish(out)
