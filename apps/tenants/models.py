"""Tenant, Membership, Agent, ApiKey; Policy and Category, the only homes of numbers a tenant may tune."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from typing_extensions import override

from apps.core.clock import now
from apps.core.ids import new_id
from apps.jobs import planning
from apps.tenants.taxonomy import LARGEST_LAMBDA, LONGEST_EXAMPLE, LONGEST_KEYWORD, LONGEST_LABEL, LONGEST_TTL_DAYS
from memory_platform.errors import Invalid
from memory_platform.model import Retention, SummariesFirst

_UNIT = [MinValueValidator(0.0), MaxValueValidator(1.0)]
_POSITIVE = [MinValueValidator(0.0)]
_AT_LEAST_ONE = [MinValueValidator(1)]
_DAYS = [MinValueValidator(1), MaxValueValidator(LONGEST_TTL_DAYS)]
_LAMBDA = [MinValueValidator(0.0), MaxValueValidator(LARGEST_LAMBDA)]


def unit_field(default: float, help_text: str) -> "models.FloatField[float, float]":
    return models.FloatField(default=default, validators=_UNIT, help_text=help_text)


def amount_field(default: float, help_text: str) -> "models.FloatField[float, float]":
    return models.FloatField(default=default, validators=_POSITIVE, help_text=help_text)


def count_field(default: int, help_text: str) -> "models.PositiveIntegerField[int, int]":
    return models.PositiveIntegerField(default=default, validators=_AT_LEAST_ONE, help_text=help_text)


def check_time_zone(name: str) -> None:
    """Raises ValidationError."""
    try:
        planning.zone(name)
    except Invalid as error:
        raise ValidationError(error.message) from None


class Tenant(models.Model):
    id = models.UUIDField(primary_key=True, default=new_id)
    slug = models.SlugField(max_length=64, unique=True)
    name = models.CharField(max_length=200)
    created_at = models.DateTimeField(default=now)
    suspended_at = models.DateTimeField(null=True, blank=True, help_text="Keys of a suspended tenant are refused.")

    class Meta:
        db_table = "tenants_tenant"

    @override
    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A person's login in a tenant; until they accept, only the name under which they were invited.

    Whether there is a login of that name is told to nobody: an administrator of one tenant could try names of others.
    """

    class Role(models.TextChoices):
        OWNER = "owner"
        ADMIN = "admin"
        OPERATOR = "operator"
        BILLING = "billing"
        MEMBER = "member"

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant = models.ForeignKey(Tenant, models.CASCADE)
    # services.leave_tenants ends the memberships of a login that goes: each within its tenant's scope.
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.DO_NOTHING, related_name="memberships", null=True)
    invited_as = models.CharField(max_length=150, blank=True, default="")
    role = models.CharField(max_length=8, choices=Role.choices, default=Role.OPERATOR)
    created_at = models.DateTimeField(default=now)

    NOT_CONTENT = frozenset({"invited_as", "role"})

    class Meta:
        db_table = "tenants_membership"
        constraints = [
            models.UniqueConstraint(fields=["tenant", "user"], name="tenants_membership_once"),
            models.UniqueConstraint(
                fields=["tenant", "invited_as"],
                name="tenants_membership_invited_once",
                condition=models.Q(user__isnull=True),
            ),
        ]

    @override
    def __str__(self) -> str:
        return f"{self.user_id or self.invited_as} as {self.role}"


class Agent(models.Model):
    """Something that remembers. Its rows are private to it unless shared; `domain` is its home category."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant = models.ForeignKey(Tenant, models.CASCADE)
    slug = models.SlugField(max_length=64, help_text="The caller's own name for the agent: `agentId` in the API.")
    name = models.CharField(max_length=200, blank=True, default="")
    domain = models.SlugField(max_length=64, blank=True, default="", help_text="Category this agent is at home in.")
    writes_per_minute = models.PositiveIntegerField(
        null=True, blank=True, help_text="Overrides the tenant's limit for remember, correct and share."
    )
    created_at = models.DateTimeField(default=now)

    NOT_CONTENT = frozenset({"domain", "name", "slug"})

    class Meta:
        db_table = "tenants_agent"
        constraints = [models.UniqueConstraint(fields=["tenant", "slug"], name="tenants_agent_slug")]

    @override
    def __str__(self) -> str:
        return self.slug


class ApiKey(models.Model):
    """A key of an agent: found by prefix, proven by the SHA-256 of a 256-bit secret, limited by scopes.

    With `user_id` it reaches one user's memories only.
    """

    class Scope(models.TextChoices):
        READ = "read"
        WRITE = "write"
        SHARE = "share"
        REVIEW = "review"
        ADMIN = "admin"
        BILLING = "billing"
        ERASE = "erase"

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant = models.ForeignKey(Tenant, models.CASCADE)
    agent = models.ForeignKey(Agent, models.CASCADE, db_constraint=False, related_name="keys")
    user_id = models.CharField(
        max_length=200,
        null=True,
        blank=True,
        help_text="The caller's own id of the one user whose memories it reaches; empty: every user's.",
    )
    name = models.CharField(max_length=200, blank=True, default="")
    made_by = models.CharField(
        max_length=64,
        blank=True,
        default="",
        editable=False,
        help_text="Whose it is: the person or command that made it, or that made the key it was made with.",
    )
    prefix = models.CharField(max_length=16, unique=True)
    secret_hash = models.BinaryField(max_length=32, editable=False)
    scopes = ArrayField(models.CharField(max_length=8, choices=Scope.choices))
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    ERASABLE = frozenset({"user_id"})
    NOT_CONTENT = frozenset({"made_by", "name", "prefix", "scopes", "secret_hash"})

    class Meta:
        db_table = "tenants_api_key"

    @override
    def __str__(self) -> str:
        return f"mp_{self.prefix}…"


class Category(models.Model):
    """A domain of knowledge with its own lifetime: TTL, decay and retention curve."""

    class Purpose(models.TextChoices):
        KNOWLEDGE = "knowledge"
        OPERATIONAL = "operational"

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant = models.ForeignKey(Tenant, models.CASCADE)
    slug = models.SlugField(max_length=64)
    label = models.CharField(max_length=LONGEST_LABEL)
    keywords = ArrayField(models.CharField(max_length=LONGEST_KEYWORD), default=list, blank=True)
    ttl_days = models.PositiveIntegerField(
        "TTL in days",
        default=90,
        null=True,
        blank=True,
        validators=_DAYS,
        help_text="Days since confirmed after which a memory is tagged stale, and archived if unused; empty: never.",
    )
    decay_lambda = models.FloatField(
        default=0.01,
        validators=_LAMBDA,
        help_text="λ of the recall score's exp(−λ·days): ln 2 by the days in which it halves.",
    )
    erase_after_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=_DAYS,
        help_text="Days after which its memories are erased for good, with their messages; empty: never.",
    )
    retention = models.CharField(
        max_length=11,
        choices=[(curve.value, curve.value) for curve in Retention],
        default=Retention.EBBINGHAUS.value,
        help_text="Curve the confidence follows.",
    )
    purpose = models.CharField(max_length=11, choices=Purpose.choices, default=Purpose.KNOWLEDGE)
    protected = models.BooleanField(
        default=False, help_text="Its memories never fade and never expire, and maintenance archives none."
    )
    examples = ArrayField(
        models.CharField(max_length=LONGEST_EXAMPLE),
        null=True,
        blank=True,
        help_text="What is said in it, for statements that hold no keyword; empty: the deployment's own examples.",
    )
    taxonomy_version = models.PositiveIntegerField(default=1)

    NOT_CONTENT = frozenset({"examples", "keywords", "label", "purpose", "retention", "slug"})

    class Meta:
        db_table = "tenants_category"
        verbose_name_plural = "categories"
        constraints = [models.UniqueConstraint(fields=["tenant", "slug"], name="tenants_category_slug")]

    @override
    def __str__(self) -> str:
        return self.label


class Policy(models.Model):
    """A tenant's numbers, a row each. Defaults and their sources are in DESIGN's table of starting numbers."""

    tenant = models.OneToOneField(Tenant, models.CASCADE, primary_key=True)

    time_zone = models.CharField(
        max_length=64,
        default="UTC",
        validators=[check_time_zone],
        help_text="In which schedules are meant: Europe/Berlin, America/New_York.",
    )
    keep_raw_secrets = models.BooleanField(
        default=False, help_text="Keep secrets and card numbers in raw resources. Memories never contain them."
    )
    day_first = models.BooleanField(default=True, help_text="Read 3/5 as a day of May; otherwise as one of March.")
    gate_minimum_length = count_field(4, "Facts of fewer letters and digits are discarded.")
    gate_allow_above = unit_field(0.45, "Usefulness above which a fact is allowed.")
    gate_discard_below = unit_field(0.05, "Usefulness below which a fact is discarded; between the two it is held.")

    confidence_explicit = unit_field(0.9, "Confidence of something said outright.")
    confidence_implied = unit_field(0.7, "Confidence of something implied; also of [MEMORY] markers.")
    confidence_inferred = unit_field(0.5, "Confidence of something inferred.")
    reinforce_other_source = unit_field(0.1, "Added when another source confirms.")
    reinforce_same_session = unit_field(0.05, "Added when the same session says it again.")
    contradicted_penalty = unit_field(0.2, "Taken off when contradicted.")
    access_bonus = unit_field(0.05, "a in a·ln(1 + n/20), the total gained by n accesses.")

    dedup_related = models.FloatField(
        null=True, blank=True, validators=_UNIT, help_text="Cosine of a related fact; empty: the embedding model's own."
    )
    merge_from = models.FloatField(
        null=True,
        blank=True,
        validators=_UNIT,
        help_text="Probability from which a repeated fact is merged; empty: the model's own.",
    )
    close_from = models.FloatField(
        null=True,
        blank=True,
        validators=_UNIT,
        help_text="Probability from which a new fact closes the one it replaces; empty: the model's own.",
    )
    doubt_from = models.FloatField(
        null=True,
        blank=True,
        validators=_UNIT,
        help_text="Probability from which it puts it in doubt instead; empty: the model's own.",
    )

    relevance_floor = unit_field(0.001, "Probability below which nothing is answered.")
    relevance_sure = unit_field(0.1, "Probability below which a hit is marked as weak.")
    fusion = models.CharField(
        max_length=16,
        default="learned",
        choices=[
            ("learned", "learned head"),
            ("contextual", "contextual BM25 + gated cosine"),
            ("keyword", "contextual BM25 alone"),
            ("vector", "cosine alone"),
            ("reciprocal_rank", "weighted reciprocal rank"),
            ("dual", "dual score"),
        ],
        help_text="How what the keywords, the vectors and the graph say of a memory becomes one score.",
    )
    rrf_k = count_field(60, "k of reciprocal rank fusion.")
    rrf_keyword_weight = amount_field(1.0, "Weight of the keyword arm in reciprocal rank fusion.")
    rrf_vector_weight = amount_field(1.0, "Weight of the vector arm in reciprocal rank fusion.")
    graph_weight = amount_field(0.0, "What nearness in the graph adds to a score.")
    time_weight = amount_field(0.0, "What lying in the time a question names adds to a score.")
    intent_threshold = unit_field(0.45, "Cosine to the nearest example question from which its intent is taken.")
    stale_multiplier = unit_field(0.5, "Score multiplier of items whose status is stale.")
    off_domain_multiplier = unit_field(0.7, "Score multiplier outside the asking agent's domain.")
    sentiment_multiplier = amount_field(1.05, "Score multiplier when the sentiments match.")
    priority_clamp = unit_field(0.3, "Bound of the learned priority's effect, either way.")

    lean_limit = count_field(3, "Hits of the lean profile.")
    balanced_limit = count_field(7, "Hits of the balanced profile.")
    deep_limit = count_field(15, "Hits of the deep profile.")
    context_tokens = count_field(2_000, "Tokens of a context, or of what a session begins with, when nobody names any.")
    context_limit = count_field(10, "Memories in a context block at most.")
    pressed_context_limit = count_field(5, "The same once the soft amount of a budget is reached.")
    simple_depth = count_field(2, "Hops in the graph for a simple question.")
    complex_depth = count_field(4, "Hops in the graph for a complex question.")
    simple_seeds = count_field(5, "Entities a simple question starts from in the graph.")
    complex_seeds = count_field(20, "Entities a complex question starts from in the graph.")
    facts_share = unit_field(0.40, "Share of a context in sections that facts may use first.")
    profiles_share = unit_field(0.25, "The same for profiles of entities.")
    timeline_share = unit_field(0.25, "The same for what happened when.")
    evidence_share = unit_field(0.10, "The same for what was said.")
    uncertain_below = unit_field(0.3, "Effective confidence tagged uncertain.")
    ebbinghaus_rate = amount_field(0.1, "r in c·exp(−r·days^p).")
    ebbinghaus_power = amount_field(0.8, "p in c·exp(−r·days^p).")
    operational_grace_days = count_field(30, "Days before operational memories start to lose confidence.")
    operational_weekly_loss = unit_field(0.1, "Confidence an operational memory loses a week after that.")
    operational_gain = unit_field(0.1, "Confidence an operational memory gains when it is observed again.")
    weak_below = unit_field(0.3, "Effective confidence listed as weak.")
    weak_soon_days = count_field(7, "Days ahead: what will be weak by then is listed as weak.")

    feedback_used = unit_field(0.1, "Priority gained by a memory the output used.")
    feedback_ignored = unit_field(0.05, "Priority lost by a memory the output ignored.")
    feedback_ignored_expensive = unit_field(0.1, "The same where it cost more tokens than the recall's median hit.")
    feedback_used_from = unit_field(0.45, "Probability from which an output counts as having used a memory.")
    feedback_half_life_days = count_field(30, "Days in which half of what was learnt from use fades.")
    feedback_window_hours = count_field(24, "Hours after a recall in which its output may be reported.")
    feedback_helpful = unit_field(0.1, "Priority gained by a memory somebody called helpful.")
    outdated_ends_validity = models.BooleanField(
        default=False, help_text="A memory called outdated is no longer true; otherwise it counts as stale."
    )

    stale_after_days = count_field(90, "Days a memory lies here and is not recalled before it counts as stale.")
    forget_stale_after_days = count_field(180, "Days a memory is stale before it is forgotten; restore undoes it.")
    prune_below = unit_field(0.05, "Effective confidence below which a memory past its TTL is archived; 0: none is.")
    operational_inactive_below = unit_field(
        0.3, "Effective confidence below which a memory of an operational category is archived."
    )
    new_priority = unit_field(0.1, "Priority gained in the night after a memory was stored.")

    insight_least = count_field(3, "Archived memories of one matter that make an insight.")
    insight_most = count_field(50, "Memories one insight tells of at most.")
    insight_similarity = unit_field(
        0.5, "How far from a related cosine to a duplicate's what is of one matter lies; 1: only duplicates are."
    )
    cold_after_days = count_field(180, "Days an archived or forgotten memory is left alone before it is packed away.")
    entity_summary_mentions = count_field(3, "Mentions from which an entity gets a summary.")
    cause_pairs = count_field(
        50, "Pairs of messages in a row a night asks a model about: did one bring the other about."
    )

    summary_debounce_seconds = models.PositiveIntegerField(
        default=60, help_text="Seconds after a change of its memories before a category's summary is written anew."
    )
    summary_items = count_field(200, "Memories a summary rests on at most: those said last.")
    summary_versions = count_field(20, "Versions of a summary that are kept.")
    summaries_asked = count_field(3, "Summaries a question is put to first.")
    summary_sufficient = unit_field(
        0.75, "Share of a question's words a memory of theirs must hold once a budget presses, or it is searched for."
    )
    tier1 = models.CharField(
        max_length=8,
        default=SummariesFirst.PRESSURE.value,
        choices=[(each.value, each.value) for each in SummariesFirst],
        help_text="When the summaries answer before a search: never, once a budget presses, or always.",
    )
    tier1_sufficient = unit_field(
        0.5,
        "Probability a memory of the best summaries must have, where they are always asked, or all is searched.",
    )

    lesson_guidance_from = unit_field(0.35, "Probability from which what a user wants counts as a lesson.")
    lesson_request_sessions = count_field(3, "Sessions in which a user asks the same until that is a lesson.")
    lesson_start_share = unit_field(0.5, "Share of what a session begins with that lessons may take.")

    curation_promote_above = unit_field(
        0.8, "Confidence above which a proposal that names a reference, a path or a command is promoted by rule."
    )
    curation_reject_below = unit_field(0.3, "Confidence below which a proposal is rejected by rule.")
    curation_near_from = unit_field(0.8, "Share of their words from which two lines say nearly the same.")
    curation_minimum_length = count_field(12, "Proposals of fewer letters and digits are rejected by rule.")
    curation_batch = count_field(20, "Proposals that are looked at together.")
    curation_entries = count_field(200, "Lines of the curated memory beyond which the least sure are to go.")
    curation_start_share = unit_field(0.3, "Share of what a session begins with that the curated memory may take.")
    reflection_items = count_field(500, "Memories one reflection looks at, the earliest changed first.")

    writes_per_minute = count_field(60, "remember, correct and share per agent.")
    captures_per_minute = count_field(600, "captureTurn per agent.")
    captures_burst = count_field(120, "captureTurn accepted at once.")
    ingest_lines_per_minute = count_field(
        20_000,
        "Accepted lines of bulk ingest per agent: as many at once, refilled over a minute, so that one minute may have "
        "nearly twice as many.",
    )
    requests_per_minute = count_field(6_000, "Requests of any kind per key.")

    event_streams = count_field(20, "Listeners to events that each web process serves at once.")

    session_timeout_minutes = count_field(30, "Minutes of silence after which a session is ended.")
    session_given_hits = count_field(200, "The last hits of a session, which it is not given again; older ones may be.")
    due_start_share = unit_field(0.25, "Share of what a session begins with that what is due may take.")
    due_preloaded = count_field(5, "Memories of what is due that a session begins with, beside the others.")

    trigger_missed_days = count_field(1, "Days a time may be past when its message is read, and still fall due.")
    trigger_lapse_days = count_field(30, "Days after which what fell due and nobody looked after is over.")

    recall_retention_days = count_field(90, "Days a recall trace is kept.")
    job_retention_days = count_field(30, "Days a finished job is kept.")
    rejection_retention_days = count_field(90, "Days a rejection is kept.")
    event_retention_days = count_field(7, "Days an event can be asked for again.")
    erasure_approval = models.CharField(
        max_length=13,
        default="none",
        choices=[("none", "nobody"), ("second_person", "a second person")],
        help_text="Who must approve that something is erased for good, besides who asks for it.",
    )
    erasure_preview_minutes = count_field(60, "Minutes in which an erasure can be asked for as it was previewed.")
    has_budgets = models.BooleanField(
        default=False, editable=False, help_text="Whether there are budgets: who loads the policy need not look."
    )
    updated_at = models.DateTimeField(auto_now=True)

    NOT_CONTENT = frozenset({"erasure_approval", "fusion", "tier1", "time_zone"})

    class Meta:
        db_table = "tenants_policy"
        verbose_name_plural = "policies"

    @override
    def __str__(self) -> str:
        return "Policy"
