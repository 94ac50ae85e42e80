"""Stacks of the tests' own: they name their embedder, for the session's database leaves another in the environment."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal

from apps.stack.supervisor import Stack, StackOptions, private_stack

UNUSED: Final = Path("unused")
# A process with Django in it takes seconds to start.
MADE_AT_ONCE: Final = 12
TENANTS: Final = f"""
import json
from uuid import uuid4
from apps.core.context import acting_as
from apps.tenants import onboarding
with acting_as("command"):
    print(json.dumps([onboarding.onboard(slug=f"own-{{uuid4().hex[:8]}}").api_key for _ in range({MADE_AT_ONCE})]))
"""


@contextmanager
def stack_of_its_own(
    embedder: Literal["minilm", "wordllama"], *, web: bool = True, worker: bool = True, supervised: bool = False
) -> Iterator[Stack]:
    """Gone at the end. `minilm` is what users get, `wordllama` is quick: for what does not hang on understanding.

    Its tables are there from the start, and its first tenant, whose secrets all of this process's stacks share.
    """
    options = StackOptions(
        root=UNUSED, web=web, worker=worker, durable=supervised, environment={"MEMORY_EMBEDDER": embedder}
    )
    with private_stack(options, supervised=supervised, copy_of=Path(_set_up().name)) as stack:
        yield stack


def in_shell(stack: Stack, code: str) -> Any:
    """What Python code printed as JSON in a process of the stack's, with Django set up; None for nothing."""
    printed = stack.manage("shell", "--verbosity", "0", "--command", code)
    return json.loads(printed) if printed else None


def keys_of_new_tenants(stack: Stack) -> Iterator[str]:
    """API keys without end, each of a tenant that knows nothing yet."""
    while True:
        yield from in_shell(stack, TENANTS)


@cache
def _set_up() -> "TemporaryDirectory[str]":
    """The folder of a stack that was started once and stopped in order."""
    folder = TemporaryDirectory(prefix="memory-set-up-", ignore_cleanup_errors=True)
    stack = Stack(StackOptions(root=Path(folder.name), web=False, worker=False), report=lambda _line: None)
    stack.start()
    stack.stop()
    return folder
