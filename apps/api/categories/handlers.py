"""What the verbs on categories do, once the gateway has let the caller in."""

from typing import Any

from apps.api import verbs
from apps.api.admission import admitted
from apps.api.categories.contract import (
    Category,
    CategoryEdit,
    CategoryNumbers,
    CategoryPreview,
    NewCategory,
    PreviewInput,
    half_life,
)
from apps.api.gateway import Gateway
from apps.maintenance import previewing
from apps.tenants import selectors as tenants
from apps.tenants import services
from apps.tenants.models import Category as Row
from apps.tenants.taxonomy import starting


def categories(gateway: Gateway) -> list[Category]:
    with gateway.open(verbs.CATEGORIES):
        return gateway.answers(Category, map(_record, tenants.categories(gateway.principal.tenant_id)))


def preview_category(gateway: Gateway, slug: str, given: PreviewInput) -> CategoryPreview:
    """Over the whole tenant. Raises NotFound, or Invalid for what `update_category` would refuse."""
    with gateway.open(verbs.PREVIEW_CATEGORY):
        row = tenants.category(admitted(slug, "slug"))
        found = previewing.preview(row, _columns(given), samples=given.samples)
        held = {name: getattr(found, name) for name in CategoryPreview.model_fields}
        return gateway.answer(CategoryPreview, {**held, "category": _record(found.category)})


def create_category(gateway: Gateway, given: NewCategory) -> Category:
    with gateway.open(verbs.CREATE_CATEGORY):
        made = services.create_category(Row(slug=given.slug, **_columns(given)))
        return gateway.answer(Category, _record(made))


def update_category(gateway: Gateway, slug: str, given: CategoryEdit) -> Category:
    """Raises NotFound, or Invalid on a value it cannot have."""
    with gateway.open(verbs.UPDATE_CATEGORY):
        row = tenants.category(admitted(slug, "slug"))
        return gateway.answer(Category, _record(services.edit_category(row, _columns(given))))


def _columns(given: CategoryNumbers) -> dict[str, Any]:
    """Without blanks at the ends; what is empty then is left out of lists, and refused as a label by the service."""
    return {name: _stripped(name, value) for name, value in given.columns().items()}


def _stripped(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return [word for each in value if (word := each.strip())]
    return value.strip() if name == "label" else value


def _record(row: Row) -> dict[str, Any]:
    names = ("slug", "label", "keywords", "ttl_days", "decay_lambda", "retention", "purpose", "taxonomy_version")
    return {
        **{name: getattr(row, name) for name in names},
        "examples": list(tenants.examples_of(row)),
        "has_default_examples": row.examples is None,
        "half_life_days": half_life(row.decay_lambda),
        "is_protected": row.protected,
        "default": starting(row.slug),
    }
