"""Who loads the SDK of MCP, and when: told by what is imported, in processes of their own."""

import json
import os
import subprocess
import sys

from apps.api.verbs import TOOLS

SERVER = """
import json, sys, threading
import config.asgi
for thread in threading.enumerate():
    if thread.name == "warm-up":
        thread.join()
from types import SimpleNamespace
from django.test import RequestFactory
from apps.api.mcp.view import _answer

asked = RequestFactory().post(
    "/mcp",
    data=json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}),
    content_type="application/json",
    headers={"Accept": "application/json, text/event-stream"},
)
reader = SimpleNamespace(principal=SimpleNamespace(scopes={"read"}))
before = set(sys.modules)
answer = json.loads(_answer(reader, asked).content)
print(json.dumps([len(answer["result"]["tools"]), sorted(before), sorted(set(sys.modules) - before)]))
"""
WORKER = """
import json, sys
import django
django.setup()
from config.celery import app
app.loader.import_default_modules()
import config.urls
print(json.dumps(sorted(sys.modules)))
"""


def last_line(program: str) -> list:
    # Nobody answers there: warming up goes without the servers.
    nowhere = {
        "MEMORY_DATABASE_URL": "postgresql://nobody@127.0.0.1:9/none",
        "MEMORY_REDIS_URL": "redis://127.0.0.1:9/0",
    }
    own = {"MEMORY_SECRET_KEY": "t" * 50, "MEMORY_EMBEDDER": "wordllama", "MEMORY_MULTILINGUAL_EMBEDDER": "none"}
    told = {**os.environ, **nowhere, **own, "DJANGO_SETTINGS_MODULE": "config.settings"}
    done = subprocess.run([sys.executable, "-c", program], env=told, capture_output=True, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def test_the_first_caller_of_a_server_that_is_up_loads_nothing_of_the_sdk():
    tools, before, loaded_by_the_call = last_line(SERVER)

    assert tools == sum(verb.scope in {None, "read"} for verb in TOOLS.values())
    assert "mcp" in before
    assert {name.partition(".")[0] for name in loaded_by_the_call} <= {"anyio"}


def test_a_worker_does_not_load_it_though_it_knows_the_routes():
    assert "apps.api.mcp.view" in (loaded := last_line(WORKER))
    assert "mcp" not in loaded
