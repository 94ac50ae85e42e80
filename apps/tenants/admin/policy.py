"""The tenant's numbers, in groups by what they decide; beside each what it starts as, and a way back to it."""

from collections.abc import Mapping
from typing import Any, Final

from django.contrib import admin
from django.db.models import Field
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from typing_extensions import override

from apps.core import scope
from apps.tenants import services
from apps.tenants.admin.base import TenantForm, TenantModelAdmin, acting_member, changes_of
from apps.tenants.models import ApiKey, Policy

STAGES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "Time and dates": ("When nights are, and how dates are read.", ("time_zone", "day_first")),
    "What is kept": (
        "Each new fact is allowed, held for somebody to look at, or discarded.",
        ("keep_raw_secrets", "gate_minimum_length", "gate_allow_above", "gate_discard_below"),
    ),
    "Confidence": (
        "How sure a memory is when it is made, and what makes it surer or less sure.",
        (
            "confidence_explicit",
            "confidence_implied",
            "confidence_inferred",
            "reinforce_other_source",
            "reinforce_same_session",
            "contradicted_penalty",
            "access_bonus",
            "access_scale",
        ),
    ),
    "Duplicates and replacements": (
        "When a new fact is merged with an old one, takes its place, or puts it in doubt.",
        ("dedup_related", "merge_from", "close_from", "doubt_from"),
    ),
    "Recall: what is relevant": (
        "Which memories answer a question at all.",
        (
            "relevance_floor",
            "relevance_sure",
            "fusion",
            "graph_weight",
            "time_weight",
            "rrf_k",
            "rrf_keyword_weight",
            "rrf_vector_weight",
            "intent_threshold",
        ),
    ),
    "Recall: ranking": (
        "In which order they come, and which are marked.",
        (
            "least_recency",
            "message_decay_lambda",
            "stale_multiplier",
            "off_domain_multiplier",
            "sentiment_multiplier",
            "priority_clamp",
            "uncertain_below",
            "weak_below",
            "weak_soon_days",
        ),
    ),
    "Recall: how much": (
        "How many memories an answer and a context hold.",
        (
            "lean_limit",
            "balanced_limit",
            "deep_limit",
            "context_tokens",
            "context_limit",
            "pressed_context_limit",
            "simple_depth",
            "complex_depth",
            "simple_seeds",
            "complex_seeds",
            "facts_share",
            "profiles_share",
            "timeline_share",
            "evidence_share",
            "section_profiles",
            "profile_statements",
            "excerpt_share",
        ),
    ),
    "Summaries": (
        "When categories are summarised, and when a summary answers before a search.",
        (
            "summary_debounce_seconds",
            "summary_items",
            "summary_versions",
            "tier1",
            "summaries_asked",
            "summary_sufficient",
            "tier1_sufficient",
        ),
    ),
    "Learning from use": (
        "What a memory gains by being used, and loses by being ignored.",
        (
            "feedback_used",
            "feedback_ignored",
            "feedback_ignored_expensive",
            "feedback_used_from",
            "feedback_half_life_days",
            "feedback_window_hours",
            "feedback_same_question_from",
            "feedback_helpful",
            "outdated_ends_validity",
        ),
    ),
    "Fading": (
        "How confidence falls with time; how long each category lasts stands with the category.",
        (
            "ebbinghaus_rate",
            "ebbinghaus_power",
            "operational_grace_days",
            "operational_weekly_loss",
            "operational_gain",
        ),
    ),
    "Maintenance": (
        "What the nights, weeks and months tidy up.",
        (
            "stale_after_days",
            "forget_stale_after_days",
            "prune_below",
            "operational_inactive_below",
            "new_priority",
            "entity_summary_mentions",
            "cause_pairs",
            "cause_confidence",
            "stated_cause_confidence",
            "insight_least",
            "insight_most",
            "insight_similarity",
            "cold_after_days",
            "report_days",
        ),
    ),
    "Lessons": (
        "When what users keep asking for becomes a lesson.",
        (
            "lesson_guidance_from",
            "lesson_request_sessions",
            "lesson_start_share",
            "lesson_file_lines",
            "lesson_file_tokens",
        ),
    ),
    "Curation": (
        "Which proposals rules decide, and how long the curated memory grows.",
        (
            "curation_promote_above",
            "curation_reject_below",
            "curation_near_from",
            "curation_minimum_length",
            "curation_batch",
            "curation_entries",
            "curation_start_share",
            "reflection_items",
        ),
    ),
    "Sessions": (
        "When a silent session is over, and what one is given.",
        ("session_timeout_minutes", "session_given_hits", "due_start_share", "due_preloaded"),
    ),
    "Times ahead": (
        "Which times fall due, also of those that went by, and for how long.",
        ("trigger_worth_from", "trigger_planned_from", "trigger_missed_days", "trigger_lapse_days"),
    ),
    "Limits": (
        "How much an agent and a key may do in a minute; what is refused says when to try again.",
        (
            "writes_per_minute",
            "captures_per_minute",
            "captures_burst",
            "ingest_lines_per_minute",
            "requests_per_minute",
            "event_streams",
        ),
    ),
    "Retention": (
        "For how many days records of the work are kept.",
        ("recall_retention_days", "job_retention_days", "rejection_retention_days", "event_retention_days"),
    ),
    "Erasing for good": ("Who must agree, and how soon.", ("erasure_approval", "erasure_preview_minutes")),
}


class PolicyForm(TenantForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, field in self.fields.items():
            held = self._meta.model._meta.get_field(name)  # noqa: SLF001
            field.help_text = _explained(held, field.widget.attrs.get("id", f"id_{name}"))


def _explained(held: "Field[Any, Any]", element: str) -> SafeString:
    """The number's sentence, what it starts as, and a button that only a script shows: it fills that in again."""
    start = held.get_default()
    return format_html(
        '{} <span class="starts">Starts as {}.</span> '
        '<button type="button" class="reset" hidden data-element="{}" data-start="{}">Reset</button>',
        held.help_text,
        _in_words(held, start),
        element,
        "" if start is None else start,
    )


def _in_words(held: "Field[Any, Any]", start: object) -> str:
    if isinstance(start, bool):
        return "yes" if start else "no"
    return "empty" if start is None else str(dict(held.flatchoices).get(start, start))


@admin.register(Policy)
class PolicyAdmin(TenantModelAdmin):
    """One row: its list leads straight to it."""

    needs = ApiKey.Scope.ADMIN
    section = "Tuning"
    icon = "tune"
    title = "Policy"
    form = PolicyForm
    change_form_before_template = "admin/tenants/policy_finder.html"
    fieldsets = tuple(
        (stage, {"fields": fields, "description": about, "classes": ["stage"]})
        for stage, (about, fields) in STAGES.items()
    )

    @override
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @override
    def get_readonly_fields(self, request: HttpRequest, obj: Policy | None = None) -> tuple[str, ...]:
        """Whoever needs a second person's approval does not do away with it."""
        own = tuple(super().get_readonly_fields(request, obj))
        return own if acting_member(request).is_owner else (*own, "erasure_approval")

    @override
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        return HttpResponseRedirect(reverse("admin:tenants_policy_change", args=[scope.current().tenant_id]))

    @override
    def save_model(self, request: HttpRequest, obj: Policy, form: Any, change: bool) -> None:
        if form.changed_data:
            services.change(obj, changes_of(form))
