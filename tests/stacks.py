"""Stacks of the tests' own: they name their embedder, for the session's database leaves another in the environment."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, Literal

from apps.stack.supervisor import Stack, StackOptions, private_stack

UNUSED: Final = Path("unused")


@contextmanager
def stack_of_its_own(
    embedder: Literal["minilm", "wordllama"], *, web: bool = True, worker: bool = True, supervised: bool = False
) -> Iterator[Stack]:
    """Gone at the end. `minilm` is what users get, `wordllama` is quick: for what does not hang on understanding."""
    options = StackOptions(
        root=UNUSED, web=web, worker=worker, durable=supervised, environment={"MEMORY_EMBEDDER": embedder}
    )
    with private_stack(options, supervised=supervised) as stack:
        yield stack
