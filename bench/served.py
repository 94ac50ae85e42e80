"""A private stack, web server without worker, whose database this process uses too."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django import setup as set_up_django

from apps.stack.supervisor import Stack, StackOptions, private_stack


@contextmanager
def served(*, embedder: str = "minilm") -> Iterator[Stack]:
    """The stack while it serves; Django is set up against it, so models may be imported from here on."""
    options = StackOptions(root=Path(), durable=False, worker=False, environment={"MEMORY_EMBEDDER": embedder})
    with private_stack(options) as stack:
        os.environ.update(stack.command_variables)
        set_up_django()
        yield stack
