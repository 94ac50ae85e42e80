"""How much memory the stack takes: the proportional set size (PSS) of its processes, from Linux's /proc."""

from collections.abc import Iterable
from pathlib import Path

PROC = Path("/proc")


def process_tree(pid: int) -> list[int]:
    """`pid` and everything that descends from it."""
    children: dict[int, list[int]] = {}
    for stat in PROC.glob("[0-9]*/stat"):
        try:
            # The name in parentheses may itself hold blanks; the parent's pid is the second field after it.
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
        children.setdefault(parent, []).append(int(stat.parent.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found


def summed_pss(pids: Iterable[int]) -> int:
    """Bytes, every page shared by n processes counted as 1/n; processes that have ended count nothing."""
    return sum(_pss(pid) for pid in pids)


def _pss(pid: int) -> int:
    try:
        lines = (PROC / str(pid) / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:"))
