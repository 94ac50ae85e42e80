"""What `memory erase` tells in the terminal: what would go, and how far an export is written or taken in; what is to be
sent again is sent again.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from typing_extensions import override

LINES = [{"kind": "message", "text": "I moved to Lisbon."}, {"kind": "memory", "text": "Mara lives in Lisbon."}]
PREVIEW = {
    **dict.fromkeys(("memories", "messages", "sessions"), 1),
    **dict.fromkeys(("rows", "samples", "entities", "memory_ids", "message_ids"), ()),
    "fingerprint": "1.0",
    "expires_at": "2026-03-02T08:58:00Z",
}


class _Erasures(BaseHTTPRequestHandler):
    """Answers as the REST API does: two lines to export; of an import the first is accepted, the others come again; a
    topic is found whole unless it is `much`.
    """

    def do_POST(self) -> None:
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = self._answer(sent)
        body = json.dumps(answer).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _answer(self, sent: dict[str, Any]) -> dict[str, object]:
        if self.path.endswith("/preview"):
            return {**PREVIEW, "truncated": sent["topic"] == "much"}
        return _imported(sent["lines"]) if self.path.endswith("/imports") else _exported()

    @override
    def log_message(self, *_: object) -> None:
        """Nothing: the test's output is the command's."""


def _imported(lines: list[object]) -> dict[str, object]:
    nothing = {"id": None, "error": None, "field": None}
    first = "skipped" if isinstance(lines[0], dict) and lines[0].get("line") == "record" else "accepted"
    became = [{**nothing, "line": 1, "status": first, "id": json.dumps(lines[0])}]
    became += [{**nothing, "line": number, "status": "refused"} for number in range(2, len(lines) + 1)]
    counts = dict.fromkeys(("accepted", "duplicate", "forgotten", "skipped", "invalid", "conflict", "refused"), 0)
    return {**counts, "results": became, "retry_after": 0.01}


def _exported() -> dict[str, object]:
    return {"items": [{"kind": line["kind"], "content": line, "markdown": ""} for line in LINES], "next": None}


@pytest.fixture
def url() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), _Erasures) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def _run(url: str, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "MEMORY_URL": url, "MEMORY_API_KEY": "mp_0_0", **variables}
    command = [sys.executable, "-c", "from memory_server import main; main()", "erase", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True)


# What rich takes for a terminal.
TERMINAL = {"FORCE_COLOR": "1", "TERM": "xterm"}


def test_an_export_tells_its_lines_beside_what_it_prints(url: str) -> None:
    shown, piped = _run(url, "export", "--user", "mara", **TERMINAL), _run(url, "export", "--user", "mara")

    assert "Exporting: 2 lines" in shown.stderr
    assert piped.stderr == ""
    assert [json.loads(line) for line in piped.stdout.splitlines()] == LINES
    assert shown.stdout == piped.stdout


def test_an_import_tells_how_much_is_taken_in(url: str, tmp_path: Path) -> None:
    file = tmp_path / "mara.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in LINES))

    shown, piped = _run(url, "import", str(file), **TERMINAL), _run(url, "import", str(file), "--json")

    assert "Importing" in shown.stderr
    assert "100%" in shown.stderr
    assert piped.stderr == ""
    told = json.loads(piped.stdout)
    assert (told["accepted"], [(each["line"], json.loads(each["id"])) for each in told["results"]]) == (
        2,
        list(enumerate(LINES, 1)),
    )


def test_a_preview_tells_where_more_may_be_about_the_topic(url: str) -> None:
    all_of_it, some = (_run(url, "preview", "--topic", topic).stdout for topic in ("little", "much"))

    assert "There may be more" not in all_of_it
    assert "There may be more about it: preview the topic again once this is erased." in some


def test_an_import_tells_what_it_skipped(url: str, tmp_path: Path) -> None:
    file = tmp_path / "mara.jsonl"
    records = [{"line": "record", "table": table} for table in ("summaries_version", "memory_rejection")]
    file.write_text("".join(json.dumps(line) + "\n" for line in [*LINES, *records, records[0]]))

    told = json.loads(_run(url, "import", str(file), "--json").stdout)

    assert told["skipped_by_kind"] == {"memory_rejection": 1, "summaries_version": 2}
