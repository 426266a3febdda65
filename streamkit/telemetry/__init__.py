"""OpenTelemetry for streams, agents and tools, by the semantic conventions for generative AI."""

try:
    import opentelemetry._logs  # noqa: F401 - of opentelemetry-api, as all that is needed
except ModuleNotFoundError as missing:
    raise ImportError("streamkit.telemetry needs OpenTelemetry: pip install 'streamkit[otel]'") from missing

from streamkit.telemetry.telemetry import Telemetry

__all__ = ["Telemetry"]
