"""The conversation that moves between dialects, against the request types of the official SDKs."""

from __future__ import annotations

import pytest

from tests.laws.test_handoff import SOURCES, conversation
from tests.sdk.test_request_types import CHECKS, assert_of_type, body_of

pytestmark = [
    pytest.mark.sdk,
    pytest.mark.filterwarnings("ignore::streamkit.errors.StreamkitWarning"),  # of what another cannot be told
]

TYPED = [*CHECKS, "openai", "openai-responses", "groq", "mistral"]


@pytest.mark.parametrize("told", ["drop", "text"])
@pytest.mark.parametrize("provider", TYPED)
def test_what_all_dialects_wrote_is_of_the_sdks_type(provider: str, told: str) -> None:
    history = [message for source in SOURCES for message in conversation(source)]
    body = body_of(provider, history, {"foreign_thinking": told})
    CHECKS.get(provider, assert_of_type)(provider, body)
