"""What was learnt: items with their history, where they come from, what was turned down, and what was forgotten."""

from enum import StrEnum

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.lookups import Exact

from apps.core.clock import now
from apps.core.ids import new_id
from memory_platform.lifecycle.feedback import Opinion
from memory_platform.model import (
    FiledBy,
    Kind,
    Mood,
    Priority,
    Sentiment,
    Slot,
    Standing,
    Status,
    Strength,
    Unit,
    Verdict,
    Visibility,
)

_VISIBILITIES = [(visibility.value, visibility.value) for visibility in Visibility]
_FILED_BY = [(each.value, each.value) for each in FiledBy]
_KINDS = [(kind.value, kind.value) for kind in Kind]
_STRENGTHS = [(strength.value, strength.value) for strength in Strength]
_SENTIMENTS = [(sentiment.value, sentiment.value) for sentiment in Sentiment]
_PRIORITIES = [(priority.value, priority.value) for priority in Priority]
_VERDICTS = [(verdict.value, verdict.value) for verdict in Verdict if verdict is not Verdict.DISCARD]
_STATUSES = [(status.value, status.value) for status in Status]
_MOODS = [(mood.value, mood.value) for mood in Mood]
_STANDINGS = [(standing.value, standing.value) for standing in Standing if standing]
_OPINIONS = [(opinion.value, opinion.value) for opinion in Opinion]
DECAYED = "decayed"
"""Why an operational memory is archived that was not observed again."""
_UNITS = [(unit.value, unit.value) for unit in Unit]


class AudienceClock(models.Model):
    """One row per audience: whoever changes its items holds the row's lock and takes the next number.

    Changes of an audience are therefore numbered in the order they commit, and `Item.change_number` says which rows
    a reader of an older number has not seen. `agent_id` is null for shared items, which all agents write to.
    """

    id = models.BigAutoField(primary_key=True)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField(null=True)
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES)
    changes = models.BigIntegerField(default=0)

    ERASABLE = frozenset({"user_id"})
    NOT_CONTENT = frozenset({"visibility"})

    class Meta:
        db_table = "memory_audience_clock"
        constraints = [
            models.UniqueConstraint(
                fields=["tenant_id", "agent_id", "user_id", "visibility"],
                name="memory_audience_clock_once",
                nulls_distinct=False,
            )
        ]


class Extraction(models.Model):
    """What an extractor read out of one resource. Its unique key makes that happen once, `stored_at` the rest."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField()
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES, default=Visibility.PRIVATE.value)
    resource = models.ForeignKey(
        "resources.Resource", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    extractor = models.CharField(max_length=128)
    observation = models.JSONField(help_text="Narrative, facts and dropped sentences, in the core's field names.")
    degraded = models.CharField(max_length=64, blank=True, default="", help_text="Why the fallback answered.")
    created_at = models.DateTimeField(default=now)
    stored_at = models.DateTimeField(null=True, help_text="When its facts were decided on; null: not yet.")

    ERASABLE = frozenset({"observation", "user_id"})
    NOT_CONTENT = frozenset({"degraded", "extractor", "visibility"})

    class Meta:
        db_table = "memory_extraction"
        constraints = [models.UniqueConstraint("tenant_id", "resource", "extractor", name="memory_extraction_once")]


class Item(models.Model):
    """One thing known. `text` never changes: fresher words are a new item that supersedes this one.

    `confidence` is the base at `reinforced_at`; what it is worth today is computed. `said_at` is when a source last
    said it, `valid_from`/`valid_until` when it is true, `recorded_at`/`retracted_at` when we believed it: from when it
    was first said, however late it was imported (docs/adr/0017). When a row was written is in its first ItemVersion.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent = models.ForeignKey("tenants.Agent", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False)
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES, default=Visibility.PRIVATE.value)
    session = models.ForeignKey(
        "resources.Session", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    external_id = models.CharField(max_length=200, null=True)
    text = models.TextField()
    lead_in = models.TextField(blank=True, default="", help_text="What it leans on: a question, or the clause before.")
    claim_hash = models.CharField(max_length=64, help_text="SHA-256 of the normalised text, in hexadecimal.")
    subject = models.CharField(max_length=200, blank=True, default="")
    attribute = models.CharField(max_length=200, blank=True, default="")
    value = models.CharField(max_length=200, blank=True, default="")
    qualifier = models.CharField(max_length=200, blank=True, default="", help_text="Which of a series it is about.")
    standing = models.CharField(
        max_length=7, choices=_STANDINGS, blank=True, default="", db_default="", help_text="How its value stands."
    )
    mood = models.CharField(max_length=12, choices=_MOODS, default=Mood.ASSERTED.value)
    is_negated = models.BooleanField(default=False)
    said_by = models.CharField(max_length=200, blank=True, default="")
    reported_by = models.CharField(max_length=200, blank=True, default="")
    language = models.CharField(max_length=8, default="en")
    kind = models.CharField(max_length=10, choices=_KINDS)
    category = models.SlugField(max_length=64, db_index=False)
    filed_by = models.CharField(
        max_length=8, choices=_FILED_BY, default=FiledBy.KEYWORDS.value, db_default=FiledBy.KEYWORDS.value
    )
    taxonomy_version = models.PositiveIntegerField(default=1)
    service = models.CharField(max_length=200, blank=True, default="")
    entity_names = ArrayField(models.CharField(max_length=200), default=list)
    strength = models.CharField(max_length=8, choices=_STRENGTHS)
    sentiment = models.CharField(max_length=10, choices=_SENTIMENTS, default=Sentiment.NEUTRAL.value)
    priority = models.CharField(max_length=6, choices=_PRIORITIES, default=Priority.MEDIUM.value)
    confidence = models.FloatField()
    reinforced_at = models.DateTimeField(default=now)
    verdict = models.CharField(max_length=5, choices=_VERDICTS)
    verdict_reason = models.CharField(max_length=32, blank=True, default="")
    status = models.CharField(max_length=10, choices=_STATUSES, default=Status.ACTIVE.value)
    status_reason = models.CharField(max_length=32, blank=True, default="")
    event_time = models.DateTimeField()
    said_at = models.DateTimeField()
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField(default=now)
    retracted_at = models.DateTimeField(null=True)
    last_confirmed_at = models.DateTimeField(null=True)
    merged_count = models.PositiveIntegerField(default=0)
    protected = models.BooleanField(default=False, help_text="Confirmed by someone: its confidence does not decay.")
    dedup_pending = models.BooleanField(default=False, help_text="Stored before it could be compared; a job does it.")
    change_number = models.BigIntegerField(default=0)
    cold_at = models.DateTimeField(null=True, help_text="Since when its words are packed away, in its ColdItem.")

    ERASABLE = frozenset(
        {
            "attribute",
            "entity_names",
            "external_id",
            "lead_in",
            "qualifier",
            "reported_by",
            "said_by",
            "service",
            "subject",
            "text",
            "user_id",
            "value",
        }
    )
    NOT_CONTENT = frozenset(
        {
            "category",
            "claim_hash",
            "filed_by",
            "kind",
            "language",
            "mood",
            "priority",
            "sentiment",
            "standing",
            "status",
            "status_reason",
            "strength",
            "verdict",
            "verdict_reason",
            "visibility",
        }
    )

    class Meta:
        db_table = "memory_item"
        indexes = [
            models.Index("tenant_id", "claim_hash", name="memory_item_claim"),
            models.Index("tenant_id", "user_id", "change_number", name="memory_item_change"),
            models.Index("tenant_id", models.F("recorded_at").desc(), models.F("id").desc(), name="memory_item_recent"),
            models.Index("tenant_id", "session", name="memory_item_session"),
            models.Index("tenant_id", "subject", "attribute", name="memory_item_slot", condition=~models.Q(subject="")),
            models.Index(
                "tenant_id", "service", "category", name="memory_item_service", condition=~models.Q(service="")
            ),
            # All that counting by category and audience reads, row security's columns among it: the rows stay unread.
            models.Index(
                "tenant_id",
                "category",
                name="memory_item_counted",
                include=[
                    "agent_id",
                    "user_id",
                    "visibility",
                    "verdict",
                    "status",
                    "status_reason",
                    "retracted_at",
                    "valid_until",
                ],
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant_id", "agent", "user_id", "external_id"],
                name="memory_item_external",
                condition=models.Q(external_id__isnull=False),
                nulls_distinct=False,
            ),
            models.CheckConstraint(
                condition=models.Q(confidence__gte=0, confidence__lte=1), name="memory_item_confidence"
            ),
        ]

    @property
    def slot(self) -> Slot:
        """The state it speaks of."""
        return Slot(self.subject, self.attribute, self.value, self.qualifier, Standing(self.standing))

    @property
    def is_dormant(self) -> bool:
        """Whether it faded and nothing took its place: it comes back when it is said again."""
        return self.status == Status.ARCHIVED and self.status_reason == DECAYED


class ColdItem(models.Model):
    """The words of an item that lay archived or forgotten for long, and those it rests on: compressed, out of its row,
    its sources and the index. `apps.memory.cold` reads it; whatever changes the item unpacks it.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField()
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES, default=Visibility.PRIVATE.value)
    item = models.ForeignKey(Item, models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False)
    packed = models.BinaryField(help_text="zlib over JSON: text, lead_in, and the quotes by source.")
    packed_at = models.DateTimeField(default=now)

    ERASABLE = frozenset({"packed", "user_id"})
    NOT_CONTENT = frozenset({"visibility"})

    class Meta:
        db_table = "memory_cold_item"
        constraints = [models.UniqueConstraint("tenant_id", "item", name="memory_cold_item_once")]


class ItemUse(models.Model):
    """How often an item was of use: counters a job folds in, outside the item's history.

    `learnt` fades; what is left of it is added to `retrieval_priority`, which stays.
    """

    item = models.OneToOneField(Item, models.DO_NOTHING, primary_key=True, db_constraint=False, related_name="use")
    tenant_id = models.UUIDField()
    retrieval_priority = models.FloatField(default=0.0)
    learnt = models.FloatField(db_default=0.0, help_text="What use taught about its priority, as of `learnt_at`.")
    learnt_at = models.DateTimeField(null=True)
    access_count = models.PositiveIntegerField(default=0)
    recall_count = models.PositiveIntegerField(default=0)
    last_accessed_at = models.DateTimeField(null=True)
    favoured = models.BooleanField(db_default=False, help_text="Has the priority a new item gains in its first night.")

    class Meta:
        db_table = "memory_item_use"


class ItemFeedback(models.Model):
    """What a principal says of an item, who is an agent or a person (`actor`); it stands until it is taken back.

    The audience is the item's. `undo` holds what the item was before, as far as this changed it.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField()
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES, default=Visibility.PRIVATE.value)
    item = models.ForeignKey(Item, models.DO_NOTHING, db_constraint=False, related_name="feedback", db_index=False)
    actor = models.CharField(max_length=64)
    by_agent_id = models.UUIDField(null=True)
    kind = models.CharField(max_length=8, choices=_OPINIONS)
    note = models.TextField(blank=True, default="")
    undo = models.JSONField(default=dict)
    at = models.DateTimeField(default=now)
    closed_at = models.DateTimeField(null=True)

    ERASABLE = frozenset({"note", "user_id"})
    NOT_CONTENT = frozenset({"actor", "kind", "undo", "visibility"})

    class Meta:
        db_table = "memory_item_feedback"
        constraints = [
            models.UniqueConstraint(
                fields=["tenant_id", "item", "actor", "by_agent_id"],
                name="memory_item_feedback_once",
                condition=models.Q(closed_at=None),
                nulls_distinct=False,
            )
        ]


class ItemVersion(models.Model):
    """One change of an item: which operation, why, and the changed fields before and after (never its text)."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField()
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES, default=Visibility.PRIVATE.value)
    item = models.ForeignKey(Item, models.DO_NOTHING, db_constraint=False, related_name="versions", db_index=False)
    at = models.DateTimeField(default=now)
    operation = models.CharField(max_length=32)
    reason = models.TextField(blank=True, default="")
    before = models.JSONField(default=dict)
    after = models.JSONField(default=dict)

    ERASABLE = frozenset({"after", "before", "reason", "user_id"})
    NOT_CONTENT = frozenset({"operation", "visibility"})

    class Meta:
        db_table = "memory_item_version"
        indexes = [models.Index("tenant_id", "item", "id", name="memory_item_version_item")]


class ItemSource(models.Model):
    """A resource an item rests on, with the words it rests on."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField()
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES, default=Visibility.PRIVATE.value)
    item = models.ForeignKey(Item, models.DO_NOTHING, db_constraint=False, related_name="sources", db_index=False)
    resource = models.ForeignKey(
        "resources.Resource", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    quote = models.TextField(blank=True, default="")
    inherited = models.BooleanField(default=False, help_text="Came with a merge, and goes when it is taken back.")
    created_at = models.DateTimeField(default=now)

    ERASABLE = frozenset({"quote", "user_id"})
    NOT_CONTENT = frozenset({"visibility"})

    class Meta:
        db_table = "memory_item_source"
        indexes = [models.Index("tenant_id", "resource", name="memory_item_source_resource")]
        constraints = [models.UniqueConstraint("tenant_id", "item", "resource", name="memory_item_source_once")]


class RejectionStage(StrEnum):
    """Where a fact was turned down."""

    EXTRACTION = "extraction"
    GATE = "gate"
    CONFLICT = "conflict"


class Rejection(models.Model):
    """A fact that became no item: its text, what the stage said and scored. Pruned after Policy's retention."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField()
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES, default=Visibility.PRIVATE.value)
    resource = models.ForeignKey(
        "resources.Resource", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    text = models.TextField()
    stage = models.CharField(max_length=10, choices=[(stage.value, stage.value) for stage in RejectionStage])
    verdict = models.CharField(max_length=7, default=Verdict.DISCARD.value)
    reason = models.CharField(max_length=32)
    detail = models.TextField(blank=True, default="")
    scores = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=now)

    ERASABLE = frozenset({"detail", "text", "user_id"})
    NOT_CONTENT = frozenset({"reason", "scores", "stage", "verdict", "visibility"})

    class Meta:
        db_table = "memory_rejection"
        indexes = [
            models.Index("tenant_id", models.F("created_at").desc(), models.F("id").desc(), name="memory_rejection_at"),
            models.Index("tenant_id", "resource", name="memory_rejection_resource"),
        ]


class ForgetBatch(models.Model):
    """One act of forgetting, and whether it was undone."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField(null=True)
    user_id = models.CharField(max_length=200, null=True)
    by = models.CharField(max_length=8, choices=[("id", "id"), ("user", "user"), ("query", "query")])
    reason = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(default=now)
    restored_at = models.DateTimeField(null=True)

    ERASABLE = frozenset({"reason", "user_id"})
    NOT_CONTENT = frozenset({"by"})

    class Meta:
        db_table = "memory_forget_batch"


class ForgottenUnit(models.Model):
    """An item or episode a batch took away, and what it was before."""

    id = models.BigAutoField(primary_key=True)
    tenant_id = models.UUIDField()
    batch = models.ForeignKey(ForgetBatch, models.DO_NOTHING, db_constraint=False, related_name="units", db_index=False)
    unit = models.CharField(max_length=8, choices=_UNITS)
    unit_id = models.UUIDField()
    status_before = models.CharField(max_length=10, blank=True, default="")
    status_reason_before = models.CharField(max_length=32, blank=True, default="")

    NOT_CONTENT = frozenset({"status_before", "status_reason_before", "unit"})

    class Meta:
        db_table = "memory_forgotten_unit"
        constraints = [models.UniqueConstraint("tenant_id", "batch", "unit_id", name="memory_forgotten_unit_once")]


class Suppression(models.Model):
    """A claim that may not come back from a resource; an empty `claim_hash` stands for whatever it says.

    By `content_hash`, the resource's, a copy of it is known that is imported.
    """

    id = models.BigAutoField(primary_key=True)
    tenant_id = models.UUIDField()
    batch = models.ForeignKey(
        ForgetBatch, models.DO_NOTHING, db_constraint=False, related_name="suppressions", db_index=False
    )
    resource = models.ForeignKey(
        "resources.Resource", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False
    )
    claim_hash = models.CharField(max_length=64, blank=True, default="")
    content_hash = models.BinaryField(max_length=32, null=True, help_text="SHA-256 of the resource's content.")

    NOT_CONTENT = frozenset({"claim_hash", "content_hash"})

    class Meta:
        db_table = "memory_suppression"
        indexes = [
            models.Index("tenant_id", "resource", name="memory_suppression_resource"),
            models.Index("tenant_id", "content_hash", name="memory_suppression_content"),
        ]
        constraints = [
            models.UniqueConstraint("tenant_id", "batch", "resource", "claim_hash", name="memory_suppression_once")
        ]


class ItemLink(models.Model):
    """How two items relate: `from_item` supersedes, probably supersedes, was merged into, contradicts, was shared from,
    or as an insight condenses `to_item`. A link of sharing is as private as the item that was shared.
    A claim that was rejected because it contradicts is no item: its link comes `from_rejection`. An assistant's message
    that only says an item back is no source of it: it echoes it, `from_resource`. `undo` holds what taking the link
    back needs.
    """

    class Kind(models.TextChoices):
        SUPERSEDES = "supersedes"
        PROBABLY_SUPERSEDED = "probably_superseded"
        MERGED_INTO = "merged_into"
        CONTRADICTS = "contradicts"
        SHARED_FROM = "shared_from"
        ECHOES = "echoes"
        CONDENSES = "condenses"

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField()
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES, default=Visibility.PRIVATE.value)
    kind = models.CharField(max_length=20, choices=Kind.choices)
    from_item = models.ForeignKey(
        Item, models.DO_NOTHING, db_constraint=False, related_name="links_out", db_index=False, null=True
    )
    from_rejection = models.ForeignKey(
        Rejection, models.DO_NOTHING, db_constraint=False, related_name="links_out", db_index=False, null=True
    )
    from_resource = models.ForeignKey(
        "resources.Resource", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    to_item = models.ForeignKey(Item, models.DO_NOTHING, db_constraint=False, related_name="links_in", db_index=False)
    reason = models.CharField(max_length=32)
    detail = models.TextField(blank=True, default="")
    batch = models.UUIDField(null=True, help_text="The run or request that made it.")
    undo = models.JSONField(default=dict)
    created_at = models.DateTimeField(default=now)
    closed_at = models.DateTimeField(null=True, help_text="Null: open, that is still so or still to be reviewed.")

    ERASABLE = frozenset({"detail", "undo", "user_id"})
    NOT_CONTENT = frozenset({"kind", "reason", "visibility"})

    class Meta:
        db_table = "memory_item_link"
        indexes = [
            models.Index("tenant_id", "to_item", "kind", name="memory_item_link_to"),
            models.Index("tenant_id", "from_item", "kind", name="memory_item_link_from"),
            models.Index(
                "tenant_id",
                "from_rejection",
                name="memory_item_link_rejection",
                condition=models.Q(from_rejection__isnull=False),
            ),
            models.Index(
                "tenant_id",
                "from_resource",
                name="memory_item_link_resource",
                condition=models.Q(from_resource__isnull=False),
            ),
        ]
        constraints = [
            models.CheckConstraint(
                condition=Exact(
                    models.Func(
                        *(models.F(name) for name in ("from_item", "from_rejection", "from_resource")),
                        function="num_nonnulls",
                        output_field=models.IntegerField(),
                    ),
                    1,
                ),
                name="memory_item_link_one_origin",
            ),
        ]
