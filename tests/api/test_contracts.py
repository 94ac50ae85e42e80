from datetime import UTC, datetime
from uuid import UUID

from apps.api import contracts
from apps.api.operations.contract import JournalFilter, JournalInput
from apps.api.recall.contract import (
    ContextInput,
    ContextOptions,
    MemoryFilter,
    MessageInput,
    RecallInput,
    RecallOptions,
)
from apps.journal.selectors import EntryFilter
from apps.retrieval.requests import ContextRequest, Filter, RecallRequest
from memory_platform.model import ContextStyle, Message, Profile, Role, Unit

MAY, JUNE = datetime(2026, 5, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
ASKED = {"profile": Profile.DEEP, "max_tokens": 500, "as_of": JUNE, "explain": True, "session_id": "chat/1"}
SAID = {"filter": MemoryFilter(domain="work"), "messages": (MessageInput(role=Role.USER, content="Tea?"),)}
REQUESTED = {**ASKED, "filter": Filter(domain="work"), "messages": (Message(Role.USER, "Tea?"),)}


def test_the_committed_contracts_match_the_code():
    for path, text in contracts.texts().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name} is stale: run manage.py export_schema"


def test_both_lists_of_entries_filter_alike():
    chosen = {"operation": "item.stored", "actor": "agent:a", "subject_id": UUID(int=1), "request_id": "trace-7"}
    chosen |= {"since": MAY, "until": JUNE}

    assert JournalFilter(agent_id="a", **chosen).as_filter() == EntryFilter(**chosen)
    assert JournalInput(agent_id="a", first=1, after="cursor", **chosen).as_filter() == EntryFilter(**chosen)


def test_every_option_of_a_question_reaches_retrieval():
    recall = {"limit": 4, "valid_at": MAY, "units": (Unit.EPISODE,)}
    context = {"style": ContextStyle.SECTIONS, "repeat": True}

    assert RecallInput.of("Tea?", RecallOptions(**ASKED, **SAID, **recall)).as_request() == RecallRequest(
        query="Tea?", **REQUESTED, **recall
    )
    assert ContextInput.of("Tea?", ContextOptions(**ASKED, **SAID, **context)).as_request() == ContextRequest(
        query="Tea?", **REQUESTED, **context
    )


def test_a_question_without_options_asks_as_retrieval_does():
    assert RecallInput.of("Tea?", None).as_request() == RecallRequest("Tea?")
    assert ContextInput.of(None, None).as_request() == ContextRequest()
