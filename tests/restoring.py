"""A line of MEMORY.md and one of the operations log, as a restore is given them."""

RESTORED_LINE = {
    "id": "0199f3a0-0000-7000-8000-000000000001",
    "section": "operations",
    "kind": "fact",
    "text": "The shop is deployed on Mondays.",
    "said_on": "2026-11-20",
    "added": 1,
    "added_at": "2026-11-20T12:00:00Z",
    "added_by": "rules",
}
LOGGED_LINE = {
    "id": "0199f3a0-0000-7000-8000-000000000002",
    "at": "2026-11-20T12:00:00Z",
    "operation": "curated.added",
    "actor": "worker",
}
