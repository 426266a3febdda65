from __future__ import annotations

from streamkit.client import Client, Stream
from streamkit.client.typed import TypedStream
from streamkit.testing import Answer, ReplayServer


async def test_a_stream_that_is_asked_for_a_type_is_a_typed_one() -> None:
    async with ReplayServer(Answer(['{"value": [1, 2]}'])) as server:
        async with Client("openai/m", api_key="k", base_url=server.url) as client:
            async with client.stream("Which?", output_type=list[int]) as stream:
                async for _ in stream:
                    pass
            assert isinstance(stream, TypedStream)
            assert stream.value == [1, 2]
            assert type(client.stream("Which?")) is Stream
