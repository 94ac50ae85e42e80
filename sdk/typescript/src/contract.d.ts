// Made from openapi.json by scripts/generate_clients.py: do not edit.
export type BreakerState = "untried" | "closed" | "open";

/** What a proposal does to the curated memory. */
export type Change = "add" | "replace" | "remove";

/** FACTS: one line a memory. SECTIONS: facts, profiles, timeline, evidence. OPERATIONAL: by service. */
export type ContextStyle = "facts" | "sections" | "operational";

/** Why a trigger ended by itself. */
export type Ending = "moved" | "refined" | "cancelled" | "superseded" | "forgotten" | "lapsed";

export type EntityType = "person" | "project" | "organization" | "place" | "concept" | "tool";

/** Everything about whom or what: RETENTION is what a category no longer keeps. */
export type ErasureKind = "user" | "session" | "entity" | "memories" | "retention";

/** WAITING for a second person; RUNNING from then on; REJECTED by one; DONE with a receipt. */
export type ErasureState = "waiting" | "running" | "rejected" | "done";

/** What is told to those who listen: STORED, HELD (for review) and SUPERSEDED of memories, a time that is due, a budget whose soft or hard amount is reached, and a proposal that begins to wait for people. */
export type EventKind = "stored" | "held" | "superseded" | "trigger_due" | "budget" | "proposal";

/** SKIPPED: a line that is to be read only, whose memory is learnt again from its messages, or that is about what is not here. FORGOTTEN: a memory or trigger that was forgotten, what is about one, or a copy of a message of which something was; nothing is stored. */
export type ImportStatus = "accepted" | "duplicate" | "forgotten" | "invalid" | "conflict" | "refused" | "skipped";

export type IngestStatus = "accepted" | "duplicate" | "forgotten" | "invalid" | "conflict" | "refused";

export type Intent = "why" | "when" | "who" | "what" | "general";

/** How a list of items is sorted; ties by id. WEIGHTIEST: rules, then preferences, then by what they weigh now. */
export type ItemOrder = "newest" | "oldest" | "most_confident" | "most_used" | "weightiest";

export type JobState = "queued" | "running" | "done" | "failed";

/** What sort of knowledge an item is. */
export type Kind = "fact" | "event" | "plan" | "preference" | "procedure" | "opinion" | "rule" | "reflection" | "insight" | "lesson";

/** ACTIVE until another takes its place, somebody dismisses it, or what it rests on is forgotten (ENDED). */
export type LessonStatus = "active" | "superseded" | "dismissed" | "ended";

/** What a line of an export is: all but a RECORD can be imported, which is to be read. */
export type LineKind = "message" | "memory" | "trigger" | "feedback" | "lesson" | "record";

/** What a clause does: only an ASSERTED one states a fact, a COMMAND may state a rule. */
export type Mood = "asserted" | "question" | "command" | "hypothetical" | "wish";

export type NodeKind = "entity" | "item" | "episode";

/** Why a memory that was considered is not handed out. */
export type Omission = "budget" | "limit" | "already_given";

/** What may be wrong with an item until somebody says: another contradicts it, or has probably replaced it. */
export type OpenLinkKind = "contradicts" | "probably_superseded";

/** What a person or an agent says of a memory. */
export type Opinion = "helpful" | "wrong" | "outdated";

/** What makes it a lesson: a rule, a preference, that something else was wrong, or that it is asked repeatedly. */
export type Pattern = "rule" | "preference" | "correction" | "request";

/** What a job still has to do. */
export type PendingStep = "dedup";

export type Period = "day" | "month";

/** MINUTE: a time of day was named; DAY: none was, and the whole day counts. */
export type Precision = "minute" | "day";

/** How near spending is to what it may come to: below the soft amount, at it, at the hard one. */
export type Pressure = "ok" | "soft" | "hard";

/** How much a fact is likely to matter later (shown as 🔴 🟡 🟢). */
export type Priority = "high" | "medium" | "low";

export type Profile = "lean" | "balanced" | "deep" | "auto";

/** ABSENT: never begun. LAGGING: complete but for changes that have waited too long. */
export type ProjectionState = "absent" | "building" | "complete" | "lagging";

/** How a list of proposals is sorted; ties by id. DECIDED: the last decision first, and only what has one. */
export type ProposalOrder = "oldest" | "decided";

/** WAITING for the next batch; QUEUED for people; decided: APPROVED, REJECTED, or MERGED with a line. */
export type ProposalState = "waiting" | "queued" | "approved" | "rejected" | "merged";

export type Purpose = "knowledge" | "operational";

/** Where something in the queue comes from. */
export type QueueSource = "proposal" | "held" | "contradiction" | "replacement" | "erasure";

/** How two nodes relate. The first three are stored, the others follow from other rows. ENTITY is a lasting tie of two entities (sister of, part of), FACT a statement about an entity that may change (works at, lives in), CAUSAL runs from cause to effect, TEMPORAL from an episode to the next of its session, DERIVED_FROM from an item to an episode, SUPERSEDES and CONTRADICTS between items, MENTIONS from unit to entity. */
export type RelationKind = "entity" | "fact" | "causal" | "temporal" | "derived_from" | "supersedes" | "contradicts" | "mentions";

/** How sure it is that a hit answers: between the floor and certainty it is LOW. */
export type Relevance = "high" | "low";

/** The curve a category's confidence follows. */
export type Retention = "ebbinghaus" | "operational" | "none";

/** What somebody decides: as it stands, in other words, not, or that the last decision is taken back. */
export type ReviewDecision = "approve" | "edit" | "reject" | "undo";

/** Who produced a message. */
export type Role = "user" | "assistant" | "tool" | "system";

export type Scope = "read" | "write" | "share" | "review" | "admin" | "billing" | "erase";

export type Sentiment = "frustrated" | "excited" | "uncertain" | "neutral";

export type Status = "active" | "stale" | "archived" | "superseded" | "deleted";

/** How directly the source said it; DESIGN's confidences are 0.9, 0.7 and 0.5. */
export type Strength = "explicit" | "implied" | "inferred";

/** WAITING for its time, DUE, SNOOZED until later; DONE and DISMISSED by somebody; ENDED by what was said since. */
export type TriggerStatus = "waiting" | "due" | "snoozed" | "done" | "dismissed" | "ended";

export type TrustTag = "uncertain" | "stale" | "conflict" | "unconfirmed" | "inferred" | "superseded" | "probably_superseded";

/** What a search document stands for. */
export type Unit = "item" | "episode" | "summary" | "note" | "chunk";

/** What usage is grouped by; a day is one of UTC. */
export type UsageKey = "agent" | "operation" | "model" | "session" | "day";

/** What the gate said. DISCARD never becomes an item; it becomes a rejection row. */
export type Verdict = "allow" | "hold" | "discard";

export type Visibility = "private" | "shared";

export type WriteOutcome = "stored" | "held" | "merged" | "superseded" | "rejected";

/** A part of a list; `next` is what to pass as `after`, null on the last page. */
export interface Page<Row> {
  items: Row[];
  next: string | null;
}

/** An empty list is a filter that nothing passes; an absent one is none. */
export interface MemoryFilter {
  /** Event time: ISO 8601, or a word such as last_week. */
  after?: string;
  /** Of this agent, by its own name. */
  agent_id?: string;
  /** Every user's, side by side. */
  all_users?: boolean;
  /** Event time up to then, as `after`. */
  before?: string;
  /** Filed under one of these slugs. */
  categories?: string[];
  /** Shared in this domain, by its slug. */
  domain?: string;
  /** That name this entity. */
  entity?: string;
  /** Of one of these kinds. */
  kinds?: Kind[];
  /** At least as sure, 0 to 1; a message, which is not weighed, passes. */
  min_confidence?: number;
  /** Of one of these services. */
  services?: string[];
  /** Learnt in this session, by the caller's own id. */
  session_id?: string;
  /** In one of these states; default: active. */
  statuses?: Status[];
  /** For whom: this user's and what belongs to no user; absent: only the latter. */
  user_id?: string;
  /** With one of these verdicts. */
  verdicts?: Verdict[];
  visibility?: Visibility;
}

export interface MessageInput {
  role: Role;
  /** What was said. */
  content: string;
}

/** Other numbers of a category; what is absent stays as it is. */
export interface CategoryChange {
  /** Which category. */
  slug: string;
  /** λ of the recall score's exp(−λ·days). */
  decay_lambda?: number;
  /** Days since last confirmed after which a memory is tagged stale, and archived if unused. */
  ttl_days?: number;
}

/** Numbers of the policy, by their names there; what is absent stays as it is. */
export interface PolicyChange {
  /** Numbers of categories. */
  categories?: CategoryChange[];
  /** Days a memory is stale before it is forgotten; restore undoes it. */
  forget_stale_after_days?: number;
  /** Usefulness above which a fact is allowed. */
  gate_allow_above?: number;
  /** Usefulness below which it is discarded; between the two it is held. */
  gate_discard_below?: number;
  /** What the score is multiplied by outside of the agent's domain. */
  off_domain_multiplier?: number;
  /** Effective confidence below which an operational memory is archived. */
  operational_inactive_below?: number;
  /** By how much learned priority may move a score. */
  priority_clamp?: number;
  /** Effective confidence below which a memory past its TTL is archived. */
  prune_below?: number;
  /** Probability below which nothing is answered. */
  relevance_floor?: number;
  /** What the score is multiplied by when the sentiments match. */
  sentiment_multiplier?: number;
  /** Days without a recall or a confirmation after which a memory is stale. */
  stale_after_days?: number;
  /** What a stale memory's score is multiplied by. */
  stale_multiplier?: number;
}

/** A line as the repository's history tells it. */
export interface RestoredLineInput {
  id: string;
  /** The section it stands in. */
  section: string;
  kind: Kind;
  /** The words, in one line. */
  text: string;
  /** The day it was said on. */
  said_on: string;
  /** The number of the change that added it. */
  added: number;
  /** When that was. */
  added_at: string;
  /** Who added it. */
  added_by: string;
  /** The number of the change that was decided; absent: none. */
  decision?: number;
  /** The memories it rests on. */
  items?: string[];
  /** How it went, as a code; empty: it stands. */
  removal?: string;
  /** The number of the change that removed it. */
  removed?: number;
  /** When that was. */
  removed_at?: string;
  /** Who removed it. */
  removed_by?: string;
  replaces?: string;
}

/** A line of the operations log: ids, counts and codes. */
export interface LogLineInput {
  id: string;
  /** When it happened. */
  at: string;
  /** What was done, as a code. */
  operation: string;
  /** Who did it, as a code. */
  actor: string;
  /** Numbers, ids and codes by name, or lists of them. */
  data?: unknown;
  /** What kind of thing it was done to. */
  subject?: string;
  subject_id?: string;
}

/** A memory in the version somebody looked at. */
export interface SeenInput {
  id: string;
  /** The version that was looked at. */
  version: number;
}

/** One message. `external_id` and `session_id` are the caller's own. */
export interface IngestLine {
  /** The caller's own id of the message: the same content again is a duplicate. */
  external_id: string;
  /** The caller's own id of the session; it is made when new. */
  session_id: string;
  /** What was said. */
  content: string;
  /** When it was said; default: now. */
  content_at?: string;
  role?: Role;
  /** The name of who said it, or a role. */
  speaker?: string;
  /** The turn it belongs to. */
  turn_number?: number;
  /** Of whom it is; absent: of no user. */
  user_id?: string;
  visibility?: Visibility;
}

/** What may be spent in a day or month by the tenant's clock, and what was since it began. */
export interface Budget {
  id: string;
  /** The agent's own name; null: all agents together. */
  agent_id: string | null;
  period: Period;
  soft_usd: number | null;
  hard_usd: number | null;
  /** Of the calls whose price is known. */
  spent_usd: number;
  /** Rows of usage in the period whose price is unknown. */
  unpriced_rows: number;
  /** Up to the hard amount, or the soft one where there is no hard. */
  remaining_usd: number;
  /** What it comes to at the period's end, if it goes on like the mean of the last 7 days. */
  forecast_usd: number;
  since: string;
  /** When the period ends, and spending starts again from nothing. */
  until: string;
  /** The amount that is reached. */
  state: Pressure;
}

/** The budget that was lifted. */
export interface DeletedBudget {
  id: string;
}

export interface Capture {
  session_id: string;
  turn_number: number;
  resource_ids: string[];
  job_ids: string[];
  duplicate: boolean;
}

/** The deployment's own category of that name, which a new tenant would start with. */
export interface CategoryDefault {
  label: string;
  keywords: string[];
  ttl_days: number | null;
  decay_lambda: number;
  retention: Retention;
  purpose: Purpose;
  is_protected: boolean;
}

/** What memories are filed under: the slug stands in a memory, a filter and as a domain. */
export interface Category {
  slug: string;
  label: string;
  keywords: string[];
  /** What is said in it: the tenant's own sentences, else the deployment's. */
  examples: string[];
  has_default_examples: boolean;
  /** Days since confirmed after which a memory is tagged stale, and archived if unused; null: never. */
  ttl_days: number | null;
  /** λ of the score's exp(−λ·days). */
  decay_lambda: number;
  /** Days in which the score halves; null: it does not. */
  half_life_days: number | null;
  /** Curve the confidence follows. */
  retention: Retention;
  purpose: Purpose;
  /** Its memories never fade, expire or are archived, whatever its numbers say. */
  is_protected: boolean;
  /** The number of its last edit among those of all categories. */
  taxonomy_version: number;
  /** What a new tenant would start with. */
  default: CategoryDefault | null;
}

/** What a step of maintenance would archive of the category if it ran now: as it is, and as it would be. */
export interface PreviewedStep {
  step: string;
  now: number;
  then: number;
}

/** What a change would do to the memories of a category; steps can name the same memory. */
export interface CategoryPreview {
  /** As it would be. */
  category: Category;
  /** What would change of it. */
  changed: string[];
  /** Active and stale memories in it. */
  items: number;
  /** Memories that the next runs would archive, and would not as it is. */
  archived: number;
  /** Memories that they would archive as it is, and would not then. */
  spared: number;
  steps: PreviewedStep[];
  archived_sample: string[];
  spared_sample: string[];
}

/** What each arm and each modifier contributed; null where an arm was silent. */
export interface Scores {
  vector: number | null;
  keyword: number | null;
  graph: number | null;
  time: number | null;
  decay: number | null;
  stale: number | null;
  priority: number | null;
  sentiment: number | null;
  domain: number | null;
}

/** A captured message something rests on; `external_id` is the caller's own, `quote` the words. */
export interface Source {
  resource_id: string;
  external_id: string | null;
  /** As what it was said; null where the message may not be read. */
  role: Role | null;
  speaker: string | null;
  said_at: string;
  quote?: string | null;
}

/** A memory worth knowing, or a message that was captured; one that answers for both names both. */
export interface Hit {
  rank: number;
  unit: Unit;
  id: string;
  text: string;
  /** What the text leans on: the question it answers, or the clause before. */
  lead_in: string;
  score: number;
  /** That it answers: what the relevance floor tests. */
  probability: number;
  /** LOW: better than nothing, but not sure. */
  relevance: Relevance;
  scores: Scores;
  item_id: string | null;
  episode_id: string | null;
  category: string;
  service: string | null;
  confidence: number | null;
  age_days: number;
  event_time: string | null;
  tags: TrustTag[];
  sources: Source[];
  /** On whose word it stands: a fact that several state, on the one that weighs most. */
  role: Role;
  /** What has replaced parts of an episode. */
  current_fact_ids: string[];
  /** Whose memory it is: the agent's own name. */
  agent_id: string | null;
  said_at: string | null;
  /** The session named was given it, and it has not changed since. */
  already_given: boolean;
  /** When the session was first given it, of the last 200 hits. */
  given_at: string | null;
}

/** What the session was given before, and the current memory that took its place since. */
export interface SessionChange {
  id: string;
  text: string;
  given_at: string;
  /** SUPERSEDED: surely; PROBABLY_SUPERSEDED: probably. */
  tag: TrustTag;
  replaced_by: string;
  /** What the current memory says. */
  replacement: string;
}

export interface TimeSpan {
  start: string;
  end: string;
  phrase: string;
}

export interface Stage {
  name: string;
  milliseconds: number;
}

export interface Arm {
  name: string;
  candidates: number;
}

/** A memory that was considered and not handed out, with the beginning of its text. */
export interface LeftOut {
  unit: Unit;
  id: string;
  text: string;
  /** On whose word it stands. */
  role: Role;
  /** BUDGET: no tokens left for it; LIMIT: enough memories without it; ALREADY_GIVEN: to the session. */
  reason: Omission;
}

/** Why the answer is what it is: the plan, the gate of the keyword arm, what just missed and what was left out. At the start of a session nothing is searched for: no arms and no floor; `candidates` were considered. */
export interface RecallExplanation {
  statement: boolean;
  complexity: string;
  gate: number;
  floor: number;
  /** How likely a hit had to be: half as the floor asks, a twentieth of the best. */
  least: number;
  candidates: number;
  time_range: TimeSpan | null;
  stages: Stage[];
  arms: Arm[];
  below_floor: Hit[];
  left_out: LeftOut[];
}

/** A block of text, `tokens` long, holding `included` of the `available` relevant memories: `hits`, best first. With a session, what it was already given does not count as available. */
export interface ContextBlock {
  recall_id: string;
  text: string;
  tokens: number;
  included: number;
  available: number;
  /** What is in the block, best first. */
  hits: Hit[];
  /** What replaced memories of this session, each told once. */
  changed: SessionChange[];
  /** What did not answer as configured: vector, graph, rewrite; budget_soft, budget_hard: a budget is spent up to there. Empty when whole. */
  degraded: string[];
  explanation: RecallExplanation | null;
}

/** A line of MEMORY.md. */
export interface CuratedLine {
  id: string;
  section: string;
  kind: Kind;
  text: string;
  said_on: string;
  item_ids: string[];
  /** The number of its record. */
  decision: number | null;
  added_by: string;
  added_at: string;
}

/** What every agent of the tenant is told first. */
export interface CuratedMemory {
  /** MEMORY.md. */
  text: string;
  tokens: number;
  entries: number;
  /** Lines there are to be at most. */
  limit: number;
  /** How many too many: the signal to prune. */
  over: number;
  /** The number of the last change. */
  changes: number;
  changed_at: string | null;
  lines: CuratedLine[];
}

/** How the repository stands to the lines. `commit` is null before there is one. */
export interface CuratedRepository {
  commit: string | null;
  commits: number;
  /** It is not what the lines make; what is only late is no drift. */
  drifted: boolean;
  /** Commits that are still to come. */
  behind: number;
  /** Commits whose signature is this deployment's. */
  signed: number;
  /** Ed25519, in base64: what the signatures of a clone are checked with. */
  public_key: string;
}

/** A commit of the repository. */
export interface CuratedCommit {
  id: string;
  at: string;
  by: string;
  message: string;
  /** Its signature is this deployment's. */
  signed: boolean;
  /** What it changed; a day's log is a commit, too. */
  files: string[];
  /** What it changed in MEMORY.md: lines with + and -. */
  diff: string;
}

/** Somebody or something that is spoken of. */
export interface Entity {
  id: string;
  name: string;
  type: EntityType;
  mention_count: number;
  /** The other names it goes by. */
  aliases: string[];
  first_seen_at: string;
  last_seen_at: string;
}

/** Which state a memory speaks of, in its own words; empty where it does not say. */
export interface Slot {
  subject: string;
  attribute: string;
  value: string;
  /** What tells one such state from another: a ticket, an environment. */
  qualifier: string;
}

/** What may be wrong with a memory until somebody says, and the memory (or refused claim) that raises it. */
export interface OpenLink {
  kind: OpenLinkKind;
  other_id: string;
}

/** What was learnt. `text` is the speaker's own clause; what was understood of it lies in the other fields. */
export interface Memory {
  id: string;
  /** Grows with every change: name the one you looked at in `seen`. */
  version: number;
  text: string;
  /** What the text leans on: the question it answers, or the clause before; empty when it stands alone. */
  lead_in: string;
  slot: Slot;
  mood: Mood;
  is_negated: boolean;
  /** Who says so, where a name is known. */
  said_by: string;
  /** On whose word, where it is reported. */
  reported_by: string;
  language: string;
  open_links: OpenLink[];
  kind: Kind;
  category: string;
  service: string | null;
  entity_names: string[];
  strength: Strength;
  sentiment: Sentiment;
  priority: Priority;
  /** What it is worth now. */
  confidence: number;
  /** What it was when last reinforced. */
  base_confidence: number;
  retrieval_priority: number;
  verdict: Verdict;
  status: Status;
  status_reason: string;
  protected: boolean;
  event_time: string;
  valid_from: string;
  valid_until: string | null;
  recorded_at: string;
  retracted_at: string | null;
  last_confirmed_at: string | null;
  expires_at: string | null;
  access_count: number;
  recall_count: number;
  merged_count: number;
  user_id: string | null;
  external_id: string | null;
  visibility: Visibility;
  /** The agent's own name. */
  agent_id: string | null;
  sources: Source[];
}

/** What was said of an entity, and when it was true. */
export interface Statement {
  kind: RelationKind;
  predicate: string;
  subject: string;
  object: string;
  object_id: string | null;
  negated: boolean;
  confidence: number;
  valid_from: string;
  valid_until: string | null;
  /** The memory that says so. */
  memory_id: string | null;
  resource_id: string | null;
  quote: string;
}

export interface RelatedEntity {
  id: string;
  name: string;
  type: EntityType;
  /** Empty: the two are mentioned together. */
  predicate: string;
  outgoing: boolean;
  weight: number;
}

/** Who spoke of it, in how many messages. */
export interface Speaker {
  name: string | null;
  count: number;
}

/** What is known of an entity at a moment. */
export interface EntityProfile {
  id: string;
  name: string;
  type: EntityType;
  mention_count: number;
  /** The other names it goes by. */
  aliases: string[];
  first_seen_at: string;
  last_seen_at: string;
  summary: string;
  /** What is true of it at the time asked for. */
  facts: Memory[];
  /** What was said of it, by time; what is no longer true included. */
  timeline: Statement[];
  related: RelatedEntity[];
  said_by: Speaker[];
}

/** Somebody or something that a memory names. */
export interface NamedEntity {
  id: string;
  name: string;
  type: EntityType;
  mention_count: number;
}

/** What connects two entities of a neighbourhood: a statement, or (`predicate` empty) being spoken of together. */
export interface Tie {
  start: string;
  end: string;
  kind: RelationKind;
  predicate: string;
  /** How many memories and messages say so. */
  count: number;
  confidence: number;
  valid_from: string;
  valid_until: string | null;
  /** The last memory that says so. */
  memory_id: string | null;
}

/** An entity with those around it at a moment, the closest first, and every tie between any two of them. */
export interface Neighbourhood {
  center: NamedEntity;
  first_seen_at: string;
  neighbours: NamedEntity[];
  ties: Tie[];
  /** There are more than were asked for. */
  truncated: boolean;
}

export interface Count {
  name: string;
  count: number;
}

/** An erasure, and how far it has come. */
export interface Erasure {
  id: string;
  kind: ErasureKind;
  state: ErasureState;
  /** Whom or what, as it was asked for; an entity by its name, too. Empty once it is over. */
  about: unknown;
  /** What stands for it in the receipt. */
  digest: string;
  reason: string | null;
  /** agent, or member: and the number of a login. */
  requested_by: string;
  /** The agent's own name. */
  requested_agent_id: string | null;
  requested_at: string;
  /** Who approved or rejected it. */
  decided_by: string | null;
  /** The agent's own name. */
  decided_agent_id: string | null;
  decided_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  /** Memories, messages, sessions and entities that it means. */
  targets: number;
  /** What is done. */
  steps: string[];
  /** So far: rows by table, keys of `valkey`, nodes of `neo4j`, commits of `git` that were made anew. */
  removed: Count[];
  /** Where the last scan found something again. */
  residue: string[];
  /** Signed, once it is done. */
  receipt: unknown;
}

/** A text that would go: the beginning of a memory or of a message. */
export interface ErasureSample {
  id: string;
  kind: string;
  text: string;
}

/** Somebody or something the name stands for. */
export interface ErasureEntity {
  id: string;
  name: string;
  user_id: string | null;
  mentions: number;
}

/** What would go. */
export interface ErasurePreview {
  kind: ErasureKind;
  memories: number;
  messages: number;
  sessions: number;
  /** Rows by table. */
  rows: Count[];
  /** The newest memories and messages among them. */
  samples: ErasureSample[];
  entities: ErasureEntity[];
  /** Those that were named, or that the topic found: a request names them. */
  memory_ids: string[];
  message_ids: string[];
  /** More may be about the topic than was found: preview it again once this is erased. */
  truncated: boolean;
  /** What a request for just this needs. */
  fingerprint: string;
  expires_at: string;
}

/** Whether a receipt is ours and says what it said when it was signed. */
export interface VerifiedReceipt {
  valid: boolean;
  problem: string | null;
  erasure_id: string | null;
  key_id: string | null;
}

/** Something that happened. Ids ascend; gaps are what others were told. */
export interface MemoryEvent {
  id: string;
  kind: EventKind;
  at: string;
  /** memory, trigger, budget or proposal: what subject_id is the id of. */
  subject: string;
  subject_id: string;
  /** The memory that superseded it. */
  related_id: string | null;
  /** The agent's own name. */
  agent_id: string | null;
  user_id: string | null;
  /** Of a budget: soft or hard, the amount that is reached. */
  code: string | null;
}

export interface MemoryEvents {
  items: MemoryEvent[];
  /** What to pass as `after`; never null, for there may be more at any time. */
  next: string;
  /** Whether events behind `after` are no longer kept: read again what you hold of memories. */
  missed: boolean;
}

/** A line of an export. */
export interface ExportedLine {
  kind: LineKind;
  /** The line as JSON: what an import takes. */
  content: unknown;
  /** The same for people, in one line. */
  markdown: string;
}

export interface ForgottenMemory {
  id: string;
  text: string;
}

/** What a batch took away or, restored, gave back; on a dry run what it would take (`batch_id` null). */
export interface Forgotten {
  batch_id: string | null;
  dry_run: boolean;
  items: ForgottenMemory[];
  episodes: number;
  /** More may answer the query than `limit` let it take: ask again. */
  truncated: boolean;
}

/** How the graph's copy on another server stands. ABSENT: never begun; LAGGING: changes have waited too long. */
export interface GraphStatus {
  server: string | null;
  breaker: BreakerState | null;
  state: ProjectionState;
  completed_at: string | null;
  waiting_jobs: number;
  oldest_waiting_seconds: number;
}

/** How many jobs read everything again. */
export interface Backfill {
  jobs: number;
}

/** The job that does it: `jobs` tells its state and outcome. */
export interface StartedJob {
  job_id: string;
}

/** How the memory is, as numbers and for people. */
export interface HealthReport {
  at: string;
  /** By status, by category, of the last 30 days, and now. */
  counts: Count[];
  markdown: string;
}

/** What became of a line, counted from 1. REFUSED: the rate limit was reached, or what it is about is not learnt yet; send it again later. */
export interface ImportedLine {
  line: number;
  status: ImportStatus;
  /** Of what the line became. */
  id: string | null;
  error: string | null;
  field: string | null;
}

/** `refused` lines met the rate limit, or came before what they are about was learnt: send them again after `retryAfter` seconds. */
export interface Imported {
  accepted: number;
  duplicate: number;
  forgotten: number;
  invalid: number;
  conflict: number;
  refused: number;
  skipped: number;
  retry_after: number | null;
  results: ImportedLine[];
}

/** What a job says of itself in a word: `extractor` is who read, `degraded` what was missing. */
export interface JobCode {
  name: string;
  code: string;
}

export interface Job {
  id: string;
  name: string;
  state: JobState;
  attempts: number;
  /** Reason code; never content. */
  error: string | null;
  /** What it achieved, in counts. */
  outcome: Count[];
  /** How it went, in words: which model read, what was missing. */
  codes: JobCode[];
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
}

/** One thing that happened; the last four are empty but for entries an agent wrote itself. */
export interface JournalEntry {
  id: string;
  at: string;
  operation: string;
  actor: string;
  /** The agent's own name. */
  agent_id: string | null;
  subject: string;
  subject_id: string | null;
  request_id: string;
  data: unknown;
  action: string;
  tool: string;
  detail: string;
  reason: string;
}

export interface ApiKey {
  id: string;
  prefix: string;
  /** The agent's own name. */
  agent_id: string;
  /** The one user it is bound to. */
  user_id: string | null;
  name: string;
  scopes: Scope[];
  created_at: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
}

/** The token is shown this once. */
export interface NewApiKey {
  token: string;
  key: ApiKey;
}

/** A message that says it, and its words. */
export interface Evidence {
  resource_id: string;
  said_at: string;
  quote: string;
}

/** What a user wants done otherwise from now on, or asks for again and again. */
export interface Lesson {
  id: string;
  pattern: Pattern;
  text: string;
  /** The service or the category it is about. */
  scope: string;
  /** What was wrong, of a correction. */
  instead_of: string | null;
  /** What the lessons said whose place it took, the oldest first. */
  replaces: string[];
  /** How many messages say it. */
  heard: number;
  last_heard_at: string;
  evidence: Evidence[];
  /** The memory it stands on; null for a request. */
  item_id: string | null;
  status: LessonStatus;
  replaced_by_id: string | null;
  /** The agent's own name. */
  agent_id: string | null;
  user_id: string | null;
  visibility: Visibility;
  created_at: string;
}

/** The lessons file, in Markdown; empty when there are none. */
export interface LessonsFile {
  text: string;
  tokens: number;
}

/** The job that does it: `jobs` tells its state, and in its outcome the counts of the steps that are done. */
export interface StartedMaintenance {
  job_id: string;
  /** What it does, in this order. */
  steps: string[];
}

/** What became of an explicit fact, and why. SUPERSEDED: it was stored and `supersedes` gave way. */
export interface WriteResult {
  outcome: WriteOutcome;
  memory: Memory | null;
  reason: string;
  supersedes: Memory | null;
  /** What a job still has to do. */
  pending: PendingStep[];
}

/** One change: changed fields before and after, by their column names. */
export interface Version {
  id: string;
  at: string;
  operation: string;
  reason: string;
  before: unknown;
  after: unknown;
}

/** The other end of a merge, a supersession, a contradiction or an act of sharing. */
export interface Link {
  id: string;
  text: string;
  reason: string;
  at: string;
  open: boolean;
  /** The agent's own name. */
  agent_id: string | null;
  said_at: string;
  /** What it is worth now; null for what became no memory. */
  confidence: number | null;
}

export interface Explanation {
  memory: Memory;
  versions: Version[];
  /** What the caller says of it (`giveFeedback`). */
  opinion: Opinion | null;
  merged: Link[];
  merged_into: Link | null;
  supersedes: Link[];
  superseded_by: Link[];
  /** The most trusted first. */
  contradicts: Link[];
  /** The private memory it was shared from; its agent sees it. */
  shared_from: Link | null;
  shared_as: Link[];
  sources: Source[];
  entities: string[];
}

/** What the caller says of a memory, since when, and what the memory is now. It stands until it is withdrawn. */
export interface MemoryFeedback {
  memory: Memory;
  kind: Opinion;
  at: string;
}

/** Something that the text says. Whether it became a memory, the gate decided. */
export interface ObservedFact {
  text: string;
  quote: string;
  kind: Kind;
  category: string;
  priority: Priority;
  strength: Strength;
  entities: string[];
  event_time: string | null;
}

/** A part of the text: the message it is kept as, and what it says in short. */
export interface ObservedSegment {
  resource_id: string;
  text: string;
  role: Role;
  /** Not learnt from yet: send the text again, or ask endSession. */
  pending: boolean;
  narrative: string;
  facts: ObservedFact[];
}

export interface ObservedText {
  session_id: string;
  /** Segments that are not learnt from yet. */
  pending: number;
  segments: ObservedSegment[];
}

/** An entity by its name, a memory or a message by its text. */
export interface PathNode {
  kind: NodeKind;
  id: string;
  text: string;
}

export interface PathStep {
  kind: RelationKind;
  predicate: string;
  start: PathNode;
  end: PathNode;
  /** The relation runs from start to end. */
  forward: boolean;
  /** What it rests on. */
  fact: string;
  sources: Source[];
}

/** `connected` false: not within max_depth hops. */
export interface Path {
  connected: boolean;
  steps: PathStep[];
}

/** A recall that would have been answered otherwise. */
export interface RetoldRecall {
  recall_id: string;
  at: string;
  /** Units below the floor. */
  lost: string[];
  /** There would have been no answer. */
  is_emptied: boolean;
  is_reordered: boolean;
  /** The unit with the best score. */
  first: string | null;
  new_first: string | null;
}

/** What would have become of the recalls, by their hits; of what was no hit nothing is kept. */
export interface RetoldRecalls {
  recalls: number;
  /** The latest of them, 2,000 at most. */
  examined: number;
  hits: number;
  /** Hits whose probability was not kept: no floor takes them. */
  unscored: number;
  lost: number;
  emptied: number;
  reordered: number;
  first_changed: number;
  changed: RetoldRecall[];
}

/** Facts that would have met another verdict. */
export interface Turned {
  was: Verdict;
  would_be: Verdict;
  facts: number;
}

/** What the gate would have made of what was read, before any comparison with what is known. */
export interface Regated {
  messages: number;
  /** The latest of them, 2,000 at most. */
  examined: number;
  facts: number;
  turned: Turned[];
  /** Messages (resources) in which a fact would turn. */
  sample: string[];
}

/** How many memories a step of maintenance would change if it ran now, with the numbers as they are and as tried. */
export interface ReagedStep {
  step: string;
  now: number;
  then: number;
}

/** What was simulated, and in `unknown` what the numbers would change besides that nothing kept can tell. */
export interface Simulation {
  since: string;
  recalls: RetoldRecalls;
  captures: Regated;
  memories: ReagedStep[];
  unknown: string[];
}

/** A memory a proposal rests on. */
export interface Ground {
  item_id: string;
  text: string;
  said_at: string;
}

/** A change of the curated memory that was proposed. */
export interface Proposal {
  id: string;
  /** What is asked, in words. */
  task: string;
  /** The category it is filed under. */
  section: string;
  change: Change;
  /** Empty of a removal, and once all it rests on is forgotten. */
  text: string;
  /** The line it replaces, removes or was merged with. */
  present: string;
  /** The line it made, in the words that were approved. */
  made: string;
  kind: Kind;
  confidence: number;
  said_on: string;
  state: ProposalState;
  /** Reason code of its state. */
  reason: string;
  comment: string;
  proposed_by: string;
  decided_by: string;
  decided_at: string | null;
  /** It was decided, and neither its line nor all it rests on is gone since. */
  can_be_undone: boolean;
  version: number;
  item_ids: string[];
  evidence: Ground[];
  created_at: string;
}

export interface Recall {
  id: string;
  hits: Hit[];
  rewritten_query: string;
  intent: Intent;
  profile: Profile;
  tier: number;
  /** What did not answer as configured: vector, graph, rewrite; budget_soft, budget_hard: a budget is spent up to there. Empty when whole. */
  degraded: string[];
  cost_usd: number | null;
  took_ms: number;
  available: number;
  /** Hits left out because the session has them: none unless repeat is false. */
  already_given: number;
  /** What replaced memories of this session, each told once. */
  changed: SessionChange[];
  explanation: RecallExplanation | null;
}

/** How many of a recall's hits the output used and ignored. */
export interface Feedback {
  recall_id: string;
  used: number;
  ignored: number;
}

/** Something said that became no memory, and why. */
export interface Rejection {
  id: string;
  text: string;
  stage: string;
  verdict: Verdict;
  reason: string;
  detail: string;
  scores: unknown;
  resource_id: string | null;
  user_id: string | null;
  at: string;
}

/** How many rejections of a reason a week saw; `week` is its Monday, in UTC. */
export interface RejectionCount {
  week: string;
  stage: string;
  reason: string;
  count: number;
}

/** Something that waits for somebody. */
export interface QueueEntry {
  /** The proposal's, the memory's, the erasure's, or that of the link between two. */
  id: string;
  source: QueueSource;
  at: string;
  /** What is asked, in words. */
  task: string;
  /** What it is asked about: what was there before comes first. */
  texts: string[];
  memory_ids: string[];
  /** These memories, with their sources, and the versions that were looked at. */
  memories: Memory[];
  /** The verbs that answer it. */
  verbs: string[];
  user_id: string | null;
  proposal: Proposal | null;
  /** Of an erasure: a few of the texts that it would take, the newest first. */
  samples: string[];
}

/** When a job runs by itself, and what became of its last run. */
export interface Schedule {
  name: string;
  /** Minute, hour, day of the month, month, day of the week. */
  cron: string;
  /** The tenant's, in which that is meant. */
  time_zone: string;
  enabled: boolean;
  /** Up to an hour after what cron says: the tenants' runs are spread over it. */
  next_run_at: string;
  last_run_at: string | null;
  /** When the last run was over; null while it runs. */
  finished_at: string | null;
  /** The job of the last run. */
  job_id: string | null;
  /** What the last run that was over achieved. */
  counts: Count[];
  /** Reason code; never content. */
  error: string | null;
}

export interface Session {
  id: string;
  /** The caller's own id. */
  session_id: string;
  /** The agent's own name. */
  agent_id: string | null;
  user_id: string | null;
  turns: number;
  started_at: string;
  last_active_at: string;
  ended_at: string | null;
  /** The session this one is a branch of. */
  parent_session_id: string | null;
  /** The last turn they share. */
  parent_turn: number | null;
}

/** Something a recall was answered with. */
export interface GivenHit {
  rank: number;
  unit: Unit;
  unit_id: string;
  item_id: string | null;
  score: number;
  tags: string[];
  /** Whether the output used it; null: nobody reported one. */
  used: boolean | null;
  /** A memory's words; empty of a message, and where they are gone. */
  text: string;
}

/** A recall that was made in a session. */
export interface AskedRecall {
  id: string;
  at: string;
  query: string;
  rewritten: string;
  profile: string;
  intent: string;
  tier: number;
  degraded: string[];
  milliseconds: number;
  /** Whether an output was reported: which hits it used is known then. */
  is_reported: boolean;
  hits: GivenHit[];
}

/** A memory that rests on a message, and what has become of it. */
export interface LearntMemory {
  item_id: string;
  text: string;
  quote: string;
  kind: Kind;
  category: string;
  status: Status;
  verdict: Verdict;
}

/** A message, what was read out of it, and what became of that. */
export interface TracedMessage {
  resource_id: string;
  role: Role;
  speaker: string | null;
  text: string;
  said_at: string;
  /** Not learnt from yet. */
  pending: boolean;
  narrative: string;
  facts: ObservedFact[];
  learnt: LearntMemory[];
  turned_down: Rejection[];
}

/** A turn as it went; a message that came by itself has no number. */
export interface TracedTurn {
  id: string;
  number: number | null;
  at: string;
  tool_calls: unknown;
  internal_state: unknown;
  /** Those made since the turn before. */
  recalls: AskedRecall[];
  messages: TracedMessage[];
}

/** A page of a session's turns, the earliest first. */
export interface SessionTrace {
  session: Session;
  turns: TracedTurn[];
  /** Recalls made since the last of its turns. */
  later: AskedRecall[];
  /** The cursor to pass as `after`; null on the last page. */
  next: string | null;
}

/** A part of what to begin with. Report what the model made of it under `recall_id`. */
export interface StartSection {
  name: string;
  text: string;
  tokens: number;
  recall_id: string | null;
}

/** A session that ended. A late turn opens it again. */
export interface SessionEnd {
  session: Session;
  /** Messages that are not learnt from yet. */
  pending: number;
  /** Which they are, the first 100 of them. */
  resource_ids: string[];
  /** The jobs they wait in: `jobs` tells when they became memory. */
  job_ids: string[];
}

/** What to begin with, for the prompt: `text` holds the sections one after the other. */
export interface SessionStart {
  session: Session;
  text: string;
  tokens: number;
  sections: StartSection[];
  /** The user's session before this one, which ended now. */
  previous: SessionEnd | null;
  /** The schedules that should have run by now and were started. */
  overdue: string[];
  /** budget_soft, budget_hard: a budget is spent up to there, and less is told. Empty when whole. */
  degraded: string[];
}

/** A turn as it was reported. */
export interface Checkpoint {
  id: string;
  turn_number: number;
  user_id: string | null;
  user_input: string | null;
  tool_calls: unknown;
  llm_output: string | null;
  internal_state: unknown;
  occurred_at: string;
}

export interface Heartbeat {
  session_id: string;
  /** Messages that are not learnt from yet. */
  pending: number;
  /** The schedules that should have run by now and were started. */
  overdue: string[];
}

/** What an agent needs to go on where it stopped: its last state, and what happened since. */
export interface Recovered {
  session: Session;
  /** The `internal_state` saved last; null: none was. */
  state: unknown;
  /** The turn it was saved with. */
  state_turn: number | null;
  /** The turns since, in order: what the state does not know yet. The newest 1,000. */
  turns: Checkpoint[];
}

/** A domain is a category; agents are the sharing agents' own names. */
export interface SharedDomain {
  domain: string;
  memories: number;
  agents: string[];
  last_write_at: string;
}

/** What answered recalls: 0 for what to begin with, 1 for summaries, 2 for a search. */
export interface Tier {
  tier: number;
  recalls: number;
  /** Those with at least one hit. */
  answered: number;
  /** The hit rate. */
  percent: number;
}

/** Counts over what the caller may read. */
export interface Stats {
  items: number;
  by_status: Count[];
  by_verdict: Count[];
  by_category: Count[];
  episodes: number;
  rejections: number;
  open_contradictions: number;
  /** Waiting or running in the tenant. */
  jobs_queued: number;
  /** How recalls of the last 30 days were answered. */
  tiers: Tier[];
}

/** A category in which something is held. No `updated_at`: no summary is written yet. */
export interface SummaryListed {
  category: string;
  user_id: string | null;
  visibility: Visibility;
  /** Current memories. */
  items: number;
  version: number;
  updated_at: string | null;
}

/** A memory that a summary rests on. */
export interface SummarySource {
  memory_id: string;
  text: string;
  said_at: string;
}

export interface Summary {
  category: string;
  user_id: string | null;
  visibility: Visibility;
  /** Markdown; empty when nothing is held any more. */
  text: string;
  /** 0: arranged for this answer, because none is written yet, or it rests on what was forgotten since. */
  version: number;
  /** Which model and prompt wrote it, or rules. */
  writer: string;
  updated_at: string;
  /** It rests on what is held now; otherwise a job is to write it anew. */
  is_current: boolean;
  /** The memories it rests on, the last said first. */
  sources: SummarySource[];
}

/** A summary as it stood from `at` on. */
export interface SummaryVersion {
  number: number;
  at: string;
  writer: string;
  /** Why rules wrote it and not the model; `unsupported`: its draft said more. */
  degraded: string | null;
  text: string;
  /** What changed since the version before: lines with + and -. */
  diff: string;
  /** The memories it rests on. */
  memory_ids: string[];
}

/** Of a whole day `at` is the midnight it begins with in `time_zone`. */
export interface Trigger {
  id: string;
  /** The clause that named the time, or what the caller wants to be reminded of. */
  text: string;
  /** When it falls due next. */
  at: string;
  /** The same in its time zone. */
  day: string;
  precision: Precision;
  time_zone: string;
  /** RFC 5545 without DTSTART; empty for what comes once. */
  recurrence: string;
  status: TriggerStatus;
  /** Why it ended by itself. */
  ending: Ending | null;
  /** Its time has come, whether a job has marked it yet or not. */
  is_due: boolean;
  due_at: string | null;
  snoozed_until: string | null;
  /** Memories to show when it is due. */
  memory_ids: string[];
  /** The message that named it; null for one that a caller set. */
  resource_id: string | null;
  /** The trigger it was moved to. */
  replaced_by_id: string | null;
  /** The agent's own name. */
  agent_id: string | null;
  user_id: string | null;
  visibility: Visibility;
  created_at: string;
}

/** What a group comes to. A key that was not asked for is null, and so is one that its rows do not have. */
export interface UsageGroup {
  /** Of UTC. */
  day: string | null;
  /** The agent's own name. */
  agent_id: string | null;
  operation: string | null;
  /** As it was asked for; empty for an operation that called none. */
  model: string | null;
  /** The caller's own id; null also when it is no longer there. */
  session_id: string | null;
  /** Calls of models, every attempt. */
  calls: number;
  /** Those among them that brought no usable answer. */
  failed_calls: number;
  embedding_calls: number;
  llm_calls: number;
  tokens_in: number;
  tokens_out: number;
  /** Spent waiting for models. */
  milliseconds: number;
  /** Recalls and contexts answered: rows of the operation `recall`. */
  recalls: number;
  /** Turns observed: rows of the operation `observe`. */
  turns: number;
  /** Memories stored, observed or remembered. */
  memories: number;
  /** Rows of usage: one for each operation and model. */
  rows: number;
  /** Those among them whose price is unknown. */
  unpriced_rows: number;
  /** US dollars; null when the price of one row is unknown. */
  cost_usd: number | null;
  /** US dollars that the rows with a price cost. */
  known_cost_usd: number;
  /** US dollars of the operation `recall` over `recalls`; null without one, or when a price is unknown. */
  cost_per_recall: number | null;
  /** costUsd over `turns`; null without one, or when a price is unknown. */
  cost_per_turn: number | null;
  /** costUsd over `memories`; null without one, or when a price is unknown. */
  cost_per_memory: number | null;
}

export interface Limit {
  name: string;
  per_minute: number;
}

/** The caller: `tenant` is the slug, `agent_id` the agent's own name. */
export interface Viewer {
  tenant: string;
  agent_id: string;
  domain: string | null;
  /** The one user this key or request speaks for. */
  user_id: string | null;
  scopes: Scope[];
  limits: Limit[];
}

/** What became of a line, counted from 1. REFUSED: the rate limit was reached; send it again later. FORGOTTEN: it is a copy of a message of which something was forgotten, `resource_id`; nothing is stored. */
export interface IngestedLine {
  line: number;
  status: IngestStatus;
  resource_id: string | null;
  error: string | null;
  field: string | null;
}

/** `refused` lines met the rate limit: send them again after `retry_after` seconds. */
export interface Ingest {
  accepted: number;
  duplicate: number;
  forgotten: number;
  invalid: number;
  conflict: number;
  refused: number;
  retry_after: number | null;
  results: IngestedLine[];
}

