from datetime import UTC, datetime
from uuid import UUID

from apps.api import contracts
from apps.api.operations.contract import JournalFilter, JournalInput
from apps.journal.selectors import EntryFilter

MAY, JUNE = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)


def test_the_committed_contracts_match_the_code():
    for path, text in contracts.texts().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is stale: run manage.py export_schema"


def test_both_lists_of_entries_filter_alike():
    chosen = {"operation": "item.stored", "actor": "agent:a", "subject_id": UUID(int=1), "request_id": "trace-7"}

    assert JournalFilter(agent_id="a", **chosen).as_filter() == EntryFilter(**chosen)
    assert JournalInput(agent_id="a", first=1, after="cursor", **chosen).as_filter() == EntryFilter(**chosen)
    assert JournalFilter(after=MAY, before=JUNE).as_filter() == EntryFilter(after=MAY, before=JUNE)
