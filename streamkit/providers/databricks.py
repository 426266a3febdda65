"""Databricks, its serving endpoints; the workspace is the address, the model is an endpoint's name.

https://docs.databricks.com/machine-learning/foundation-model-apis/api-reference.html, checked 2026-11-30.
Usage comes on every chunk unasked. Claude there thinks by a budget, in a parameter of the model's own:
`thinking={"thinking": {"type": "enabled", "budget_tokens": 4096}}`.
"""

from streamkit.protocols import Quirks
from streamkit.providers.base import Provider

PROVIDER = Provider(
    name="databricks",
    protocol="openai-chat",
    base_url="{DATABRICKS_HOST}/serving-endpoints",
    key_variable="DATABRICKS_TOKEN",
    quirks=Quirks(
        max_tokens_field="max_tokens",
        refusal_as_text=True,
        stream_options=False,
        unsupported=("seed", "logit_bias", "user", "service_tier"),
        efforts=("low", "medium", "high"),
    ),
)
