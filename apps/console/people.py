"""Who a label of the journal is: people are told by the names of their logins, agents by their own."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from apps.api.gateway import Gateway
from apps.tenants import access, selectors
from apps.tenants.access import MEMBER

AGENT: Final = "agent:"
"""What the label of an agent begins with; its slug follows."""
_BY_THEMSELVES: Final = {
    "command": "a command",
    "worker": "a job",
    "rules": "rules",
    "system": "the system",
}
_KINDS: Final = {"agent": "an agent", "heads": "the judge of claims", **_BY_THEMSELVES}
_LEFT: Final = re.compile(rf"{MEMBER}[0-9]{{1,10}}")

Choices = list[tuple[str, "str | list[tuple[str, str]]"]]


@dataclass(frozen=True, slots=True)
class Everybody:
    """The tenant's people by their labels, and the slugs of its agents."""

    logins: Mapping[str, str]
    agents: tuple[str, ...]

    @classmethod
    def of(cls, gateway: Gateway) -> "Everybody":
        """Two statements."""
        with access.opened(gateway.principal):
            return cls(_by_label(), tuple(agent.slug for agent in selectors.agents()))

    def told(self, labels: Iterable[str]) -> Mapping[str, str]:
        """The name of each label."""
        return {label: _name(label, self.logins) for label in set(labels)}

    def choices(self, chosen: str) -> Choices:
        """Whom a filter may name, by their labels; with `chosen`, should that be somebody who left."""
        has_left = _LEFT.fullmatch(chosen) is not None and chosen not in self.logins
        people = {**self.logins, **({chosen: f"{_name(chosen, {})} (left)"} if has_left else {})}
        by_name = sorted(people.items(), key=lambda each: each[1].casefold())
        return [
            ("", "Anybody"),
            ("People", [("member", "any person"), *by_name]),
            ("Agents", [("agent", "any agent"), *((f"{AGENT}{slug}", slug) for slug in self.agents)]),
            ("By itself", list(_BY_THEMSELVES.items())),
        ]


def told(gateway: Gateway, labels: Iterable[str]) -> Mapping[str, str]:
    """The name of each label; one statement where a person is among them."""
    wanted = set(labels)
    logins = _logins(gateway) if any(label.startswith(MEMBER) for label in wanted) else {}
    return {label: _name(label, logins) for label in wanted}


def _logins(gateway: Gateway) -> Mapping[str, str]:
    with access.opened(gateway.principal):
        return _by_label()


def _by_label() -> Mapping[str, str]:
    """Needs an open scope."""
    return {f"{MEMBER}{login_id}": name for login_id, name in selectors.member_logins().items()}


def _name(label: str, logins: Mapping[str, str]) -> str:
    """Whoever left is told by the number of their login."""
    if label.startswith(MEMBER):
        return logins.get(label, f"member {label.removeprefix(MEMBER)}")
    return _KINDS.get(label) or label.removeprefix(AGENT)
