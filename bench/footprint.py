"""Memory of the whole embedded stack: proportional set sizes summed, 60 s after one capture and one recall."""

import time
from collections.abc import Mapping
from pathlib import Path

from apps.stack.memory_use import summed_pss
from apps.stack.supervisor import Stack, StackOptions, private_stack
from bench.figures import at_most, figure
from memory_client import MemoryClient

SETTLE_SECONDS = 60
BAR_MEGABYTES = at_most(750)


def run() -> None:
    with private_stack(StackOptions(root=Path())) as stack:
        with MemoryClient(stack.url, str(stack.first_tenant["api_key"])) as agent:
            agent.capture_turn("footprint", user_input="I moved to Lisbon in February.", llm_output="Lovely!")
            agent.wait_until_idle()
            agent.recall("Where do I live?")
        time.sleep(SETTLE_SECONDS)
        by_component = megabytes(stack)
    report(by_component)


def megabytes(stack: Stack) -> dict[str, float]:
    """Proportional set sizes by component."""
    return {name: summed_pss(pids) / 2**20 for name, pids in stack.all_pids().items()}


def report(by_component: Mapping[str, float], *, when: str = "") -> None:
    """A figure for each component and, against the bar, for all of them; `when` stands behind their names."""
    for name, taken in by_component.items():
        figure(f"memory of {name}{when}", taken, "MB")
    figure(f"memory of the whole embedded stack{when}", sum(by_component.values()), "MB", bar=BAR_MEGABYTES)
