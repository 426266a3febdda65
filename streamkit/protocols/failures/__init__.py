"""Errors that providers report, before or inside a stream → typed errors."""

from streamkit.protocols.failures.reader import find_request_id, read_failure, scrub

__all__ = ["find_request_id", "read_failure", "scrub"]
