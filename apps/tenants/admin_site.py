"""The admin: one tenant per login session, its scope opened around the first page and each page of tenant data.

Django's own tables belong to the login role and tenant tables to `memory_app`, so a request is cut in three: the user,
the session and the content types are loaded first; the page is made inside the scope; the session is saved after it.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast
from urllib.parse import urlencode
from uuid import UUID

from django.apps import apps
from django.contrib import messages
from django.contrib.admin import AdminSite
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import BadRequest, PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from typing_extensions import override

from apps.core.limiter import LOGINS_PER_MINUTE, login_is_limited
from apps.core.paging import PageRequest
from apps.journal import selectors as journal
from apps.journal.selectors import EntryFilter, EntryView
from apps.tenants import logins, selectors
from apps.tenants.access import MEMBER, Member, opened
from apps.tenants.logins import SESSION_KEY, chosen, login_id
from apps.tenants.models import ApiKey
from apps.tenants.selectors import invitations, member_tenants
from apps.tenants.telling import NamedRow, called, told
from memory_platform.errors import Invalid

if TYPE_CHECKING:
    _Site = AdminSite
else:
    from unfold.sites import UnfoldAdminSite as _Site

SECTIONS: Final = ("Access", "Tuning", "Memory", "Servers")
"""Of the sidebar, in this order: each page's admin says in which it stands, and its icon."""
TENANT_PAGES: Final = frozenset({"index", "history"})
"""Of the site's own."""
HAPPENINGS_AT_ONCE: Final = 50

View = TypeVar("View", bound=Callable[..., HttpResponseBase])


class TenantAdminSite(_Site):
    index_title = "Overview"

    @override
    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Django's and ours; Unfold's search keeps what it found in the cache and is not needed."""
        return [
            path("tenant/", self.admin_view(self.choose_tenant), name="choose_tenant"),
            path("history/", self.admin_view(self.history), name="history"),
            *AdminSite.get_urls(self),
        ]

    @override
    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Every page knows its member; pages of tenant data run inside the chosen tenant's scope.

        A query that holds a null character, which no row can hold either, is a bad request.
        """
        is_scoped = _shows_tenant_data(view)

        def page(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if any("\0" in each for name, held in request.GET.lists() for each in (name, *held)):
                raise BadRequest("A query holds no null characters.")
            tenant = chosen(request)
            principal = Member(tenant.id, login_id(request), tenant.role) if tenant else None
            request.tenant, request.principal = tenant, principal  # type: ignore[attr-defined]
            if not is_scoped:
                return view(request, *args, **kwargs)
            if principal is None:
                there = reverse("admin:choose_tenant")
                return HttpResponseRedirect(f"{there}?{urlencode({'next': request.get_full_path()})}")
            return _scoped(principal, request, lambda: view(request, *args, **kwargs))

        return super().admin_view(cast("View", page), cacheable)

    @override
    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        return {**super().each_context(request), "member": getattr(request, "tenant", None)}

    def get_sidebar_list(self, request: HttpRequest) -> list[dict[str, Any]]:
        """What the login may see, by the section each page names: nothing to be kept beside the pages themselves."""
        first = [
            _link(
                request, "Overview", "home", reverse("admin:index"), is_active=request.path == reverse("admin:index")
            ),
        ]
        if may_review(request):
            first.append(_link(request, "History", "history", reverse("admin:history")))
        by_section: dict[str, list[dict[str, Any]]] = {"": first}
        for model, page in self._registry.items():
            if page.has_module_permission(request) and page.has_view_permission(request):
                there = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")  # noqa: SLF001
                link = _link(request, page.heading, page.icon, there)  # type: ignore[attr-defined]
                by_section.setdefault(page.section, []).append(link)  # type: ignore[attr-defined]
        return [{"title": each, "items": by_section[each]} for each in ("", *SECTIONS) if each in by_section]

    @override
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        if request.method == "POST" and login_is_limited(request):
            message = f"More than {LOGINS_PER_MINUTE} attempts within a minute. Wait a minute and try again.\n"
            return HttpResponse(message, status=429, content_type="text/plain", headers={"Retry-After": "60"})
        if request.method == "GET" and request.user.is_authenticated and not self.has_permission(request):
            name = request.user.get_username()
            messages.warning(
                request, f"{name} has no staff status, which the admin asks for. Log in as somebody who has."
            )
        return super().login(request, extra_context)

    def choose_tenant(self, request: HttpRequest) -> HttpResponse:
        """A small page for members of several tenants."""
        there = logins.destination(request, otherwise=reverse("admin:index"))
        if request.method == "POST" and logins.choose_as_asked(request):
            return HttpResponseRedirect(there)
        held = member_tenants(login_id(request))
        page = {**self.each_context(request), "title": "Choose a tenant", "tenants": held, "next": there}
        page["invitations"] = invitations(login_id(request))
        return TemplateResponse(request, "admin/tenants/choose_tenant.html", page)

    def history(self, request: HttpRequest) -> HttpResponse:
        """What people changed, the newest first; of one person where `by` names a login."""
        if not may_review(request):
            raise PermissionDenied
        names = selectors.member_logins()
        by = request.GET.get("by", "")
        actor = f"{MEMBER}{by}" if by.isdecimal() else "member"
        try:
            page = PageRequest(HAPPENINGS_AT_ONCE, request.GET.get("after"))
            found = journal.entries(filter=EntryFilter(actor=actor), page=page)
        except Invalid:
            return HttpResponseRedirect(reverse("admin:history"))
        shown = {
            **self.each_context(request),
            "title": "History",
            "happenings": told(found.rows, names, self._named(request, found.rows, names)),
            "people": sorted(names.items(), key=lambda one: one[1]),
            "by": by,
            "further": urlencode({"by": by, "after": found.end_cursor}) if found.has_next else "",
        }
        return TemplateResponse(request, "admin/tenants/everything.html", shown)

    def _named(
        self, request: HttpRequest, entries: Iterable[EntryView], logins: Mapping[int, str]
    ) -> dict[tuple[str, UUID | None], NamedRow]:
        """The rows that the entries tell of, those of every kind in one query."""
        registered: Iterable[Any] = self._registry.values()
        pages = {page.told_as: page for page in registered if getattr(page, "told_as", "")}
        wanted = defaultdict(set)
        for each in entries:
            wanted[each.subject].add(each.subject_id)
        found = [pages[kind].names_of(wanted[kind]) for kind in wanted.keys() & pages.keys()]
        rows = found[0].union(*found[1:], all=True) if found else ()
        return {
            (kind, row_id): NamedRow(called(name, logins), _page_of(pages[kind], request, row_id))
            for kind, row_id, name in rows
        }


def _shows_tenant_data(view: Callable[..., object]) -> bool:
    owner = getattr(view, "__self__", None)
    if isinstance(owner, TenantAdminSite):
        return view.__name__ in TENANT_PAGES
    return getattr(owner, "is_tenant_data", False)


def may_review(request: HttpRequest) -> bool:
    """Whether whoever asks may see what people changed. Unfold asks, too, before it links to it."""
    member: Member | None = getattr(request, "principal", None)
    return member is not None and ApiKey.Scope.REVIEW in member.scopes


def _page_of(admin: Any, request: HttpRequest, row_id: UUID) -> str:
    """The page of a row; none where it is not open to who asks."""
    names = f"admin:{admin.opts.app_label}_{admin.opts.model_name}_change"
    return reverse(names, args=[row_id]) if admin.has_view_permission(request) else ""


def _link(request: HttpRequest, name: str, icon: str, there: str, *, is_active: bool | None = None) -> dict[str, Any]:
    active = request.path.startswith(there) if is_active is None else is_active
    return {"title": name, "icon": icon, "link": there, "active": active, "has_permission": True}


def _scoped(principal: Member, request: HttpRequest, view: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    _load_what_the_login_role_reads(request)
    with opened(principal):
        response = view()
        if isinstance(response, TemplateResponse):
            response.render()
    return response


def _load_what_the_login_role_reads(request: HttpRequest) -> None:
    """The user with its permissions and the session, remembered for the request; content types for good."""
    request.user.get_all_permissions()
    request.session.get(SESSION_KEY)
    ContentType.objects.get_for_models(*apps.get_models())
