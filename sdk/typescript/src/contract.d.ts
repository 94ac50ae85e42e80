// Made from openapi.json by scripts/generate_clients.py: do not edit.
/** - `untried`: Nobody has asked the server yet.
 * - `closed`: The server answers.
 * - `open`: The server failed, and is left alone for a while. */
export type BreakerState = "untried" | "closed" | "open";

/** What a proposal does to the curated memory.
 * - `add`: A new line.
 * - `replace`: Other words for a line.
 * - `remove`: A line goes. */
export type Change = "add" | "replace" | "remove";

/** How a context block is written.
 * - `facts`: One line a memory.
 * - `sections`: Facts, profiles, timeline and evidence, each under its heading.
 * - `operational`: Grouped by service. */
export type ContextStyle = "facts" | "sections" | "operational";

/** Why a trigger ended by itself.
 * - `moved`: It was said to be at another time.
 * - `refined`: The same time was told more exactly.
 * - `cancelled`: It was said not to be.
 * - `superseded`: What it rests on was replaced.
 * - `forgotten`: What it rests on was forgotten.
 * - `lapsed`: It was due for long, and nobody took it. */
export type Ending = "moved" | "refined" | "cancelled" | "superseded" | "forgotten" | "lapsed";

/** - `person`: Somebody, by a name or a role.
 * - `project`: Something that people work on.
 * - `organization`: A company, a team, an authority.
 * - `place`: Somewhere.
 * - `concept`: A subject or an idea.
 * - `tool`: A program, a service or a device. */
export type EntityType = "person" | "project" | "organization" | "place" | "concept" | "tool";

/** Everything about whom or what.
 * - `user`: All that is of a user.
 * - `session`: A conversation, and what was learnt in it.
 * - `entity`: All that names an entity.
 * - `memories`: Memories, by their ids.
 * - `retention`: What a category no longer keeps. */
export type ErasureKind = "user" | "session" | "entity" | "memories" | "retention";

/** How far an erasure has come.
 * - `waiting`: A second person has to agree.
 * - `running`: It is being erased.
 * - `rejected`: A second person said no.
 * - `done`: All is gone, and there is a receipt. */
export type ErasureState = "waiting" | "running" | "rejected" | "done";

/** What is told to those who listen.
 * - `stored`: A memory was stored.
 * - `held`: A memory waits for review.
 * - `superseded`: A memory took another's place.
 * - `trigger_due`: A time that was named or set has come.
 * - `budget`: The soft or hard amount of a budget is reached.
 * - `proposal`: A proposal begins to wait for people. */
export type EventKind = "stored" | "held" | "superseded" | "trigger_due" | "budget" | "proposal";

/** What became of a line that was imported.
 * - `accepted`: It was stored.
 * - `duplicate`: It was known already.
 * - `forgotten`: It was forgotten here, is about what was, or copies a message of which something was; nothing is stored.
 * - `invalid`: It is no valid line.
 * - `conflict`: It differs from what is stored under its id.
 * - `refused`: It is to be sent again, later.
 * - `skipped`: It is to be read only, is learnt again from its messages, or is about what is not here. */
export type ImportStatus = "accepted" | "duplicate" | "forgotten" | "invalid" | "conflict" | "refused" | "skipped";

/** - `accepted`: It was stored.
 * - `duplicate`: It was known already.
 * - `forgotten`: It copies a message of which something was forgotten; nothing is stored.
 * - `invalid`: It is no valid line.
 * - `conflict`: It differs from what is stored under its id.
 * - `refused`: The rate limit was reached: send it again, later. */
export type IngestStatus = "accepted" | "duplicate" | "forgotten" | "invalid" | "conflict" | "refused";

/** - `why`: A reason or a cause.
 * - `when`: A time.
 * - `who`: A person.
 * - `what`: A thing, a place or a number.
 * - `general`: None of these in particular. */
export type Intent = "why" | "when" | "who" | "what" | "general";

/** How a list of items is sorted; ties by id.
 * - `newest`: The latest first.
 * - `oldest`: The earliest first.
 * - `most_confident`: The surest first, as they are now.
 * - `most_used`: Those that answered most often first.
 * - `weightiest`: Rules first, then preferences, then by what they weigh now. */
export type ItemOrder = "newest" | "oldest" | "most_confident" | "most_used" | "weightiest";

/** - `queued`: It waits for a worker, or for its next attempt.
 * - `running`: A worker has it.
 * - `done`: It is finished.
 * - `failed`: It was given up. */
export type JobState = "queued" | "running" | "done" | "failed";

/** What sort of knowledge an item is.
 * - `fact`: Something that is so.
 * - `event`: Something that happened.
 * - `plan`: Something that is meant to happen.
 * - `preference`: What somebody likes, or wants in a certain way.
 * - `procedure`: How something is done, step by step.
 * - `opinion`: What somebody thinks of something.
 * - `rule`: What is always, or never, to be done.
 * - `reflection`: What somebody concludes about themselves or their work.
 * - `insight`: What several archived memories have in common.
 * - `lesson`: What was learnt from something that went well or wrong. */
export type Kind = "fact" | "event" | "plan" | "preference" | "procedure" | "opinion" | "rule" | "reflection" | "insight" | "lesson";

/** How a lesson stands.
 * - `active`: It holds.
 * - `superseded`: Another took its place.
 * - `dismissed`: Somebody dismissed it.
 * - `ended`: What it rests on was forgotten. */
export type LessonStatus = "active" | "superseded" | "dismissed" | "ended";

/** What a line of an export is.
 * - `message`: A captured message.
 * - `memory`: A memory.
 * - `trigger`: A time that was named or set.
 * - `feedback`: What was said of a memory.
 * - `lesson`: A lesson.
 * - `record`: Anything else: to be read, not to be imported. */
export type LineKind = "message" | "memory" | "trigger" | "feedback" | "lesson" | "record";

/** What a clause does; a COMMAND may state a rule.
 * - `asserted`: It says that something is so.
 * - `question`: It asks.
 * - `command`: It tells somebody what to do.
 * - `hypothetical`: It says what would be.
 * - `wish`: It says what somebody would like. */
export type Mood = "asserted" | "question" | "command" | "hypothetical" | "wish";

/** - `entity`: Somebody or something that is spoken of.
 * - `item`: A memory.
 * - `episode`: A captured message. */
export type NodeKind = "entity" | "item" | "episode";

/** Why a memory that was considered is not handed out.
 * - `budget`: It did not fit into the tokens.
 * - `limit`: There were enough before it.
 * - `already_given`: The session has it already. */
export type Omission = "budget" | "limit" | "already_given";

/** What may be wrong with an item until somebody says.
 * - `contradicts`: Another contradicts it.
 * - `probably_superseded`: Another has probably replaced it. */
export type OpenLinkKind = "contradicts" | "probably_superseded";

/** What a person or an agent says of a memory.
 * - `helpful`: It was of use: it gains priority for a while.
 * - `wrong`: It is not so: it is held for review.
 * - `outdated`: It was so: it counts as stale, or ends being true, as the policy says. */
export type Opinion = "helpful" | "wrong" | "outdated";

/** What teaches a lesson.
 * - `rule`: What is always, or never, to be done.
 * - `preference`: How somebody wants something.
 * - `correction`: Something else was wrong.
 * - `request`: It is asked for again and again. */
export type Pattern = "rule" | "preference" | "correction" | "request";

/** What a job still has to do.
 * - `dedup`: Comparing it with what is known, which the embedder was too slow for. */
export type PendingStep = "dedup";

/** - `day`: A day by the tenant's clock.
 * - `month`: A month by the tenant's clock. */
export type Period = "day" | "month";

/** How exactly a time was told.
 * - `minute`: A time of day was named.
 * - `day`: None was: the whole day counts. */
export type Precision = "minute" | "day";

/** How near spending is to what it may come to.
 * - `ok`: Below the soft amount, or there is none.
 * - `soft`: At the soft amount: answers are made more cheaply.
 * - `hard`: At the hard amount: no model is called until the period ends. */
export type Pressure = "ok" | "soft" | "hard";

/** How much a fact is likely to matter later (shown as 🔴 🟡 🟢).
 * - `high`: Shown as 🔴.
 * - `medium`: Shown as 🟡.
 * - `low`: Shown as 🟢. */
export type Priority = "high" | "medium" | "low";

/** - `lean`: Few hits, no question rewritten by a model, no graph.
 * - `balanced`: Some hits, rewritten where that is worth it, the graph's near surroundings.
 * - `deep`: Most hits, rewritten, the graph's wider surroundings.
 * - `auto`: One of the three, as the question needs. */
export type Profile = "lean" | "balanced" | "deep" | "auto";

/** How far the copy of a graph has come.
 * - `absent`: It was never begun.
 * - `building`: It is being filled.
 * - `complete`: It has every change.
 * - `lagging`: It is complete but for changes that have waited too long. */
export type ProjectionState = "absent" | "building" | "complete" | "lagging";

/** How a list of proposals is sorted; ties by id.
 * - `oldest`: What waits longest first.
 * - `decided`: The last decision first, and only what has one. */
export type ProposalOrder = "oldest" | "decided";

/** How far a proposal has come.
 * - `waiting`: The next batch looks at it.
 * - `queued`: People have to decide.
 * - `approved`: It is a line of the curated memory.
 * - `rejected`: It is not.
 * - `merged`: A line says it already, or together with it. */
export type ProposalState = "waiting" | "queued" | "approved" | "rejected" | "merged";

/** - `knowledge`: What people and projects are about.
 * - `operational`: What an agent works by: rules, systems, procedures. */
export type Purpose = "knowledge" | "operational";

/** What kind of thing waits in the review queue.
 * - `proposal`: A proposal to change the curated memory.
 * - `held`: A memory that the gate, or somebody, holds.
 * - `contradiction`: Two memories of which one must be wrong.
 * - `replacement`: A memory that another has probably replaced.
 * - `erasure`: An erasure that a second person has to agree to. */
export type QueueKind = "proposal" | "held" | "contradiction" | "replacement" | "erasure";

/** How two nodes relate. The first three are stored, the others follow from other rows.
 * - `entity`: A lasting tie of two entities, such as sister of or part of.
 * - `fact`: A statement about an entity that may change, such as works at.
 * - `causal`: From a cause to its effect.
 * - `temporal`: From an episode to the next of its session.
 * - `derived_from`: From an item to the episode it rests on.
 * - `supersedes`: From an item to the one that gave way to it.
 * - `contradicts`: Between two items of which one must be wrong.
 * - `mentions`: From an item or episode to an entity it names. */
export type RelationKind = "entity" | "fact" | "causal" | "temporal" | "derived_from" | "supersedes" | "contradicts" | "mentions";

/** How sure it is that a hit answers: between the floor and certainty it is LOW.
 * - `high`: It surely answers.
 * - `low`: It may answer. */
export type Relevance = "high" | "low";

/** The curve a category's confidence follows.
 * - `ebbinghaus`: It fades from the first day on, quickly at first, as what people remember does.
 * - `operational`: It keeps for a time of grace, then falls by the same amount every week.
 * - `none`: It does not fade. */
export type Retention = "ebbinghaus" | "operational" | "none";

/** What somebody decides.
 * - `approve`: As it stands.
 * - `edit`: In other words, or another section.
 * - `reject`: Not.
 * - `undo`: The last decision is taken back. */
export type ReviewDecision = "approve" | "edit" | "reject" | "undo";

/** Who produced a message.
 * - `user`: Whom the agent talks to.
 * - `assistant`: The agent.
 * - `tool`: A tool that the agent called.
 * - `system`: The instructions the agent runs under. */
export type Role = "user" | "assistant" | "tool" | "system";

/** - `read`: Asking for what the agent holds.
 * - `write`: Changing it.
 * - `share`: What the tenant's agents share: reading it, with `read`, and adding to it, with `write`.
 * - `review`: Deciding what waits for people.
 * - `admin`: Keys, categories, schedules, limits; what `review` and `billing` allow.
 * - `billing`: Usage, costs and budgets.
 * - `erase`: Erasing for good, and exporting. */
export type Scope = "read" | "write" | "share" | "review" | "admin" | "billing" | "erase";

/** - `frustrated`: Annoyed, sad or let down.
 * - `excited`: Pleased, or looking forward.
 * - `uncertain`: Unsure, or worried.
 * - `neutral`: None of these. */
export type Sentiment = "frustrated" | "excited" | "uncertain" | "neutral";

/** What became of a memory after a session was given it.
 * - `replaced`: A newer memory took its place, or probably did.
 * - `forgotten`: It was forgotten.
 * - `held`: It waits for review, as when somebody says that it is wrong.
 * - `archived`: It is over or faded.
 * - `outdated`: Somebody says that it is no longer so. */
export type SessionChangeKind = "replaced" | "forgotten" | "held" | "archived" | "outdated";

/** - `active`: It holds, and is recalled.
 * - `stale`: It was not recalled for long, or is said to be outdated, and counts half.
 * - `archived`: It is over or faded, and out of recall; it can come back.
 * - `superseded`: A newer one took its place.
 * - `deleted`: It was forgotten, and can be restored. */
export type Status = "active" | "stale" | "archived" | "superseded" | "deleted";

/** How directly the source said it; by default with a confidence of 0.9, 0.7 or 0.5.
 * - `explicit`: It was said in so many words.
 * - `implied`: It follows from what was said.
 * - `inferred`: It was guessed from what was said. */
export type Strength = "explicit" | "implied" | "inferred";

/** How a trigger stands.
 * - `waiting`: Its time has not come.
 * - `due`: Its time has come.
 * - `snoozed`: It was put off.
 * - `done`: Somebody did it.
 * - `dismissed`: Somebody does not want it.
 * - `ended`: It ended by itself; `ending` tells why. */
export type TriggerStatus = "waiting" | "due" | "snoozed" | "done" | "dismissed" | "ended";

/** - `uncertain`: Its confidence is low.
 * - `stale`: Its category's days to live are over since it was last confirmed.
 * - `conflict`: Another memory contradicts it.
 * - `unconfirmed`: One source says it, and not in so many words.
 * - `inferred`: It was guessed from what was said.
 * - `superseded`: A newer memory took its place.
 * - `probably_superseded`: A newer memory has probably taken its place. */
export type TrustTag = "uncertain" | "stale" | "conflict" | "unconfirmed" | "inferred" | "superseded" | "probably_superseded";

/** What a search document stands for.
 * - `item`: A memory.
 * - `episode`: A captured message.
 * - `summary`: What is known of an entity, in the sections of a context block.
 * - `note`: Reserved: nothing is one yet.
 * - `chunk`: Reserved: nothing is one yet. */
export type Unit = "item" | "episode" | "summary" | "note" | "chunk";

/** What usage is grouped by; a day is one of UTC.
 * - `agent`: By whose key it was spent.
 * - `operation`: By what it was spent on, such as a recall.
 * - `model`: By the model that was called.
 * - `session`: By the conversation it was spent in.
 * - `day`: By the day, of UTC. */
export type UsageKey = "agent" | "operation" | "model" | "session" | "day";

/** What the gate said.
 * - `allow`: It may be recalled.
 * - `hold`: It waits for review, and is not recalled until then.
 * - `discard`: It became no memory; a rejection tells why. */
export type Verdict = "allow" | "hold" | "discard";

/** - `private`: Its agent's alone.
 * - `shared`: For all agents of the tenant. */
export type Visibility = "private" | "shared";

/** - `stored`: It is a memory.
 * - `held`: It is a memory that waits for review.
 * - `merged`: A memory that says the same was reinforced.
 * - `superseded`: It is a memory, and another gave way to it.
 * - `rejected`: It became no memory. */
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
  /** Event time up to then, in the same way. */
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
  /** Private ones alone, or shared ones. */
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
  /** Its id. */
  id: string;
  /** The agent's own name; null: all agents together. */
  agent_id: string | null;
  /** Whether it is for a day or for a month. */
  period: Period;
  /** US dollars from which on nothing is rewritten and contexts are shorter; null: none. */
  soft_usd: number | null;
  /** US dollars from which on no model is called that costs something; null: none. */
  hard_usd: number | null;
  /** Of the calls whose price is known. */
  spent_usd: number;
  /** Rows of usage in the period whose price is unknown. */
  unpriced_rows: number;
  /** Up to the hard amount, or the soft one where there is no hard. */
  remaining_usd: number;
  /** What it comes to at the period's end, if it goes on like the mean of the last 7 days. */
  forecast_usd: number;
  /** When the period began. */
  since: string;
  /** When the period ends, and spending starts again from nothing. */
  until: string;
  /** The amount that is reached. */
  state: Pressure;
}

/** The budget that was lifted. */
export interface DeletedBudget {
  /** Its id. */
  id: string;
}

export interface Capture {
  /** The session, by the caller's own id of it. */
  session_id: string;
  /** The number of the turn in its session, from 1. */
  turn_number: number;
  /** The messages it is kept as, by their ids. */
  resource_ids: string[];
  /** The jobs that were started for it, by their ids. */
  job_ids: string[];
  /** It was there already: nothing changed. */
  duplicate: boolean;
}

/** The deployment's own category of that name, which a new tenant would start with. */
export interface CategoryDefault {
  /** What people call it. */
  label: string;
  /** Words that file a statement under it, by stem. */
  keywords: string[];
  /** Days since confirmed after which a memory is tagged stale, and archived if unused; null: never. */
  ttl_days: number | null;
  /** λ of the score's exp(−λ·days). */
  decay_lambda: number;
  /** Curve the confidence follows. */
  retention: Retention;
  /** Knowledge, or operational memories. */
  purpose: Purpose;
  /** Its memories never fade, expire or are archived, whatever its numbers say. */
  is_protected: boolean;
}

/** What memories are filed under: the slug stands in a memory, a filter and as a domain. */
export interface Category {
  /** What memories and other verbs name it by; it never changes. */
  slug: string;
  /** What people call it. */
  label: string;
  /** Words that file a statement under it, by stem. */
  keywords: string[];
  /** What is said in it: the tenant's own sentences, else the deployment's. */
  examples: string[];
  /** Its examples are the deployment's. */
  has_default_examples: boolean;
  /** Days since confirmed after which a memory is tagged stale, and archived if unused; null: never. */
  ttl_days: number | null;
  /** λ of the score's exp(−λ·days). */
  decay_lambda: number;
  /** Days in which the score halves; null: it does not. */
  half_life_days: number | null;
  /** Curve the confidence follows. */
  retention: Retention;
  /** Knowledge, or operational memories. */
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
  /** The step of maintenance, by its code. */
  step: string;
  /** How many memories it would change, with the numbers as they are. */
  now: number;
  /** How many memories it would change, with the numbers that are tried. */
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
  /** What each step of maintenance that archives would take. */
  steps: PreviewedStep[];
  /** Some of the memories that would be archived, the oldest first. */
  archived_sample: string[];
  /** Some of the memories that would be spared, the oldest first. */
  spared_sample: string[];
}

/** What each arm and each modifier contributed; null where an arm was silent. */
export interface Scores {
  /** What likeness of meaning contributed. */
  vector: number | null;
  /** What words in common contributed. */
  keyword: number | null;
  /** What ties to the entities of the question contributed. */
  graph: number | null;
  /** What lying in the time asked for contributed. */
  time: number | null;
  /** Factor for its age, 0 to 1. */
  decay: number | null;
  /** Factor for being stale; 1: it is not. */
  stale: number | null;
  /** Factor for what use and feedback taught; 1: nothing. */
  priority: number | null;
  /** Factor for the tone of the question; 1: it has another. */
  sentiment: number | null;
  /** Factor for lying outside the agent's domain; 1: it does not. */
  domain: number | null;
}

/** A captured message something rests on; `external_id` is the caller's own, `quote` the words. */
export interface Source {
  /** The message, by its id. */
  resource_id: string;
  /** The caller's own id of it; null: it has none. */
  external_id: string | null;
  /** As what it was said; null where the message may not be read. */
  role: Role | null;
  /** The name of who said it, or a role; null: none was given. */
  speaker: string | null;
  /** When it was said; where several messages say it, the last time. */
  said_at: string;
  /** The words of it that say so; null: none are told. */
  quote?: string | null;
}

/** A memory worth knowing, or a message that was captured; one that answers for both names both. */
export interface Hit {
  /** Its place among the hits, from 1. */
  rank: number;
  /** ITEM: a memory; EPISODE: a captured message. */
  unit: Unit;
  /** The memory's or the message's id, as `unit` says. */
  id: string;
  /** What it says. */
  text: string;
  /** What the text leans on: the question it answers, or the clause before. */
  lead_in: string;
  /** What it was ranked by; more is better. */
  score: number;
  /** That it answers: what the relevance floor tests. */
  probability: number;
  /** LOW: better than nothing, but not sure. */
  relevance: Relevance;
  /** What made the score. */
  scores: Scores;
  /** The memory that answers; null: a message alone does. */
  item_id: string | null;
  /** The message that answers; null: a memory alone does. */
  episode_id: string | null;
  /** The category it is filed under, by its slug; empty: under none. */
  category: string;
  /** The service or system it speaks of; null: none. */
  service: string | null;
  /** What the memory is worth now, 0 to 1; null of a message. */
  confidence: number | null;
  /** Days since it was said. */
  age_days: number;
  /** When what it tells of happens; null: unknown. */
  event_time: string | null;
  /** What to be careful about; empty: nothing. */
  tags: TrustTag[];
  /** The messages it rests on. */
  sources: Source[];
  /** On whose word it stands: a fact that several state, on the one that weighs most. */
  role: Role;
  /** What has replaced parts of an episode. */
  current_fact_ids: string[];
  /** Whose memory it is: the agent's own name. */
  agent_id: string | null;
  /** When it was said; where several messages say it, the last time. */
  said_at: string | null;
  /** The session named was given it, and it has not changed since. */
  already_given: boolean;
  /** When the session was first given it, of the last 200 hits. */
  given_at: string | null;
}

/** What the session was given before, and what became of it since. */
export interface SessionChange {
  /** The memory that was given, by its id. */
  id: string;
  /** What it says; null: it was forgotten. */
  text: string | null;
  /** When the session was first given it. */
  given_at: string;
  /** What became of it. */
  became: SessionChangeKind;
  /** SUPERSEDED: surely; PROBABLY_SUPERSEDED: probably; null: nothing took its place. */
  tag: TrustTag | null;
  /** The current memory that took its place, by its id; null: none did. */
  replaced_by: string | null;
  /** What the current memory says; null: none took its place. */
  replacement: string | null;
}

export interface TimeSpan {
  /** When it begins. */
  start: string;
  /** When it ends. */
  end: string;
  /** The words that name it. */
  phrase: string;
}

export interface Stage {
  /** The part of the work, by its code. */
  name: string;
  /** How long it took, in milliseconds. */
  milliseconds: number;
}

export interface Arm {
  /** keyword, vector, graph, time or summaries. */
  name: string;
  /** How many it found. */
  candidates: number;
}

/** A memory that was considered and not handed out, with the beginning of its text. */
export interface LeftOut {
  /** ITEM: a memory; EPISODE: a captured message. */
  unit: Unit;
  /** The memory's or the message's id, as `unit` says. */
  id: string;
  /** How it begins. */
  text: string;
  /** On whose word it stands. */
  role: Role;
  /** BUDGET: no tokens left for it; LIMIT: enough memories without it; ALREADY_GIVEN: to the session. */
  reason: Omission;
}

/** Why the answer is what it is: the plan, the gate of the keyword arm, what just missed and what was left out. At the start of a session nothing is searched for: no arms and no floor; `candidates` were considered. */
export interface RecallExplanation {
  /** The query was taken for a statement, not a question. */
  statement: boolean;
  /** simple or complex: what the query was taken for. */
  complexity: string;
  /** How far the keyword arm was believed, 0 to 1. */
  gate: number;
  /** The probability from which on something is relevant, 0 to 1. */
  floor: number;
  /** How likely a hit had to be: half as the floor asks, a twentieth of the best. */
  least: number;
  /** How many were considered. */
  candidates: number;
  /** The time that the query names; null: none. */
  time_range: TimeSpan | null;
  /** How long each part of the work took. */
  stages: Stage[];
  /** How many each arm found. */
  arms: Arm[];
  /** The best of what missed, best first. */
  below_floor: Hit[];
  /** What was relevant and not handed out. */
  left_out: LeftOut[];
}

/** A block of text, `tokens` long, holding `included` of the `available` relevant memories: `hits`, best first. With a session, what it was already given does not count as available. */
export interface ContextBlock {
  /** The recall, by its id. */
  recall_id: string;
  /** The block, for the prompt. */
  text: string;
  /** How long the text is, in tokens of o200k_base. */
  tokens: number;
  /** How many hits are in it. */
  included: number;
  /** How many were relevant, in the block or not, but for what the session has. */
  available: number;
  /** What is in the block, best first. */
  hits: Hit[];
  /** What became of memories this session was given, each told once. */
  changed: SessionChange[];
  /** What did not answer as configured: vector, graph, rewrite; budget_soft, budget_hard: a budget is spent up to there. Empty when whole. */
  degraded: string[];
  /** Why the answer is what it is; null unless `explain` asked for it. */
  explanation: RecallExplanation | null;
}

/** A line of MEMORY.md. */
export interface CuratedLine {
  /** Its id. */
  id: string;
  /** The category it is filed under. */
  section: string;
  /** Which kind it is of. */
  kind: Kind;
  /** What it says. */
  text: string;
  /** The day it was said on. */
  said_on: string;
  /** The memories it rests on, by their ids. */
  item_ids: string[];
  /** The number of its record. */
  decision: number | null;
  /** Who added it, such as agent:scribe, member:7 or rules. */
  added_by: string;
  /** When it was added. */
  added_at: string;
}

/** What every agent of the tenant is told first. */
export interface CuratedMemory {
  /** MEMORY.md. */
  text: string;
  /** How long the text is, in tokens of o200k_base. */
  tokens: number;
  /** How many lines it has. */
  entries: number;
  /** Lines there are to be at most. */
  limit: number;
  /** How many too many: the signal to prune. */
  over: number;
  /** The number of the last change. */
  changes: number;
  /** When it changed last; null: it never did. */
  changed_at: string | null;
  /** Its lines, in the order they came. */
  lines: CuratedLine[];
}

/** How the repository stands to the lines. `commit` is null before there is one. */
export interface CuratedRepository {
  /** The hash of the last commit; null before there is one. */
  commit: string | null;
  /** How many commits there are. */
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
  /** The commit's hash. */
  id: string;
  /** The commit's time. */
  at: string;
  /** Who made the change, such as agent:scribe, member:7 or system. */
  by: string;
  /** The commit's message. */
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
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
  /** What it is: a person, a place, a project. */
  type: EntityType;
  /** How many messages mention it; a memory counts as the message it comes from. */
  mention_count: number;
  /** The other names it goes by. */
  aliases: string[];
  /** The earliest event time of what mentions it. */
  first_seen_at: string;
  /** The latest event time of what mentions it. */
  last_seen_at: string;
}

/** Which state a memory speaks of, in its own words; empty where it does not say. */
export interface Slot {
  /** Whom or what the state belongs to. */
  subject: string;
  /** Which state it is. */
  attribute: string;
  /** What the state is said to be. */
  value: string;
  /** What tells one such state from another: a ticket, an environment. */
  qualifier: string;
}

/** What may be wrong with a memory until somebody says, and the memory (or refused claim) that raises it. */
export interface OpenLink {
  /** What may be wrong. */
  kind: OpenLinkKind;
  /** The id of the memory, or refused claim, that raises it. */
  other_id: string;
}

/** What was learnt. `text` is the speaker's own clause; what was understood of it lies in the other fields. */
export interface Memory {
  /** Its id. */
  id: string;
  /** Grows with every change: name the one you looked at in `seen`. */
  version: number;
  /** What it says. */
  text: string;
  /** What the text leans on: the question it answers, or the clause before; empty when it stands alone. */
  lead_in: string;
  /** The state that it speaks of. */
  slot: Slot;
  /** What its words do: only ASSERTED ones state a fact. */
  mood: Mood;
  /** It says that something is not so. */
  is_negated: boolean;
  /** Who says so, where a name is known. */
  said_by: string;
  /** On whose word, where it is reported. */
  reported_by: string;
  /** The language of its words, by its code, such as en. */
  language: string;
  /** What may be wrong with it until somebody says. */
  open_links: OpenLink[];
  /** Which kind it is of. */
  kind: Kind;
  /** The category it is filed under, by its slug. */
  category: string;
  /** The service or system it speaks of; null: none. */
  service: string | null;
  /** The names that it speaks of. */
  entity_names: string[];
  /** How directly it was said. */
  strength: Strength;
  /** The tone it was said in. */
  sentiment: Sentiment;
  /** How much it is likely to matter later. */
  priority: Priority;
  /** What it is worth now, 0 to 1. */
  confidence: number;
  /** What it was worth when last reinforced, 0 to 1. */
  base_confidence: number;
  /** By what share use and feedback raise its score, or lower it, before the clamp. */
  retrieval_priority: number;
  /** What the gate said of it. */
  verdict: Verdict;
  /** How it stands now. */
  status: Status;
  /** Why it stands so, by its code; empty: for no special reason. */
  status_reason: string;
  /** Somebody vouched for it: its confidence does not fade. */
  protected: boolean;
  /** When what it tells of happens; without a time named in it, when it was said. */
  event_time: string;
  /** Since when it is true. */
  valid_from: string;
  /** Until when it is true; null: no end is known. */
  valid_until: string | null;
  /** Since when it is believed: since it was first said. */
  recorded_at: string;
  /** Since when it is no longer believed; null: it still is. */
  retracted_at: string | null;
  /** When it was last said again or vouched for; null: never. */
  last_confirmed_at: string | null;
  /** When its category's days to live are over, since last confirmed; null: never. */
  expires_at: string | null;
  /** How often it answered a question, which keeps it from fading. */
  access_count: number;
  /** How often a recall returned it to a question. */
  recall_count: number;
  /** How many others that say the same were merged into it. */
  merged_count: number;
  /** Of which user it is, by the caller's own id; null: of none. */
  user_id: string | null;
  /** The caller's own id of it; null: it has none. */
  external_id: string | null;
  /** PRIVATE: its agent's alone; SHARED: for all agents of the tenant. */
  visibility: Visibility;
  /** The agent, by its own name; null: none. */
  agent_id: string | null;
  /** The messages it rests on. */
  sources: Source[];
}

/** What was said of an entity, and when it was true. */
export interface Statement {
  /** Which kind it is of. */
  kind: RelationKind;
  /** What relates the two, such as works_at; empty: they are mentioned together. */
  predicate: string;
  /** Whom or what it is said of, by name. */
  subject: string;
  /** Its other end, by name or in words. */
  object: string;
  /** The entity at the other end; null: it is only words. */
  object_id: string | null;
  /** It is said not to be so. */
  negated: boolean;
  /** How sure it is, 0 to 1. */
  confidence: number;
  /** Since when it is true. */
  valid_from: string;
  /** Until when it is true; null: no end is known. */
  valid_until: string | null;
  /** The memory that says so. */
  memory_id: string | null;
  /** The message that says so; null: none does, or it is gone. */
  resource_id: string | null;
  /** The words that say so. */
  quote: string;
}

export interface RelatedEntity {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
  /** What it is: a person, a place, a project. */
  type: EntityType;
  /** What relates the two, such as works_at; empty: they are mentioned together. */
  predicate: string;
  /** The relation runs from the entity asked for to this one. */
  outgoing: boolean;
  /** How close the two are, 0 to 1: it grows with how often they are told of together. */
  weight: number;
}

/** Who spoke of it, in how many messages. */
export interface Speaker {
  /** Who spoke of it; null: no name is known. */
  name: string | null;
  /** In how many of the newest messages that mention it. */
  count: number;
}

/** What is known of an entity at a moment. */
export interface EntityProfile {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
  /** What it is: a person, a place, a project. */
  type: EntityType;
  /** How many messages mention it; a memory counts as the message it comes from. */
  mention_count: number;
  /** The other names it goes by. */
  aliases: string[];
  /** The earliest event time of what mentions it. */
  first_seen_at: string;
  /** The latest event time of what mentions it. */
  last_seen_at: string;
  /** Who or what it is, in a few sentences. */
  summary: string;
  /** What is true of it at the time asked for. */
  facts: Memory[];
  /** What was said of it, by time; what is no longer true included. */
  timeline: Statement[];
  /** Whom and what it is related to: by statements first, the closest first. */
  related: RelatedEntity[];
  /** Who spoke of it. */
  said_by: Speaker[];
}

/** Somebody or something that a memory names. */
export interface NamedEntity {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
  /** What it is: a person, a place, a project. */
  type: EntityType;
  /** How many messages mention it; a memory counts as the message it comes from. */
  mention_count: number;
}

/** What connects two entities of a neighbourhood: a statement, or (`predicate` empty) being spoken of together. */
export interface Tie {
  /** The entity it begins at, by its id. */
  start: string;
  /** The entity it ends at, by its id. */
  end: string;
  /** Which kind it is of. */
  kind: RelationKind;
  /** What relates the two, such as works_at; empty: they are mentioned together. */
  predicate: string;
  /** How many memories and messages say so. */
  count: number;
  /** How sure the surest that says so is, 0 to 1. */
  confidence: number;
  /** Since when it is true. */
  valid_from: string;
  /** Until when it is true; null: no end is known. */
  valid_until: string | null;
  /** The last memory that says so. */
  memory_id: string | null;
}

/** An entity with those around it at a moment, the closest first, and every tie between any two of them. */
export interface Neighbourhood {
  /** The entity that was asked for. */
  center: NamedEntity;
  /** The earliest event time of what mentions that entity. */
  first_seen_at: string;
  /** The entities around it, the closest first. */
  neighbours: NamedEntity[];
  /** What connects any two of them: statements first, the most often said before others. */
  ties: Tie[];
  /** There are more than were asked for. */
  truncated: boolean;
}

export interface Count {
  /** What is counted. */
  name: string;
  /** How many there are. */
  count: number;
}

/** An erasure, and how far it has come. */
export interface Erasure {
  /** Its id. */
  id: string;
  /** Which kind it is of. */
  kind: ErasureKind;
  /** How far it has come. */
  state: ErasureState;
  /** Whom or what, as it was asked for; an entity by its name, too. Empty once it is over. */
  about: unknown;
  /** What stands for it in the receipt. */
  digest: string;
  /** Why, in the caller's words; null: unsaid, or erased with the rest. */
  reason: string | null;
  /** agent, or member: and the number of a login. */
  requested_by: string;
  /** As which agent it was asked for, by its own name; null: as none. */
  requested_agent_id: string | null;
  /** When it was asked for. */
  requested_at: string;
  /** Who approved or rejected it. */
  decided_by: string | null;
  /** As which agent that was, by its own name; null: as none. */
  decided_agent_id: string | null;
  /** When it was decided; null: not yet. */
  decided_at: string | null;
  /** When it began; null: not yet. */
  started_at: string | null;
  /** When it ended; null: not yet. */
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
  /** Its id. */
  id: string;
  /** memory or message. */
  kind: string;
  /** How it begins, in at most 300 characters. */
  text: string;
}

/** Somebody or something the name stands for. */
export interface ErasureEntity {
  /** Its id. */
  id: string;
  /** Its name. */
  name: string;
  /** Of which user it is, by the caller's own id; null: of none. */
  user_id: string | null;
  /** How often it is mentioned. */
  mentions: number;
}

/** What would go. */
export interface ErasurePreview {
  /** Which kind it is of. */
  kind: ErasureKind;
  /** How many memories would go. */
  memories: number;
  /** How many messages would go. */
  messages: number;
  /** How many sessions would go. */
  sessions: number;
  /** Rows by table. */
  rows: Count[];
  /** The newest memories and messages among them. */
  samples: ErasureSample[];
  /** All whom or what the name stands for, where one was given. */
  entities: ErasureEntity[];
  /** Those that were named, or that the topic found: a request names them. */
  memory_ids: string[];
  /** The same of messages. */
  message_ids: string[];
  /** More may be about the topic than was found: preview it again once this is erased. */
  truncated: boolean;
  /** What a request for just this needs. */
  fingerprint: string;
  /** Until when the fingerprint is accepted. */
  expires_at: string;
}

/** Whether a receipt is ours and says what it said when it was signed. */
export interface VerifiedReceipt {
  /** It is this tenant's, and says what was signed. */
  valid: boolean;
  /** Why it is not valid; null: it is. */
  problem: string | null;
  /** The erasure it tells of; null unless it is valid. */
  erasure_id: string | null;
  /** The key that it names; null: none. */
  key_id: string | null;
}

/** Something that happened. Ids ascend; gaps are what others were told. */
export interface MemoryEvent {
  /** Where it stands among the tenant's events: what to pass as `after`. */
  id: string;
  /** Which kind it is of. */
  kind: EventKind;
  /** When it happened. */
  at: string;
  /** memory, trigger, budget or proposal: what subject_id is the id of. */
  subject: string;
  /** The id of what it happened to. */
  subject_id: string;
  /** The memory that superseded it. */
  related_id: string | null;
  /** The agent, by its own name; null: none. */
  agent_id: string | null;
  /** Of which user it is, by the caller's own id; null: of none. */
  user_id: string | null;
  /** Of a budget: soft or hard, the amount that is reached. */
  code: string | null;
}

export interface MemoryEvents {
  /** What happened, in order. */
  items: MemoryEvent[];
  /** What to pass as `after`; never null, for there may be more at any time. */
  next: string;
  /** Whether events behind `after` are no longer kept: read again what you hold of memories. */
  missed: boolean;
}

/** A line of an export. */
export interface ExportedLine {
  /** What the line is; a RECORD is to be read, not to be imported. */
  kind: LineKind;
  /** The line as JSON: what an import takes. */
  content: unknown;
  /** The same for people, in one line. */
  markdown: string;
}

export interface ForgottenMemory {
  /** Its id. */
  id: string;
  /** What it says. */
  text: string;
}

/** What a batch took away or, restored, gave back; on a dry run what it would take (`batch_id` null). */
export interface Forgotten {
  /** What restoring it takes; null on a dry run. */
  batch_id: string | null;
  /** Nothing was taken: it tells what would be. */
  dry_run: boolean;
  /** The memories that it took, gave back or, on a dry run, would take. */
  items: ForgottenMemory[];
  /** How many messages go or come back with them. */
  episodes: number;
  /** More may answer the query than `limit` let it take: ask again. */
  truncated: boolean;
}

/** How the graph's copy on another server stands. ABSENT: never begun; LAGGING: changes have waited too long. */
export interface GraphStatus {
  /** What keeps the copy, such as neo4j; null: no server is configured. */
  server: string | null;
  /** OPEN: the server is left alone after failures; null: no server is configured. */
  breaker: BreakerState | null;
  /** How the copy stands. */
  state: ProjectionState;
  /** When the copy became complete; null: it is not. */
  completed_at: string | null;
  /** Changes, and steps of a rebuild, that are not copied yet. */
  waiting_jobs: number;
  /** Seconds that the oldest of them has waited; 0: none does. */
  oldest_waiting_seconds: number;
}

/** How many jobs read everything again. */
export interface Backfill {
  /** How many jobs were started. */
  jobs: number;
}

/** The job that does it: `jobs` tells its state and outcome. */
export interface StartedJob {
  /** The job, by its id. */
  job_id: string;
}

/** How the memory is, as numbers and for people. */
export interface HealthReport {
  /** When it was counted. */
  at: string;
  /** How many days back `recent` counts look: the policy's `report_days`. */
  days: number;
  /** By status, by category, of the last `days` (`recent`), and now. */
  counts: Count[];
  /** The same for people, in Markdown. */
  markdown: string;
}

/** What became of a line, counted from 1. REFUSED: the rate limit was reached, or what it is about is not learnt yet; send it again later. */
export interface ImportedLine {
  /** Its number among the lines, from 1. */
  line: number;
  /** What became of it. */
  status: ImportStatus;
  /** Of what the line became. */
  id: string | null;
  /** What is wrong with it, in words; null: nothing. */
  error: string | null;
  /** The field that is wrong; null: none in particular. */
  field: string | null;
}

/** `refused` lines met the rate limit, or came before what they are about was learnt: send them again after `retryAfter` seconds. */
export interface Imported {
  /** How many lines were stored. */
  accepted: number;
  /** How many lines were known already. */
  duplicate: number;
  /** How many lines are of what was forgotten, and were left out. */
  forgotten: number;
  /** How many lines are no valid input. */
  invalid: number;
  /** How many lines differ from what is stored under their id. */
  conflict: number;
  /** How many lines are to be sent again. */
  refused: number;
  /** How many lines are to be read only, or about what is not here. */
  skipped: number;
  /** Seconds to wait before the refused lines are sent again; null: none has to wait. */
  retry_after: number | null;
  /** What became of each line, by its number. */
  results: ImportedLine[];
}

/** What a job says of itself in a word: `extractor` is who read, `degraded` what was missing. */
export interface JobCode {
  /** What the code is of, such as extractor or degraded. */
  name: string;
  /** What the job says of that, in a word. */
  code: string;
}

export interface Job {
  /** Its id. */
  id: string;
  /** What it does, by its code, such as memory.observe. */
  name: string;
  /** How far it has come. */
  state: JobState;
  /** How often it was begun; retrying counts anew. */
  attempts: number;
  /** Reason code; never content. */
  error: string | null;
  /** What it achieved, in counts. */
  outcome: Count[];
  /** How it went, in words: which model read, what was missing. */
  codes: JobCode[];
  /** When it was made. */
  created_at: string;
  /** When it began; null: not yet. */
  started_at: string | null;
  /** When it ended; null: not yet. */
  finished_at: string | null;
}

/** One thing that happened; the last four are empty but for entries an agent wrote itself. */
export interface JournalEntry {
  /** Its id. */
  id: string;
  /** When it happened. */
  at: string;
  /** What was done, by its code, such as turn.captured. */
  operation: string;
  /** Who did it: agent, member: and the number of a login, or a part of the platform. */
  actor: string;
  /** The agent, by its own name; null: none. */
  agent_id: string | null;
  /** What kind of thing it was done to; empty: none. */
  subject: string;
  /** The id of that thing; null: none. */
  subject_id: string | null;
  /** The X-Request-ID of the request it was done in; empty: none. */
  request_id: string;
  /** Ids, counts and codes, by name. */
  data: unknown;
  /** The verb that an agent logged, such as deployed. */
  action: string;
  /** What was used or acted on. */
  tool: string;
  /** What was done, in the agent's words. */
  detail: string;
  /** Why, in the agent's words. */
  reason: string;
}

export interface ApiKey {
  /** Its id. */
  id: string;
  /** What its token begins with, after mp_. */
  prefix: string;
  /** The agent, by its own name; null: none. */
  agent_id: string;
  /** The one user it is bound to. */
  user_id: string | null;
  /** What people know the key by. */
  name: string;
  /** What the key may do. */
  scopes: Scope[];
  /** When it was made. */
  created_at: string;
  /** When it stops working; null: never. */
  expires_at: string | null;
  /** When it was revoked; null: it was not. */
  revoked_at: string | null;
  /** When it was used last, to the minute; null: never. */
  last_used_at: string | null;
}

/** The token is shown this once. */
export interface NewApiKey {
  /** The secret: what a caller sends as `Authorization: Bearer`. */
  token: string;
  /** The key, as lists tell it. */
  key: ApiKey;
}

/** A message that says it, and its words. */
export interface Evidence {
  /** The message, by its id. */
  resource_id: string;
  /** When it was said; where several messages say it, the last time. */
  said_at: string;
  /** The words of the message that say it. */
  quote: string;
}

/** What a user wants done otherwise from now on, or asks for again and again. */
export interface Lesson {
  /** Its id. */
  id: string;
  /** What makes it a lesson. */
  pattern: Pattern;
  /** What it says. */
  text: string;
  /** The service or the category it is about. */
  scope: string;
  /** What was wrong, of a correction. */
  instead_of: string | null;
  /** What the lessons said whose place it took, the oldest first. */
  replaces: string[];
  /** How many messages say it. */
  heard: number;
  /** When a message said it last. */
  last_heard_at: string;
  /** The messages that say it. */
  evidence: Evidence[];
  /** The memory it stands on; null for a request. */
  item_id: string | null;
  /** How it stands now. */
  status: LessonStatus;
  /** The lesson that took its place; null: none did. */
  replaced_by_id: string | null;
  /** The agent, by its own name; null: none. */
  agent_id: string | null;
  /** Of which user it is, by the caller's own id; null: of none. */
  user_id: string | null;
  /** PRIVATE: its agent's alone; SHARED: for all agents of the tenant. */
  visibility: Visibility;
  /** When it was made. */
  created_at: string;
}

/** The lessons file, in Markdown; empty when there are none. */
export interface LessonsFile {
  /** The file; empty: there are no lessons. */
  text: string;
  /** How long the text is, in tokens of o200k_base. */
  tokens: number;
}

/** The job that does it: `jobs` tells its state, and in its outcome the counts of the steps that are done. */
export interface StartedMaintenance {
  /** The job, by its id. */
  job_id: string;
  /** What it does, in this order. */
  steps: string[];
}

/** What became of an explicit fact, and why. SUPERSEDED: it was stored and `supersedes` gave way. */
export interface WriteResult {
  /** What became of it. */
  outcome: WriteOutcome;
  /** The memory that holds it; null: it was rejected. */
  memory: Memory | null;
  /** Why, in words. */
  reason: string;
  /** The memory that gave way; null: none did. */
  supersedes: Memory | null;
  /** What a job still has to do. */
  pending: PendingStep[];
}

/** One change: changed fields before and after, by their column names. */
export interface Version {
  /** Its id. */
  id: string;
  /** When it changed. */
  at: string;
  /** What was done, by its code, such as corrected. */
  operation: string;
  /** Why, by its code or in the caller's words; empty: unsaid. */
  reason: string;
  /** The changed fields as they were. */
  before: unknown;
  /** The changed fields as they became. */
  after: unknown;
}

/** The other end of a merge, a supersession, a contradiction or an act of sharing. */
export interface Link {
  /** The id of the memory, or refused claim, at the other end. */
  id: string;
  /** What it says. */
  text: string;
  /** Why the two are linked, by its code. */
  reason: string;
  /** When the two were linked. */
  at: string;
  /** The link holds: it was neither settled nor undone. */
  open: boolean;
  /** The agent, by its own name; null: none. */
  agent_id: string | null;
  /** When it was said; where several messages say it, the last time. */
  said_at: string;
  /** What it is worth now, 0 to 1; null for what became no memory. */
  confidence: number | null;
}

export interface Explanation {
  /** The memory as it is now. */
  memory: Memory;
  /** What changed of it, the earliest first. */
  versions: Version[];
  /** What the caller says of it (`giveFeedback`). */
  opinion: Opinion | null;
  /** What was merged into it; one that is not `open` no longer is. */
  merged: Link[];
  /** What it was merged into; null: nothing, or that was undone. */
  merged_into: Link | null;
  /** What gave way to it. */
  supersedes: Link[];
  /** What took its place. */
  superseded_by: Link[];
  /** The most trusted first. */
  contradicts: Link[];
  /** The private memory it was shared from; its agent sees it. */
  shared_from: Link | null;
  /** The shared memories that were made of it. */
  shared_as: Link[];
  /** The messages it rests on. */
  sources: Source[];
  /** The names that it speaks of. */
  entities: string[];
}

/** What the caller says of a memory, since when, and what the memory is now. It stands until it is withdrawn. */
export interface MemoryFeedback {
  /** The memory as it is now. */
  memory: Memory;
  /** What the caller says of it. */
  kind: Opinion;
  /** Since when the caller says so. */
  at: string;
}

/** Something that the text says. Whether it became a memory, the gate decided. */
export interface ObservedFact {
  /** What it says. */
  text: string;
  /** The words of the message that say it. */
  quote: string;
  /** Which kind it is of. */
  kind: Kind;
  /** The category it is filed under, by its slug. */
  category: string;
  /** How much it is likely to matter later. */
  priority: Priority;
  /** How directly it was said. */
  strength: Strength;
  /** The names that it speaks of. */
  entities: string[];
  /** When what it tells of happens; null: no time is named. */
  event_time: string | null;
}

/** A part of the text: the message it is kept as, and what it says in short. */
export interface ObservedSegment {
  /** The message, by its id. */
  resource_id: string;
  /** What it says. */
  text: string;
  /** Whose words they are. */
  role: Role;
  /** Not learnt from yet: send the text again, or ask endSession. */
  pending: boolean;
  /** All that was read out of it, as one text. */
  narrative: string;
  /** What was read out of it. */
  facts: ObservedFact[];
}

export interface ObservedText {
  /** The session, by the caller's own id of it. */
  session_id: string;
  /** Segments that are not learnt from yet. */
  pending: number;
  /** The parts of the text, in order. */
  segments: ObservedSegment[];
}

/** An entity by its name, a memory or a message by its text. */
export interface PathNode {
  /** Which kind it is of. */
  kind: NodeKind;
  /** The entity's, the memory's or the message's id. */
  id: string;
  /** The entity's name, or what the memory or message says. */
  text: string;
}

export interface PathStep {
  /** Which kind it is of. */
  kind: RelationKind;
  /** What relates the two, such as works_at; empty where the kind says it all. */
  predicate: string;
  /** Where the step begins. */
  start: PathNode;
  /** Where the step ends. */
  end: PathNode;
  /** The relation runs from start to end. */
  forward: boolean;
  /** What it rests on. */
  fact: string;
  /** The messages it rests on. */
  sources: Source[];
}

/** `connected` false: not within max_depth hops. */
export interface Path {
  /** There is a way within max_depth hops. */
  connected: boolean;
  /** The steps of the way, in order. */
  steps: PathStep[];
}

/** A recall that would have been answered otherwise. */
export interface RetoldRecall {
  /** The recall, by its id. */
  recall_id: string;
  /** When it was asked. */
  at: string;
  /** Units below the floor. */
  lost: string[];
  /** There would have been no answer. */
  is_emptied: boolean;
  /** Its hits would stand in another order. */
  is_reordered: boolean;
  /** The unit with the best score. */
  first: string | null;
  /** The unit that would have the best score; null: there would be none. */
  new_first: string | null;
}

/** What would have become of the recalls, by their hits; of what was no hit nothing is kept. */
export interface RetoldRecalls {
  /** Recalls with a question in the time that is looked at. */
  recalls: number;
  /** The latest of them, 2,000 at most. */
  examined: number;
  /** What those examined were answered with, all together. */
  hits: number;
  /** Hits whose probability was not kept: no floor takes them. */
  unscored: number;
  /** Hits that would be below the floor. */
  lost: number;
  /** Recalls that would have no answer. */
  emptied: number;
  /** Recalls whose hits would stand in another order. */
  reordered: number;
  /** Recalls that another hit would be the first of. */
  first_changed: number;
  /** The latest that would be answered otherwise, as many as were asked for. */
  changed: RetoldRecall[];
}

/** Facts that would have met another verdict. */
export interface Turned {
  /** What the gate says with the numbers as they are. */
  was: Verdict;
  /** What it would say with those that are tried. */
  would_be: Verdict;
  /** How many facts. */
  facts: number;
}

/** What the gate would have made of what was read, before any comparison with what is known. */
export interface Regated {
  /** Messages that were read in the time that is looked at. */
  messages: number;
  /** The latest of them, 2,000 at most. */
  examined: number;
  /** What was read out of those examined. */
  facts: number;
  /** How many facts would meet another verdict, by both verdicts. */
  turned: Turned[];
  /** Messages (resources) in which a fact would turn. */
  sample: string[];
}

/** How many memories a step of maintenance would change if it ran now, with the numbers as they are and as tried. */
export interface ReagedStep {
  /** The step of maintenance, by its code. */
  step: string;
  /** How many memories it would change, with the numbers as they are. */
  now: number;
  /** How many memories it would change, with the numbers that are tried. */
  then: number;
}

/** What was simulated, and in `unknown` what the numbers would change besides that nothing kept can tell. */
export interface Simulation {
  /** Since when is looked at. */
  since: string;
  /** What would have become of recalls. */
  recalls: RetoldRecalls;
  /** What the gate would have made of messages. */
  captures: Regated;
  /** What steps of maintenance would do now. */
  memories: ReagedStep[];
  /** What cannot be told, in words. */
  unknown: string[];
}

/** A memory a proposal rests on. */
export interface Ground {
  /** The memory, by its id. */
  item_id: string;
  /** What it says. */
  text: string;
  /** When it was said; where several messages say it, the last time. */
  said_at: string;
}

/** A change of the curated memory that was proposed. */
export interface Proposal {
  /** Its id. */
  id: string;
  /** What is asked, in words. */
  task: string;
  /** The category it is filed under. */
  section: string;
  /** What it would do to the lines. */
  change: Change;
  /** Empty of a removal, and once all it rests on is forgotten. */
  text: string;
  /** The line it replaces, removes or was merged with. */
  present: string;
  /** The line it made, in the words that were approved. */
  made: string;
  /** Which kind it is of. */
  kind: Kind;
  /** How sure it is, 0 to 1. */
  confidence: number;
  /** The day it was said on. */
  said_on: string;
  /** How far it has come. */
  state: ProposalState;
  /** Reason code of its state. */
  reason: string;
  /** What who decided said to it; empty: nothing. */
  comment: string;
  /** Which model and prompt proposed it, or rules. */
  proposed_by: string;
  /** Who decided it, such as agent:scribe, member:7 or rules; empty: nobody. */
  decided_by: string;
  /** When it was decided; null: not yet. */
  decided_at: string | null;
  /** It was decided, and neither its line nor all it rests on is gone since. */
  can_be_undone: boolean;
  /** Grows with every decision: name the one you looked at. */
  version: number;
  /** The memories it rests on, by their ids. */
  item_ids: string[];
  /** What those memories say, as far as every agent may know it. */
  evidence: Ground[];
  /** When it was made. */
  created_at: string;
}

export interface Recall {
  /** Its id: what `reportOutput` takes. */
  id: string;
  /** What answers, best first. */
  hits: Hit[];
  /** The query as it was searched for. */
  rewritten_query: string;
  /** What the question was taken to ask for. */
  intent: Intent;
  /** The profile it was answered with. */
  profile: Profile;
  /** What answered: 0 what to begin with, 1 summaries, 2 a search. */
  tier: number;
  /** What did not answer as configured: vector, graph, rewrite; budget_soft, budget_hard: a budget is spent up to there. Empty when whole. */
  degraded: string[];
  /** US dollars that its calls of models cost; null: a price is unknown. */
  cost_usd: number | null;
  /** How long it took, in milliseconds. */
  took_ms: number;
  /** How many were relevant, handed out or not. */
  available: number;
  /** Hits left out because the session has them: none unless repeat is false. */
  already_given: number;
  /** What became of memories this session was given, each told once. */
  changed: SessionChange[];
  /** Why the answer is what it is; null unless `explain` asked for it. */
  explanation: RecallExplanation | null;
}

/** How many of a recall's hits the output used and ignored. */
export interface Feedback {
  /** The recall, by its id. */
  recall_id: string;
  /** How many of its hits the output used. */
  used: number;
  /** How many of its hits the output did not use. */
  ignored: number;
}

/** Something said that became no memory, and why. */
export interface Rejection {
  /** Its id. */
  id: string;
  /** What it says. */
  text: string;
  /** Where it was turned down: extraction, gate or conflict. */
  stage: string;
  /** What the gate said of it. */
  verdict: Verdict;
  /** Why, by its code. */
  reason: string;
  /** What counted for it, such as a word; empty: nothing more is known. */
  detail: string;
  /** What it was given, by name, 0 to 1: usefulness, confidence. */
  scores: unknown;
  /** The message that says it; null: none does, or it is gone. */
  resource_id: string | null;
  /** Of which user it is, by the caller's own id; null: of none. */
  user_id: string | null;
  /** When it was turned down. */
  at: string;
}

/** How many rejections of a reason a week saw; `week` is its Monday, in UTC. */
export interface RejectionCount {
  /** The Monday the week begins with, in UTC. */
  week: string;
  /** Where it was turned down: extraction, gate or conflict. */
  stage: string;
  /** Why, by its code. */
  reason: string;
  /** How many there are. */
  count: number;
}

/** Something that waits for somebody. */
export interface QueueEntry {
  /** The proposal's, the memory's, the erasure's, or that of the link between two. */
  id: string;
  /** What kind of thing it is. */
  kind: QueueKind;
  /** Since when it waits. */
  at: string;
  /** What is asked, in words. */
  task: string;
  /** What it is asked about: what was there before comes first. */
  texts: string[];
  /** The memories it is about or rests on, by their ids. */
  memory_ids: string[];
  /** These memories, with their sources, and the versions that were looked at. */
  memories: Memory[];
  /** The verbs that answer it. */
  verbs: string[];
  /** Of which user it is, by the caller's own id; null: of none. */
  user_id: string | null;
  /** The proposal itself; null: it is something else. */
  proposal: Proposal | null;
  /** Of an erasure: a few of the texts that it would take, the newest first. */
  samples: string[];
}

/** When a job runs by itself, and what became of its last run. */
export interface Schedule {
  /** Its name. */
  name: string;
  /** Minute, hour, day of the month, month, day of the week. */
  cron: string;
  /** The tenant's, in which that is meant. */
  time_zone: string;
  /** Whether it runs by itself. */
  enabled: boolean;
  /** Up to an hour after what cron says: the tenants' runs are spread over it. */
  next_run_at: string;
  /** When its last run began; null: it never ran. */
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
  /** The platform's own id of it: what `sessionTrace` takes. */
  id: string;
  /** The session, by the caller's own id of it. */
  session_id: string;
  /** The agent, by its own name; null: none. */
  agent_id: string | null;
  /** Of which user it is, by the caller's own id; null: of none. */
  user_id: string | null;
  /** The number of its last turn; 0: none yet. */
  turns: number;
  /** When it began. */
  started_at: string;
  /** When it was last heard of. */
  last_active_at: string;
  /** When it ended; null: it goes on. */
  ended_at: string | null;
  /** The session this one is a branch of. */
  parent_session_id: string | null;
  /** The last turn they share. */
  parent_turn: number | null;
}

/** Something a recall was answered with. */
export interface GivenHit {
  /** Its place among the hits, from 1. */
  rank: number;
  /** ITEM: a memory; EPISODE: a captured message. */
  unit: Unit;
  /** The memory's or the message's id, as `unit` says. */
  unit_id: string;
  /** The memory that answered; null: a message alone did. */
  item_id: string | null;
  /** What it was ranked by; more is better. */
  score: number;
  /** What to be careful about; empty: nothing. */
  tags: string[];
  /** Whether the output used it; null: nobody reported one. */
  used: boolean | null;
  /** A memory's words; empty of a message, and where they are gone. */
  text: string;
}

/** A recall that was made in a session. */
export interface AskedRecall {
  /** Its id. */
  id: string;
  /** When it was asked. */
  at: string;
  /** What was asked; empty where nothing was. */
  query: string;
  /** The query as it was searched for. */
  rewritten: string;
  /** The profile it was answered with. */
  profile: string;
  /** What the question was taken to ask for. */
  intent: string;
  /** What answered: 0 what to begin with, 1 summaries, 2 a search. */
  tier: number;
  /** What did not answer as configured, by its codes; empty when whole. */
  degraded: string[];
  /** How long it took, in milliseconds. */
  milliseconds: number;
  /** Whether an output was reported: which hits it used is known then. */
  is_reported: boolean;
  /** What answers, best first. */
  hits: GivenHit[];
}

/** A memory that rests on a message, and what has become of it. */
export interface LearntMemory {
  /** The memory, by its id. */
  item_id: string;
  /** What it says. */
  text: string;
  /** The words of the message that say it. */
  quote: string;
  /** Which kind it is of. */
  kind: Kind;
  /** The category it is filed under, by its slug. */
  category: string;
  /** How it stands now. */
  status: Status;
  /** What the gate said of it. */
  verdict: Verdict;
}

/** A message, what was read out of it, and what became of that. */
export interface TracedMessage {
  /** The message, by its id. */
  resource_id: string;
  /** Whose words they are. */
  role: Role;
  /** The name of who said it, or a role; null: none was given. */
  speaker: string | null;
  /** What it says. */
  text: string;
  /** When it was said; where several messages say it, the last time. */
  said_at: string;
  /** Not learnt from yet. */
  pending: boolean;
  /** All that was read out of it, as one text. */
  narrative: string;
  /** What was read out of it. */
  facts: ObservedFact[];
  /** The memories that rest on it. */
  learnt: LearntMemory[];
  /** What of it became no memory, and why. */
  turned_down: Rejection[];
}

/** A turn as it went; a message that came by itself has no number. */
export interface TracedTurn {
  /** Its id. */
  id: string;
  /** Its number in the session; null: a message that came by itself. */
  number: number | null;
  /** When it was said. */
  at: string;
  /** The calls of tools as they were reported; null: none. */
  tool_calls: unknown;
  /** What the agent wants back when it recovers, as it was reported; null: none. */
  internal_state: unknown;
  /** Those made since the turn before. */
  recalls: AskedRecall[];
  /** What was said in it, in order. */
  messages: TracedMessage[];
}

/** A page of a session's turns, the earliest first. */
export interface SessionTrace {
  /** The session as it is now. */
  session: Session;
  /** The turns of this page, the earliest first. */
  turns: TracedTurn[];
  /** Recalls made since the last of its turns. */
  later: AskedRecall[];
  /** The cursor to pass as `after`; null on the last page. */
  next: string | null;
}

/** A part of what to begin with. Report what the model made of it under `recall_id`. */
export interface StartSection {
  /** curated, lessons, due or memories. */
  name: string;
  /** What it says. */
  text: string;
  /** How long the text is, in tokens of o200k_base. */
  tokens: number;
  /** The recall that output is reported for; null: there is none. */
  recall_id: string | null;
}

/** A session that ended. A late turn opens it again. */
export interface SessionEnd {
  /** The session as it is now. */
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
  /** The session as it is now. */
  session: Session;
  /** All sections, one after the other. */
  text: string;
  /** How long the text is, in tokens of o200k_base. */
  tokens: number;
  /** The parts that say something, in order. */
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
  /** Its id. */
  id: string;
  /** The number of the turn in its session, from 1. */
  turn_number: number;
  /** Of which user it is, by the caller's own id; null: of none. */
  user_id: string | null;
  /** What the user said; null: nothing. */
  user_input: string | null;
  /** The calls of tools as they were reported; null: none. */
  tool_calls: unknown;
  /** What was answered; null: nothing. */
  llm_output: string | null;
  /** What the agent wants back when it recovers, as it was reported; null: none. */
  internal_state: unknown;
  /** When it was said. */
  occurred_at: string;
}

export interface Heartbeat {
  /** The session, by the caller's own id of it. */
  session_id: string;
  /** Messages that are not learnt from yet. */
  pending: number;
  /** The schedules that should have run by now and were started. */
  overdue: string[];
}

/** What an agent needs to go on where it stopped: its last state, and what happened since. */
export interface Recovered {
  /** The session as it is now. */
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
  /** The category's slug. */
  domain: string;
  /** How many current memories are shared in it. */
  memories: number;
  /** The names of the agents that share in it. */
  agents: string[];
  /** Since when the last of them is believed. */
  last_write_at: string;
}

/** What answered recalls: 0 for what to begin with, 1 for summaries, 2 for a search. */
export interface Tier {
  /** What answered: 0 what to begin with, 1 summaries, 2 a search. */
  tier: number;
  /** How many recalls it answered, with hits or without. */
  recalls: number;
  /** Those with at least one hit. */
  answered: number;
  /** The hit rate. */
  percent: number;
}

/** Counts over what the caller may read. */
export interface Stats {
  /** Memories, whatever their status; merged ones count as one. */
  items: number;
  /** Memories by status, the most first. */
  by_status: Count[];
  /** Memories by verdict, the most first. */
  by_verdict: Count[];
  /** Memories by category, the most first. */
  by_category: Count[];
  /** Captured messages. */
  episodes: number;
  /** What was turned down, as long as that is kept. */
  rejections: number;
  /** Contradictions of current memories that nobody has settled. */
  open_contradictions: number;
  /** Waiting or running in the tenant. */
  jobs_queued: number;
  /** How recalls were answered in the last days: the policy's `report_days`. */
  tiers: Tier[];
}

/** A category in which something is held. No `updated_at`: no summary is written yet. */
export interface SummaryListed {
  /** The category it is filed under, by its slug. */
  category: string;
  /** Of which user it is, by the caller's own id; null: of none. */
  user_id: string | null;
  /** PRIVATE: its agent's alone; SHARED: for all agents of the tenant. */
  visibility: Visibility;
  /** Current memories. */
  items: number;
  /** The number of the last version; 0: none is written yet. */
  version: number;
  /** When that was written; null: none is. */
  updated_at: string | null;
}

/** A memory that a summary rests on. */
export interface SummarySource {
  /** The memory, by its id. */
  memory_id: string;
  /** What it says. */
  text: string;
  /** When it was said; where several messages say it, the last time. */
  said_at: string;
}

export interface Summary {
  /** The category it is filed under, by its slug. */
  category: string;
  /** Of which user it is, by the caller's own id; null: of none. */
  user_id: string | null;
  /** PRIVATE: its agent's alone; SHARED: for all agents of the tenant. */
  visibility: Visibility;
  /** Markdown; empty when nothing is held any more. */
  text: string;
  /** 0: arranged for this answer, because none is written yet, or it rests on what was forgotten since. */
  version: number;
  /** Which model and prompt wrote it, or rules. */
  writer: string;
  /** When it was written, or arranged for this answer. */
  updated_at: string;
  /** It rests on what is held now; otherwise a job is to write it anew. */
  is_current: boolean;
  /** The memories it rests on, the last said first. */
  sources: SummarySource[];
}

/** A summary as it stood from `at` on. */
export interface SummaryVersion {
  /** Its number, from 1. */
  number: number;
  /** When it was written. */
  at: string;
  /** Which model and prompt wrote it, or rules. */
  writer: string;
  /** Why rules wrote it and not the model; `unsupported`: its draft said more. */
  degraded: string | null;
  /** What it says. */
  text: string;
  /** What changed since the version before: lines with + and -. */
  diff: string;
  /** The memories it rests on. */
  memory_ids: string[];
}

/** Of a whole day `at` is the midnight it begins with in `time_zone`. */
export interface Trigger {
  /** Its id. */
  id: string;
  /** The clause that named the time, or what the caller wants to be reminded of. */
  text: string;
  /** When it falls due next. */
  at: string;
  /** The same in its time zone. */
  day: string;
  /** Whether it is a moment or a whole day. */
  precision: Precision;
  /** By which clock it is meant, such as Europe/Berlin. */
  time_zone: string;
  /** RFC 5545 without DTSTART; empty for what comes once. */
  recurrence: string;
  /** How it stands now. */
  status: TriggerStatus;
  /** Why it ended by itself. */
  ending: Ending | null;
  /** Its time has come, whether a job has marked it yet or not. */
  is_due: boolean;
  /** Since when it is marked as due; null: it is not. */
  due_at: string | null;
  /** Until when it was put off; null: it was not. */
  snoozed_until: string | null;
  /** Memories to show when it is due. */
  memory_ids: string[];
  /** The message that named it; null for one that a caller set. */
  resource_id: string | null;
  /** The trigger it was moved to. */
  replaced_by_id: string | null;
  /** The agent, by its own name; null: none. */
  agent_id: string | null;
  /** Of which user it is, by the caller's own id; null: of none. */
  user_id: string | null;
  /** PRIVATE: its agent's alone; SHARED: for all agents of the tenant. */
  visibility: Visibility;
  /** When it was made. */
  created_at: string;
}

/** What a group comes to. A key that was not asked for is null, and so is one that its rows do not have. */
export interface UsageGroup {
  /** Of UTC. */
  day: string | null;
  /** The agent, by its own name; null: none. */
  agent_id: string | null;
  /** What it was spent on, by its code, such as recall. */
  operation: string | null;
  /** As it was asked for; empty for an operation that called none. */
  model: string | null;
  /** The caller's own id; null also when it is no longer there. */
  session_id: string | null;
  /** Calls of models, every attempt. */
  calls: number;
  /** Those among them that brought no usable answer. */
  failed_calls: number;
  /** Calls of embedding models, every attempt. */
  embedding_calls: number;
  /** Calls of language models, every attempt. */
  llm_calls: number;
  /** Tokens sent to models. */
  tokens_in: number;
  /** Tokens that models answered with. */
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
  /** What is limited: requests, writes, captures or ingest_lines. */
  name: string;
  /** How many a minute. */
  per_minute: number;
}

/** The caller: `tenant` is the slug, `agent_id` the agent's own name. */
export interface Viewer {
  /** The tenant's slug. */
  tenant: string;
  /** The agent, by its own name; null: none. */
  agent_id: string;
  /** The agent's home category, by its slug; null: none. */
  domain: string | null;
  /** The one user this key or request speaks for. */
  user_id: string | null;
  /** What the caller may do. */
  scopes: Scope[];
  /** How often the caller may do what. */
  limits: Limit[];
}

/** What became of a line, counted from 1. REFUSED: the rate limit was reached; send it again later. FORGOTTEN: it is a copy of a message of which something was forgotten, `resource_id`; nothing is stored. */
export interface IngestedLine {
  /** Its number among the lines, from 1. */
  line: number;
  /** What became of it. */
  status: IngestStatus;
  /** The message it is kept as, or that it is a copy of; null: none. */
  resource_id: string | null;
  /** What is wrong with it, in words; null: nothing. */
  error: string | null;
  /** The field that is wrong; null: none in particular. */
  field: string | null;
}

/** `refused` lines met the rate limit: send them again after `retry_after` seconds. */
export interface Ingest {
  /** How many lines were stored. */
  accepted: number;
  /** How many lines were known already. */
  duplicate: number;
  /** How many lines are of what was forgotten, and were left out. */
  forgotten: number;
  /** How many lines are no valid input. */
  invalid: number;
  /** How many lines differ from what is stored under their id. */
  conflict: number;
  /** How many lines are to be sent again. */
  refused: number;
  /** Seconds to wait before the refused lines are sent again; null: none has to wait. */
  retry_after: number | null;
  /** What became of each line, by its number. */
  results: IngestedLine[];
}

