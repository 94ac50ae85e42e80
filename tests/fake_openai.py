"""An OpenAI-compatible server on a real socket: answers well, late, in drips, with garbage or errors, or hangs up."""

import hashlib
import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True, slots=True)
class Reply:
    """How one request is answered; the default is well.

    `content` replaces the assistant's text; `body` the whole HTTP body; `delay_seconds` passes before the first byte;
    `drip_seconds` between any two bytes; `cut_after` bytes of the announced body the connection is closed.
    """

    content: str | None = None
    body: bytes | None = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_seconds: float = 0
    drip_seconds: float = 0
    cut_after: int | None = None
    finish_reason: str = "stop"


@dataclass(frozen=True, slots=True)
class Received:
    path: str
    body: dict[str, Any]
    headers: dict[str, str]


def late(seconds: float) -> Reply:
    return Reply(delay_seconds=seconds)


def dripping(seconds: float) -> Reply:
    return Reply(drip_seconds=seconds)


def garbage() -> Reply:
    return Reply(body=b"<html><body>Bad gateway, but friendly</body></html>")


def prose() -> Reply:
    """A well-formed completion whose content is no JSON."""
    return Reply(content="Sure! Here are the facts you asked for.")


def throttled(retry_after: float | None = None) -> Reply:
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return error(429, headers=headers)


def error(status: int, *, code: str = "error", headers: Mapping[str, str] | None = None) -> Reply:
    body = json.dumps({"error": {"message": "as scripted", "type": "error", "code": code}}).encode()
    return Reply(body=body, status=status, headers=headers or {})


def cut(after: int = 40) -> Reply:
    return Reply(cut_after=after)


class FakeOpenAi:
    """`script` queues replies for the next requests; when the queue is empty every request is answered well.

    `chat` turns a request body into the assistant's text; the default answers extraction requests with one claim a
    message in its own words, rewrites with the last message, and says that no two claims have to do with each other.
    """

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.chat: Callable[[dict[str, Any]], str] = answer
        self.ignores_dimensions = False
        self._replies: list[Reply] = []
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def script(self, *replies: Reply) -> None:
        with self._lock:
            self._replies.extend(replies)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()

    def next_reply(self, received: Received) -> Reply:
        with self._lock:
            self.received.append(received)
            return self._replies.pop(0) if self._replies else Reply()

    def wait(self, seconds: float) -> bool:
        """Sleep, but not longer than the server lives; True when it is still alive."""
        return not self._stopped.wait(seconds)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["Content-Length"]))
                received = Received(self.path, json.loads(raw), dict(self.headers))
                reply = fake.next_reply(received)
                body = reply.body if reply.body is not None else fake.well(received, reply)
                if reply.delay_seconds and not fake.wait(reply.delay_seconds):
                    return
                try:
                    self._send(reply, body)
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def _send(self, reply: Reply, body: bytes) -> None:
                self.send_response(reply.status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                if reply.drip_seconds:
                    for byte in body:
                        self.wfile.write(bytes([byte]))
                        self.wfile.flush()
                        if not fake.wait(reply.drip_seconds):
                            return
                    return
                self.wfile.write(body if reply.cut_after is None else body[: reply.cut_after])
                self.wfile.flush()
                self.close_connection = reply.cut_after is not None

            def log_message(self, *_: object) -> None:
                """Tests read `received`, not a log."""

        return Handler

    def well(self, received: Received, reply: Reply) -> bytes:
        if received.path.endswith("/embeddings"):
            return self._embeddings(received.body)
        content = self.chat(received.body) if reply.content is None else reply.content
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": content},
            "finish_reason": reply.finish_reason,
        }
        return _json(
            {
                "id": "chatcmpl-1",
                "object": "chat.completion",
                "created": int(time.time()),
                "model": received.body["model"],
                "choices": [choice],
                "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
            }
        )

    def _embeddings(self, body: dict[str, Any]) -> bytes:
        dimensions = 1536 if self.ignores_dimensions else body.get("dimensions", 1536)
        data = [
            {"object": "embedding", "index": index, "embedding": vector(text)[:dimensions]}
            for index, text in enumerate(body["input"])
        ]
        usage = {"prompt_tokens": 5 * len(data), "total_tokens": 5 * len(data)}
        return _json({"object": "list", "data": data, "model": body["model"], "usage": usage})


def vector(text: str) -> list[float]:
    """1,536 numbers of no particular length, the same for the same text."""
    seed = hashlib.shake_256(text.encode()).digest(1536)
    return [byte / 64 - 2 for byte in seed]


def answer(body: dict[str, Any]) -> str:
    user = body["messages"][1]["content"]
    if "Last message:\n" in user:
        return json.dumps({"query": user.split("Last message:\n", 1)[1]})
    if user.startswith("Pairs:\n"):
        return relations(*["distinct"] * (len(user.splitlines()) - 1))
    lines = user.split("Messages:\n", 1)[1].splitlines()
    return json.dumps({"utterances": [entry(index, json.loads(line.split(" ", 1)[1])["text"])
                                      for index, line in enumerate(lines, start=1)]})  # fmt: skip


def claim(text: str, **changes: object) -> dict[str, Any]:
    """A claim of an extraction answer that says what the message says; `changes` replace its fields."""
    fields = {
        "text": text,
        "quote": text,
        "lead_in": "",
        "subject": "",
        "attribute": "",
        "value": "",
        "qualifier": "",
        "kind": "fact",
        "category": "other",
        "certainty": "explicit",
        "mood": "asserted",
        "is_negated": False,
        "reported_by": "",
        "language": "en",
        "sentiment": "neutral",
        "priority": "medium",
        "entities": [],
        "service": None,
        "event_time": None,
        "usefulness": 0.9,
    }
    return fields | changes


def entry(index: int, text: str, **changes: object) -> dict[str, Any]:
    """One utterance of an extraction answer with one claim; `changes` replace fields of the claim."""
    return {"index": index, "claims": [claim(text, **changes)], "dropped": []}


def relations(*labels: str, certainty: str = "sure") -> str:
    """An arbiter's answer: a relation for each pair, in order."""
    pairs = [{"index": n, "relation": label, "certainty": certainty} for n, label in enumerate(labels, start=1)]
    return json.dumps({"pairs": pairs})


def _json(document: object) -> bytes:
    return json.dumps(document).encode()


@contextmanager
def running() -> Iterator[FakeOpenAi]:
    """A started server, stopped at the end."""
    fake = FakeOpenAi()
    fake.start()
    try:
        yield fake
    finally:
        fake.stop()
