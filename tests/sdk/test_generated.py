"""The committed parts of the clients are the contract's, and have all of its verbs."""

import json
import subprocess
import sys
from pathlib import Path

from apps.api.verbs import VERBS
from memory_client import AsyncMemoryClient, MemoryClient

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "scripts" / "generate_clients.py"


def test_the_clients_are_made_from_the_contract():
    done = subprocess.run([sys.executable, PROGRAM, "--check"], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr, done.returncode) == ("", "", 0)


def test_the_contract_says_of_every_route_whether_it_may_be_repeated():
    document = json.loads((ROOT / "openapi.json").read_text(encoding="utf-8"))
    for methods in document["paths"].values():
        for route in methods.values():
            verb = VERBS[route["operationId"].partition(".")[0]]
            assert (route["x-repeatable"], route.get("x-repeat-key")) == (verb.repeatable, verb.repeat_key)


def test_both_clients_have_the_same_methods():
    methods = {name for name in dir(MemoryClient) if not name.startswith("_")}

    assert methods == {name for name in dir(AsyncMemoryClient) if not name.startswith("_")}
    assert {"recall", "context", "capture_turn", "remember", "iter_memories", "ingest", "for_user"} <= methods
