"""The clients against a running service: every answer fits its record."""

import os
import subprocess
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import playwright
import pytest

from apps.stack.supervisor import Stack
from memory_client import MemoryClient, errors
from memory_client.contract import ContextBlock, EntityProfile, Explanation, Feedback, GraphStatus
from tests.cast import ADAM, MARA
from tests.stacks import keys_of_new_tenants, stack_of_its_own

ROOT = Path(__file__).resolve().parents[2]
# The Node.js that Playwright brings: no other need be installed.
NODE = Path(playwright.__file__).parent / "driver" / "node"
TYPESCRIPT = ROOT / "sdk" / "typescript" / "test" / "service.test.js"
SENTENCE = "My sister Ines moved to Lisbon in February 2026."

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def stack() -> Iterator[Stack]:
    with stack_of_its_own("minilm") as started:
        yield started


@pytest.fixture(scope="module")
def keys(stack: Stack) -> Iterator[str]:
    return keys_of_new_tenants(stack)


@pytest.fixture
def key(keys: Iterator[str]) -> str:
    """The key of a tenant that knows nothing yet."""
    return next(keys)


@pytest.fixture
def memory(stack: Stack, key: str) -> Iterator[MemoryClient]:
    with MemoryClient(stack.url, key, timeout=60.0) as opened:
        yield opened


def test_a_turn_becomes_memory_that_is_recalled_explained_and_reported_on(memory: MemoryClient):
    turn = memory.capture_turn("chat/1", turn_number=1, user_input=SENTENCE, tool_calls=[{"name": "search"}])
    again = memory.capture_turn("chat/1", turn_number=1, user_input=SENTENCE, tool_calls=[{"name": "search"}])
    jobs = memory.wait_for(turn.job_ids, timeout=120.0)
    found = memory.recall("Where did Ines move?", explain=True)

    assert (again.duplicate, again.resource_ids) == (True, turn.resource_ids)
    assert {job.state for job in jobs} == {"done"}
    assert "Lisbon" in found.hits[0].text
    assert found.hits[0].sources[0].said_at.tzinfo is not None
    assert found.explanation is not None
    assert found.explanation.stages
    assert isinstance(memory.report_output(found.id, "She moved to Lisbon."), Feedback)
    assert isinstance(memory.context(query="Where did Ines move?"), ContextBlock)

    (learnt, *_) = memory.memories().items
    assert isinstance(memory.explain_memory(learnt.id), Explanation)
    assert memory.memory(learnt.id).text == learnt.text
    assert memory.session("chat/1").turns == 1
    assert memory.checkpoint("chat/1").tool_calls == [{"name": "search"}]
    assert [each.turn_number for each in memory.replay("chat/1")] == [1]


def test_facts_are_written_once_corrected_and_forgotten(memory: MemoryClient):
    told = memory.remember("Harbor runs on PostgreSQL 17.", external_id="harbor-1", strength="explicit")
    again = memory.remember("Harbor runs on PostgreSQL 17.", external_id="harbor-1", strength="explicit")
    assert told.memory is not None
    assert again.memory is not None
    before = datetime.now(UTC)
    better = memory.correct(told.memory.id, "Harbor runs on PostgreSQL 18.", reason="upgraded")
    assert better.memory is not None
    tried = memory.forget(ids=[better.memory.id], dry_run=True)
    gone = memory.forget(ids=[better.memory.id])
    assert gone.batch_id is not None
    back = memory.restore(gone.batch_id)

    assert (again.memory.id, again.outcome) == (told.memory.id, "stored")
    assert better.outcome == "superseded"
    assert [each.id for each in memory.memories(as_of=before).items] == [told.memory.id]
    assert (tried.batch_id, tried.dry_run) == (None, True)
    assert [each.id for each in back.items] == [better.memory.id]
    assert memory.confirm(better.memory.id).protected
    with pytest.raises(errors.Conflict):
        memory.remember("Harbor runs on MySQL.", external_id="harbor-1")
    with pytest.raises(errors.NotFound):
        memory.memory(str(uuid4()))
    with pytest.raises(errors.Invalid) as refused:
        memory.recall("x", limit=0)
    assert refused.value.field == "limit"


def test_bulk_pages_and_the_graph(memory: MemoryClient):
    said = [
        {"external_id": f"m-{number}", "session_id": "s", "speaker": "Mara", "content": text}
        for number, text in enumerate((SENTENCE, "Ines works at Contoso.", "Wanda works at Contoso in Porto."))
    ]
    first, second = memory.ingest(said), memory.ingest(said)
    while memory.stats().jobs_queued:
        time.sleep(0.1)
    names = {each.name for each in memory.iter_entities(first=1)}

    assert (first.accepted, second.accepted, second.duplicate) == (3, 0, 3)
    assert {"Ines", "Contoso"} <= names
    ines, contoso = memory.entity_named("Ines"), memory.entity_named("Contoso")
    assert isinstance(memory.entity(ines.id), EntityProfile)
    assert memory.path(ines.id, contoso.id).connected
    assert len(list(memory.iter_memories(first=1))) == len(memory.memories(first=100).items)
    assert isinstance(memory.graph_status(), GraphStatus)
    memory.rejections()
    memory.rejection_counts()
    memory.weak_memories()


def test_keys_users_and_the_log(stack: Stack, memory: MemoryClient):
    made = memory.create_api_key(["read", "write"], agent_id="scribe", name="laptop")
    with MemoryClient(stack.url, made.token, user_id=MARA.user_id) as hers:
        viewer = hers.viewer()
        hers.remember("Mara is allergic to penicillin.")
        entry = hers.log_action("deployed", tool="harbor")
        theirs = hers.for_user(ADAM.user_id).memories()
        own = hers.memories()

    assert (viewer.agent_id, viewer.user_id) == ("scribe", "mara")
    assert ([each.text for each in own.items], theirs.items) == (["Mara is allergic to penicillin."], ())
    assert entry.id in {each.id for each in memory.iter_journal(agent_id="scribe")}
    assert memory.rotate_api_key(made.key.id, overlap_seconds=0).token != made.token
    assert "laptop" in [each.name for each in memory.keys()]  # noqa: SIM118  no dict
    with MemoryClient(stack.url, made.token) as old, pytest.raises(errors.Unauthenticated):
        old.viewer()


def test_what_agents_share(memory: MemoryClient):
    shared = memory.remember_shared("The office closes at six on Fridays.")

    assert shared.memory is not None
    assert shared.memory.visibility == "shared"
    assert [each.memories for each in memory.shared_domains()] == [1]
    assert "Fridays" in memory.recall_shared("When does the office close?").hits[0].text


def test_the_typescript_client(stack: Stack, key: str):
    environment = {**os.environ, "MEMORY_URL": stack.url, "MEMORY_API_KEY": key}

    done = subprocess.run(
        [NODE, "--test", TYPESCRIPT], env=environment, capture_output=True, text=True, timeout=240, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
