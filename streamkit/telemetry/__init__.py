"""OpenTelemetry for streams, agents and tools, by the semantic conventions for generative AI."""

from streamkit.extras import how_to_install

try:
    import opentelemetry._logs  # noqa: F401 - of opentelemetry-api, as all that is needed
except ModuleNotFoundError as missing:
    raise ImportError(f"streamkit.telemetry needs OpenTelemetry: {how_to_install('otel')}") from missing

from streamkit.telemetry.telemetry import Telemetry

__all__ = ["Telemetry"]
