"""What changed from one text to the next."""

import difflib


def unified(before: str, after: str) -> str:
    """A unified diff by lines without its head; empty for the same."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=1)
    return "\n".join(list(lines)[2:])
