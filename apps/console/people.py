"""Who a label of the journal is: people are told by the names of their logins, agents by their own."""

from collections.abc import Iterable, Mapping
from typing import Final

from apps.api.gateway import Gateway
from apps.tenants import access, selectors
from apps.tenants.access import MEMBER

_KINDS: Final = {
    "agent": "an agent",
    "command": "a command",
    "rules": "rules",
    "system": "the system",
    "worker": "a job",
}


def told(gateway: Gateway, labels: Iterable[str]) -> Mapping[str, str]:
    """The name of each label; one statement where a person is among them."""
    wanted = set(labels)
    logins = _logins(gateway) if any(label.startswith(MEMBER) for label in wanted) else {}
    return {label: _name(label, logins) for label in wanted}


def _logins(gateway: Gateway) -> Mapping[str, str]:
    with access.opened(gateway.principal):
        return {f"{MEMBER}{login_id}": name for login_id, name in selectors.member_logins().items()}


def _name(label: str, logins: Mapping[str, str]) -> str:
    """Whoever left is told by the number of their login."""
    if label.startswith(MEMBER):
        return logins.get(label, f"member {label.removeprefix(MEMBER)}")
    return _KINDS.get(label) or label.removeprefix("agent:")
