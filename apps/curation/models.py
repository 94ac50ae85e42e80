"""The curated memory of a tenant: its lines, which are the truth of MEMORY.md, and proposals to change them.

Both are the whole tenant's: they rest on memories that agents share and that belong to no user.
"""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from typing_extensions import override

from apps.core.clock import now
from apps.core.ids import new_id
from memory_platform.model import Change, Kind

_KINDS = [(kind.value, kind.value) for kind in Kind]


class ProposalState(models.TextChoices):
    """How far a proposal has come."""

    WAITING = "waiting"
    """The next batch looks at it."""
    QUEUED = "queued"
    """People have to decide."""
    APPROVED = "approved"
    """It is a line of the curated memory."""
    REJECTED = "rejected"
    """It is not."""
    MERGED = "merged"
    """A line says it already, or together with it."""


class Removal(models.TextChoices):
    """Why a line is no longer there."""

    REMOVED = "removed"
    REPLACED = "replaced"
    UNDONE = "undone"
    FORGOTTEN = "forgotten"


class CuratedFile(models.Model):
    """One row a tenant: whoever changes the lines holds its lock and takes the next number.

    `changes` is the number of the last change, made at `changed_at`; `decisions` the last number given to a decision,
    none of which is given twice; `reflected` the change number of the shared memories reflection has come to.
    """

    tenant_id = models.UUIDField(primary_key=True)
    changes = models.BigIntegerField(default=0)
    changed_at = models.DateTimeField(default=now)
    decisions = models.PositiveIntegerField(default=0)
    reflected = models.BigIntegerField(default=0)
    reflected_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "curation_file"


class CuratedEntry(models.Model):
    """A line: it never changes, comes with the change `added` and goes with the change `removed`.

    `items` are the memories it was made from; proposals that were merged into it name more. `decision` is the number of
    its record. Who did it is a label such as `agent:scribe`, `member:7` or `rules`, never a name.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    section = models.SlugField(max_length=64, db_index=False)
    kind = models.CharField(max_length=10, choices=_KINDS)
    text = models.TextField()
    said_on = models.DateField()
    items = ArrayField(models.UUIDField(), default=list)
    decision = models.PositiveIntegerField(null=True)
    replaces = models.ForeignKey(
        "self", models.DO_NOTHING, db_constraint=False, related_name="+", db_index=False, null=True
    )
    added = models.BigIntegerField()
    added_at = models.DateTimeField()
    added_by = models.CharField(max_length=128)
    removed = models.BigIntegerField(null=True)
    removed_at = models.DateTimeField(null=True)
    removed_by = models.CharField(max_length=128, blank=True, default="")
    removal = models.CharField(max_length=9, choices=Removal.choices, blank=True, default="")

    ERASABLE = frozenset({"text"})
    NOT_CONTENT = frozenset({"added_by", "kind", "removal", "removed_by", "section"})

    class Meta:
        db_table = "curation_entry"
        verbose_name_plural = "curated entries"
        indexes = [
            models.Index("tenant_id", "section", name="curation_entry_present", condition=models.Q(removed=None)),
        ]
        constraints = [
            models.UniqueConstraint(
                "tenant_id", "decision", name="curation_decision_once", condition=models.Q(decision__isnull=False)
            ),
        ]

    @override
    def __str__(self) -> str:
        return f"{self.section} {self.said_on}"


class Proposal(models.Model):
    """A change that is proposed. `version` grows with every decision: who decides names the one they saw.

    `target` is the line it replaces or removes, or was merged with; `entry` the line it made. `claim` tells what was
    proposed before, whatever became of it. `decided_by` is a label as lines have it.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    section = models.SlugField(max_length=64, db_index=False)
    change = models.CharField(max_length=7, choices=[(change.value, change.value) for change in Change])
    text = models.TextField(blank=True, default="")
    kind = models.CharField(max_length=10, choices=_KINDS)
    items = ArrayField(models.UUIDField(), default=list, help_text="The memories it rests on.")
    confidence = models.FloatField()
    said_on = models.DateField()
    acts = models.BooleanField(default=False, help_text="It tells how to act.")
    is_said_by_user = models.BooleanField(default=False)
    is_negated = models.BooleanField(default=False)
    proposed_by = models.CharField(max_length=128)
    claim = models.CharField(max_length=64)
    target = models.ForeignKey(
        CuratedEntry, models.DO_NOTHING, db_constraint=False, related_name="proposals", db_index=False, null=True
    )
    entry = models.ForeignKey(
        CuratedEntry, models.DO_NOTHING, db_constraint=False, related_name="made_by", db_index=False, null=True
    )
    state = models.CharField(max_length=8, choices=ProposalState.choices, default=ProposalState.WAITING)
    reason = models.CharField(max_length=32, blank=True, default="")
    comment = models.TextField(blank=True, default="", help_text="What who decided said to it.")
    decided_by = models.CharField(max_length=128, blank=True, default="")
    decided_at = models.DateTimeField(null=True)
    version = models.PositiveIntegerField(default=1)
    created_at = models.DateTimeField(default=now)

    ERASABLE = frozenset({"comment", "text"})
    NOT_CONTENT = frozenset({"change", "claim", "decided_by", "kind", "proposed_by", "reason", "section", "state"})

    class Meta:
        db_table = "curation_proposal"
        indexes = [
            models.Index("tenant_id", "state", "created_at", "id", name="curation_proposal_state"),
            models.Index("tenant_id", "target", name="curation_proposal_target"),
            models.Index(
                "tenant_id",
                "decided_at",
                "id",
                name="curation_proposal_decided",
                condition=models.Q(decided_at__isnull=False),
            ),
        ]
        constraints = [models.UniqueConstraint("tenant_id", "claim", name="curation_proposal_claim_once")]

    @override
    def __str__(self) -> str:
        return f"{self.change} {self.section}"
