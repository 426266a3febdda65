"""A server made with the official SDK, for the tests: `python server.py stdio`, or `http`, which prints its port."""

from __future__ import annotations

import base64
import os
import socket
import sys
from typing import Any

import anyio
import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.routing import Route

server = MCPServer("streamkit-tests", log_level="CRITICAL")
# What became of the calls that never end, and the keys that came where none should.
cancelled: list[str] = []
caught: list[str] = []


@server.tool(annotations=ToolAnnotations(read_only_hint=True))
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool(name="weather.today", structured_output=True)
def weather(city: str) -> dict[str, Any]:
    """The weather of a city."""
    return {"city": city, "celsius": 12.5}


@server.tool()
def everything() -> CallToolResult:
    """One block of each kind."""
    data = base64.b64encode(b"\x89PNG").decode()
    return CallToolResult(
        content=[
            TextContent(text="a text"),
            ImageContent(data=data, mime_type="image/png"),
            AudioContent(data=data, mime_type="audio/wav"),
            EmbeddedResource(resource=TextResourceContents(uri="file:///a.txt", mime_type="text/plain", text="inside")),
            EmbeddedResource(
                resource=BlobResourceContents(uri="file:///a.pdf", mime_type="application/pdf", blob=data)
            ),
            ResourceLink(uri="https://example.org/b.csv", name="b.csv", mime_type="text/csv"),
        ]
    )


@server.tool()
def broken() -> str:
    """Always fails."""
    raise ValueError("the disk is full")


@server.tool()
async def steps(ctx: Context, count: int) -> str:
    """Report each step."""
    for step in range(1, count + 1):
        await ctx.report_progress(step, count, f"step {step}")
    return "done"


@server.tool()
async def forever(name: str) -> str:
    """Never answer."""
    try:
        await anyio.sleep_forever()
    except anyio.get_cancelled_exc_class():
        cancelled.append(name)
        raise


@server.tool()
def was_cancelled(name: str) -> bool:
    """Whether a call of `forever` was cancelled."""
    return name in cancelled


@server.tool()
def header(ctx: Context, name: str) -> str:
    """A header of the request."""
    return (ctx.headers or {}).get(name, "(none)")


@server.tool()
async def grow(ctx: Context, name: str) -> None:
    """Add a tool, and say so in both protocols."""
    server.add_tool(lambda: "new", name=name, description="A new tool.")
    await ctx.notify_tools_changed()
    await ctx.session.send_tool_list_changed()


@server.tool()
def shrink(name: str) -> None:
    """Take a tool away, and say nothing."""
    server.remove_tool(name)


@server.tool()
def pid() -> int:
    """The process."""
    return os.getpid()


@server.tool()
def die() -> str:
    """End the process."""
    os._exit(3)


async def moved(request: Request) -> Response:
    return RedirectResponse(request.query_params["to"], 307)


async def other(request: Request) -> Response:
    caught.extend(request.headers.getlist("authorization"))
    return JSONResponse(caught)


async def denied(request: Request) -> Response:
    return Response(f"bad key: {request.headers.get('authorization')}", 401)


class OldProtocol:
    """The server as one of before 2026: at `/old`, where nobody knows `server/discover`."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["path"] != "/old":
            await self._app(scope, receive, send)
            return
        body = await Request(scope, receive).body()
        if b'"server/discover"' in body:
            await Response(status_code=404)(scope, receive, send)
            return
        messages = [{"type": "http.request", "body": body, "more_body": False}]

        async def again() -> Any:
            return messages.pop() if messages else await receive()

        await self._app({**scope, "path": "/mcp", "raw_path": b"/mcp"}, again, send)


def main() -> None:
    if sys.argv[1] == "stdio":
        server.run("stdio")
        return
    app = server.streamable_http_app()
    app.routes.extend(Route(f"/{view.__name__}", view, methods=["GET", "POST"]) for view in (moved, other, denied))
    listening = socket.create_server(("127.0.0.1", 0))
    sys.stdout.write(f"{listening.getsockname()[1]}\n")
    sys.stdout.flush()
    uvicorn.Server(uvicorn.Config(OldProtocol(app), log_level="warning")).run(sockets=[listening])


if __name__ == "__main__":
    main()
