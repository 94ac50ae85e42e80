"""Fetches Neo4j Community from Maven Central and runs it until Ctrl-C, printing how to point the platform at it.

neo4j_server.py [--fetch-only] [--port PORT]
"""

import argparse
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from apps.environment import environment
from apps.stack import neo4j
from apps.stack.data_root import write_private
from apps.stack.network import LOOPBACK
from memory_platform.errors import Unavailable

DEFAULT_PORT = 7687
WATCH_SECONDS = 0.5


def fetch(root: Path) -> None:
    if neo4j.is_fetched(root):
        print(f"neo4j: {neo4j.version()} is in {neo4j.library(root)}", flush=True)
        return
    print(f"neo4j: fetching {neo4j.version()} from Maven Central (120 MB)", flush=True)
    neo4j.fetch(root)


def run(root: Path, port: int) -> int:
    server = neo4j.EmbeddedNeo4j(root / "neo4j", jars=neo4j.library(root), port=port or None)
    variables_file = root / "neo4j" / "neo4j.env"
    try:
        server.start()
        write_private(variables_file, "".join(f"{name}='{value}'\n" for name, value in server.variables.items()))
        print(f"neo4j: answers at {server.url} (process {server.pid}, log {server.log})")
        print("neo4j: in another terminal, point the platform at it, start it, and project what is there already:")
        print(f"  set -a; . {variables_file}; set +a")
        print("  export MEMORY_NEO4J_FROM_DEPTH=1   # or leave it: SQL answers, and the copy is kept")
        print("  make run")
        print("  .venv/bin/memory graph rebuild")
        print("neo4j: Ctrl-C stops it", flush=True)
        while server.is_running:
            time.sleep(WATCH_SECONDS)
    except KeyboardInterrupt:
        print("neo4j: stopping", flush=True)
        return 0
    else:
        print(f"neo4j: ended by itself, exit {server.exit_code}; see {server.log}", file=sys.stderr)
        return 1
    finally:
        server.stop()
        variables_file.unlink(missing_ok=True)


def interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fetch-only", action="store_true", help="fetch the server, do not start it")
    parser.add_argument(
        "--port", type=int, default=DEFAULT_PORT, help=f"of Bolt on {LOOPBACK}; 0 picks a free one ({DEFAULT_PORT})"
    )
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, interrupt)
    root = environment().home.resolve()
    try:
        fetch(root)
        return 0 if options.fetch_only else run(root, options.port)
    except Unavailable as error:
        print(f"neo4j: {error.message}", *filter(None, [error.hint]), sep="\n       ", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
