"""What a command loads before it does anything: a shell asks for versions and help often."""

import json
import subprocess
import sys

import pytest

# In a process of its own: this one has everything loaded.
PROGRAM = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
from memory_server import main
main()
"""
OF_COMMANDS = {"httpx", "memory_client", "pydantic_settings", "psycopg", "redis", "mcp"}
OF_THE_SERVER = {"django", "celery", "strawberry", "ninja", "numpy", "onnxruntime", "spacy", "detect_secrets"}


@pytest.mark.parametrize("words", [["--version"], ["--help"], ["recall", "--help"], ["serve", "--help"]])
def test_what_only_tells_loads_neither_server_nor_client(words: list[str]):
    done = subprocess.run([sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=True)

    loaded = set(json.loads(done.stderr))
    assert done.stdout
    assert "apps.cli.main" in loaded
    assert not loaded & (OF_COMMANDS | OF_THE_SERVER)
