"""A session from its first moment to its last: what to begin with, that it is alive, and that nothing of it is lost."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final
from uuid import UUID

from apps.api.flows.waiting import wait_until
from apps.core import clock, scope
from apps.core.scope import Reach, Scope
from apps.curation import selectors as curation
from apps.curation.results import LineView
from apps.jobs import services as jobs
from apps.lessons import selectors as lessons
from apps.lessons.results import LessonView
from apps.memory import selectors as memory
from apps.memory import services as memory_services
from apps.memory.results import Ended
from apps.resources import selectors as resources
from apps.resources import services as resource_services
from apps.resources.models import Session
from apps.retrieval import services as retrieval
from apps.retrieval.requests import ContextRequest
from apps.tenants import selectors as tenants
from apps.tenants.models import Policy
from apps.triggers import selectors as triggers
from memory_platform.errors import NotFound
from memory_platform.lifecycle.lessons import asks_the_same
from memory_platform.text.cleaning import inline
from memory_platform.text.tokens import count as count_tokens

BETWEEN: Final = "\n\n"


@dataclass(frozen=True, slots=True)
class Beginning:
    """Which session begins, and what may be said to it: without `max_tokens` as much as a context says."""

    session_id: str
    user_id: str | None = None
    max_tokens: int | None = None

    def tokens_left(self, told: "ToldSoFar", policy: Policy, *, share: float) -> int:
        """The tokens of a part that may take such a share of what is left of the budget."""
        return int(((self.max_tokens or policy.context_tokens) - told.tokens) * share)


@dataclass(frozen=True, slots=True)
class StartSection:
    """A part of what to begin with. `recall_id`: where what the model made of it is reported."""

    name: str
    text: str
    tokens: int
    recall_id: UUID | None = None
    item_ids: frozenset[UUID] = frozenset()
    """Memories whose words it has."""
    preload: tuple[UUID, ...] = ()
    """Memories that belong to it, for a part behind it to tell."""
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ToldSoFar:
    """What the parts before it have cost of the budget, the memories they tell, and those that belong to them."""

    tokens: int = 0
    item_ids: frozenset[UUID] = frozenset()
    preload: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class Started:
    """What a session begins with, the session that ended because it did, and the schedules that were overdue."""

    session: Session
    told: tuple[StartSection, ...]
    previous: Ended | None
    overdue: tuple[str, ...]

    @property
    def sections(self) -> tuple[StartSection, ...]:
        """Those that say something."""
        return tuple(section for section in self.told if section.text)

    @property
    def degraded(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(code for section in self.told for code in section.degraded))

    @property
    def text(self) -> str:
        return BETWEEN.join(section.text for section in self.sections)

    @property
    def tokens(self) -> int:
        return count_tokens(self.text)


@dataclass(frozen=True, slots=True)
class Alive:
    """A session that was heard of, how many of its messages are not learnt from yet, and what was overdue."""

    session_id: str
    pending: int
    overdue: tuple[str, ...]


Tell = Callable[[Beginning, ToldSoFar, Scope], StartSection]
"""Tells a part of what to begin with, behind what others told. Called without an open scope."""


def what_is_curated(beginning: Beginning, told: ToldSoFar, within: Scope) -> StartSection:
    """The lines all agents are told, in their share of the budget: whole sections of the tenant's, whoever asks."""
    with scope.enter(Scope(within.tenant_id, within.agent_id, Reach.TENANT)):
        policy = tenants.policy(within.tenant_id)
        lines = curation.curated().lines
        today = clock.now().astimezone(tenants.time_zone(within.tenant_id)).date()
    left = beginning.tokens_left(told, policy, share=policy.curation_start_share)
    text = _fitting((_curated(line, today) for line in lines), left)
    kept = lines[: text.count("\n") + 1] if text else ()
    item_ids = frozenset(one for line in kept for one in line.item_ids)
    return StartSection("curated", text, count_tokens(text), item_ids=item_ids)


def what_was_learnt(beginning: Beginning, told: ToldSoFar, within: Scope) -> StartSection:
    """The lessons file, in its share of the budget."""
    with scope.enter(within):
        policy = tenants.policy(within.tenant_id)
        file = lessons.file(max_tokens=beginning.tokens_left(told, policy, share=policy.lesson_start_share))
        item_ids = frozenset(one.item_id for one in file.lessons if one.item_id) | _asked_again(file.lessons)
    return StartSection("lessons", file.text, file.tokens, item_ids=item_ids)


def what_is_due(beginning: Beginning, told: ToldSoFar, within: Scope) -> StartSection:
    """Times that have come and nobody has looked after, the latest first: a line each. Their memories follow."""
    with scope.enter(within):
        policy, found = tenants.policy(within.tenant_id), triggers.due()
    left = beginning.tokens_left(told, policy, share=policy.due_start_share)
    text = _fitting((f"~ due {trigger.day}: {inline(trigger.text)}" for trigger in found), left)
    kept = found[: text.count("\n") + 1] if text else ()
    preload = dict.fromkeys(item_id for trigger in kept for item_id in trigger.memory_ids)
    return StartSection("due", text, count_tokens(text), preload=tuple(preload)[: policy.due_preloaded])


def what_is_known(beginning: Beginning, told: ToldSoFar, within: Scope) -> StartSection:
    """What belongs to what is due, then rules and preferences, then the facts that weigh most: what a context without a
    question says.
    """
    block = retrieval.context(
        ContextRequest(
            max_tokens=beginning.max_tokens,
            reserved=told.tokens,
            told=told.item_ids,
            preload=told.preload,
            session_id=beginning.session_id,
            repeat=True,
        ),
        within=within,
    )
    return StartSection("memories", block.text, block.tokens, block.recall_id, degraded=block.degraded)


SECTIONS: Final[tuple[Tell, ...]] = (what_is_curated, what_was_learnt, what_is_due, what_is_known)
"""What a session begins with, in this order; what comes first may spend the budget first."""


def start(beginning: Beginning, *, within: Scope, sections: Sequence[Tell] = SECTIONS) -> Started:
    """Open the session, then tell what to begin with. Called without an open scope; repeating it tells it again.

    Nothing of it is lost when the second half fails: the session is open, and starting it once more tells the rest.
    """
    with scope.enter(within):
        overdue = _overdue()
        opened = resource_services.start(beginning.session_id, user_id=beginning.user_id)
        session, before = opened.session, opened.predecessor
        previous = None if before is None else memory_services.flush(before)
    return Started(session, _told(sections, beginning, within), previous, overdue)


def heartbeat(session_id: str, *, within: Scope) -> Alive:
    """Note that the session is alive. Raises NotFound."""
    with scope.enter(within):
        session = _named(session_id, within)
        resource_services.touch(session)
        return Alive(session.external_id, memory.pending(session.id), _overdue())


def branch(session_id: str, *, turn: int | None, new_session_id: str, within: Scope) -> Session:
    """Begin a session as this one was after a turn. Raises NotFound, Conflict, Invalid."""
    with scope.enter(within):
        return resource_services.branch(_named(session_id, within), turn=turn, new_session_id=new_session_id)


def end(session_id: str, *, within: Scope, seconds: float) -> Ended:
    """End the session and wait at most `seconds` until all of it is learnt from. Called without an open scope.

    A second time it changes nothing, and tells what is still pending. Raises NotFound.
    """
    with scope.enter(within):
        ended = memory_services.end_session(_named(session_id, within).id)
    return _settled(ended, within=within, seconds=seconds)


def _told(sections: Sequence[Tell], beginning: Beginning, within: Scope) -> tuple[StartSection, ...]:
    told: list[StartSection] = []
    for tell in sections:
        so_far = ToldSoFar(
            count_tokens("".join(f"{section.text}{BETWEEN}" for section in told if section.text)),
            frozenset().union(*(section.item_ids for section in told)),
            tuple(item_id for section in told for item_id in section.preload),
        )
        told.append(tell(beginning, so_far, within))
    return tuple(told)


def _fitting(lines: Iterable[str], tokens: int) -> str:
    """As many of the first lines as cost no more."""
    text = ""
    for line in lines:
        longer = f"{text}\n{line}" if text else line
        if count_tokens(longer) > tokens:
            break
        text = longer
    return text


def _asked_again(learnt: Iterable[LessonView]) -> frozenset[UUID]:
    """The memories in the words of repeated requests, which stand on messages."""
    asked = {each.resource_id: one.text for one in learnt if one.item_id is None for each in one.evidence}
    resting = memory.resting_on(list(asked)) if asked else {}
    rests = [(asked[resource_id], each) for resource_id, own in resting.items() for each in own]
    return frozenset(each.item_id for text, each in rests if asks_the_same(text, each.quote))


def _curated(line: LineView, today: date) -> str:
    """A line as a memory's in a context, which says where it comes from."""
    age = max(0, (today - line.said_on).days)
    return f"~ {inline(line.text)} (curated; age: {age}d; {inline(line.section)})"


def _overdue() -> tuple[str, ...]:
    """Start what should have run by now: where no clock ticks, sessions do."""
    return tuple(jobs.run_overdue())


def _settled(ended: Ended, *, within: Scope, seconds: float) -> Ended:
    """As it stands when nothing is pending, or the waiting is over."""

    def is_learnt() -> bool:
        with scope.enter(within):
            return memory.pending(ended.session.id) == 0

    if not (ended.pending and seconds):
        return ended
    wait_until(is_learnt, seconds=seconds)
    with scope.enter(within):
        left = tuple(memory.unobserved(ended.session.id))
    return replace(ended, resource_ids=left, job_ids=ended.job_ids if left else ())


def _named(session_id: str, within: Scope) -> Session:
    """The session, if the caller may write it: to a user, what is no user's is there to be read only."""
    session = resources.session(session_id)
    if session is None or not (within.whose.everyone or session.user_id == within.whose.user_id):
        raise NotFound("There is no such session.", field="sessionId")
    return session
