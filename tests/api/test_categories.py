"""The categories a tenant files its memories under: listed to agents, changed by who administers, tried before that."""

import math

import pytest

from apps.core.scope import tenant_scope
from apps.journal.models import Entry
from apps.tenants import selectors

WORK = "/api/v1/categories/work"


def of(caller, slug):
    return next(each for each in caller.get("/api/v1/categories").json()["items"] if each["slug"] == slug)


def test_categories_are_listed_in_both_apis_beside_what_the_deployment_starts_with(caller):
    caller.post(WORK, {"ttl_days": 30})
    asked = caller.field("{ categories { slug label ttlDays halfLifeDays retention isProtected default { ttlDays } } }")
    listed = caller.get("/api/v1/categories").json()["items"]

    assert next(each for each in asked if each["slug"] == "work") == {
        "slug": "work",
        "label": "Work",
        "ttlDays": 30,
        "halfLifeDays": pytest.approx(math.log(2) / 0.01),
        "retention": "EBBINGHAUS",
        "isProtected": False,
        "default": {"ttlDays": 90},
    }
    slugs = [each["slug"] for each in asked]
    assert [each["slug"] for each in listed] == slugs == sorted(slugs)


def test_a_category_is_changed_and_what_is_absent_stays(caller, tenant):
    change = {"half_life_days": 100, "is_protected": True, "keywords": [" Firm ", "firm", "", "shift"]}

    changed = caller.post(WORK, change).json()

    assert (changed["keywords"], changed["ttl_days"], changed["is_protected"]) == (["Firm", "shift"], 90, True)
    assert changed["decay_lambda"] == pytest.approx(math.log(2) / 100)
    assert changed["taxonomy_version"] == 2
    with tenant_scope(tenant.id):
        rule = next(rule for rule in selectors.category_rules(tenant.id) if rule.slug == "work")
        told = Entry.objects.get(operation="category.changed").data["changes"]
    assert (rule.ttl_days, rule.retention.value) == (None, "none")
    assert told["protected"] == {"was": False, "is": True}


def test_zero_days_never_expire_and_default_examples_come_back(caller):
    assert caller.post(WORK, {"ttl_days": 0}).json()["ttl_days"] is None
    assert caller.post(WORK, {"examples": ["I mend shoes"]}).json()["examples"] == ["I mend shoes"]
    assert caller.post(WORK, {"examples": []}).json()["examples"] == []

    again = caller.post(WORK, {"has_default_examples": True}).json()

    assert again["has_default_examples"]
    assert len(again["examples"]) > 10


def test_a_category_of_the_tenants_own_is_made_once(caller):
    new = 'mutation { createCategory(input: {slug: "pets", label: "Pets", ttlDays: 7}) { slug ttlDays } }'

    assert caller.field(new) == {"slug": "pets", "ttlDays": 7}
    assert caller.code(new) == "CONFLICT"
    assert of(caller, "pets")["default"] is None


def test_a_preview_is_the_same_in_both_apis_and_changes_nothing(caller):
    ask = 'query { previewCategory(slug: "work", input: {ttlDays: 1}) { items archived changed category { ttlDays } } }'
    posted = caller.post(f"{WORK}/preview", {"ttl_days": 1}).json()

    assert caller.field(ask) == {"items": 0, "archived": 0, "changed": ["ttl_days"], "category": {"ttlDays": 1}}
    assert {name: posted[name] for name in ("items", "archived", "spared")} == {"items": 0, "archived": 0, "spared": 0}
    assert [each["step"] for each in posted["steps"]] == ["expired", "pruned", "decayed"]
    assert of(caller, "work")["ttl_days"] == 90


def test_only_who_administers_changes_or_tries(make_caller):
    caller = make_caller("read", "write", "review")

    for path in (WORK, f"{WORK}/preview"):
        assert caller.post(path, {"ttl_days": 1}).status_code == 403
    assert caller.post("/api/v1/categories", {"slug": "pets", "label": "Pets"}).status_code == 403


def test_a_category_of_another_tenant_is_not_there(caller, stranger):
    caller.post("/api/v1/categories", {"slug": "pets", "label": "Pets"})

    assert stranger.post("/api/v1/categories/pets", {"ttl_days": 1}).status_code == 404
    assert stranger.post("/api/v1/categories/pets/preview", {"ttl_days": 1}).status_code == 404


@pytest.mark.parametrize(
    "change",
    [
        {"label": ""},
        {"label": "\u200b \u0000"},
        {"label": "x" * 101},
        {"keywords": ["x" * 65]},
        {"keywords": [str(each) for each in range(101)]},
        {"keywords": [7]},
        {"examples": ["x" * 301]},
        {"examples": [str(each) for each in range(51)]},
        {"examples": ["a"], "has_default_examples": True},
        {"ttl_days": -1},
        {"ttl_days": 36_501},
        {"ttl_days": "soon"},
        {"decay_lambda": -0.1},
        {"decay_lambda": 10.5},
        {"decay_lambda": 0.1, "half_life_days": 7},
        {"half_life_days": 0},
        {"half_life_days": 1e9},
        {"retention": "gone"},
        {"purpose": "fun"},
        {"is_protected": "perhaps"},
        {"slug": "else"},
        {"taxonomy_version": 9},
    ],
)
def test_what_is_out_of_bounds_is_refused_and_nothing_changes(caller, change):
    before = of(caller, "work")

    assert caller.post(WORK, change).status_code in {400, 422}
    assert caller.post(f"{WORK}/preview", change).status_code in {400, 422}
    assert of(caller, "work") == before


@pytest.mark.parametrize("slug", ["", "a b", "../keys", "x" * 65, "Ü", "-", "pets\n"])
def test_what_is_no_slug_names_no_category(caller, slug):
    assert caller.post("/api/v1/categories", {"slug": slug, "label": "Pets"}).status_code in {400, 422}


def test_a_numbers_bound_holds_for_json_that_is_no_number(caller):
    body = '{"decay_lambda": NaN}'

    assert caller.post(WORK, body).status_code in {400, 422}
    assert caller.post(WORK, '{"half_life_days": Infinity}').status_code in {400, 422}


def test_words_are_cleaned_and_hold_no_secret(caller):
    changed = caller.post(WORK, {"label": " W\u200bork ", "keywords": ["AKIAIOSFODNN7EXAMPLE"]}).json()

    assert changed["label"] == "Work"
    assert "AKIAIOSFODNN7EXAMPLE" not in str(changed)


def test_an_unknown_category_is_not_found(caller):
    assert caller.post("/api/v1/categories/nosuch", {"ttl_days": 1}).status_code == 404
    assert caller.code('{ previewCategory(slug: "nosuch", input: {ttlDays: 1}) { archived } }') == "NOT_FOUND"
