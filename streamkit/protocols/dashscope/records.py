"""DashScope's events: server-sent ones, with an `id:`, a name, their HTTP status in a comment, and data, in this order.

Older gateways leave out the blank lines between events. Facts: the `dashscope` package 2.0.2 and recordings, checked
2026-11-29.
"""

from __future__ import annotations

from streamkit.wire.frames import Frame
from streamkit.wire.sse import CR, SSEDecoder

__all__ = ["RecordDecoder"]

_FIRST = (b"id:", b"event:")  # what an event has before its data
_STATUS = (b":HTTP_STATUS/", b"status:")
_RESULT = b"\nevent:result\n:HTTP_STATUS/200"  # what stands between the id and the data of most
_DATA = b"\ndata:{"
_ERROR = 400  # the first status that is one


class RecordDecoder(SSEDecoder):
    """The bytes of a stream in any cut → frames; see `Decoder`.

    An `id:` or `event:` line after data ends the event before it. A line with a status is no heartbeat; one with
    that of an error names an event that has no name.
    """

    def __init__(self, max_event_bytes: int) -> None:
        super().__init__(max_event_bytes)
        self._status = 0  # of the event that is being read, where it is an error
        self._statuses: list[tuple[Frame, int]] = []  # of the events that have one

    def status_of(self, frame: Frame) -> int:
        """Return the status of an event that is an error by it, 0 for any other."""
        return next((status for of, status in self._statuses if of is frame), 0)

    def feed(self, data: bytes) -> list[Frame]:
        """Return the frames that `data` completes; raises the error that an earlier call met."""
        start = 0
        out: list[Frame] = []
        if not self._idle:  # first the end of the event that is being read
            end = data.find(b"\n\n")
            start = len(data) if end < 0 else end + 2
            out = super().feed(data[:start])
        if self.error is not None:
            return out
        if not self._idle or CR in data:
            return out + super().feed(data[start:])
        while (at := data.find(_DATA, start)) >= 0:  # nearly every event is a result
            end = data.find(b"\n", at + 1)
            head = data[start:at]
            if head[:3] != b"id:" or not head.endswith(_RESULT) or head.count(b"\n") != 2:
                break
            if not at < end <= start + self._limit or data[end : end + 2] != b"\n\n":
                break
            out.append(Frame(data[at + 6 : end], "result"))
            start = end + 2
        if start < len(data):
            out += super().feed(data[start:])
        return out

    def finish(self) -> list[Frame]:
        """Return the frame that the end of input completes; raises what it, or an earlier call, found wrong."""
        out = super().finish()
        self._keep_status(out, 0)
        return out

    def _take(self, line: bytes, out: list[Frame]) -> None:
        if line.startswith(_STATUS):
            digits = line[len(_STATUS[0]) :] if line[:1] == b":" else line[len(_STATUS[1]) :]
            status = int(digits) if len(digits.strip()) == 3 and digits.strip().isdigit() else 0
            self._status = status if status >= _ERROR else 0
            if self._status and not self._event:
                self._event = "error"
            return
        if line.startswith(_FIRST) and self._data:
            self._dispatch(out)
        super()._take(line, out)

    def _dispatch(self, out: list[Frame]) -> None:
        before = len(out)
        super()._dispatch(out)
        self._keep_status(out, before)

    def _keep_status(self, out: list[Frame], before: int) -> None:
        if self._status and len(out) > before:
            self._statuses.append((out[-1], self._status))
        self._status = 0
