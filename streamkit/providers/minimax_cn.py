"""MiniMax in mainland China, otherwise as `minimax`; https://platform.minimaxi.com/docs, checked 2026-11-30."""

from msgspec import structs

from streamkit.providers import minimax

PROVIDER = structs.replace(
    minimax.PROVIDER,
    name="minimax-cn",
    base_url="https://api.minimaxi.com/v1",
)
