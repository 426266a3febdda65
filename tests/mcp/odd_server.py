"""An MCP server written by hand, of the protocol before 2026, that does what a good one would not.

`python odd_server.py WAY`, where WAY is one of the words below; it starts in a few hundredths of a second.
"""

from __future__ import annotations

import json
import os
import sys
import time
from typing import Any

WAY = sys.argv[1]
LATER: list[str] = []  # tools that came while it ran
ASKED: dict[str, Any] = {
    "sampling/createMessage": {
        "messages": [{"role": "user", "content": {"type": "text", "text": "Hi"}}],
        "maxTokens": 5,
    },
    "elicitation/create": {"message": "Who?", "requestedSchema": {"type": "object", "properties": {}}},
}
asked: list[Any] = []  # what the client says to that


def say(**message: Any) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def tool(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object"}, **fields}


def listing(cursor: str | None) -> dict[str, Any]:
    if WAY == "pages":
        page = int(cursor or 0)
        return {"tools": [tool(f"tool{page}")], **({"nextCursor": str(page + 1)} if page < 2 else {})}
    if WAY == "circle":
        return {"tools": [tool(f"tool{time.monotonic_ns()}")], "nextCursor": "again"}
    if WAY == "twice":
        return {"tools": [tool("same"), tool("same")]}
    if WAY == "names":
        return {"tools": [tool("a.b"), tool("a_b"), tool("x" * 100), tool("é")]}
    if WAY == "bad-schema":
        schema = {"type": "object", "properties": {"a": {"type": 5}}}
        return {"tools": [tool("good"), {"name": "bad", "inputSchema": schema}]}
    if WAY == "changes":
        return {"tools": [tool("act"), *map(tool, LATER)]}
    if WAY == "no-listing":
        return {"tools": "none"}
    return {"tools": [tool("act", outputSchema={"type": "object", "required": ["n"]}), tool("where")]}


def answer(name: str) -> dict[str, Any] | None:
    """The result of a call, None for none."""
    if WAY == "exit":
        sys.stderr.write("Traceback: \x1b[31mno more memory\n")
        raise SystemExit(1)
    if WAY == "silent":
        return None
    if WAY == "garbage":
        sys.stdout.write("<html>an error page</html>\n")
        sys.stdout.flush()
        return None
    if WAY == "noise":
        sys.stdout.buffer.write(b"\xff\xfe\n[1]\n\nloading [1]\n")
        sys.stdout.flush()
    if WAY == "chatty":
        for id, method in enumerate(("ping", "roots/list", "sampling/createMessage", "elicitation/create", "nonsense")):
            say(id=f"mine-{id}", method=method, params=ASKED.get(method, {}))
            asked.append(json.loads(sys.stdin.readline()))
        return {"content": [{"type": "text", "text": json.dumps(asked)}], "structuredContent": {"n": 1}}
    if WAY == "repeats":
        for id in ("unknown", None, 10**9):
            say(id=id, result={"content": []})
        say(id=None, error={"code": -32700, "message": "what?"})
        say(method="notifications/nonsense", params={})
        say(method="notifications/progress", params={"progressToken": 77, "progress": 1})
    if WAY == "half":
        os.close(1)
        time.sleep(60)
    if WAY == "failed":
        return {"content": [{"type": "text", "text": "the disk is full"}], "isError": True}
    if WAY == "changes":
        for number in range(100):
            LATER.append(f"later{number}")
            say(method="notifications/tools/list_changed")
    if WAY == "bad-result":
        return {"content": [{"type": "text"}]}
    if WAY == "bad-structure":
        return {"content": [], "structuredContent": {"m": 1}}
    if WAY == "bad-base64":
        return {"content": [{"type": "image", "data": "?", "mimeType": "image/png"}], "structuredContent": {"n": 1}}
    if name == "where":
        said = f"{os.getcwd()} {os.environ.get('MINE')} {os.environ.get('OPENAI_API_KEY')}"
        return {"content": [{"type": "text", "text": said}]}
    if name != "act":
        return {"content": [{"type": "text", "text": f"called {name}"}]}
    return {"content": [{"type": "text", "text": "done"}], "structuredContent": {"n": 1}}


def main() -> None:
    if WAY == "no-start":
        sys.stderr.write("no such database\n")
        raise SystemExit(2)
    if WAY == "deaf":
        sys.stdout.write("starting up...\n")
        sys.stdout.flush()
        sys.stdin.read()
        return
    for line in sys.stdin:
        message = json.loads(line)
        method, id, params = message["method"], message.get("id"), message.get("params") or {}
        if method == "initialize":
            info = {"name": "odd", "version": "1"}
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": info,
            }
            say(id=id, result=result)
        elif method == "tools/list" and WAY == "deaf-later":
            continue
        elif method == "tools/list":
            say(id=id, result=listing(params.get("cursor")))
        elif method == "tools/call" and WAY == "refuse":
            say(id=id, error={"code": -32602, "message": "not on a Sunday", "data": {"day": "Sunday"}})
        elif method == "tools/call":
            if (result := answer(params["name"])) is not None:
                say(id=id, result=result)
        elif id is not None:
            say(id=id, error={"code": -32601, "message": "Method not found"})


if __name__ == "__main__":
    main()
