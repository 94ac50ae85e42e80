"""What is held of a category, in words: one summary an audience and category, with its versions."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from typing_extensions import override

from apps.core.clock import now
from apps.core.ids import new_id
from memory_platform.model import Visibility

_VISIBILITIES = [(visibility.value, visibility.value) for visibility in Visibility]


class CategorySummary(models.Model):
    """That an audience has a summary of a category; `number` is its present version, 0 before there is one.

    What is shared is no agent's own. `digest` tells the items it was last written from; `is_whole`: from scratch, by
    whoever was to write it.
    """

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField(null=True)
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES)
    category = models.SlugField(max_length=64, db_index=False)
    number = models.PositiveIntegerField(default=0)
    digest = models.CharField(max_length=64, blank=True, default="")
    is_whole = models.BooleanField(default=False)
    updated_at = models.DateTimeField(default=now)

    ERASABLE = frozenset({"user_id"})
    NOT_CONTENT = frozenset({"category", "digest", "visibility"})

    class Meta:
        db_table = "summaries_category_summary"
        verbose_name_plural = "category summaries"
        constraints = [
            models.UniqueConstraint(
                fields=["tenant_id", "agent_id", "user_id", "visibility", "category"],
                name="summaries_category_summary_once",
                nulls_distinct=False,
            )
        ]

    @override
    def __str__(self) -> str:
        return self.category


class SummaryVersion(models.Model):
    """A summary as it stood from `at` on, who wrote it, and the items it rests on; the oldest ones are pruned."""

    id = models.UUIDField(primary_key=True, default=new_id)
    tenant_id = models.UUIDField()
    agent_id = models.UUIDField(null=True)
    user_id = models.CharField(max_length=200, null=True)
    visibility = models.CharField(max_length=8, choices=_VISIBILITIES)
    summary = models.ForeignKey(
        CategorySummary, models.DO_NOTHING, db_constraint=False, related_name="versions", db_index=False
    )
    number = models.PositiveIntegerField()
    text = models.TextField(blank=True, help_text="Markdown; empty when nothing stands any more.")
    writer = models.CharField(max_length=128)
    degraded = models.CharField(max_length=64, blank=True, default="", help_text="Why the rules wrote, not the model.")
    item_ids = ArrayField(models.UUIDField(), default=list)
    at = models.DateTimeField(default=now)

    ERASABLE = frozenset({"text", "user_id"})
    NOT_CONTENT = frozenset({"degraded", "visibility", "writer"})

    class Meta:
        db_table = "summaries_version"
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "summary", "number"], name="summaries_version_once")
        ]

    @override
    def __str__(self) -> str:
        return f"version {self.number}"
