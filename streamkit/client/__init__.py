"""The client: one answer over as many requests as it takes, its deltas from one async generator."""

from streamkit.client.client import Client
from streamkit.client.stream import Stream
from streamkit.client.typed import TypedStream

__all__ = ["Client", "Stream", "TypedStream"]
