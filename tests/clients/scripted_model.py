"""
A scripted stand-in for the Anthropic Messages API, on one loopback port: what the real Claude Code talks to.

A prompt that holds `#script:NAME` plays `scripts[NAME]`: a list of steps, one an assistant turn; a step is a list
of blocks, `{"text": …}` or `{"tool": NAME, "input": {…}}`, or `{"blocks": …, "delay_s": …, "input_tokens": …}`.
`{{CWD}}` and the like in a script are replaced from `variables`. Past the last step the answer is "STUB-OK".
"""

from __future__ import annotations

import json
import re
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TAG = re.compile(r"#script:([A-Za-z0-9_-]+)")


def flat(content: Any) -> str:
    """The text of a message's content, whichever shape it has."""
    if isinstance(content, str):
        return content
    return "\n".join(
        block if isinstance(block, str) else block.get("text") or ""
        for block in content or []
        if isinstance(block, str) or block.get("type") in (None, "text")
    )


class ScriptedModel:
    """The server; `requests` holds every body it was sent to /messages, in order."""

    def __init__(self, scripts: dict[str, Any], variables: dict[str, str] | None = None) -> None:
        text = json.dumps(scripts)
        for name, value in (variables or {}).items():
            text = text.replace("{{" + name + "}}", json.dumps(value)[1:-1])
        self.scripts = json.loads(text)
        self.requests: list[dict[str, Any]] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None: ...

            def do_HEAD(self) -> None:
                self._json({})

            def do_GET(self) -> None:
                self._json({"data": [], "has_more": False})

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("content-length") or 0))
                path = self.path.split("?")[0]
                if path.endswith("/count_tokens"):
                    return self._json({"input_tokens": max(1, len(raw) // 4)})
                if not path.endswith("/messages"):
                    return self._json({})
                body = json.loads(raw)
                model.requests.append(body)
                step = model.step(body)
                time.sleep(step.get("delay_s", 0))
                try:
                    self._stream(body, step) if body.get("stream") else self._json(message(body, step))
                except BrokenPipeError:
                    self.close_connection = True
                return None

            def _json(self, value: Any) -> None:
                raw = json.dumps(value).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def _stream(self, body: dict[str, Any], step: dict[str, Any]) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("connection", "close")
                self.end_headers()
                self.close_connection = True
                for event in events(message(body, step)):
                    self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05})

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> ScriptedModel:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join(5)
        self._server.server_close()

    def step(self, body: dict[str, Any]) -> dict[str, Any]:
        """What to answer: decided by the newest user text with a tag, and the assistant turns since."""
        if not body.get("tools"):  # a title or a summary is asked for on the side
            return {
                "blocks": [
                    {
                        "text": '{"title": "scripted"}'
                        if "JSON" in json.dumps(body)
                        else "<summary>SUMMARY</summary>"
                    }
                ]
            }
        name, taken = None, 0
        for turn in body.get("messages", []):
            tags = TAG.findall(flat(turn.get("content"))) if turn["role"] == "user" else []
            if tags:
                name, taken = tags[-1], 0
            elif turn["role"] == "assistant":
                taken += 1
        steps = self.scripts.get(name, [])
        step = steps[taken] if taken < len(steps) else [{"text": "STUB-OK"}]
        return step if isinstance(step, dict) else {"blocks": step}


def message(body: dict[str, Any], step: dict[str, Any]) -> dict[str, Any]:
    content = [
        {
            "type": "tool_use",
            "id": f"toolu_{uuid.uuid4().hex[:24]}",
            "name": b["tool"],
            "input": b.get("input", {}),
        }
        if "tool" in b
        else {"type": "text", "text": b["text"]}
        for b in step["blocks"]
    ]
    stop = "tool_use" if any(b["type"] == "tool_use" for b in content) else "end_turn"
    usage = {"input_tokens": step.get("input_tokens", 100), "output_tokens": 10}
    return {
        "id": f"msg_{uuid.uuid4().hex[:24]}", "type": "message", "role": "assistant",
        "model": body.get("model", "scripted"), "content": content, "stop_reason": stop, "stop_sequence": None,
        "usage": usage,
    }  # fmt: skip


def events(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The answer as the events of a stream."""
    out: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**answer, "content": [], "stop_reason": None}}
    ]
    for index, block in enumerate(answer["content"]):
        if block["type"] == "text":
            start: dict[str, Any] = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": block["text"]}
        else:
            start = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        out += [
            {"type": "content_block_start", "index": index, "content_block": start},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    end = {"stop_reason": answer["stop_reason"], "stop_sequence": None}
    return [*out, {"type": "message_delta", "delta": end, "usage": answer["usage"]}, {"type": "message_stop"}]
