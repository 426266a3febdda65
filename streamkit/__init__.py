"""streamkit: the bytes of any LLM provider's stream in, normalised deltas and complete messages out.

Every name loads its module on first use, so that an import costs little; httpx and anyio load with the first client.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# Grouped by stage of the pipeline.
_HOME = {
    "streamkit.errors": (
        "APIError",
        "AuthenticationError",
        "ConfigError",
        "ConnectTimeout",
        "ContentFiltered",
        "ContextOverflow",
        "FirstTokenTimeout",
        "HistoryWarning",
        "IdleTimeout",
        "ImageFetchError",
        "ImageNotEmbedded",
        "InvalidRequest",
        "NotFound",
        "OutputError",
        "Overloaded",
        "PermissionDenied",
        "ProtocolError",
        "QuotaExceeded",
        "RateLimited",
        "ServerError",
        "SessionDamaged",
        "SessionError",
        "SessionExists",
        "SessionLocked",
        "SessionNotFound",
        "StreamkitError",
        "StreamkitWarning",
        "ToolError",
        "TotalTimeout",
        "TransportError",
        "TransportTimeout",
        "TruncatedStream",
        "UnsupportedParameterWarning",
        "TurnLimit",
    ),
    "streamkit.limits": ("Limits",),
    "streamkit.usage": ("Usage", "UsageCost"),
    "streamkit.timing": ("Gaps", "Timing"),
    "streamkit.partial_json": ("PartialJSON",),
    "streamkit.parts": (
        "AudioPart",
        "CitationPart",
        "EmbeddedImage",
        "FilePart",
        "FunctionCall",
        "FunctionPart",
        "ImagePart",
        "ImageUrl",
        "Part",
        "RawPart",
        "RefusalPart",
        "ServerToolPart",
        "TextPart",
        "ValuePart",
    ),
    "streamkit.blocks": ("Block", "BlockRef", "OpaquePart", "ThinkingPart"),
    "streamkit.marks": ("mark_cached",),
    "streamkit.messages": ("FinishReason", "Message", "MessageOutput", "Meta", "Origin", "as_message"),
    "streamkit.custom": (
        "BashExecution",
        "BranchSummary",
        "CompactionSummary",
        "CustomContent",
        "convert_to_llm",
        "custom_message",
        "custom_value",
        "register_message",
    ),
    "streamkit.deltas": (
        "AudioDelta",
        "BlockAdded",
        "CitationAdded",
        "Delta",
        "Logprobs",
        "MessageDeltaOutput",
        "MessageEnd",
        "MessageStart",
        "RawFrame",
        "RefusalDelta",
        "RefusalEnd",
        "RefusalStart",
        "Replace",
        "Retract",
        "TextDelta",
        "TextEnd",
        "TextStart",
        "ThinkingDelta",
        "ThinkingEnd",
        "ThinkingStart",
        "ToolCallDelta",
        "ToolCallEnd",
        "ToolCallStart",
        "UnknownFrame",
        "UsageSnapshot",
    ),
    "streamkit.events": (
        "Done",
        "Event",
        "Failed",
        "MessageAdded",
        "OutputDelta",
        "OutputEnd",
        "Progress",
        "RunStart",
        "RunSummary",
        "SubAgent",
        "ToolEnd",
        "ToolStart",
        "ToolUpdate",
        "TurnEnd",
        "TurnStart",
    ),
    "streamkit.accumulator": ("Accumulator", "accumulate", "coalesce"),
    "streamkit.protocols.failures": ("is_overflow",),
    "streamkit.protocols": ("Parser", "Protocol", "Quirks", "Request", "ToolSpec", "get_protocol"),
    "streamkit.tools": ("Tool", "ToolContext", "ToolGroup", "ToolRequest", "ToolResult", "TypedTool", "tool"),
    "streamkit.providers": ("Provider", "get_provider", "provider_names", "register_provider"),
    "streamkit.transport.fetching": ("fetch_image",),
    "streamkit.client.retries": ("Retry", "Retrying"),
    "streamkit.sessions": (
        "ConversationRecord",
        "ObservationRecord",
        "Record",
        "ReflectionRecord",
        "RetractionRecord",
        "Session",
        "Sessions",
        "StartRecord",
        "SummaryRecord",
        "UnknownRecord",
        "WorkingMemoryRecord",
    ),
    "streamkit.models": ("CostTier", "Model", "ModelCost", "ModelId"),
    "streamkit.client.catalog": ("Catalog",),
    "streamkit.structured": ("TypedOutput",),
    "streamkit.client": ("Client", "Stream", "TypedStream"),
    "streamkit.agent.skills": ("Skill", "Skills"),
    "streamkit.agent": (
        "Agent",
        "AgentBuilder",
        "AgentState",
        "EventRun",
        "NextTurn",
        "QueueMode",
        "Run",
        "Turn",
        "TypedEventRun",
        "TypedRun",
    ),
}
_MODULE_OF = {name: module for module, names in _HOME.items() for name in names}

__all__ = ["__version__", *_MODULE_OF]

if TYPE_CHECKING:
    from streamkit.accumulator import *
    from streamkit.agent import *
    from streamkit.agent.skills import Skill as Skill
    from streamkit.agent.skills import Skills as Skills
    from streamkit.blocks import *
    from streamkit.client import *
    from streamkit.client.catalog import *
    from streamkit.client.retries import *
    from streamkit.custom import *
    from streamkit.deltas import *
    from streamkit.errors import *
    from streamkit.events import *
    from streamkit.limits import *
    from streamkit.marks import *
    from streamkit.messages import *
    from streamkit.models import *
    from streamkit.partial_json import *
    from streamkit.parts import *
    from streamkit.protocols import *
    from streamkit.protocols.failures import is_overflow as is_overflow
    from streamkit.providers import *
    from streamkit.sessions import *
    from streamkit.structured import TypedOutput as TypedOutput
    from streamkit.timing import *
    from streamkit.tools import Tool as Tool
    from streamkit.tools import ToolContext as ToolContext
    from streamkit.tools import ToolGroup as ToolGroup
    from streamkit.tools import ToolRequest as ToolRequest
    from streamkit.tools import ToolResult as ToolResult
    from streamkit.tools import TypedTool as TypedTool
    from streamkit.tools import tool as tool
    from streamkit.transport.fetching import *
    from streamkit.usage import *


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'streamkit' has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
