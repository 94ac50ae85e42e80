"""What every page of the admin rests on: rows of the chosen tenant, changed through services, refusals told."""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias
from uuid import UUID

from django.contrib.admin import display
from django.contrib.admin.options import IncorrectLookupParameters, ModelAdmin
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db import DataError, transaction
from django.db.models import F, ForeignKey, QuerySet, Value
from django.db.models.expressions import Combinable
from django.forms import ModelForm
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from typing_extensions import override

from apps.core import scope
from apps.core.paging import PageRequest
from apps.journal import selectors as journal
from apps.journal.selectors import EntryFilter
from apps.tenants import selectors
from apps.tenants.access import Member
from apps.tenants.models import ApiKey
from apps.tenants.telling import told
from memory_platform.errors import Forbidden, MemoryPlatformError
from memory_platform.text.redaction import redact

if TYPE_CHECKING:
    _Admin = ModelAdmin[Any]
    _Form = ModelForm[Any]
    _ChangeList = ChangeList
else:
    from unfold.admin import ModelAdmin as _Admin
    from unfold.views import ChangeList as _ChangeList

    _Form = ModelForm

Tone: TypeAlias = Literal["good", "wary", "bad", "quiet"]


class _CheckedList(_ChangeList):
    @override
    def get_results(self, request: HttpRequest) -> None:
        """Values that turn out to be none only when they are asked for, such as the year -30, are refused, too."""
        try:
            with transaction.atomic():
                super().get_results(request)
        except (ValueError, OverflowError, DataError) as error:
            raise IncorrectLookupParameters(error) from error


class RefusalsShown(_Admin):
    """What a service refuses is said above the list, and nothing of it is kept. The rest says where a page stands."""

    section = "Memory"
    icon = "database"
    title = ""

    @property
    def heading(self) -> str:
        return self.title or capfirst(str(self.opts.verbose_name_plural))

    @override
    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[_CheckedList]:
        return _CheckedList

    @override
    def changelist_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Refusals of actions only: one that comes of showing the list would be sent to the list for ever."""
        if request.method != "POST":
            return super().changelist_view(request, *args, **kwargs)
        return self._or_refused(request, super().changelist_view, *args, **kwargs)

    @override
    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._or_refused(request, super().changeform_view, *args, **kwargs)

    @override
    def delete_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        return self._or_refused(request, super().delete_view, *args, **kwargs)

    def _or_refused(
        self, request: HttpRequest, view: Callable[..., HttpResponse], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        try:
            with transaction.atomic():
                return view(request, *args, **kwargs)
        except MemoryPlatformError as error:
            self.message_user(request, error.message, level="ERROR")
            return HttpResponseRedirect(reverse(f"admin:{self.opts.app_label}_{self.opts.model_name}_changelist"))


class SecretsRefused(_Form):
    """What is typed here is kept as it is, for good: no place for a secret but a login's password."""

    @override
    def clean(self) -> dict[str, Any]:
        held: dict[str, Any] = super().clean() or self.cleaned_data
        for name, value in [each for each in held.items() if not each[0].startswith("password")]:
            texts = value if isinstance(value, list | tuple) else [value]
            kinds = {kind for text in texts if isinstance(text, str) for kind in redact(text).kinds}
            if kinds:
                self.add_error(name, f"This holds a secret ({', '.join(sorted(kinds))}): leave it out.")
        return held


class TenantForm(SecretsRefused):
    """Knows its tenant, so that what is unique per tenant is checked before it is saved."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if "tenant" in {field.name for field in self._meta.model._meta.fields}:  # noqa: SLF001
            self.instance.tenant_id = scope.current().tenant_id

    def _get_validation_exclusions(self) -> set[str]:
        return super()._get_validation_exclusions() - {"tenant"}  # type: ignore[no-any-return, misc]


class RowForm(TenantForm):
    """A row of a list that is edited in it: its fields have no label beside them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            field.widget.attrs["aria-label"] = f"{field.label} of {self.instance}"


class TenantModelAdmin(RefusalsShown):
    """Rows of the chosen tenant. Owners and admins edit; whoever has the scope it `needs` looks. What happened is in
    the journal.

    Every page says what it `needs`: the scope of the verb that reads the same, a higher one where the console shows it
    to fewer roles, and where no verb reads it the scope of those who change it.
    """

    needs: ApiKey.Scope
    is_tenant_data = True
    tenant_column = "tenant_id"
    told_as = ""
    """What the journal calls such a row, where the history names it, and by what."""
    named_by: ClassVar[Combinable] = F("name")
    form = TenantForm
    actions_on_bottom = False
    show_full_result_count = False
    list_per_page = 50

    @override
    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).filter(**{self.tenant_column: scope.current().tenant_id})

    def names_of(self, ids: Collection[UUID]) -> QuerySet[Any, tuple[str, UUID, str]]:
        """What the journal calls them, id and name of those of the rows that are still there."""
        rows: QuerySet[Any] = self.model.objects.filter(pk__in=ids, **{self.tenant_column: scope.current().tenant_id})
        return rows.order_by().values_list(Value(self.told_as), "pk", self.named_by)

    @override
    def formfield_for_foreignkey(self, db_field: "ForeignKey[Any, Any]", request: HttpRequest, **kwargs: Any) -> Any:
        related: Any = db_field.related_model
        kwargs["queryset"] = related.objects.filter(tenant_id=scope.current().tenant_id)
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    @override
    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    @override
    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return may(request, self.needs)

    @override
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        member = member_of(request)
        return member is not None and member.may_edit

    @override
    def has_add_permission(self, request: HttpRequest) -> bool:
        member = member_of(request)
        return member is not None and member.may_edit

    @override
    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    # The services write the journal; django_admin_log is not a tenant's.
    @override
    def log_addition(self, *_args: Any, **_kwargs: Any) -> Any:
        return None

    @override
    def log_change(self, *_args: Any, **_kwargs: Any) -> Any:
        return None

    @override
    def log_deletions(self, *_args: Any, **_kwargs: Any) -> Any:
        return None

    @override
    def history_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not (may(request, ApiKey.Scope.REVIEW) and self.has_view_permission(request)):
            raise PermissionDenied
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        entries = journal.entries(filter=EntryFilter(subject_id=row.pk), page=PageRequest(100)).rows
        page = {
            **self.admin_site.each_context(request),
            "title": f"History of {row}",
            "happenings": told(entries, selectors.member_logins()),
            "opts": self.opts,
            "original": row,
        }
        return TemplateResponse(request, "admin/tenants/history.html", page)


class LookedAtAdmin(TenantModelAdmin):
    """Rows that jobs and agents write, to look at."""

    actions: Sequence[str] | None = None

    @override
    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        """An agent by its name: Django would link to its page, which is open to fewer."""
        return ["agent_named" if name == "agent" else name for name in super().get_fields(request, obj)]

    @display(description="agent")
    def agent_named(self, row: Any) -> str:
        return str(row.agent)

    @override
    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    @override
    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def may(request: HttpRequest, scope: ApiKey.Scope) -> bool:
    """Whether whoever asks may do through the API what the scope is for."""
    member = member_of(request)
    return member is not None and scope in member.scopes


def member_of(request: HttpRequest) -> Member | None:
    return getattr(request, "principal", None)


def acting_member(request: HttpRequest) -> Member:
    """Who changes something. Raises Forbidden for nobody."""
    member = member_of(request)
    if member is None:
        raise Forbidden("Choose a tenant first.")
    return member


def changes_of(form: _Form) -> dict[str, object]:
    return {name: form.cleaned_data[name] for name in form.changed_data}


def badge(text: str, tone: Tone) -> SafeString:
    """A word in the colour of what it means."""
    return format_html('<span class="badge {}">{}</span>', tone, text)
