"""Errors that providers report, before or inside a stream → typed errors."""

from streamkit.protocols.failures.reader import find_request_id, read_failure, scrub
from streamkit.protocols.failures.silent import is_overflow

__all__ = ["find_request_id", "is_overflow", "read_failure", "scrub"]
