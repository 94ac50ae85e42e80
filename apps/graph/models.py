"""Who and what is spoken of: entities with their names, which units mention them, and how they relate.

Every row belongs to an audience. Those of a shared one that belong to nobody in particular (entities and aliases) have
no agent; private ones have theirs. Only what cannot be derived from other rows is stored.
"""

from django.db import models

from apps.core.clock import now
from apps.core.ids import new_id
from memory_platform.knowledge.graph import AliasKind, EntityType, NodeKind, RelationKind
from memory_platform.model import Visibility

_VISIBILITIES = [(visibility.value, visibility.value) for visibility in Visibility]
_TYPES = [(kind.value, kind.value) for kind in EntityType]
_ALIAS_KINDS = [(kind.value, kind.value) for kind in AliasKind]
_STORED_KINDS = [(kind.value, kind.value) for kind in (RelationKind.ENTITY, RelationKind.FACT, RelationKind.CAUSAL)]
_UNITS = [(kind.value, kind.value) for kind in (NodeKind.ITEM, NodeKind.EPISODE)]


class Entity(models.Model):
    """Somebody or something of one audience. One that nothing mentions any more is kept and not shown.

    `merged_into` is where a merge sent its aliases; splitting sends them back.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField(null=True)
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES)
    canonical_name = models.CharField(max_length=200)
    name_key = models.CharField(max_length=200, db_collation="C")
    type = models.CharField(max_length=12, choices=_TYPES)
    type_confidence = models.FloatField(default=0.0, help_text="How sure the rule was: the surest one wins.")
    summary = models.TextField(blank=True, default="", help_text="What its facts say, without its name and numbers.")
    summary_digest = models.CharField(
        max_length=32, blank=True, default="", help_text="Of the items that held when it was written."
    )
    summary_writer = models.CharField(max_length=128, blank=True, default="")
    mention_count = models.IntegerField(default=0)
    first_seen_at = models.DateTimeField(null=True)
    last_seen_at = models.DateTimeField(null=True)
    merged_into = models.ForeignKey(
        "self", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    created_at = models.DateTimeField(default=now)

    ERASABLE = frozenset({"canonical_name", "name_key", "summary", "user_id"})
    NOT_CONTENT = frozenset({"summary_digest", "summary_writer", "type", "visibility"})

    class Meta:
        db_table = "graph_entity"
        indexes = [
            models.Index("tenant_id", "name_key", name="graph_entity_name"),
            models.Index("tenant_id", models.F("mention_count").desc(), "id", name="graph_entity_mentions"),
        ]


class Alias(models.Model):
    """A name an entity goes by. `pinned`: a person put it where it is, so no rule moves it."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField(null=True)
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES)
    entity = models.ForeignKey(Entity, models.DO_NOTHING, db_constraint=False, related_name="aliases", db_index=False)
    name = models.CharField(max_length=200)
    name_key = models.CharField(max_length=200, db_collation="C")
    kind = models.CharField(max_length=9, choices=_ALIAS_KINDS, default=AliasKind.CANONICAL.value)
    mention_count = models.IntegerField(default=0)
    pinned = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=now)

    ERASABLE = frozenset({"name", "name_key", "user_id"})
    NOT_CONTENT = frozenset({"kind", "visibility"})

    class Meta:
        db_table = "graph_alias"
        indexes = [
            models.Index("tenant_id", "name_key", name="graph_alias_name"),
            models.Index("tenant_id", "entity", name="graph_alias_entity"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["tenant_id", "agent_id", "user_id", "visibility", "name_key"],
                name="graph_alias_once",
                nulls_distinct=False,
            )
        ]


class Mention(models.Model):
    """A unit speaks of an entity, under one of its names; true and believed as long as the unit is."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField()
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES)
    entity = models.ForeignKey(Entity, models.DO_NOTHING, db_constraint=False, related_name="mentions", db_index=False)
    alias = models.ForeignKey(Alias, models.DO_NOTHING, db_constraint=False, related_name="mentions", db_index=False)
    unit = models.CharField(max_length=7, choices=_UNITS)
    unit_id = models.UUIDField()
    is_speaker = models.BooleanField(default=False, help_text="The entity said it, rather than being spoken of.")
    event_time = models.DateTimeField()
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField()
    retracted_at = models.DateTimeField(null=True)

    ERASABLE = frozenset({"user_id"})
    NOT_CONTENT = frozenset({"unit", "visibility"})

    class Meta:
        db_table = "graph_mention"
        indexes = [
            models.Index("tenant_id", "entity", models.F("valid_from").desc(), name="graph_mention_entity"),
        ]
        constraints = [models.UniqueConstraint("tenant_id", "unit_id", "alias", name="graph_mention_once")]


class Relation(models.Model):
    """What a unit says of an entity (object an entity or words), or which of two units caused the other.

    `unit_id` is the unit it was read in, which it lives and dies with; `digest` tells the relations of a unit apart.
    `closed_at` is when a later value of a single-valued predicate took over, `unit_until` the unit's own end, and
    `valid_until` the earlier of the two. A negated one is no edge: it only closes.
    """

    class Origin(models.TextChoices):
        RULE = "rule"
        MODEL = "model"

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField()
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES)
    unit = models.CharField(max_length=7, choices=_UNITS)
    unit_id = models.UUIDField()
    digest = models.BigIntegerField()
    kind = models.CharField(max_length=6, choices=_STORED_KINDS)
    origin = models.CharField(
        max_length=5, choices=Origin.choices, default=Origin.RULE, help_text="Projecting replaces only what rules made."
    )
    predicate = models.CharField(max_length=48)
    negated = models.BooleanField(default=False)
    subject = models.ForeignKey(
        Entity, models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    subject_alias = models.ForeignKey(
        Alias, models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    object = models.ForeignKey(
        Entity, models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    object_alias = models.ForeignKey(
        Alias, models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    object_text = models.TextField(blank=True, default="")
    from_unit = models.CharField(max_length=7, choices=_UNITS, null=True)
    from_unit_id = models.UUIDField(null=True)
    to_unit = models.CharField(max_length=7, choices=_UNITS, null=True)
    to_unit_id = models.UUIDField(null=True)
    confidence = models.FloatField()
    item_id = models.UUIDField(null=True)
    resource_id = models.UUIDField(null=True)
    quote = models.TextField(blank=True, default="")
    valid_from = models.DateTimeField()
    valid_until = models.DateTimeField(null=True)
    unit_until = models.DateTimeField(null=True)
    closed_at = models.DateTimeField(null=True)
    recorded_at = models.DateTimeField()
    retracted_at = models.DateTimeField(null=True)

    ERASABLE = frozenset({"object_text", "quote", "user_id"})
    NOT_CONTENT = frozenset({"from_unit", "kind", "origin", "predicate", "to_unit", "unit", "visibility"})

    class Meta:
        db_table = "graph_relation"
        indexes = [
            models.Index("tenant_id", "subject", "predicate", name="graph_relation_subject"),
            models.Index("tenant_id", "object", name="graph_relation_object"),
            models.Index("tenant_id", "from_unit_id", name="graph_relation_from"),
            models.Index("tenant_id", "to_unit_id", name="graph_relation_to"),
        ]
        constraints = [models.UniqueConstraint("tenant_id", "unit_id", "digest", name="graph_relation_once")]


class AskedEpisode(models.Model):
    """A model was asked whether an episode and what was said just before it brought one another about."""

    pk = models.CompositePrimaryKey("tenant_id", "resource_id")
    tenant_id = models.UUIDField()
    resource_id = models.UUIDField()

    class Meta:
        db_table = "graph_asked_episode"


class Projection(models.Model):
    """How far the copy of a tenant's graph on another server has come; no row: it was never begun.

    `version` numbers the readings that were copied, `rebuild_id` names the rebuild under way, and `completed_at` is
    when one was through: until then the copy is not read.
    """

    tenant_id = models.UUIDField(primary_key=True)
    version = models.BigIntegerField(default=0)
    rebuild_id = models.UUIDField(null=True)
    completed_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "graph_projection"
