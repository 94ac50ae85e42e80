"""Each verb as the request it sends. Made from openapi.json by scripts/generate_clients.py: do not edit."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from memory_client.contract import (
    ApiKey,
    Backfill,
    Budget,
    Capture,
    Category,
    CategoryPreview,
    Checkpoint,
    ContextBlock,
    ContextStyle,
    CuratedCommit,
    CuratedMemory,
    CuratedRepository,
    DeletedBudget,
    Entity,
    EntityProfile,
    EntityType,
    Erasure,
    ErasurePreview,
    Explanation,
    ExportedLine,
    Feedback,
    Forgotten,
    GraphStatus,
    HealthReport,
    Heartbeat,
    Imported,
    ItemOrder,
    Job,
    JournalEntry,
    Kind,
    Lesson,
    LessonsFile,
    LessonStatus,
    LogLineInput,
    Memory,
    MemoryEvents,
    MemoryFeedback,
    MemoryFilter,
    MessageInput,
    Neighbourhood,
    NewApiKey,
    ObservedText,
    Opinion,
    Path,
    Period,
    PolicyChange,
    Profile,
    Proposal,
    ProposalOrder,
    ProposalState,
    Purpose,
    QueueEntry,
    QueueKind,
    Recall,
    Recovered,
    Rejection,
    RejectionCount,
    RestoredLineInput,
    Retention,
    ReviewDecision,
    Role,
    Schedule,
    Scope,
    SeenInput,
    Session,
    SessionEnd,
    SessionStart,
    SessionTrace,
    SharedDomain,
    Simulation,
    StartedJob,
    StartedMaintenance,
    Stats,
    Status,
    Strength,
    Summary,
    SummaryListed,
    SummaryVersion,
    Trigger,
    TriggerStatus,
    Unit,
    UsageGroup,
    UsageKey,
    Verdict,
    VerifiedReceipt,
    Viewer,
    Visibility,
    WriteResult,
)
from memory_client.decoding import Page, one, page_of, present, several
from memory_client.requests import Request, new_id, segment


def budgets() -> Request[tuple[Budget, ...]]:
    """What may be spent on models, what was, and what it will come to. Needs the scope billing or admin."""
    return Request("GET", "/api/v1/budgets", several(Budget), repeatable=True)


def set_budget(
    period: Period, *, agent_id: str | None = None, hard_usd: float | None = None, soft_usd: float | None = None
) -> Request[Budget]:
    """Limits what an agent, or all of them, spend in a day or month.

    agent_id: The agent's own name; absent: all agents together.

    hard_usd: From here on no model is called that costs something.

    soft_usd: From here on nothing is rewritten by a model, contexts are shorter.
    """
    return Request(
        "POST",
        "/api/v1/budgets",
        one(Budget),
        repeatable=True,
        body=present({"period": period, "agent_id": agent_id, "hard_usd": hard_usd, "soft_usd": soft_usd}),
    )


def delete_budget(budget_id: str) -> Request[DeletedBudget]:
    """Lifts a limit; what it kept waiting goes on.

    budget_id: The budget's id.
    """
    return Request("POST", f"/api/v1/budgets/{segment(budget_id)}/delete", one(DeletedBudget), repeatable=False)


def capture_turn(
    session_id: str,
    *,
    internal_state: Any | None = None,
    llm_output: str | None = None,
    occurred_at: datetime | None = None,
    recall_id: str | None = None,
    speaker: str | None = None,
    tool_calls: Any | None = None,
    turn_number: int | None = None,
    user_id: str | None = None,
    user_input: str | None = None,
    visibility: Visibility | None = None,
) -> Request[Capture]:
    """Checkpoint and resources; never waits for a model.

    Store a turn; it is remembered in the background. Repeating a turn_number changes nothing.

    session_id: The caller's own id; the session is made when new.

    internal_state: What the agent wants back when it recovers the session: any JSON of at most 1,000,000
    characters.

    llm_output: What was answered.

    occurred_at: When it was said; default: now.

    recall_id: The recall or context that llmOutput answers with: which hits it used is learnt.

    speaker: The name of who said `user_input`: who "I" is.

    tool_calls: Objects with `name` and, where the tool answered, `result` (a text or JSON), which becomes a
    resource of its own: at most 100 results a turn, of 200000 characters each.

    turn_number: Next when absent. Repeating one with the same content is a no-op, with other content CONFLICT.

    user_id: Of whom it is; absent: of no user.

    user_input: What the user said.
    """
    return Request(
        "POST",
        "/api/v1/capture",
        one(Capture),
        repeatable=turn_number is not None,
        body=present(
            {
                "session_id": session_id,
                "internal_state": internal_state,
                "llm_output": llm_output,
                "occurred_at": occurred_at,
                "recall_id": recall_id,
                "speaker": speaker,
                "tool_calls": tool_calls,
                "turn_number": turn_number,
                "user_id": user_id,
                "user_input": user_input,
                "visibility": visibility,
            }
        ),
    )


def categories() -> Request[tuple[Category, ...]]:
    """What memories are filed under, and how long each kind lasts."""
    return Request("GET", "/api/v1/categories", several(Category), repeatable=True)


def create_category(
    slug: str,
    label: str,
    *,
    decay_lambda: float | None = None,
    examples: Sequence[str] | None = None,
    half_life_days: float | None = None,
    has_default_examples: bool | None = None,
    is_protected: bool | None = None,
    keywords: Sequence[str] | None = None,
    purpose: Purpose | None = None,
    retention: Retention | None = None,
    ttl_days: int | None = None,
) -> Request[Category]:
    """A category of the tenant's own.

    slug: What memories and other verbs name it by; it never changes.

    label: What people call it.

    decay_lambda: λ of the score's exp(−λ·days).

    examples: What is said in it, for statements without a keyword; an empty list: none.

    half_life_days: The same as days in which the score halves.

    has_default_examples: True: the deployment's examples again.

    is_protected: Its memories never fade, expire or are archived.

    keywords: Words that file a statement under it, by stem.

    purpose: Knowledge, or operational memories.

    retention: Curve the confidence follows.

    ttl_days: Days since confirmed after which a memory is tagged stale, and archived if unused; 0: never.
    """
    return Request(
        "POST",
        "/api/v1/categories",
        one(Category),
        repeatable=False,
        body=present(
            {
                "slug": slug,
                "label": label,
                "decay_lambda": decay_lambda,
                "examples": examples,
                "half_life_days": half_life_days,
                "has_default_examples": has_default_examples,
                "is_protected": is_protected,
                "keywords": keywords,
                "purpose": purpose,
                "retention": retention,
                "ttl_days": ttl_days,
            }
        ),
    )


def update_category(
    slug: str,
    *,
    decay_lambda: float | None = None,
    examples: Sequence[str] | None = None,
    half_life_days: float | None = None,
    has_default_examples: bool | None = None,
    is_protected: bool | None = None,
    keywords: Sequence[str] | None = None,
    label: str | None = None,
    purpose: Purpose | None = None,
    retention: Retention | None = None,
    ttl_days: int | None = None,
) -> Request[Category]:
    """Changes a category from now on: its words, and how long what is filed under it lasts.

    slug: The category, by its slug.

    decay_lambda: λ of the score's exp(−λ·days).

    examples: What is said in it, for statements without a keyword; an empty list: none.

    half_life_days: The same as days in which the score halves.

    has_default_examples: True: the deployment's examples again.

    is_protected: Its memories never fade, expire or are archived.

    keywords: Words that file a statement under it, by stem.

    label: What people call it.

    purpose: Knowledge, or operational memories.

    retention: Curve the confidence follows.

    ttl_days: Days since confirmed after which a memory is tagged stale, and archived if unused; 0: never.
    """
    return Request(
        "POST",
        f"/api/v1/categories/{segment(slug)}",
        one(Category),
        repeatable=True,
        body=present(
            {
                "decay_lambda": decay_lambda,
                "examples": examples,
                "half_life_days": half_life_days,
                "has_default_examples": has_default_examples,
                "is_protected": is_protected,
                "keywords": keywords,
                "label": label,
                "purpose": purpose,
                "retention": retention,
                "ttl_days": ttl_days,
            }
        ),
    )


def preview_category(
    slug: str,
    *,
    decay_lambda: float | None = None,
    examples: Sequence[str] | None = None,
    half_life_days: float | None = None,
    has_default_examples: bool | None = None,
    is_protected: bool | None = None,
    keywords: Sequence[str] | None = None,
    label: str | None = None,
    purpose: Purpose | None = None,
    retention: Retention | None = None,
    samples: int | None = None,
    ttl_days: int | None = None,
) -> Request[CategoryPreview]:
    """What a change of a category would archive, and spare; changes nothing.

    Reads only; nothing is changed.

    slug: The category, by its slug.

    decay_lambda: λ of the score's exp(−λ·days).

    examples: What is said in it, for statements without a keyword; an empty list: none.

    half_life_days: The same as days in which the score halves.

    has_default_examples: True: the deployment's examples again.

    is_protected: Its memories never fade, expire or are archived.

    keywords: Words that file a statement under it, by stem.

    label: What people call it.

    purpose: Knowledge, or operational memories.

    retention: Curve the confidence follows.

    samples: How many memories to name.

    ttl_days: Days since confirmed after which a memory is tagged stale, and archived if unused; 0: never.
    """
    return Request(
        "POST",
        f"/api/v1/categories/{segment(slug)}/preview",
        one(CategoryPreview),
        repeatable=True,
        body=present(
            {
                "decay_lambda": decay_lambda,
                "examples": examples,
                "half_life_days": half_life_days,
                "has_default_examples": has_default_examples,
                "is_protected": is_protected,
                "keywords": keywords,
                "label": label,
                "purpose": purpose,
                "retention": retention,
                "samples": samples,
                "ttl_days": ttl_days,
            }
        ),
    )


def context(
    *,
    as_of: datetime | None = None,
    explain: bool | None = None,
    filter: MemoryFilter | None = None,
    max_tokens: int | None = None,
    messages: Sequence[MessageInput] | None = None,
    profile: Profile | None = None,
    query: str | None = None,
    repeat: bool | None = None,
    session_id: str | None = None,
    style: ContextStyle | None = None,
) -> Request[ContextBlock]:
    """The block for the prompt; without a query: what to know at session start.

    as_of: What was believed, and true, then.

    explain: Also say why: the plan, the arms, what just missed or was left out.

    filter: What the answer may be taken from.

    max_tokens: Tokens of the answer at most.

    messages: The conversation's last messages, oldest first.

    query: What is asked; absent: what a session begins with, of no profile and for no messages.

    repeat: Also what the session was already given and has not changed.

    session_id: The conversation this is asked in: what it was given is remembered, and what it said last is read
    where the query leans on it and no messages are sent.
    """
    return Request(
        "POST",
        "/api/v1/context",
        one(ContextBlock),
        repeatable=True,
        body=present(
            {
                "as_of": as_of,
                "explain": explain,
                "filter": filter,
                "max_tokens": max_tokens,
                "messages": messages,
                "profile": profile,
                "query": query,
                "repeat": repeat,
                "session_id": session_id,
                "style": style,
            }
        ),
    )


def try_context(
    *,
    as_of: datetime | None = None,
    explain: bool | None = None,
    filter: MemoryFilter | None = None,
    max_tokens: int | None = None,
    messages: Sequence[MessageInput] | None = None,
    policy: PolicyChange | None = None,
    profile: Profile | None = None,
    query: str | None = None,
    repeat: bool | None = None,
    session_id: str | None = None,
    style: ContextStyle | None = None,
) -> Request[ContextBlock]:
    """What context would answer, with other numbers of the policy if wanted; no memory counts as used by it.

    Nothing of it is kept but what it spent, and no memory counts as used.

    as_of: What was believed, and true, then.

    explain: Also say why: the plan, the arms, what just missed or was left out.

    filter: What the answer may be taken from.

    max_tokens: Tokens of the answer at most.

    messages: The conversation's last messages, oldest first.

    policy: Other numbers to answer with.

    query: What is asked; absent: what a session begins with, of no profile and for no messages.

    repeat: Also what the session was already given and has not changed.

    session_id: The conversation this is asked in: what it was given is remembered, and what it said last is read
    where the query leans on it and no messages are sent.
    """
    return Request(
        "POST",
        "/api/v1/context/try",
        one(ContextBlock),
        repeatable=True,
        body=present(
            {
                "as_of": as_of,
                "explain": explain,
                "filter": filter,
                "max_tokens": max_tokens,
                "messages": messages,
                "policy": policy,
                "profile": profile,
                "query": query,
                "repeat": repeat,
                "session_id": session_id,
                "style": style,
            }
        ),
    )


def curated_memory() -> Request[CuratedMemory]:
    """What every agent of the tenant is told first: MEMORY.md, line by line."""
    return Request("GET", "/api/v1/curated-memory", one(CuratedMemory), repeatable=True)


def check_curated_memory() -> Request[CuratedRepository]:
    """Compares MEMORY.md's repository with the lines, and its signatures."""
    return Request("GET", "/api/v1/curated-memory/check", one(CuratedRepository), repeatable=True)


def curated_history(*, first: int | None = None, after: str | None = None) -> Request[Page[CuratedCommit]]:
    """The commits of MEMORY.md's repository, the last first, each with what it changed.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.
    """
    return Request(
        "GET",
        "/api/v1/curated-memory/history",
        page_of(CuratedCommit),
        repeatable=True,
        query=present({"first": first, "after": after}),
    )


def rebuild_curated_memory() -> Request[CuratedRepository]:
    """Makes MEMORY.md's repository anew out of the lines, its history too."""
    return Request("POST", "/api/v1/curated-memory/rebuild", one(CuratedRepository), repeatable=True)


def restore_curated_memory(
    entries: Sequence[RestoredLineInput],
    *,
    changes: int | None = None,
    decisions: int | None = None,
    log: Sequence[LogLineInput] | None = None,
) -> Request[CuratedRepository]:
    """Takes lines, decisions and log back from a clone, where there are none.

    entries: The lines of MEMORY.md, those that were removed included.

    changes: The last number that a change got, erased ones among them.

    decisions: The last number that a decision got, erased ones among them.

    log: The operations log's lines.
    """
    return Request(
        "POST",
        "/api/v1/curated-memory/restore",
        one(CuratedRepository),
        repeatable=False,
        body=present({"entries": entries, "changes": changes, "decisions": decisions, "log": log}),
    )


def entities(
    *,
    user_id: str | None = None,
    all_users: bool | None = None,
    first: int | None = None,
    after: str | None = None,
    search: str | None = None,
    type: EntityType | None = None,
) -> Request[Page[Entity]]:
    """Who and what is spoken of, the most mentioned first.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    all_users: Every user's, side by side.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.

    search: Part of a name.

    type: Of this type; absent: of any.
    """
    return Request(
        "GET",
        "/api/v1/entities",
        page_of(Entity),
        repeatable=True,
        query=present(
            {"user_id": user_id, "all_users": all_users, "first": first, "after": after, "search": search, "type": type}
        ),
    )


def entity_named(
    name: str, *, user_id: str | None = None, all_users: bool | None = None, as_of: datetime | None = None
) -> Request[EntityProfile]:
    """A profile, by id or by name: what is true of it, its timeline, who said so.

    The profile of the entity this name fits best.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    all_users: Every user's, side by side.

    as_of: What was believed, and true, then.

    name: A name or alias of the entity.
    """
    return Request(
        "GET",
        "/api/v1/entities/named",
        one(EntityProfile),
        repeatable=True,
        query=present({"user_id": user_id, "all_users": all_users, "as_of": as_of, "name": name}),
    )


def entity(
    entity_id: str, *, user_id: str | None = None, all_users: bool | None = None, as_of: datetime | None = None
) -> Request[EntityProfile]:
    """A profile, by id or by name: what is true of it, its timeline, who said so.

    entity_id: The entity's id; of a merge, that of the one that stays.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    all_users: Every user's, side by side.

    as_of: What was believed, and true, then.
    """
    return Request(
        "GET",
        f"/api/v1/entities/{segment(entity_id)}",
        one(EntityProfile),
        repeatable=True,
        query=present({"user_id": user_id, "all_users": all_users, "as_of": as_of}),
    )


def merge_entities(entity_id: str, from_: Sequence[str]) -> Request[EntityProfile]:
    """Others that are the same become one with it; shared ones need review.

    entity_id: The entity's id; of a merge, that of the one that stays.

    from_: The entities that go; their names and mentions move.
    """
    return Request(
        "POST",
        f"/api/v1/entities/{segment(entity_id)}/merge",
        one(EntityProfile),
        repeatable=False,
        body=present({"from": from_}),
    )


def neighbourhood(
    entity_id: str,
    *,
    user_id: str | None = None,
    all_users: bool | None = None,
    as_of: datetime | None = None,
    valid_at: datetime | None = None,
    limit: int | None = None,
) -> Request[Neighbourhood]:
    """The entities around one, and what ties any two of them: statements, or being spoken of together.

    entity_id: The entity's id; of a merge, that of the one that stays.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    all_users: Every user's, side by side.

    as_of: What was believed, and true, then.

    valid_at: What was true then, by what is believed now.

    limit: Entities beside it at most.
    """
    return Request(
        "GET",
        f"/api/v1/entities/{segment(entity_id)}/neighbourhood",
        one(Neighbourhood),
        repeatable=True,
        query=present(
            {"user_id": user_id, "all_users": all_users, "as_of": as_of, "valid_at": valid_at, "limit": limit}
        ),
    )


def split_entity(entity_id: str, aliases: Sequence[str]) -> Request[EntityProfile]:
    """Gives some of its names an entity of their own, which is the answer.

    entity_id: The entity's id; of a merge, that of the one that stays.

    aliases: Names of the entity as they are written there.
    """
    return Request(
        "POST",
        f"/api/v1/entities/{segment(entity_id)}/split",
        one(EntityProfile),
        repeatable=False,
        body=present({"aliases": aliases}),
    )


def erasures(*, first: int | None = None, after: str | None = None) -> Request[Page[Erasure]]:
    """Erasures, the newest first, with how far they have come. Needs the scope erase or admin.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.
    """
    return Request(
        "GET", "/api/v1/erasures", page_of(Erasure), repeatable=True, query=present({"first": first, "after": after})
    )


def request_erasure(
    fingerprint: str,
    *,
    entity: str | None = None,
    entity_id: str | None = None,
    memory_ids: Sequence[str] | None = None,
    message_ids: Sequence[str] | None = None,
    reason: str | None = None,
    session_id: str | None = None,
    user_id: str | None = None,
) -> Request[Erasure]:
    """Erases for good what a preview showed, at once or once somebody else approves. Needs the scope erase.

    fingerprint: Of the preview that showed what would go.

    entity: Everybody and everything that goes by this name.

    memory_ids: Memories, each by its id.

    message_ids: Messages, each by its id.

    reason: Why; it is erased with the rest.

    session_id: A session by the caller's own id, of every agent.

    user_id: Everything of this user, whichever agent remembers it.
    """
    return Request(
        "POST",
        "/api/v1/erasures",
        one(Erasure),
        repeatable=False,
        body=present(
            {
                "fingerprint": fingerprint,
                "entity": entity,
                "entity_id": entity_id,
                "memory_ids": memory_ids,
                "message_ids": message_ids,
                "reason": reason,
                "session_id": session_id,
                "user_id": user_id,
            }
        ),
    )


def preview_erasure(
    *,
    entity: str | None = None,
    entity_id: str | None = None,
    first: int | None = None,
    memory_ids: Sequence[str] | None = None,
    message_ids: Sequence[str] | None = None,
    session_id: str | None = None,
    topic: str | None = None,
    user_id: str | None = None,
) -> Request[ErasurePreview]:
    """What erasing a user, session, entity or memories for good would take away. Needs the scope erase.

    entity: Everybody and everything that goes by this name.

    first: How many of them a topic finds at most.

    memory_ids: Memories, each by its id.

    message_ids: Messages, each by its id.

    session_id: A session by the caller's own id, of every agent.

    topic: Memories and messages that surely are about it, with userId that user's; the answer names them.

    user_id: Everything of this user, whichever agent remembers it.
    """
    return Request(
        "POST",
        "/api/v1/erasures/preview",
        one(ErasurePreview),
        repeatable=True,
        body=present(
            {
                "entity": entity,
                "entity_id": entity_id,
                "first": first,
                "memory_ids": memory_ids,
                "message_ids": message_ids,
                "session_id": session_id,
                "topic": topic,
                "user_id": user_id,
            }
        ),
    )


def verify_receipt(receipt: Any) -> Request[VerifiedReceipt]:
    """Whether a receipt of an erasure is ours and unchanged. Needs the scope erase or admin.

    receipt: The receipt, whole, with its signature.
    """
    return Request(
        "POST", "/api/v1/erasures/verify", one(VerifiedReceipt), repeatable=True, body=present({"receipt": receipt})
    )


def erasure(erasure_id: str) -> Request[Erasure]:
    """An erasure and its receipt. Needs the scope erase or admin.

    erasure_id: The erasure's id.
    """
    return Request("GET", f"/api/v1/erasures/{segment(erasure_id)}", one(Erasure), repeatable=True)


def approve_erasure(erasure_id: str) -> Request[Erasure]:
    """Lets an erasure run that somebody else asked for.

    erasure_id: The erasure's id.
    """
    return Request("POST", f"/api/v1/erasures/{segment(erasure_id)}/approve", one(Erasure), repeatable=False)


def reject_erasure(erasure_id: str) -> Request[Erasure]:
    """Lets nothing of an erasure happen that waits for approval.

    erasure_id: The erasure's id.
    """
    return Request("POST", f"/api/v1/erasures/{segment(erasure_id)}/reject", one(Erasure), repeatable=False)


def memory_events(
    *, after: str | None = None, first: int | None = None, wait: float | None = None, user_id: str | None = None
) -> Request[MemoryEvents]:
    """What happens to memories as it happens: stored, held, superseded, a time that is due; budgets and proposals for
    keys that may read them.

    With `Accept: text/event-stream` they come as they happen; Last-Event-ID goes on where a stream broke off.

    after: The id behind which to begin; 0: the oldest that is kept; absent: only what happens from now on.

    first: How many events at most.

    wait: Seconds to wait for an event when there is none.

    user_id: Only what is this user's or no user's; absent: every user's.
    """
    return Request(
        "GET",
        "/api/v1/events",
        one(MemoryEvents),
        repeatable=True,
        query=present({"after": after, "first": first, "wait": wait, "user_id": user_id}),
    )


def export_about(
    *,
    after: str | None = None,
    entity: str | None = None,
    entity_id: str | None = None,
    first: int | None = None,
    memory_ids: Sequence[str] | None = None,
    message_ids: Sequence[str] | None = None,
    session_id: str | None = None,
    user_id: str | None = None,
) -> Request[Page[ExportedLine]]:
    """All that erasing would take away, line by line, as an import takes it. Needs the scope erase.

    Reads only; nothing is changed.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.

    entity: Everybody and everything that goes by this name.

    first: How many rows, from 1 to 100; default: 20.

    memory_ids: Memories, each by its id.

    message_ids: Messages, each by its id.

    session_id: A session by the caller's own id, of every agent.

    user_id: Everything of this user, whichever agent remembers it.
    """
    return Request(
        "POST",
        "/api/v1/exports",
        page_of(ExportedLine),
        repeatable=True,
        body=present(
            {
                "after": after,
                "entity": entity,
                "entity_id": entity_id,
                "first": first,
                "memory_ids": memory_ids,
                "message_ids": message_ids,
                "session_id": session_id,
                "user_id": user_id,
            }
        ),
    )


def forget(
    *,
    dry_run: bool | None = None,
    filter: MemoryFilter | None = None,
    ids: Sequence[str] | None = None,
    limit: int | None = None,
    query: str | None = None,
    reason: str | None = None,
    seen: Sequence[SeenInput] | None = None,
    user_id: str | None = None,
) -> Request[Forgotten]:
    """By ids, by user or by query; a dry run lists what would go.

    filter: Narrows a query.

    ids: Memories, each by its id.

    limit: How much a query may take at most.

    query: What surely answers it goes: hits of HIGH relevance only.

    reason: Why, in the caller's words.

    seen: Memories as they were looked at; when one has changed since: CONFLICT.

    user_id: All that is of this user.
    """
    return Request(
        "POST",
        "/api/v1/forget",
        one(Forgotten),
        repeatable=True,
        body=present(
            {
                "dry_run": dry_run,
                "filter": filter,
                "ids": ids,
                "limit": limit,
                "query": query,
                "reason": reason,
                "seen": seen,
                "user_id": user_id,
            }
        ),
    )


def graph_status() -> Request[GraphStatus]:
    """Which server has a copy of the graph, whether it is asked, how far behind it is."""
    return Request("GET", "/api/v1/graph", one(GraphStatus), repeatable=True)


def backfill_graph() -> Request[Backfill]:
    """Reads everything held into the graph again.

    What was captured before there was a graph, and what a projection missed; repeating it changes nothing.
    """
    return Request("POST", "/api/v1/graph/backfill", one(Backfill), repeatable=True)


def check_graph() -> Request[StartedJob]:
    """Compares the copy with the truth by counts and checksums, in a job; CONFLICT where there is no copy."""
    return Request("POST", "/api/v1/graph/check", one(StartedJob), repeatable=True)


def rebuild_graph() -> Request[StartedJob]:
    """Throws the copy away and makes a new one, in a job; SQL answers meanwhile. CONFLICT where there is no server."""
    return Request("POST", "/api/v1/graph/rebuild", one(StartedJob), repeatable=True)


def repair_graph() -> Request[StartedJob]:
    """Compares, and copies again what differs, in a job; CONFLICT where there is no copy."""
    return Request("POST", "/api/v1/graph/repair", one(StartedJob), repeatable=True)


def health_report() -> Request[HealthReport]:
    """How the memory is: what it holds, how it grew, answered and cost lately."""
    return Request("GET", "/api/v1/health-report", one(HealthReport), repeatable=True)


def import_lines(lines: Any) -> Request[Imported]:
    """Takes lines of an export in, an answer for each. Safe to repeat.

    lines: A list of at most 500.
    """
    return Request("POST", "/api/v1/imports", one(Imported), repeatable=True, body=present({"lines": lines}))


def jobs(ids: Sequence[str]) -> Request[tuple[Job, ...]]:
    """When a turn became memory: state, attempts, error, outcome, and which model read it.

    ids: Jobs, by their ids.
    """
    return Request("GET", "/api/v1/jobs", several(Job), repeatable=True, query=present({"ids": ids}))


def retry_job(job_id: str) -> Request[Job]:
    """Has a job that failed, or waits for its next attempt, tried again at once. Needs the scope review or admin.

    job_id: The job's id.
    """
    return Request("POST", f"/api/v1/jobs/{segment(job_id)}/retry", one(Job), repeatable=True)


def journal(
    *,
    first: int | None = None,
    after: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    operation: str | None = None,
    actor: str | None = None,
    agent_id: str | None = None,
    subject_id: str | None = None,
    request_id: str | None = None,
    user_id: str | None = None,
) -> Request[Page[JournalEntry]]:
    """The agent's entries; the tenant's with the scope review.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.

    since: From then on.

    until: Up to but without then.

    operation: What was done, by its code, such as turn.captured.

    actor: By whom, as the entries name it.

    agent_id: Of this agent, by its own name.

    subject_id: Of what this id names, such as a memory.

    request_id: In this request, by its X-Request-ID.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.
    """
    return Request(
        "GET",
        "/api/v1/journal",
        page_of(JournalEntry),
        repeatable=True,
        query=present(
            {
                "first": first,
                "after": after,
                "since": since,
                "until": until,
                "operation": operation,
                "actor": actor,
                "agent_id": agent_id,
                "subject_id": subject_id,
                "request_id": request_id,
                "user_id": user_id,
            }
        ),
    )


def log_action(
    action: str,
    *,
    detail: str | None = None,
    reason: str | None = None,
    session_id: str | None = None,
    tool: str | None = None,
    user_id: str | None = None,
) -> Request[JournalEntry]:
    """The operations log agents write themselves.

    action: The verb: deployed, restarted, decided.

    detail: What was done, in words.

    reason: Why, in words.

    session_id: In which session; made when new. Its words go with it.

    tool: The noun: what was used or acted on.

    user_id: Whose session it is.
    """
    return Request(
        "POST",
        "/api/v1/journal",
        one(JournalEntry),
        repeatable=False,
        body=present(
            {
                "action": action,
                "detail": detail,
                "reason": reason,
                "session_id": session_id,
                "tool": tool,
                "user_id": user_id,
            }
        ),
    )


def keys() -> Request[tuple[ApiKey, ...]]:
    """The tenant's keys; secrets are never shown again."""
    return Request("GET", "/api/v1/keys", several(ApiKey), repeatable=True)


def create_api_key(
    scopes: Sequence[Scope],
    *,
    agent_id: str | None = None,
    domain: str | None = None,
    expires_at: datetime | None = None,
    name: str | None = None,
    user_id: str | None = None,
) -> Request[NewApiKey]:
    """Needs the scope admin. The token is shown this once.

    scopes: What the key may do.

    agent_id: The agent's own name, created when new; default: the caller.

    domain: The agent's home category from now on.

    expires_at: When it stops working; absent: never.

    name: What people know the key by.

    user_id: Binds it to one user: it reaches no other's memories. Scopes: read, write, share.
    """
    return Request(
        "POST",
        "/api/v1/keys",
        one(NewApiKey),
        repeatable=False,
        body=present(
            {
                "scopes": scopes,
                "agent_id": agent_id,
                "domain": domain,
                "expires_at": expires_at,
                "name": name,
                "user_id": user_id,
            }
        ),
    )


def revoke_api_key(key_id: str) -> Request[ApiKey]:
    """The key stops working at once.

    key_id: The key's id, which is not its token.
    """
    return Request("POST", f"/api/v1/keys/{segment(key_id)}/revoke", one(ApiKey), repeatable=True)


def rotate_api_key(key_id: str, *, overlap_seconds: int | None = None) -> Request[NewApiKey]:
    """A new secret; the old one stops at once, or after overlapSeconds.

    key_id: The key's id, which is not its token.

    overlap_seconds: How much longer the old key works.
    """
    return Request(
        "POST",
        f"/api/v1/keys/{segment(key_id)}/rotate",
        one(NewApiKey),
        repeatable=False,
        body=present({"overlap_seconds": overlap_seconds}),
    )


def lessons(
    *,
    user_id: str | None = None,
    all_users: bool | None = None,
    first: int | None = None,
    after: str | None = None,
    status: Sequence[LessonStatus] | None = None,
) -> Request[Page[Lesson]]:
    """What users taught: rules, preferences, corrections, repeated requests.

    Repeat `status` to allow several.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    all_users: Every user's, side by side.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.

    status: Default: what holds, that is active.
    """
    return Request(
        "GET",
        "/api/v1/lessons",
        page_of(Lesson),
        repeatable=True,
        query=present({"user_id": user_id, "all_users": all_users, "first": first, "after": after, "status": status}),
    )


def lessons_file(*, user_id: str | None = None, max_tokens: int | None = None) -> Request[LessonsFile]:
    """The lessons of an agent and user as one Markdown file.

    The file as it is; with `Accept: application/json` its tokens beside it.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    max_tokens: Tokens of the file at most; default: the policy's `lesson_file_tokens`.
    """
    return Request(
        "GET",
        "/api/v1/lessons.md",
        one(LessonsFile),
        repeatable=True,
        query=present({"user_id": user_id, "max_tokens": max_tokens}),
    )


def dismiss_lesson(lesson_id: str) -> Request[Lesson]:
    """Takes a lesson out of the file; the memory it stands on stays.

    lesson_id: The lesson's id.
    """
    return Request("POST", f"/api/v1/lessons/{segment(lesson_id)}/dismiss", one(Lesson), repeatable=True)


def run_maintenance(job: str, *, dry_run: bool | None = None) -> Request[StartedMaintenance]:
    """Runs nightly, weekly or monthly maintenance now, in a job; a dry run counts what would change.

    job: nightly, weekly or monthly.

    dry_run: Only count what would change.
    """
    return Request(
        "POST",
        "/api/v1/maintenance",
        one(StartedMaintenance),
        repeatable=True,
        body=present({"job": job, "dry_run": dry_run}),
    )


def memories(
    *,
    user_id: str | None = None,
    all_users: bool | None = None,
    first: int | None = None,
    after: str | None = None,
    kind: Sequence[Kind] | None = None,
    category: Sequence[str] | None = None,
    service: Sequence[str] | None = None,
    agent_id: str | None = None,
    session_id: str | None = None,
    entity: str | None = None,
    status: Sequence[Status] | None = None,
    verdict: Sequence[Verdict] | None = None,
    min_confidence: float | None = None,
    visibility: Visibility | None = None,
    domain: str | None = None,
    since: str | None = None,
    until: str | None = None,
    order_by: ItemOrder | None = None,
    as_of: datetime | None = None,
    id_part: str | None = None,
) -> Request[Page[Memory]]:
    """Memories page by page.

    Repeat a filter to allow several values.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    all_users: Every user's, side by side.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.

    kind: Of one of these kinds.

    category: Filed under one of these slugs.

    service: Of one of these services.

    agent_id: Of this agent, by its own name.

    session_id: Learnt in this session, by the caller's own id.

    entity: That name this entity.

    status: In one of these states; default: active.

    verdict: With one of these verdicts.

    min_confidence: At least as sure, 0 to 1; a message, which is not weighed, passes.

    visibility: Private ones alone, or shared ones.

    domain: Shared in this domain, by its slug.

    since: Event time: ISO 8601, or a word such as last_week.

    until: Event time up to then, in the same way.

    order_by: Which comes first.

    as_of: What was believed, and true, then.

    id_part: Part of an id, as people are shown it.
    """
    return Request(
        "GET",
        "/api/v1/memories",
        page_of(Memory),
        repeatable=True,
        query=present(
            {
                "user_id": user_id,
                "all_users": all_users,
                "first": first,
                "after": after,
                "kind": kind,
                "category": category,
                "service": service,
                "agent_id": agent_id,
                "session_id": session_id,
                "entity": entity,
                "status": status,
                "verdict": verdict,
                "min_confidence": min_confidence,
                "visibility": visibility,
                "domain": domain,
                "since": since,
                "until": until,
                "order_by": order_by,
                "as_of": as_of,
                "id_part": id_part,
            }
        ),
    )


def remember(
    text: str,
    *,
    category: str | None = None,
    confidence: float | None = None,
    entities: Sequence[str] | None = None,
    external_id: str | None = None,
    kind: Kind | None = None,
    occurred_at: datetime | None = None,
    service: str | None = None,
    session_id: str | None = None,
    strength: Strength | None = None,
    user_id: str | None = None,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
    visibility: Visibility | None = None,
) -> Request[WriteResult]:
    """An explicit fact: still gated, deduplicated and checked for contradictions.

    text: The fact, as a whole statement.

    category: Default: what the text is about; of a shared one the agent's own domain.

    confidence: How sure it is, 0 to 1; default: as its words are.

    entities: Names it speaks of; default: those that are read.

    external_id: The caller's own id: repeating it with the same text changes nothing, with another text CONFLICT.

    occurred_at: When it was said.

    service: The service or system it speaks of; default: the one it names.

    session_id: Where it was said; the session is made when new.

    user_id: Of whom it is; absent: of no user.

    valid_from: Since when it is true.

    valid_until: Until when it was true.
    """
    return Request(
        "POST",
        "/api/v1/memories",
        one(WriteResult),
        repeatable=True,
        body=present(
            {
                "text": text,
                "category": category,
                "confidence": confidence,
                "entities": entities,
                "external_id": external_id or new_id(),
                "kind": kind,
                "occurred_at": occurred_at,
                "service": service,
                "session_id": session_id,
                "strength": strength,
                "user_id": user_id,
                "valid_from": valid_from,
                "valid_until": valid_until,
                "visibility": visibility,
            }
        ),
    )


def weak_memories(
    *, user_id: str | None = None, all_users: bool | None = None, first: int | None = None, after: str | None = None
) -> Request[Page[Memory]]:
    """Low confidence, or soon to decay.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    all_users: Every user's, side by side.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.
    """
    return Request(
        "GET",
        "/api/v1/memories/weak",
        page_of(Memory),
        repeatable=True,
        query=present({"user_id": user_id, "all_users": all_users, "first": first, "after": after}),
    )


def memory(memory_id: str, *, user_id: str | None = None) -> Request[Memory]:
    """One memory, whatever has become of it.

    memory_id: The memory's id.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.
    """
    return Request(
        "GET",
        f"/api/v1/memories/{segment(memory_id)}",
        one(Memory),
        repeatable=True,
        query=present({"user_id": user_id}),
    )


def confirm(memory_id: str, *, seen: Sequence[SeenInput] | None = None) -> Request[Memory]:
    """Confirmed by someone: protected from decay.

    memory_id: The memory's id.

    seen: Memories as they were looked at; when one has changed since: CONFLICT.
    """
    return Request(
        "POST",
        f"/api/v1/memories/{segment(memory_id)}/confirm",
        one(Memory),
        repeatable=True,
        body=present({"seen": seen}),
    )


def withdraw_confirmation(memory_id: str, *, seen: Sequence[SeenInput] | None = None) -> Request[Memory]:
    """Takes back that a memory was confirmed: it and what that answered are as they were.

    memory_id: The memory's id.

    seen: Memories as they were looked at; when one has changed since: CONFLICT.
    """
    return Request(
        "POST",
        f"/api/v1/memories/{segment(memory_id)}/confirm/withdraw",
        one(Memory),
        repeatable=True,
        body=present({"seen": seen}),
    )


def correct(
    memory_id: str, text: str, *, reason: str | None = None, seen: Sequence[SeenInput] | None = None
) -> Request[WriteResult]:
    """A better wording or a new truth, which supersedes the old one.

    memory_id: The memory's id.

    text: What is true instead, as a whole statement.

    reason: Why, in the caller's words.

    seen: Memories as they were looked at; when one has changed since: CONFLICT.
    """
    return Request(
        "POST",
        f"/api/v1/memories/{segment(memory_id)}/correct",
        one(WriteResult),
        repeatable=False,
        body=present({"text": text, "reason": reason, "seen": seen}),
    )


def explain_memory(memory_id: str, *, user_id: str | None = None) -> Request[Explanation]:
    """Sources with quotes, versions, merges, what it superseded.

    memory_id: The memory's id.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.
    """
    return Request(
        "GET",
        f"/api/v1/memories/{segment(memory_id)}/explain",
        one(Explanation),
        repeatable=True,
        query=present({"user_id": user_id}),
    )


def give_feedback(memory_id: str, kind: Opinion, *, note: str | None = None) -> Request[MemoryFeedback]:
    """Says of a memory that it is helpful, wrong (held for review) or outdated (put in doubt).

    memory_id: The memory's id.

    note: Why, in their own words.
    """
    return Request(
        "POST",
        f"/api/v1/memories/{segment(memory_id)}/feedback",
        one(MemoryFeedback),
        repeatable=True,
        body=present({"kind": kind, "note": note}),
    )


def withdraw_feedback(memory_id: str) -> Request[Memory]:
    """Takes back what the caller said of a memory, and what followed from it.

    memory_id: The memory's id.
    """
    return Request("POST", f"/api/v1/memories/{segment(memory_id)}/feedback/withdraw", one(Memory), repeatable=True)


def share(memory_id: str, *, domain: str | None = None) -> Request[Memory]:
    """Private to shared: returns the memory all agents see. Needs the scope share.

    memory_id: The memory's id.

    domain: A category; default: the agent's own, else the memory's.
    """
    return Request(
        "POST",
        f"/api/v1/memories/{segment(memory_id)}/share",
        one(Memory),
        repeatable=False,
        body=present({"domain": domain}),
    )


def unmerge(memory_id: str) -> Request[Memory]:
    """Undoes a merge: the wording is a memory of its own again, and is not merged back.

    memory_id: The memory's id.
    """
    return Request("POST", f"/api/v1/memories/{segment(memory_id)}/unmerge", one(Memory), repeatable=False)


def memory_file() -> Request[CuratedMemory]:
    """What every agent of the tenant is told first: MEMORY.md, line by line.

    The file as it is; with `Accept: application/json` its lines beside it.
    """
    return Request("GET", "/api/v1/memory.md", one(CuratedMemory), repeatable=True)


def observe(
    session_id: str,
    text: str,
    *,
    occurred_at: datetime | None = None,
    role: Role | None = None,
    user_id: str | None = None,
    visibility: Visibility | None = None,
    wait_seconds: float | None = None,
) -> Request[ObservedText]:
    """Keeps a text in a session and learns from it now: narratives, facts, priorities. Safe to repeat.

    session_id: The caller's own id; the session is made when new.

    text: A line that begins with `User:` or `Assistant:` says whose words follow.

    occurred_at: When it was said; default: now.

    role: Whose words they are where no line says so.

    user_id: Of whom it is; absent: of no user.

    wait_seconds: How long it may wait for what is pending; 0: not at all.
    """
    return Request(
        "POST",
        "/api/v1/observe",
        one(ObservedText),
        repeatable=True,
        body=present(
            {
                "session_id": session_id,
                "text": text,
                "occurred_at": occurred_at,
                "role": role,
                "user_id": user_id,
                "visibility": visibility,
                "wait_seconds": wait_seconds,
            }
        ),
    )


def path(
    from_: str,
    to: str,
    *,
    user_id: str | None = None,
    all_users: bool | None = None,
    max_depth: int | None = None,
    as_of: datetime | None = None,
) -> Request[Path]:
    """How two entities are connected, with what says so at each step, within maxDepth hops.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    all_users: Every user's, side by side.

    from_: Where it begins: an entity's id.

    to: Where it ends: an entity's id.

    max_depth: Of how many hops a way may be.

    as_of: What was believed, and true, then.
    """
    return Request(
        "GET",
        "/api/v1/path",
        one(Path),
        repeatable=True,
        query=present(
            {
                "user_id": user_id,
                "all_users": all_users,
                "from": from_,
                "to": to,
                "max_depth": max_depth,
                "as_of": as_of,
            }
        ),
    )


def simulate_policy(
    policy: PolicyChange, *, days: int | None = None, samples: int | None = None, user_id: str | None = None
) -> Request[Simulation]:
    """What another floor, TTL or weight would have made of the last days' recalls and captures; changes nothing.

    Reads only; nothing is changed.

    policy: The numbers to try.

    days: How far to look back.

    samples: How many recalls and messages to name.

    user_id: Over what is this user's and no user's; absent: every user's.
    """
    return Request(
        "POST",
        "/api/v1/policy/simulate",
        one(Simulation),
        repeatable=True,
        body=present({"policy": policy, "days": days, "samples": samples, "user_id": user_id}),
    )


def proposals(
    *,
    first: int | None = None,
    after: str | None = None,
    state: Sequence[ProposalState] | None = None,
    section: str | None = None,
    kind: Kind | None = None,
    id: Sequence[str] | None = None,
    order_by: ProposalOrder | None = None,
) -> Request[Page[Proposal]]:
    """Changes of the curated memory that were proposed: the earliest, or the last decision, first. Needs the scope
    review or admin.

    Repeat `state` to allow several.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.

    state: Default: what nobody decided, that is waiting and queued; by decisions: what was decided.

    section: The section of MEMORY.md it would stand in.

    kind: Of this kind.

    id: These alone, whatever became of them unless states are named.

    order_by: Which comes first.
    """
    return Request(
        "GET",
        "/api/v1/proposals",
        page_of(Proposal),
        repeatable=True,
        query=present(
            {
                "first": first,
                "after": after,
                "state": state,
                "section": section,
                "kind": kind,
                "id": id,
                "order_by": order_by,
            }
        ),
    )


def decide_proposal(
    proposal_id: str,
    decision: ReviewDecision,
    version: int,
    *,
    as_decision: bool | None = None,
    comment: str | None = None,
    section: str | None = None,
    text: str | None = None,
) -> Request[Proposal]:
    """Approve, edit, reject or undo, on the version that was looked at. Needs the scope review or admin.

    proposal_id: The proposal's id.

    version: The proposal's, as it was looked at; another one is a conflict.

    as_decision: Give it the next decision's number, and a record.

    comment: Why.

    section: Of EDIT: another category.

    text: Of EDIT: better words.
    """
    return Request(
        "POST",
        f"/api/v1/proposals/{segment(proposal_id)}/decide",
        one(Proposal),
        repeatable=False,
        body=present(
            {
                "decision": decision,
                "version": version,
                "as_decision": as_decision,
                "comment": comment,
                "section": section,
                "text": text,
            }
        ),
    )


def recall(
    query: str,
    *,
    as_of: datetime | None = None,
    explain: bool | None = None,
    filter: MemoryFilter | None = None,
    limit: int | None = None,
    max_tokens: int | None = None,
    messages: Sequence[MessageInput] | None = None,
    profile: Profile | None = None,
    repeat: bool | None = None,
    session_id: str | None = None,
    units: Sequence[Unit] | None = None,
    valid_at: datetime | None = None,
) -> Request[Recall]:
    """The few memories worth knowing; none when nothing is relevant.

    query: What is asked, in the words it is asked in.

    as_of: What was believed, and true, then.

    explain: Also say why: the plan, the arms, what just missed or was left out.

    filter: What the answer may be taken from.

    limit: Hits at most; default: the profile's.

    max_tokens: Tokens of the answer at most.

    messages: The conversation's last messages, oldest first.

    repeat: Also what the session was already given and has not changed.

    session_id: The conversation this is asked in: what it was given is remembered, and what it said last is read
    where the query leans on it and no messages are sent.

    units: Whether memories, episodes, or both answer.

    valid_at: What was true then, by what is believed now.
    """
    return Request(
        "POST",
        "/api/v1/recall",
        one(Recall),
        repeatable=True,
        body=present(
            {
                "query": query,
                "as_of": as_of,
                "explain": explain,
                "filter": filter,
                "limit": limit,
                "max_tokens": max_tokens,
                "messages": messages,
                "profile": profile,
                "repeat": repeat,
                "session_id": session_id,
                "units": units,
                "valid_at": valid_at,
            }
        ),
    )


def try_recall(
    query: str,
    *,
    as_of: datetime | None = None,
    explain: bool | None = None,
    filter: MemoryFilter | None = None,
    limit: int | None = None,
    max_tokens: int | None = None,
    messages: Sequence[MessageInput] | None = None,
    policy: PolicyChange | None = None,
    profile: Profile | None = None,
    repeat: bool | None = None,
    session_id: str | None = None,
    units: Sequence[Unit] | None = None,
    valid_at: datetime | None = None,
) -> Request[Recall]:
    """What recall would answer, with other numbers of the policy if wanted; no memory counts as used by it.

    Nothing of it is kept but what it spent, and no memory counts as used.

    query: What is asked, in the words it is asked in.

    as_of: What was believed, and true, then.

    explain: Also say why: the plan, the arms, what just missed or was left out.

    filter: What the answer may be taken from.

    limit: Hits at most; default: the profile's.

    max_tokens: Tokens of the answer at most.

    messages: The conversation's last messages, oldest first.

    policy: Other numbers to answer with.

    repeat: Also what the session was already given and has not changed.

    session_id: The conversation this is asked in: what it was given is remembered, and what it said last is read
    where the query leans on it and no messages are sent.

    units: Whether memories, episodes, or both answer.

    valid_at: What was true then, by what is believed now.
    """
    return Request(
        "POST",
        "/api/v1/recall/try",
        one(Recall),
        repeatable=True,
        body=present(
            {
                "query": query,
                "as_of": as_of,
                "explain": explain,
                "filter": filter,
                "limit": limit,
                "max_tokens": max_tokens,
                "messages": messages,
                "policy": policy,
                "profile": profile,
                "repeat": repeat,
                "session_id": session_id,
                "units": units,
                "valid_at": valid_at,
            }
        ),
    )


def report_output(recall_id: str, output: str) -> Request[Feedback]:
    """What the model made of a recall: which hits were of use.

    recall_id: The recall's id, as its answer tells it.

    output: What was answered with the recall, whole.
    """
    return Request(
        "POST",
        f"/api/v1/recalls/{segment(recall_id)}/output",
        one(Feedback),
        repeatable=True,
        body=present({"output": output}),
    )


def reflect() -> Request[StartedJob]:
    """Propose now what recent shared memories would change, in a job. Needs the scope review or admin."""
    return Request("POST", "/api/v1/reflect", one(StartedJob), repeatable=True)


def rejections(
    *,
    user_id: str | None = None,
    all_users: bool | None = None,
    first: int | None = None,
    after: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    session_id: str | None = None,
    turn: int | None = None,
    stage: str | None = None,
    reason: str | None = None,
) -> Request[Page[Rejection]]:
    """What was said and became no memory, newest first.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    all_users: Every user's, side by side.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.

    since: From then on.

    until: Up to but without then.

    session_id: Said in this session, by the caller's own id.

    turn: A number within a session.

    stage: extraction, gate or conflict.

    reason: Turned down for this reason, by its code.
    """
    return Request(
        "GET",
        "/api/v1/rejections",
        page_of(Rejection),
        repeatable=True,
        query=present(
            {
                "user_id": user_id,
                "all_users": all_users,
                "first": first,
                "after": after,
                "since": since,
                "until": until,
                "session_id": session_id,
                "turn": turn,
                "stage": stage,
                "reason": reason,
            }
        ),
    )


def rejection_counts(*, weeks: int | None = None) -> Request[tuple[RejectionCount, ...]]:
    """How many rejections of each reason a week saw, the latest week first.

    weeks: How many weeks, this one included.
    """
    return Request(
        "GET", "/api/v1/rejections/counts", several(RejectionCount), repeatable=True, query=present({"weeks": weeks})
    )


def restore(batch_id: str) -> Request[Forgotten]:
    """Undoes a batch of forgetting."""
    return Request("POST", "/api/v1/restore", one(Forgotten), repeatable=True, body=present({"batch_id": batch_id}))


def review_queue(
    *,
    user_id: str | None = None,
    all_users: bool | None = None,
    first: int | None = None,
    after: str | None = None,
    kind: Sequence[QueueKind] | None = None,
) -> Request[Page[QueueEntry]]:
    """All that waits for somebody in one list: proposals, held memories, contradictions; for the scope admin,
    erasures. Needs the scope review or admin.

    Repeat `kind` to choose several.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    all_users: Every user's, side by side.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.

    kind: Default: all of them.
    """
    return Request(
        "GET",
        "/api/v1/review-queue",
        page_of(QueueEntry),
        repeatable=True,
        query=present({"user_id": user_id, "all_users": all_users, "first": first, "after": after, "kind": kind}),
    )


def schedules() -> Request[tuple[Schedule, ...]]:
    """What runs by itself: when it does next, and how the last run ended."""
    return Request("GET", "/api/v1/schedules", several(Schedule), repeatable=True)


def change_schedule(name: str, *, cron: str | None = None, enabled: bool | None = None) -> Request[Schedule]:
    """When a schedule runs by itself, and whether it does.

    name: Its name, as lists tell it.

    cron: Minute, hour, day of the month, month and day of the week, in the tenant's time zone.
    """
    return Request(
        "POST",
        f"/api/v1/schedules/{segment(name)}",
        one(Schedule),
        repeatable=True,
        body=present({"cron": cron, "enabled": enabled}),
    )


def run_schedule(name: str) -> Request[StartedJob]:
    """Runs a schedule now, besides its times, in a job.

    name: Its name, as lists tell it.
    """
    return Request("POST", f"/api/v1/schedules/{segment(name)}/run", one(StartedJob), repeatable=True)


def session_trace(
    trace_id: str, *, first: int | None = None, after: str | None = None, user_id: str | None = None
) -> Request[SessionTrace]:
    """A session turn by turn: what was said, read out of it, turned down and why, recalled and used.

    By the session's `id`, as lists of sessions give it.

    trace_id: The session's `id`, which is not the caller's own.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.

    user_id: Default: as the user sees it whose it is.
    """
    return Request(
        "GET",
        f"/api/v1/session-traces/{segment(trace_id)}",
        one(SessionTrace),
        repeatable=True,
        query=present({"first": first, "after": after, "user_id": user_id}),
    )


def sessions(
    *,
    user_id: str | None = None,
    all_users: bool | None = None,
    first: int | None = None,
    after: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    agent_id: str | None = None,
) -> Request[Page[Session]]:
    """Sessions, those that began last first.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    all_users: Every user's, side by side.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.

    since: From then on.

    until: Up to but without then.

    agent_id: The agent's own name.
    """
    return Request(
        "GET",
        "/api/v1/sessions",
        page_of(Session),
        repeatable=True,
        query=present(
            {
                "user_id": user_id,
                "all_users": all_users,
                "first": first,
                "after": after,
                "since": since,
                "until": until,
                "agent_id": agent_id,
            }
        ),
    )


def start_session(
    session_id: str, *, max_tokens: int | None = None, user_id: str | None = None
) -> Request[SessionStart]:
    """Opens a session and tells what to begin with, within one budget of tokens. Needs the scope read, too.

    session_id: The caller's own id; the session is made when new.

    max_tokens: Tokens of the answer at most.

    user_id: Of whom it is; absent: of no user.
    """
    return Request(
        "POST",
        "/api/v1/sessions",
        one(SessionStart),
        repeatable=True,
        body=present({"session_id": session_id, "max_tokens": max_tokens, "user_id": user_id}),
    )


def session(session_id: str, *, user_id: str | None = None) -> Request[Session]:
    """A session by the caller's own id.

    session_id: The session, by the caller's own id.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.
    """
    return Request(
        "GET",
        f"/api/v1/sessions/{segment(session_id)}",
        one(Session),
        repeatable=True,
        query=present({"user_id": user_id}),
    )


def branch_session(
    session_id: str, new_session_id: str, *, turn: int | None = None, user_id: str | None = None
) -> Request[Session]:
    """Begins a session as another was after a turn; nothing is copied.

    session_id: The session, by the caller's own id.

    new_session_id: The caller's own id; the session is made when new.

    turn: The last turn they share; default: the latest.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.
    """
    return Request(
        "POST",
        f"/api/v1/sessions/{segment(session_id)}/branch",
        one(Session),
        repeatable=True,
        body=present({"new_session_id": new_session_id, "turn": turn, "user_id": user_id}),
    )


def checkpoint(session_id: str, *, turn: int | None = None, user_id: str | None = None) -> Request[Checkpoint]:
    """A turn as it was reported; the latest when turn is absent.

    session_id: The session, by the caller's own id.

    turn: The number of the turn.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.
    """
    return Request(
        "GET",
        f"/api/v1/sessions/{segment(session_id)}/checkpoint",
        one(Checkpoint),
        repeatable=True,
        query=present({"turn": turn, "user_id": user_id}),
    )


def end_session(
    session_id: str, *, user_id: str | None = None, wait_seconds: float | None = None
) -> Request[SessionEnd]:
    """Ends a session and flushes it: learnt from before it answers, or named as queued.

    session_id: The session, by the caller's own id.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    wait_seconds: How long it may wait for what is pending; 0: not at all.
    """
    return Request(
        "POST",
        f"/api/v1/sessions/{segment(session_id)}/end",
        one(SessionEnd),
        repeatable=True,
        body=present({"user_id": user_id, "wait_seconds": wait_seconds}),
    )


def heartbeat(session_id: str, *, user_id: str | None = None) -> Request[Heartbeat]:
    """Says that a session is alive; tells what of it is not learnt from yet.

    session_id: The session, by the caller's own id.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.
    """
    return Request(
        "POST",
        f"/api/v1/sessions/{segment(session_id)}/heartbeat",
        one(Heartbeat),
        repeatable=True,
        body=present({"user_id": user_id}),
    )


def recover(session_id: str, *, user_id: str | None = None) -> Request[Recovered]:
    """The last state that was saved in a session, and the turns since.

    session_id: The session, by the caller's own id.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.
    """
    return Request(
        "GET",
        f"/api/v1/sessions/{segment(session_id)}/recover",
        one(Recovered),
        repeatable=True,
        query=present({"user_id": user_id}),
    )


def replay(session_id: str, *, turn: int | None = None, user_id: str | None = None) -> Request[tuple[Checkpoint, ...]]:
    """The session's turns in order, up to a turn.

    session_id: The session, by the caller's own id.

    turn: The number of the turn.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.
    """
    return Request(
        "GET",
        f"/api/v1/sessions/{segment(session_id)}/replay",
        several(Checkpoint),
        repeatable=True,
        query=present({"turn": turn, "user_id": user_id}),
    )


def remember_shared(
    text: str,
    *,
    confidence: float | None = None,
    domain: str | None = None,
    entities: Sequence[str] | None = None,
    external_id: str | None = None,
    kind: Kind | None = None,
    occurred_at: datetime | None = None,
    service: str | None = None,
    strength: Strength | None = None,
    user_id: str | None = None,
    valid_from: datetime | None = None,
    valid_until: datetime | None = None,
) -> Request[WriteResult]:
    """A fact for all agents of the tenant, filed in the agent's own domain.

    text: The fact, as a whole statement.

    confidence: How sure it is, 0 to 1; default: as its words are.

    domain: A category; default and, but for admins, only the agent's own.

    entities: Names it speaks of; default: those that are read.

    external_id: The caller's own id: repeating it with the same text changes nothing, with another text CONFLICT.

    occurred_at: When it was said; default: now.

    service: The service or system it speaks of; default: the one it names.

    user_id: Of whom it is; absent: of no user.

    valid_from: Since when it is true.

    valid_until: Until when it was true.
    """
    return Request(
        "POST",
        "/api/v1/shared-memory",
        one(WriteResult),
        repeatable=True,
        body=present(
            {
                "text": text,
                "confidence": confidence,
                "domain": domain,
                "entities": entities,
                "external_id": external_id or new_id(),
                "kind": kind,
                "occurred_at": occurred_at,
                "service": service,
                "strength": strength,
                "user_id": user_id,
                "valid_from": valid_from,
                "valid_until": valid_until,
            }
        ),
    )


def shared_domains(*, user_id: str | None = None) -> Request[tuple[SharedDomain, ...]]:
    """What agents share, by domain. Needs the scope share.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.
    """
    return Request(
        "GET",
        "/api/v1/shared-memory/domains",
        several(SharedDomain),
        repeatable=True,
        query=present({"user_id": user_id}),
    )


def recall_shared(
    query: str,
    *,
    as_of: datetime | None = None,
    explain: bool | None = None,
    filter: MemoryFilter | None = None,
    limit: int | None = None,
    max_tokens: int | None = None,
    messages: Sequence[MessageInput] | None = None,
    profile: Profile | None = None,
    repeat: bool | None = None,
    session_id: str | None = None,
    units: Sequence[Unit] | None = None,
    valid_at: datetime | None = None,
) -> Request[Recall]:
    """Like recall, among what agents share.

    `filter.domain` narrows it.

    query: What is asked, in the words it is asked in.

    as_of: What was believed, and true, then.

    explain: Also say why: the plan, the arms, what just missed or was left out.

    filter: What the answer may be taken from.

    limit: Hits at most; default: the profile's.

    max_tokens: Tokens of the answer at most.

    messages: The conversation's last messages, oldest first.

    repeat: Also what the session was already given and has not changed.

    session_id: The conversation this is asked in: what it was given is remembered, and what it said last is read
    where the query leans on it and no messages are sent.

    units: Whether memories, episodes, or both answer.

    valid_at: What was true then, by what is believed now.
    """
    return Request(
        "POST",
        "/api/v1/shared-memory/query",
        one(Recall),
        repeatable=True,
        body=present(
            {
                "query": query,
                "as_of": as_of,
                "explain": explain,
                "filter": filter,
                "limit": limit,
                "max_tokens": max_tokens,
                "messages": messages,
                "profile": profile,
                "repeat": repeat,
                "session_id": session_id,
                "units": units,
                "valid_at": valid_at,
            }
        ),
    )


def stats(*, user_id: str | None = None) -> Request[Stats]:
    """How much is held, turned down and waiting.

    user_id: Counts over this user's alone; absent: over every user's.
    """
    return Request("GET", "/api/v1/stats", one(Stats), repeatable=True, query=present({"user_id": user_id}))


def summaries(*, user_id: str | None = None, all_users: bool | None = None) -> Request[tuple[SummaryListed, ...]]:
    """Which categories something is held in, and when each was summed up.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    all_users: Every user's, side by side.
    """
    return Request(
        "GET",
        "/api/v1/summaries",
        several(SummaryListed),
        repeatable=True,
        query=present({"user_id": user_id, "all_users": all_users}),
    )


def summary(category: str, *, user_id: str | None = None, visibility: Visibility | None = None) -> Request[Summary]:
    """What is held of a category, in Markdown, with its sources.

    category: The category, by its slug.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    visibility: SHARED: of what agents share; needs the scope share.
    """
    return Request(
        "GET",
        f"/api/v1/summaries/{segment(category)}",
        one(Summary),
        repeatable=True,
        query=present({"user_id": user_id, "visibility": visibility}),
    )


def summary_versions(
    category: str, *, user_id: str | None = None, visibility: Visibility | None = None
) -> Request[tuple[SummaryVersion, ...]]:
    """A summary's versions, the newest first, each with what it changed.

    The newest first.

    category: The category, by its slug.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    visibility: SHARED: of what agents share; needs the scope share.
    """
    return Request(
        "GET",
        f"/api/v1/summaries/{segment(category)}/versions",
        several(SummaryVersion),
        repeatable=True,
        query=present({"user_id": user_id, "visibility": visibility}),
    )


def triggers(
    *,
    user_id: str | None = None,
    all_users: bool | None = None,
    first: int | None = None,
    after: str | None = None,
    status: Sequence[TriggerStatus] | None = None,
    due_from: datetime | None = None,
    due_until: datetime | None = None,
) -> Request[Page[Trigger]]:
    """Times ahead that messages named or callers set, the soonest first.

    Repeat `status` to allow several.

    user_id: For whom: this user's and what belongs to no user; absent: only the latter.

    all_users: Every user's, side by side.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.

    status: Default: what is still open: waiting, due or snoozed.

    due_from: Due then or later.

    due_until: Due before then.
    """
    return Request(
        "GET",
        "/api/v1/triggers",
        page_of(Trigger),
        repeatable=True,
        query=present(
            {
                "user_id": user_id,
                "all_users": all_users,
                "first": first,
                "after": after,
                "status": status,
                "due_from": due_from,
                "due_until": due_until,
            }
        ),
    )


def create_trigger(
    text: str,
    *,
    at: datetime | None = None,
    day: date | None = None,
    memory_ids: Sequence[str] | None = None,
    recurrence: str | None = None,
    time_zone: str | None = None,
    user_id: str | None = None,
    visibility: Visibility | None = None,
) -> Request[Trigger]:
    """A time to come back to something: a moment or a day, once or every so often.

    text: What to be reminded of.

    at: The moment; of what comes back the first one.

    day: A whole day of the time zone.

    memory_ids: What to show when it is due.

    recurrence: RFC 5545, local to the time zone: FREQ=DAILY, WEEKLY, MONTHLY or YEARLY with INTERVAL, BYDAY,
    BYMONTHDAY, BYMONTH, UNTIL or COUNT.

    time_zone: Such as Europe/Berlin; default: the tenant's.

    user_id: Of whom it is; absent: of no user.
    """
    return Request(
        "POST",
        "/api/v1/triggers",
        one(Trigger),
        repeatable=False,
        body=present(
            {
                "text": text,
                "at": at,
                "day": day,
                "memory_ids": memory_ids,
                "recurrence": recurrence,
                "time_zone": time_zone,
                "user_id": user_id,
                "visibility": visibility,
            }
        ),
    )


def complete_trigger(trigger_id: str) -> Request[Trigger]:
    """Done; one that comes back waits for its next time.

    trigger_id: The trigger's id.
    """
    return Request("POST", f"/api/v1/triggers/{segment(trigger_id)}/complete", one(Trigger), repeatable=False)


def dismiss_trigger(trigger_id: str) -> Request[Trigger]:
    """Drops it, with all its times.

    trigger_id: The trigger's id.
    """
    return Request("POST", f"/api/v1/triggers/{segment(trigger_id)}/dismiss", one(Trigger), repeatable=True)


def snooze_trigger(trigger_id: str, until: datetime) -> Request[Trigger]:
    """Have it fall due later.

    trigger_id: The trigger's id.

    until: When it is to fall due instead.
    """
    return Request(
        "POST",
        f"/api/v1/triggers/{segment(trigger_id)}/snooze",
        one(Trigger),
        repeatable=True,
        body=present({"until": until}),
    )


def usage(
    *,
    since: datetime | None = None,
    until: datetime | None = None,
    group_by: Sequence[UsageKey] | None = None,
    first: int | None = None,
    after: str | None = None,
) -> Request[Page[UsageGroup]]:
    """What was spent in a span of time, by agent, operation, model, session and day. Needs the scope billing or admin.

    Repeat `group_by` to group by several keys. With `Accept: text/csv` all groups come as one file.

    since: From then on; default: the first of the month of `until` in UTC.

    until: Up to but without then; default: now.

    group_by: Keys to group by, any of them; none: one group of all.

    first: How many rows, from 1 to 100; default: 20.

    after: The cursor to go on behind: `next`, in GraphQL `endCursor`, of the page before.
    """
    return Request(
        "GET",
        "/api/v1/usage",
        page_of(UsageGroup),
        repeatable=True,
        query=present({"since": since, "until": until, "group_by": group_by, "first": first, "after": after}),
    )


def viewer() -> Request[Viewer]:
    """Tenant, agent, scopes and limits of the key."""
    return Request("GET", "/api/v1/viewer", one(Viewer), repeatable=True)
