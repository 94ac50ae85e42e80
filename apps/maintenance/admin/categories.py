"""Categories: edited in their list or one by one, and what a change would archive, shown before it is saved."""

import math
from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.forms import SimpleArrayField
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from typing_extensions import override
from unfold.widgets import UnfoldAdminTextareaWidget, UnfoldAdminTextInputWidget

from apps.core import scope
from apps.erasure import services as erasure
from apps.maintenance import previewing
from apps.memory import selectors as memory
from apps.tenants import selectors as tenants
from apps.tenants import services as tenant_services
from apps.tenants.admin.base import RowForm, TenantForm, TenantModelAdmin, changes_of
from apps.tenants.models import ApiKey, Category
from apps.tenants.taxonomy import LONGEST_EXAMPLE, MOST_EXAMPLES, MOST_KEYWORDS, starting
from apps.tenants.telling import ChangedValue, changes_in_words, in_words

SAMPLES: Final = 10
CSRF: Final = "csrfmiddlewaretoken"


class CategoryForm(TenantForm):
    """Beside each number stands the deployment's own."""

    examples = SimpleArrayField(
        forms.CharField(max_length=LONGEST_EXAMPLE),
        delimiter="\n",
        max_length=MOST_EXAMPLES,
        required=False,
        widget=UnfoldAdminTextareaWidget,
        help_text="What is said in it, a sentence a line; empty: the deployment's own.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        default = starting(self.instance.slug)
        for name in ("keywords", "ttl_days", "decay_lambda", "retention", "purpose", "protected"):
            if default is not None and name in self.fields:
                told = getattr(default, name)
                shown = "never" if told is None else in_words(list(told) if isinstance(told, tuple) else told)
                self.fields[name].help_text += f" Here it starts as: {shown}."

    def clean_keywords(self) -> list[str]:
        keywords: list[str] = [word for word in self.cleaned_data["keywords"] if word]
        if len(keywords) > MOST_KEYWORDS:
            raise forms.ValidationError(f"At most {MOST_KEYWORDS} keywords.")
        return keywords

    def clean_examples(self) -> list[str] | None:
        return [line for line in self.cleaned_data["examples"] if line] or None


@admin.register(Category)
class CategoryAdmin(TenantModelAdmin):
    """A change is shown with what it would archive, and saved when that is confirmed."""

    needs = ApiKey.Scope.READ
    told_as = "category"
    named_by = F("label")
    section = "Tuning"
    icon = "category"
    form = CategoryForm
    formfield_overrides = {ArrayField: {"widget": UnfoldAdminTextInputWidget}}
    list_display = ("label", "lasts", "ttl_days", "protected", "fades", "purpose")
    list_editable = ("ttl_days", "protected")
    ordering = ("label",)
    actions = None
    fieldsets = (
        (None, {"fields": ("slug", "label", "purpose", "keywords", "examples")}),
        ("How it ages", {"fields": ("ttl_days", "decay_lambda", "retention", "protected", "erase_after_days")}),
    )

    @admin.display(description="how long it lasts")
    def lasts(self, row: Category) -> str:
        ends = "" if row.erase_after_days is None else f"; erased for good after {row.erase_after_days} days"
        if row.protected:
            return f"Kept for good{ends}"
        if row.ttl_days is None:
            return f"No end{ends}"
        return f"{row.ttl_days} day{'' if row.ttl_days == 1 else 's'}, then archived unless used{ends}"

    @admin.display(description="how it fades in recall", ordering="decay_lambda")
    def fades(self, row: Category) -> str:
        if row.protected or not row.decay_lambda:
            return "Not at all"
        return f"By half in {math.log(2) / row.decay_lambda:.0f} days"

    @override
    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Memories name their category by its slug."""
        return ("slug",) if obj else ()

    @override
    def get_changelist_form(self, request: HttpRequest, **kwargs: Any) -> Any:
        """The list's rows are checked as the form's are."""
        return super().get_changelist_form(request, **{**kwargs, "form": RowForm, "fields": self.list_editable})

    @override
    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if _is_to_be_confirmed(request) and self.has_change_permission(request):
            asked = self._asked_in_the_list(request)
            if asked:
                return self._confirmation(request, asked)
        return super().changelist_view(request, extra_context)

    @override
    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if _is_to_be_confirmed(request):
            row = self.get_object(request, object_id)
            if row is not None and self.has_change_permission(request, row):
                changes = self._asked(request, row)
                if changes:
                    return self._confirmation(request, [(tenants.category(row.slug), changes)])
        return super().change_view(request, object_id, form_url, extra_context)

    def _asked(self, request: HttpRequest, row: Category) -> dict[str, Any]:
        """What the form would change; nothing where it is refused."""
        form = self.get_form(request, row, change=True)(request.POST, instance=row)
        return changes_of(form) if form.is_valid() else {}

    def _asked_in_the_list(self, request: HttpRequest) -> list[tuple[Category, dict[str, Any]]]:
        """The same of every row of the list."""
        rows = self.get_changelist_formset(request)
        sent = rows(request.POST, queryset=self._get_list_editable_queryset(request, rows.get_default_prefix()))
        if not sent.is_valid():
            return []
        held = {row.id: row for row in tenants.categories(scope.current().tenant_id)}
        return [(held[form.instance.id], changes_of(form)) for form in sent.forms if form.has_changed()]

    def _confirmation(self, request: HttpRequest, asked: Sequence[tuple[Category, dict[str, Any]]]) -> HttpResponse:
        previews = [previewing.preview(row, changes, samples=SAMPLES) for row, changes in asked]
        shown = memory.hydrate([each for one in previews for sample in one.samples for each in sample])
        page = {
            **self.admin_site.each_context(request),
            "title": f"Change {', '.join(row.label for row, _ in asked)}?",
            "opts": self.opts,
            "previews": [
                (
                    each,
                    _changed(row, each),
                    *([shown[one] for one in sample if one in shown] for sample in each.samples),
                )
                for each, (row, _) in zip(previews, asked, strict=True)
            ],
            "erasures_wait": erasure.needs_approval(),
            "given": [(name, each) for name, held in request.POST.lists() for each in held if name != CSRF],
        }
        return TemplateResponse(request, "admin/maintenance/category_preview.html", page)

    @override
    def save_model(self, request: HttpRequest, obj: Category, form: Any, change: bool) -> None:
        if change:
            tenant_services.edit_category(tenants.category(obj.slug), changes_of(form))
        else:
            tenant_services.create_category(obj)


def _is_to_be_confirmed(request: HttpRequest) -> bool:
    return request.method == "POST" and "confirmed" not in request.POST


def _changed(row: Category, preview: previewing.CategoryPreview) -> tuple[ChangedValue, ...]:
    return changes_in_words({name: (getattr(row, name), getattr(preview.category, name)) for name in preview.changed})
