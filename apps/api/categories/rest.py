"""Categories over REST."""

from django.http import HttpRequest
from ninja import Router

from apps.api import verbs
from apps.api.categories import handlers
from apps.api.categories.contract import Category, CategoryEdit, CategoryPreview, NewCategory, PreviewInput
from apps.api.contract import Items, Name
from apps.api.rest.routing import gateway_of, serve

router = Router()


@serve(router, "GET", "/categories", verbs.CATEGORIES)
def categories(request: HttpRequest) -> Items[Category]:
    return Items(items=handlers.categories(gateway_of(request)))


@serve(router, "POST", "/categories", verbs.CREATE_CATEGORY)
def create_category(request: HttpRequest, body: NewCategory) -> Category:
    return handlers.create_category(gateway_of(request), body)


@serve(router, "POST", "/categories/{slug}", verbs.UPDATE_CATEGORY)
def update_category(request: HttpRequest, slug: Name, body: CategoryEdit) -> Category:
    return handlers.update_category(gateway_of(request), slug, body)


@serve(router, "POST", "/categories/{slug}/preview", verbs.PREVIEW_CATEGORY)
def preview_category(request: HttpRequest, slug: Name, body: PreviewInput) -> CategoryPreview:
    """Reads only; nothing is changed."""
    return handlers.preview_category(gateway_of(request), slug, body)
