"""Proposals and the curated memory of the chosen tenant, to look at: whoever reviews decides through the verbs."""

from django.contrib import admin

from apps.curation.models import CuratedEntry, Proposal
from apps.tenants.admin.base import LookedAtAdmin
from apps.tenants.models import ApiKey


@admin.register(Proposal)
class ProposalAdmin(LookedAtAdmin):
    needs = ApiKey.Scope.REVIEW
    icon = "rule"
    list_display = ("created_at", "change", "section", "state", "reason", "decided_by", "text")
    list_filter = ("state", "change", "section")
    ordering = ("-id",)


@admin.register(CuratedEntry)
class CuratedEntryAdmin(LookedAtAdmin):
    needs = ApiKey.Scope.READ
    icon = "menu_book"
    title = "Curated memory"
    list_display = ("section", "said_on", "text", "decision", "added_by", "removal", "removed_by")
    list_filter = ("section", "removal")
    ordering = ("section", "added")
