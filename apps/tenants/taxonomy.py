"""The categories a tenant starts with (DESIGN sections 5 and 6); afterwards they are rows the tenant edits."""

from dataclasses import dataclass

from memory_platform.model import Retention

TAXONOMY_VERSION = 1


@dataclass(frozen=True, slots=True)
class StartingCategory:
    slug: str
    label: str
    keywords: tuple[str, ...]
    ttl_days: int | None = 90
    operational: bool = False

    @property
    def retention(self) -> Retention:
        if self.ttl_days is None:
            return Retention.NONE
        return Retention.OPERATIONAL if self.operational else Retention.EBBINGHAUS


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


STARTING_CATEGORIES = (
    StartingCategory(
        "work",
        "Work",
        _words("job work office boss manager colleague team meeting career promotion salary interview client company"),
    ),
    StartingCategory(
        "preferences",
        "Preferences",
        _words("prefer prefers preferred like likes love loves hate hates dislike dislikes favourite favorite rather"),
        ttl_days=180,
    ),
    StartingCategory(
        "health",
        "Health",
        _words("health doctor hospital allergy allergic medicine medication diet sleep pain illness therapy injury"),
        ttl_days=365,
    ),
    StartingCategory(
        "hobbies",
        "Hobbies",
        _words("hobby game guitar piano music painting hiking jogging marathon climbing novel cooking garden travel"),
        ttl_days=60,
    ),
    StartingCategory(
        "relationships",
        "Relationships",
        _words("people-relationships wife husband partner girlfriend boyfriend mother father sister brother friend son")
        + _words("daughter family married divorced wedding neighbour neighbor"),
        ttl_days=180,
    ),
    StartingCategory(
        "rules-conventions",
        "Rules and conventions",
        _words("always never must rule convention policy standard guideline forbidden required"),
        ttl_days=None,  # a rule holds until it is taken back
    ),
    StartingCategory(
        "system-architecture",
        "System architecture",
        _words("architecture service database api schema module component cluster microservice endpoint ADR"),
    ),
    StartingCategory(
        "operations",
        "Operations",
        _words("deploy deployment release rollback incident outage alert monitoring on-call runbook"),
        operational=True,
    ),
    StartingCategory(
        "memory-system", "Memory system", _words("memory memories recall MEMORY.md remember forget"), operational=False
    ),
    StartingCategory(
        "projects", "Projects", _words("project milestone deadline roadmap sprint backlog launch prototype")
    ),
    StartingCategory(
        "timing", "Timing", _words("takes duration seconds minutes latency slow timeout startup"), operational=True
    ),
    StartingCategory(
        "dependency",
        "Dependencies",
        _words("depends dependency requires needs before after upstream"),
        operational=True,
    ),
    StartingCategory(
        "behavior",
        "Behaviour",
        _words("behaves behavior behaviour returns crashes leaks flaky retries"),
        operational=True,
    ),
    StartingCategory(
        "remediation", "Remediation", _words("fix fixed workaround restart remedy resolve mitigate"), operational=True
    ),
    StartingCategory(
        "maintenance",
        "Maintenance",
        _words("maintenance backup upgrade migrate migration cleanup rotate"),
        operational=True,
    ),
    StartingCategory("other", "Other", ()),
)
