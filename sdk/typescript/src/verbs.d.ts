// Made from openapi.json by scripts/generate_clients.py: do not edit.
import type * as contract from "./contract.js";
import { Connection } from "./connection.js";

export declare class Verbs extends Connection {
  /** What may be spent on models, what was, and what it will come to. Needs the scope billing or admin. */
  budgets(): Promise<contract.Budget[]>;
  /** Limits what an agent, or all of them, spend in a day or month. */
  setBudget(period: contract.Period, options?: { agent_id?: string; hard_usd?: number; soft_usd?: number }): Promise<contract.Budget>;
  /** Lifts a limit; what it kept waiting goes on. */
  deleteBudget(budgetId: string): Promise<contract.DeletedBudget>;
  /** Checkpoint and resources; never waits for a model. Store a turn; it is remembered in the background. Repeating a turn_number changes nothing. */
  captureTurn(sessionId: string, options?: { internal_state?: unknown; llm_output?: string; occurred_at?: string; recall_id?: string; speaker?: string; tool_calls?: unknown; turn_number?: number; user_id?: string; user_input?: string; visibility?: contract.Visibility }): Promise<contract.Capture>;
  /** What memories are filed under, and how long each kind lasts. */
  categories(): Promise<contract.Category[]>;
  /** A category of the tenant's own. */
  createCategory(slug: string, label: string, options?: { decay_lambda?: number; examples?: string[]; half_life_days?: number; has_default_examples?: boolean; is_protected?: boolean; keywords?: string[]; purpose?: contract.Purpose; retention?: contract.Retention; ttl_days?: number }): Promise<contract.Category>;
  /** Changes a category from now on: its words, and how long what is filed under it lasts. */
  updateCategory(slug: string, options?: { decay_lambda?: number; examples?: string[]; half_life_days?: number; has_default_examples?: boolean; is_protected?: boolean; keywords?: string[]; label?: string; purpose?: contract.Purpose; retention?: contract.Retention; ttl_days?: number }): Promise<contract.Category>;
  /** What a change of a category would archive, and spare; changes nothing. Reads only; nothing is changed. */
  previewCategory(slug: string, options?: { decay_lambda?: number; examples?: string[]; half_life_days?: number; has_default_examples?: boolean; is_protected?: boolean; keywords?: string[]; label?: string; purpose?: contract.Purpose; retention?: contract.Retention; samples?: number; ttl_days?: number }): Promise<contract.CategoryPreview>;
  /** The block for the prompt; without a query: what to know at session start. */
  context(options?: { as_of?: string; explain?: boolean; filter?: contract.MemoryFilter; max_tokens?: number; messages?: contract.MessageInput[]; profile?: contract.Profile; query?: string; repeat?: boolean; session_id?: string; style?: contract.ContextStyle }): Promise<contract.ContextBlock>;
  /** What context would answer, with other numbers of the policy if wanted; no memory counts as used by it. Nothing of it is kept but what it spent, and no memory counts as used. */
  tryContext(options?: { as_of?: string; explain?: boolean; filter?: contract.MemoryFilter; max_tokens?: number; messages?: contract.MessageInput[]; policy?: contract.PolicyChange; profile?: contract.Profile; query?: string; repeat?: boolean; session_id?: string; style?: contract.ContextStyle }): Promise<contract.ContextBlock>;
  /** What every agent of the tenant is told first: MEMORY.md, line by line. */
  curatedMemory(): Promise<contract.CuratedMemory>;
  /** Compares MEMORY.md's repository with the lines, and its signatures. */
  checkCuratedMemory(): Promise<contract.CuratedRepository>;
  /** The commits of MEMORY.md's repository, the last first, each with what it changed. */
  curatedHistory(options?: { first?: number; after?: string }): Promise<contract.Page<contract.CuratedCommit>>;
  iterCuratedHistory(options?: { first?: number; after?: string }): AsyncIterable<contract.CuratedCommit>;
  /** Makes MEMORY.md's repository anew out of the lines, its history too. */
  rebuildCuratedMemory(): Promise<contract.CuratedRepository>;
  /** Takes lines, decisions and log back from a clone, where there are none. */
  restoreCuratedMemory(entries: contract.RestoredLineInput[], options?: { changes?: number; decisions?: number; log?: contract.LogLineInput[] }): Promise<contract.CuratedRepository>;
  /** Who and what is spoken of, the most mentioned first. */
  entities(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; search?: string; type?: contract.EntityType }): Promise<contract.Page<contract.Entity>>;
  iterEntities(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; search?: string; type?: contract.EntityType }): AsyncIterable<contract.Entity>;
  /** A profile, by id or by name: what is true of it, its timeline, who said so. The profile of the entity this name fits best. */
  entityNamed(name: string, options?: { user_id?: string; all_users?: boolean; as_of?: string }): Promise<contract.EntityProfile>;
  /** A profile, by id or by name: what is true of it, its timeline, who said so. */
  entity(entityId: string, options?: { user_id?: string; all_users?: boolean; as_of?: string }): Promise<contract.EntityProfile>;
  /** Others that are the same become one with it; shared ones need review. */
  mergeEntities(entityId: string, from: string[]): Promise<contract.EntityProfile>;
  /** The entities around one, and what ties any two of them: statements, or being spoken of together. */
  neighbourhood(entityId: string, options?: { user_id?: string; all_users?: boolean; as_of?: string; valid_at?: string; limit?: number }): Promise<contract.Neighbourhood>;
  /** Gives some of its names an entity of their own, which is the answer. */
  splitEntity(entityId: string, aliases: string[]): Promise<contract.EntityProfile>;
  /** Erasures, the newest first, with how far they have come. Needs the scope erase or admin. */
  erasures(options?: { first?: number; after?: string }): Promise<contract.Page<contract.Erasure>>;
  iterErasures(options?: { first?: number; after?: string }): AsyncIterable<contract.Erasure>;
  /** Erases for good what a preview showed, at once or once somebody else approves. Needs the scope erase. */
  requestErasure(fingerprint: string, options?: { entity?: string; entity_id?: string; memory_ids?: string[]; message_ids?: string[]; reason?: string; session_id?: string; user_id?: string }): Promise<contract.Erasure>;
  /** What erasing a user, session, entity or memories for good would take away. Needs the scope erase. */
  previewErasure(options?: { entity?: string; entity_id?: string; first?: number; memory_ids?: string[]; message_ids?: string[]; session_id?: string; topic?: string; user_id?: string }): Promise<contract.ErasurePreview>;
  /** Whether a receipt of an erasure is ours and unchanged. Needs the scope erase or admin. */
  verifyReceipt(receipt: unknown): Promise<contract.VerifiedReceipt>;
  /** An erasure and its receipt. Needs the scope erase or admin. */
  erasure(erasureId: string): Promise<contract.Erasure>;
  /** Lets an erasure run that somebody else asked for. */
  approveErasure(erasureId: string): Promise<contract.Erasure>;
  /** Lets nothing of an erasure happen that waits for approval. */
  rejectErasure(erasureId: string): Promise<contract.Erasure>;
  /** What happens to memories as it happens: stored, held, superseded, a time that is due; budgets and proposals for keys that may read them. With `Accept: text/event-stream` they come as they happen; Last-Event-ID goes on where a stream broke off. */
  memoryEvents(options?: { after?: string; first?: number; wait?: number; user_id?: string }): Promise<contract.MemoryEvents>;
  /** All that erasing would take away, line by line, as an import takes it. Needs the scope erase. Reads only; nothing is changed. */
  exportAbout(options?: { after?: string; entity?: string; entity_id?: string; first?: number; memory_ids?: string[]; message_ids?: string[]; session_id?: string; user_id?: string }): Promise<contract.Page<contract.ExportedLine>>;
  iterExportAbout(options?: { after?: string; entity?: string; entity_id?: string; first?: number; memory_ids?: string[]; message_ids?: string[]; session_id?: string; user_id?: string }): AsyncIterable<contract.ExportedLine>;
  /** By ids, by user or by query; a dry run lists what would go. */
  forget(options?: { dry_run?: boolean; filter?: contract.MemoryFilter; ids?: string[]; limit?: number; query?: string; reason?: string; seen?: contract.SeenInput[]; user_id?: string }): Promise<contract.Forgotten>;
  /** Which server has a copy of the graph, whether it is asked, how far behind it is. */
  graphStatus(): Promise<contract.GraphStatus>;
  /** Reads everything held into the graph again. What was captured before there was a graph, and what a projection missed; repeating it changes nothing. */
  backfillGraph(): Promise<contract.Backfill>;
  /** Compares the copy with the truth by counts and checksums, in a job; CONFLICT where there is no copy. */
  checkGraph(): Promise<contract.StartedJob>;
  /** Throws the copy away and makes a new one, in a job; SQL answers meanwhile. CONFLICT where there is no server. */
  rebuildGraph(): Promise<contract.StartedJob>;
  /** Compares, and copies again what differs, in a job; CONFLICT where there is no copy. */
  repairGraph(): Promise<contract.StartedJob>;
  /** How the memory is: what it holds, how it grew, answered and cost lately. */
  healthReport(): Promise<contract.HealthReport>;
  /** Takes lines of an export in, an answer for each. Safe to repeat. */
  importLines(lines: unknown): Promise<contract.Imported>;
  /** When a turn became memory: state, attempts, error, outcome, and which model read it. */
  jobs(ids: string[]): Promise<contract.Job[]>;
  /** Has a job that failed, or waits for its next attempt, tried again at once. Needs the scope review or admin. */
  retryJob(jobId: string): Promise<contract.Job>;
  /** The agent's entries; the tenant's with the scope review. */
  journal(options?: { first?: number; after?: string; since?: string; until?: string; operation?: string; actor?: string; agent_id?: string; subject_id?: string; request_id?: string; user_id?: string }): Promise<contract.Page<contract.JournalEntry>>;
  iterJournal(options?: { first?: number; after?: string; since?: string; until?: string; operation?: string; actor?: string; agent_id?: string; subject_id?: string; request_id?: string; user_id?: string }): AsyncIterable<contract.JournalEntry>;
  /** The operations log agents write themselves. */
  logAction(action: string, options?: { detail?: string; reason?: string; session_id?: string; tool?: string; user_id?: string }): Promise<contract.JournalEntry>;
  /** The tenant's keys; secrets are never shown again. */
  keys(): Promise<contract.ApiKey[]>;
  /** Needs the scope admin. The token is shown this once. */
  createApiKey(scopes: contract.Scope[], options?: { agent_id?: string; domain?: string; expires_at?: string; name?: string; user_id?: string }): Promise<contract.NewApiKey>;
  /** The key stops working at once. */
  revokeApiKey(keyId: string): Promise<contract.ApiKey>;
  /** A new secret; the old one stops at once, or after overlapSeconds. */
  rotateApiKey(keyId: string, options?: { overlap_seconds?: number }): Promise<contract.NewApiKey>;
  /** What users taught: rules, preferences, corrections, repeated requests. Repeat `status` to allow several. */
  lessons(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; status?: contract.LessonStatus[] }): Promise<contract.Page<contract.Lesson>>;
  iterLessons(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; status?: contract.LessonStatus[] }): AsyncIterable<contract.Lesson>;
  /** The lessons of an agent and user as one Markdown file. The file as it is; with `Accept: application/json` its tokens beside it. */
  lessonsFile(options?: { user_id?: string; max_tokens?: number }): Promise<contract.LessonsFile>;
  /** Takes a lesson out of the file; the memory it stands on stays. */
  dismissLesson(lessonId: string): Promise<contract.Lesson>;
  /** Runs nightly, weekly or monthly maintenance now, in a job; a dry run counts what would change. */
  runMaintenance(job: string, options?: { dry_run?: boolean }): Promise<contract.StartedMaintenance>;
  /** Memories page by page. Repeat a filter to allow several values. */
  memories(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; kind?: contract.Kind[]; category?: string[]; service?: string[]; agent_id?: string; session_id?: string; entity?: string; status?: contract.Status[]; verdict?: contract.Verdict[]; min_confidence?: number; visibility?: contract.Visibility; domain?: string; since?: string; until?: string; order_by?: contract.ItemOrder; as_of?: string; id_part?: string }): Promise<contract.Page<contract.Memory>>;
  iterMemories(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; kind?: contract.Kind[]; category?: string[]; service?: string[]; agent_id?: string; session_id?: string; entity?: string; status?: contract.Status[]; verdict?: contract.Verdict[]; min_confidence?: number; visibility?: contract.Visibility; domain?: string; since?: string; until?: string; order_by?: contract.ItemOrder; as_of?: string; id_part?: string }): AsyncIterable<contract.Memory>;
  /** An explicit fact: still gated, deduplicated and checked for contradictions. */
  remember(text: string, options?: { category?: string; confidence?: number; entities?: string[]; external_id?: string; kind?: contract.Kind; occurred_at?: string; service?: string; session_id?: string; strength?: contract.Strength; user_id?: string; valid_from?: string; valid_until?: string; visibility?: contract.Visibility }): Promise<contract.WriteResult>;
  /** Low confidence, or soon to decay. */
  weakMemories(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string }): Promise<contract.Page<contract.Memory>>;
  iterWeakMemories(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string }): AsyncIterable<contract.Memory>;
  /** One memory, whatever has become of it. */
  memory(memoryId: string, options?: { user_id?: string }): Promise<contract.Memory>;
  /** Confirmed by someone: protected from decay. */
  confirm(memoryId: string, options?: { seen?: contract.SeenInput[] }): Promise<contract.Memory>;
  /** Takes back that a memory was confirmed: it and what that answered are as they were. */
  withdrawConfirmation(memoryId: string, options?: { seen?: contract.SeenInput[] }): Promise<contract.Memory>;
  /** A better wording or a new truth, which supersedes the old one. */
  correct(memoryId: string, text: string, options?: { reason?: string; seen?: contract.SeenInput[] }): Promise<contract.WriteResult>;
  /** Sources with quotes, versions, merges, what it superseded. */
  explainMemory(memoryId: string, options?: { user_id?: string }): Promise<contract.Explanation>;
  /** Says of a memory that it is helpful, wrong (held for review) or outdated (put in doubt). */
  giveFeedback(memoryId: string, kind: contract.Opinion, options?: { note?: string }): Promise<contract.MemoryFeedback>;
  /** Takes back what the caller said of a memory, and what followed from it. */
  withdrawFeedback(memoryId: string): Promise<contract.Memory>;
  /** Private to shared: returns the memory all agents see. Needs the scope share. */
  share(memoryId: string, options?: { domain?: string }): Promise<contract.Memory>;
  /** Undoes a merge: the wording is a memory of its own again, and is not merged back. */
  unmerge(memoryId: string): Promise<contract.Memory>;
  /** What every agent of the tenant is told first: MEMORY.md, line by line. The file as it is; with `Accept: application/json` its lines beside it. */
  memoryFile(): Promise<contract.CuratedMemory>;
  /** Keeps a text in a session and learns from it now: narratives, facts, priorities. Safe to repeat. */
  observe(sessionId: string, text: string, options?: { occurred_at?: string; role?: contract.Role; user_id?: string; visibility?: contract.Visibility; wait_seconds?: number }): Promise<contract.ObservedText>;
  /** How two entities are connected, with what says so at each step, within maxDepth hops. */
  path(from: string, to: string, options?: { user_id?: string; all_users?: boolean; max_depth?: number; as_of?: string }): Promise<contract.Path>;
  /** What another floor, TTL or weight would have made of the last days' recalls and captures; changes nothing. Reads only; nothing is changed. */
  simulatePolicy(policy: contract.PolicyChange, options?: { days?: number; samples?: number; user_id?: string }): Promise<contract.Simulation>;
  /** Changes of the curated memory that were proposed: the earliest, or the last decision, first. Needs the scope review or admin. Repeat `state` to allow several. */
  proposals(options?: { first?: number; after?: string; state?: contract.ProposalState[]; section?: string; kind?: contract.Kind; id?: string[]; order_by?: contract.ProposalOrder }): Promise<contract.Page<contract.Proposal>>;
  iterProposals(options?: { first?: number; after?: string; state?: contract.ProposalState[]; section?: string; kind?: contract.Kind; id?: string[]; order_by?: contract.ProposalOrder }): AsyncIterable<contract.Proposal>;
  /** Approve, edit, reject or undo, on the version that was looked at. Needs the scope review or admin. */
  decideProposal(proposalId: string, decision: contract.ReviewDecision, version: number, options?: { as_decision?: boolean; comment?: string; section?: string; text?: string }): Promise<contract.Proposal>;
  /** The few memories worth knowing; none when nothing is relevant. */
  recall(query: string, options?: { as_of?: string; explain?: boolean; filter?: contract.MemoryFilter; limit?: number; max_tokens?: number; messages?: contract.MessageInput[]; profile?: contract.Profile; repeat?: boolean; session_id?: string; units?: contract.Unit[]; valid_at?: string }): Promise<contract.Recall>;
  /** What recall would answer, with other numbers of the policy if wanted; no memory counts as used by it. Nothing of it is kept but what it spent, and no memory counts as used. */
  tryRecall(query: string, options?: { as_of?: string; explain?: boolean; filter?: contract.MemoryFilter; limit?: number; max_tokens?: number; messages?: contract.MessageInput[]; policy?: contract.PolicyChange; profile?: contract.Profile; repeat?: boolean; session_id?: string; units?: contract.Unit[]; valid_at?: string }): Promise<contract.Recall>;
  /** What the model made of a recall: which hits were of use. */
  reportOutput(recallId: string, output: string): Promise<contract.Feedback>;
  /** Propose now what recent shared memories would change, in a job. Needs the scope review or admin. */
  reflect(): Promise<contract.StartedJob>;
  /** What was said and became no memory, newest first. */
  rejections(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; since?: string; until?: string; session_id?: string; turn?: number; stage?: string; reason?: string }): Promise<contract.Page<contract.Rejection>>;
  iterRejections(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; since?: string; until?: string; session_id?: string; turn?: number; stage?: string; reason?: string }): AsyncIterable<contract.Rejection>;
  /** How many rejections of each reason a week saw, the latest week first. */
  rejectionCounts(options?: { weeks?: number }): Promise<contract.RejectionCount[]>;
  /** Undoes a batch of forgetting. */
  restore(batchId: string): Promise<contract.Forgotten>;
  /** All that waits for somebody in one list: proposals, held memories, contradictions; for the scope admin, erasures. Needs the scope review or admin. Repeat `kind` to choose several. */
  reviewQueue(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; kind?: contract.QueueKind[] }): Promise<contract.Page<contract.QueueEntry>>;
  iterReviewQueue(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; kind?: contract.QueueKind[] }): AsyncIterable<contract.QueueEntry>;
  /** What runs by itself: when it does next, and how the last run ended. */
  schedules(): Promise<contract.Schedule[]>;
  /** When a schedule runs by itself, and whether it does. */
  changeSchedule(name: string, options?: { cron?: string; enabled?: boolean }): Promise<contract.Schedule>;
  /** Runs a schedule now, besides its times, in a job. */
  runSchedule(name: string): Promise<contract.StartedJob>;
  /** A session turn by turn: what was said, read out of it, turned down and why, recalled and used. By the session's `id`, as lists of sessions give it. */
  sessionTrace(traceId: string, options?: { first?: number; after?: string; user_id?: string }): Promise<contract.SessionTrace>;
  /** Sessions, those that began last first. */
  sessions(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; since?: string; until?: string; agent_id?: string }): Promise<contract.Page<contract.Session>>;
  iterSessions(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; since?: string; until?: string; agent_id?: string }): AsyncIterable<contract.Session>;
  /** Opens a session and tells what to begin with, within one budget of tokens. Needs the scope read, too. */
  startSession(sessionId: string, options?: { max_tokens?: number; user_id?: string }): Promise<contract.SessionStart>;
  /** A session by the caller's own id. */
  session(sessionId: string, options?: { user_id?: string }): Promise<contract.Session>;
  /** Begins a session as another was after a turn; nothing is copied. */
  branchSession(sessionId: string, newSessionId: string, options?: { turn?: number; user_id?: string }): Promise<contract.Session>;
  /** A turn as it was reported; the latest when turn is absent. */
  checkpoint(sessionId: string, options?: { turn?: number; user_id?: string }): Promise<contract.Checkpoint>;
  /** Ends a session and flushes it: learnt from before it answers, or named as queued. */
  endSession(sessionId: string, options?: { user_id?: string; wait_seconds?: number }): Promise<contract.SessionEnd>;
  /** Says that a session is alive; tells what of it is not learnt from yet. */
  heartbeat(sessionId: string, options?: { user_id?: string }): Promise<contract.Heartbeat>;
  /** The last state that was saved in a session, and the turns since. */
  recover(sessionId: string, options?: { user_id?: string }): Promise<contract.Recovered>;
  /** The session's turns in order, up to a turn. */
  replay(sessionId: string, options?: { turn?: number; user_id?: string }): Promise<contract.Checkpoint[]>;
  /** A fact for all agents of the tenant, filed in the agent's own domain. */
  rememberShared(text: string, options?: { confidence?: number; domain?: string; entities?: string[]; external_id?: string; kind?: contract.Kind; occurred_at?: string; service?: string; strength?: contract.Strength; user_id?: string; valid_from?: string; valid_until?: string }): Promise<contract.WriteResult>;
  /** What agents share, by domain. Needs the scope share. */
  sharedDomains(options?: { user_id?: string }): Promise<contract.SharedDomain[]>;
  /** Like recall, among what agents share. `filter.domain` narrows it. */
  recallShared(query: string, options?: { as_of?: string; explain?: boolean; filter?: contract.MemoryFilter; limit?: number; max_tokens?: number; messages?: contract.MessageInput[]; profile?: contract.Profile; repeat?: boolean; session_id?: string; units?: contract.Unit[]; valid_at?: string }): Promise<contract.Recall>;
  /** How much is held, turned down and waiting. */
  stats(options?: { user_id?: string }): Promise<contract.Stats>;
  /** Which categories something is held in, and when each was summed up. */
  summaries(options?: { user_id?: string; all_users?: boolean }): Promise<contract.SummaryListed[]>;
  /** What is held of a category, in Markdown, with its sources. */
  summary(category: string, options?: { user_id?: string; visibility?: contract.Visibility }): Promise<contract.Summary>;
  /** A summary's versions, the newest first, each with what it changed. The newest first. */
  summaryVersions(category: string, options?: { user_id?: string; visibility?: contract.Visibility }): Promise<contract.SummaryVersion[]>;
  /** Times ahead that messages named or callers set, the soonest first. Repeat `status` to allow several. */
  triggers(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; status?: contract.TriggerStatus[]; due_from?: string; due_until?: string }): Promise<contract.Page<contract.Trigger>>;
  iterTriggers(options?: { user_id?: string; all_users?: boolean; first?: number; after?: string; status?: contract.TriggerStatus[]; due_from?: string; due_until?: string }): AsyncIterable<contract.Trigger>;
  /** A time to come back to something: a moment or a day, once or every so often. */
  createTrigger(text: string, options?: { at?: string; day?: string; memory_ids?: string[]; recurrence?: string; time_zone?: string; user_id?: string; visibility?: contract.Visibility }): Promise<contract.Trigger>;
  /** Done; one that comes back waits for its next time. */
  completeTrigger(triggerId: string): Promise<contract.Trigger>;
  /** Drops it, with all its times. */
  dismissTrigger(triggerId: string): Promise<contract.Trigger>;
  /** Have it fall due later. */
  snoozeTrigger(triggerId: string, until: string): Promise<contract.Trigger>;
  /** What was spent in a span of time, by agent, operation, model, session and day. Needs the scope billing or admin. Repeat `group_by` to group by several keys. With `Accept: text/csv` all groups come as one file. */
  usage(options?: { since?: string; until?: string; group_by?: contract.UsageKey[]; first?: number; after?: string }): Promise<contract.Page<contract.UsageGroup>>;
  iterUsage(options?: { since?: string; until?: string; group_by?: contract.UsageKey[]; first?: number; after?: string }): AsyncIterable<contract.UsageGroup>;
  /** Tenant, agent, scopes and limits of the key. */
  viewer(): Promise<contract.Viewer>;
}
