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
_SPAN = [MinValueValidator(1), MaxValueValidator(LONGEST_TTL_DAYS)]
_LAMBDA = [MinValueValidator(0.0), MaxValueValidator(LARGEST_LAMBDA)]


def unit_field(default: float, help_text: str) -> "models.FloatField[float, float]":
    return models.FloatField(default=default, validators=_UNIT, help_text=help_text)


def amount_field(default: float, help_text: str) -> "models.FloatField[float, float]":
    return models.FloatField(default=default, validators=_POSITIVE, help_text=help_text)


def count_field(default: int, help_text: str) -> "models.PositiveIntegerField[int, int]":
    return models.PositiveIntegerField(default=default, validators=_AT_LEAST_ONE, help_text=help_text)


def time_field(default: int, help_text: str) -> "models.PositiveIntegerField[int, int]":
    """So many days, hours or minutes: few enough that no date falls out of the calendar."""
    return models.PositiveIntegerField(default=default, validators=_SPAN, help_text=help_text)


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
        null=True,
        blank=True,
        help_text="Calls of remember, correct and share this agent may make in a minute, instead of the tenant's "
        "number; a higher one lets it write more before it has to wait.",
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
        """Asking for what the agent holds."""
        WRITE = "write"
        """Changing it."""
        SHARE = "share"
        """What the tenant's agents share: reading it, with `read`, and adding to it, with `write`."""
        REVIEW = "review"
        """Deciding what waits for people."""
        ADMIN = "admin"
        """Keys, categories, schedules, limits; what `review` and `billing` allow."""
        BILLING = "billing"
        """Usage, costs and budgets."""
        ERASE = "erase"
        """Erasing for good, and exporting."""

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
        """What people and projects are about."""
        OPERATIONAL = "operational"
        """What an agent works by: rules, systems, procedures."""

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
        validators=_SPAN,
        help_text="Days since confirmed after which a memory is tagged stale, and archived if unused; more keep it "
        "longer, empty: for good.",
    )
    decay_lambda = models.FloatField(
        default=0.01,
        validators=_LAMBDA,
        help_text="How fast a memory sinks in answers with the days since it was confirmed; higher sinks sooner, 0 "
        "never. It is λ in exp(−λ·days): 0.01 halves a score in 69 days.",
    )
    erase_after_days = models.PositiveIntegerField(
        null=True,
        blank=True,
        validators=_SPAN,
        help_text="Days after which its memories are erased for good, with their messages; more keep them longer, "
        "empty: for good.",
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
    gate_minimum_length = count_field(
        4, "Letters and digits a new fact must have to be kept; a higher number discards more of the short ones."
    )
    gate_allow_above = unit_field(
        0.45,
        "Usefulness, from 0 to 1, above which a new fact is kept without asking anybody; higher keeps fewer "
        "and holds more for somebody to look at.",
    )
    gate_discard_below = unit_field(
        0.05,
        "Usefulness, from 0 to 1, below which a new fact is discarded; higher discards more. Between the two "
        "it is held.",
    )

    confidence_explicit = unit_field(
        0.9,
        "How sure, from 0 to 1, a memory is at first where it was said outright; the higher, the longer it "
        "stays trusted.",
    )
    confidence_implied = unit_field(
        0.7,
        "How sure, from 0 to 1, a memory is at first where it was implied, or marked with [MEMORY]; the "
        "higher, the longer it stays trusted.",
    )
    confidence_inferred = unit_field(
        0.5,
        "How sure, from 0 to 1, a memory is at first where it was inferred from what was said; the higher, "
        "the longer it stays trusted.",
    )
    reinforce_other_source = unit_field(
        0.1,
        "Confidence, from 0 to 1, a memory gains when another source confirms it; higher lets repetition "
        "count for more.",
    )
    reinforce_same_session = unit_field(
        0.05,
        "Confidence, from 0 to 1, a memory gains when the same session says it again; higher lets repetition "
        "count for more.",
    )
    contradicted_penalty = unit_field(
        0.2, "Confidence, from 0 to 1, a memory loses when something contradicts it; higher makes it weak sooner."
    )
    access_bonus = unit_field(
        0.05,
        "How much surer a memory becomes by being recalled often; higher rewards use more. All n recalls "
        "together add this times ln(1 + n/s), where s is `access_scale`.",
    )
    access_scale = count_field(
        20,
        "Recalls of a memory that make it surer fast; with a higher number each counts for less. It is s in "
        "ln(1 + n/s).",
    )

    dedup_related = models.FloatField(
        null=True,
        blank=True,
        validators=_UNIT,
        help_text="How alike in meaning, from 0 to 1, two facts must be to be compared; higher compares fewer. Empty: "
        "the embedding model's own number, a cosine.",
    )
    merge_from = models.FloatField(
        null=True,
        blank=True,
        validators=_UNIT,
        help_text="How probable, from 0 to 1, it must be that a new fact repeats an old one for them to be merged; "
        "higher merges fewer. Empty: the model's own number.",
    )
    close_from = models.FloatField(
        null=True,
        blank=True,
        validators=_UNIT,
        help_text="How probable, from 0 to 1, it must be that a new fact replaces an old one for the old one to end; "
        "higher ends fewer. Empty: the model's own number.",
    )
    doubt_from = models.FloatField(
        null=True,
        blank=True,
        validators=_UNIT,
        help_text="How probable, from 0 to 1, it must be that a new fact replaces an old one for the old one to be put "
        "in doubt instead; higher doubts fewer. Empty: the model's own number.",
    )

    relevance_floor = unit_field(
        0.001,
        "How probable, from 0 to 1, it must be that a memory answers the question for anything to be "
        "answered; higher leaves more questions without an answer.",
    )
    relevance_sure = unit_field(
        0.1, "Probability, from 0 to 1, below which a hit is marked as weak; higher marks more hits."
    )
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
    rrf_k = count_field(
        60,
        "How little the first places count beside later ones, where the weighted reciprocal rank is chosen; "
        "higher makes them more alike. A place counts 1/(this + place).",
    )
    rrf_keyword_weight = amount_field(
        1.0,
        "How much the order by keywords counts, where the weighted reciprocal rank is chosen; higher trusts "
        "words more.",
    )
    rrf_vector_weight = amount_field(
        1.0,
        "How much the order by meaning counts, where the weighted reciprocal rank is chosen; higher trusts "
        "meaning more.",
    )
    graph_weight = amount_field(
        0.0,
        "What being near in the graph to what a question names adds to a score; higher prefers such memories "
        "more, 0 not at all.",
    )
    time_weight = amount_field(
        0.0, "What lying in the time a question names adds to a score; higher prefers such memories more, 0 not at all."
    )
    intent_threshold = unit_field(
        0.45,
        "How alike in meaning, from 0 to 1, a question must be to an example for its intent to be taken from "
        "it; higher recognises fewer questions. It is a cosine.",
    )
    least_recency = unit_field(
        0.25,
        "What age leaves of a score at least, from 0 to 1; higher lets what is old stand further up, 1 lets nothing "
        "sink.",
    )
    message_decay_lambda = amount_field(
        0.01,
        "How fast a message that is no memory of any category sinks in answers with the days since it was said; higher "
        "sinks sooner, 0 never. It is λ in exp(−λ·days).",
    )
    stale_multiplier = unit_field(
        0.5, "What the score of a stale memory is multiplied by, from 0 to 1; higher lets it stand further up."
    )
    off_domain_multiplier = unit_field(
        0.7,
        "What the score of a memory outside the asking agent's domain is multiplied by, from 0 to 1; higher "
        "lets it stand further up.",
    )
    sentiment_multiplier = amount_field(
        1.05,
        "What the score of a memory is multiplied by that has the mood of the question; higher lets it stand "
        "further up, 1 changes nothing.",
    )
    priority_clamp = unit_field(
        0.3,
        "How far, from 0 to 1, what was learnt from use may raise or lower a score: 0.3 is 30 percent either "
        "way. Higher lets it move more.",
    )

    lean_limit = count_field(3, "Hits of the lean profile at most; more tell an agent more and take more tokens.")
    balanced_limit = count_field(
        7, "Hits of the balanced profile at most; more tell an agent more and take more tokens."
    )
    deep_limit = count_field(15, "Hits of the deep profile at most; more tell an agent more and take more tokens.")
    context_tokens = count_field(
        2_000,
        "Tokens, pieces of words, of a context, or of what a session begins with, when nobody names any; more"
        " tell an agent more and cost more.",
    )
    context_limit = count_field(10, "Memories in a context at most; more tell an agent more and take more tokens.")
    pressed_context_limit = count_field(
        5,
        "Memories in a context at most once the soft amount of a budget is reached; more tell an agent more "
        "and cost more.",
    )
    simple_depth = count_field(
        2,
        "Steps from name to name that the graph is followed for a simple question; more find what is further "
        "away and take longer.",
    )
    complex_depth = count_field(
        4,
        "Steps from name to name that the graph is followed for a complex question; more find what is further"
        " away and take longer.",
    )
    simple_seeds = count_field(
        5, "Names a simple question starts from in the graph at most; more find more and take longer."
    )
    complex_seeds = count_field(
        20, "Names a complex question starts from in the graph at most; more find more and take longer."
    )
    facts_share = unit_field(
        0.40,
        "Share, from 0 to 1, of a context in sections that facts may use first; a higher one leaves less for "
        "the other sections.",
    )
    profiles_share = unit_field(
        0.25,
        "Share, from 0 to 1, of a context in sections that profiles of people and things may use first; a "
        "higher one leaves less for the other sections.",
    )
    timeline_share = unit_field(
        0.25,
        "Share, from 0 to 1, of a context in sections that what happened when may use first; a higher one "
        "leaves less for the other sections.",
    )
    evidence_share = unit_field(
        0.10,
        "Share, from 0 to 1, of a context in sections that quotes of what was said may use first; a higher "
        "one leaves less for the other sections.",
    )
    section_profiles = count_field(
        3,
        "Profiles of people and things in a context in sections at most; more tell an agent more and take more tokens.",
    )
    profile_statements = count_field(
        6,
        "Statements that stand for the profile of what has no summary yet, at most; more tell an agent more and take "
        "more tokens.",
    )
    excerpt_share = unit_field(
        0.125,
        "Share, from 0 to 1, of a context that one memory or message may take before it is cut to what the question "
        "is about; a higher one leaves less for the others.",
    )
    uncertain_below = unit_field(
        0.3,
        "Confidence, from 0 to 1 and as it has faded by now, below which a hit is tagged uncertain; higher "
        "tags more hits.",
    )
    ebbinghaus_rate = amount_field(
        0.1,
        "How fast confidence falls with the days a memory is neither used nor confirmed; higher fades sooner."
        " It is r in c·exp(−r·days^p).",
    )
    ebbinghaus_power = amount_field(
        0.8,
        "How much late days count beside early ones when confidence falls; higher fades old memories more. It"
        " is p in c·exp(−r·days^p).",
    )
    operational_grace_days = time_field(
        30, "Days before an operational memory starts to lose confidence; more keep it sure longer."
    )
    operational_weekly_loss = unit_field(
        0.1,
        "Confidence, from 0 to 1, an operational memory loses each week once its days of grace are over; "
        "higher fades sooner.",
    )
    operational_gain = unit_field(
        0.1,
        "Confidence, from 0 to 1, an operational memory gains when it is observed again; higher makes it sure sooner.",
    )
    weak_below = unit_field(
        0.3,
        "Confidence, from 0 to 1 and as it has faded by now, below which a memory is listed as weak; higher "
        "lists more.",
    )
    weak_soon_days = time_field(
        7, "Days ahead that are looked at: what will be weak by then is listed as weak already. More days list more."
    )

    feedback_used = unit_field(
        0.1, "Priority, from 0 to 1, a memory gains when an output used it; higher moves it up sooner."
    )
    feedback_ignored = unit_field(
        0.05, "Priority, from 0 to 1, a memory loses when an output ignored it; higher moves it down sooner."
    )
    feedback_ignored_expensive = unit_field(
        0.1,
        "Priority, from 0 to 1, a memory loses when an output ignored it and it took more tokens than the "
        "recall's median hit; higher moves it down sooner.",
    )
    feedback_used_from = unit_field(
        0.45,
        "How probable, from 0 to 1, it must be that an output used a memory for it to count as used; higher "
        "counts fewer.",
    )
    feedback_half_life_days = time_field(
        30, "Days in which half of what was learnt from use fades; more keep it longer."
    )
    feedback_window_hours = time_field(
        24, "Hours after a recall in which its output may be reported; more accept later reports."
    )
    feedback_same_question_from = unit_field(
        0.75,
        "Share, from 0 to 1, of the shorter question's words that two must have in common for the second to teach "
        "nothing new; higher lets more repetitions teach.",
    )
    feedback_helpful = unit_field(
        0.1, "Priority, from 0 to 1, a memory gains when somebody calls it helpful; higher moves it up sooner."
    )
    outdated_ends_validity = models.BooleanField(
        default=False, help_text="A memory called outdated is no longer true; otherwise it counts as stale."
    )

    stale_after_days = time_field(
        90, "Days a memory lies here and is not recalled before it counts as stale; more keep it current longer."
    )
    forget_stale_after_days = time_field(
        180, "Days a memory is stale before it is forgotten, which restoring undoes; more keep it longer."
    )
    prune_below = unit_field(
        0.05,
        "Confidence, from 0 to 1 and as it has faded by now, below which a memory past its TTL is archived; "
        "higher archives more, 0 none.",
    )
    operational_inactive_below = unit_field(
        0.3,
        "Confidence, from 0 to 1 and as it has faded by now, below which a memory of an operational category "
        "is archived; higher archives more.",
    )
    new_priority = unit_field(
        0.1,
        "Priority, from 0 to 1, a memory gains in the night after it was stored; higher moves new memories further up.",
    )

    insight_least = count_field(
        3, "Archived memories of one matter that it takes to make an insight; a higher number makes fewer insights."
    )
    insight_most = count_field(50, "Memories one insight tells of at most; more make longer insights.")
    insight_similarity = unit_field(
        0.5,
        "How alike archived memories must be to be of one matter, from 0, related, to 1, duplicates; higher "
        "makes smaller groups.",
    )
    cold_after_days = time_field(
        180, "Days an archived or forgotten memory is left alone before it is packed away; more keep it at hand longer."
    )
    entity_summary_mentions = count_field(
        3, "Times an entity must be mentioned to get a summary; a higher number summarises fewer."
    )
    cause_pairs = count_field(
        50,
        "Pairs of messages in a row a night asks a model about: did one bring the other about. More find more"
        " causes and cost more.",
    )

    cause_confidence = unit_field(
        0.7,
        "How sure, from 0 to 1, it is at first that one message brought the next about, where no sentence says so; "
        "higher lets such causes weigh more.",
    )
    stated_cause_confidence = unit_field(
        0.8,
        "How sure, from 0 to 1, it is at first that one thing brought another about, where a sentence says so; higher "
        "lets such causes weigh more. It is never surer than the memory it is read in.",
    )
    report_days = time_field(
        30, "Days the health report and the hit rates of the tiers look back; more show longer trends."
    )

    summary_debounce_seconds = models.PositiveIntegerField(
        default=60,
        validators=[MaxValueValidator(LONGEST_TTL_DAYS)],
        help_text="Seconds after a change of its memories before a category's summary is written anew; more write it "
        "less often and later.",
    )
    summary_items = count_field(
        200, "Memories a summary rests on at most: those said last. More tell of longer ago and cost more."
    )
    summary_versions = count_field(20, "Versions of a summary that are kept; more let you look further back.")
    summaries_asked = count_field(
        3, "Summaries a question is put to first; more answer more questions and take longer."
    )
    summary_sufficient = unit_field(
        0.75,
        "Share, from 0 to 1, of a question's words a memory of the summaries must hold to answer without a "
        "search once a budget presses; a higher one searches more often.",
    )
    tier1 = models.CharField(
        max_length=8,
        default=SummariesFirst.PRESSURE.value,
        choices=[(each.value, each.value) for each in SummariesFirst],
        help_text="When the summaries answer before a search: never, once a budget presses, or always.",
    )
    tier1_sufficient = unit_field(
        0.5,
        "How probable, from 0 to 1, it must be that a memory of the best summaries answers, where they are "
        "always asked, for the search to be left out; higher searches more often.",
    )

    lesson_guidance_from = unit_field(
        0.35,
        "How probable, from 0 to 1, it must be that a user says how to do things for that to be a lesson; "
        "higher learns fewer lessons.",
    )
    lesson_request_sessions = count_field(
        3, "Sessions in which a user must ask the same for that to be a lesson; a higher number learns fewer lessons."
    )
    lesson_start_share = unit_field(
        0.5,
        "Share, from 0 to 1, of what a session begins with that lessons may take; a higher one leaves less "
        "for memories.",
    )
    lesson_file_lines = count_field(
        100, "Lessons the lessons file tells at most: those heard last. More tell an agent more and take more tokens."
    )
    lesson_file_tokens = count_field(
        2_000,
        "Tokens, pieces of words, of the lessons file when nobody names any; more tell an agent more and cost more.",
    )

    curation_promote_above = unit_field(
        0.8,
        "Confidence, from 0 to 1, above which a proposal that names a reference, a path or a command is "
        "promoted by rule; higher leaves more to people.",
    )
    curation_reject_below = unit_field(
        0.3, "Confidence, from 0 to 1, below which a proposal is rejected by rule; higher rejects more."
    )
    curation_near_from = unit_field(
        0.8,
        "Share, from 0 to 1, of their words two lines must have in common to say nearly the same; a higher "
        "one merges fewer.",
    )
    curation_minimum_length = count_field(
        12,
        "Letters and digits a proposal must have not to be rejected by rule; a higher number rejects more of "
        "the short ones.",
    )
    curation_batch = count_field(
        20, "Proposals that are looked at together; more are done with sooner, in longer steps."
    )
    curation_entries = count_field(
        200,
        "Lines of the curated memory beyond which the least sure are to go; more tell agents more and take "
        "more tokens.",
    )
    curation_start_share = unit_field(
        0.3,
        "Share, from 0 to 1, of what a session begins with that the curated memory may take; a higher one "
        "leaves less for memories.",
    )
    reflection_items = count_field(
        500,
        "Memories one reflection looks at, the earliest changed first; more are done with sooner and cost "
        "more at once.",
    )

    writes_per_minute = count_field(
        60,
        "Calls of remember, correct and share an agent may make in a minute; a higher number lets it write "
        "more before it has to wait.",
    )
    captures_per_minute = count_field(
        600,
        "Turns of conversations an agent may hand in by captureTurn in a minute; a higher number lets it hand"
        " in more before it has to wait.",
    )
    captures_burst = count_field(
        120,
        "Turns of conversations an agent may hand in by captureTurn all at once; a higher number lets it hand"
        " in more before it has to wait.",
    )
    ingest_lines_per_minute = count_field(
        20_000,
        "Lines of bulk ingest an agent may hand in in a minute; a higher number lets it hand in more before "
        "it has to wait. As many may come at once and are refilled over a minute, so that one minute may have"
        " nearly twice as many.",
    )
    requests_per_minute = count_field(
        6_000,
        "Requests of any kind a key may make in a minute; a higher number lets it ask more before it has to wait.",
    )

    event_streams = count_field(
        20, "Listeners to events that each web process serves at once; more take more of its connections."
    )

    session_timeout_minutes = time_field(
        30, "Minutes of silence after which a session is ended; more keep it open longer."
    )
    session_given_hits = count_field(
        200,
        "The last hits of a session, as many as it is not given again; more repeat less, and older ones may "
        "come again.",
    )
    due_start_share = unit_field(
        0.25,
        "Share, from 0 to 1, of what a session begins with that what is due may take; a higher one leaves "
        "less for memories.",
    )
    due_preloaded = count_field(
        5,
        "Memories of what is due that a session begins with, beside the others; more tell an agent more and "
        "take more tokens.",
    )

    trigger_worth_from = unit_field(
        0.15,
        'How useful, from 0 to 1, a statement must be for a bare name of a day in it ("see you on Friday") to fall '
        "due; higher takes more of them for small talk.",
    )
    trigger_planned_from = unit_field(
        0.1,
        "How probable, from 0 to 1, it must be that an English statement tells of what happens once for a bare name of "
        "a day in it to fall due; higher takes more of them for habits and opening hours.",
    )
    trigger_missed_days = time_field(
        1,
        "Days a time may be past when its message is read, and still fall due; more announce more of what was missed.",
    )
    trigger_lapse_days = time_field(
        30, "Days after which what fell due and nobody looked after is over; more keep it in sight longer."
    )

    recall_retention_days = time_field(
        90, "Days a recall trace is kept; more days let you look further back and take more room."
    )
    job_retention_days = time_field(
        30, "Days a finished job is kept; more days let you look further back and take more room."
    )
    rejection_retention_days = time_field(
        90, "Days a rejection is kept; more days let you look further back and take more room."
    )
    event_retention_days = time_field(7, "Days an event can be asked for again; more let a listener stay away longer.")
    erasure_approval = models.CharField(
        max_length=13,
        default="none",
        choices=[("none", "nobody"), ("second_person", "a second person")],
        help_text="Who must approve that something is erased for good, besides who asks for it.",
    )
    erasure_preview_minutes = time_field(
        60, "Minutes in which an erasure can be asked for as it was previewed; more leave longer to decide."
    )
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
