"""The categories a tenant files its memories under, for agents that want to name one."""


def test_categories_are_listed_in_both_apis(caller):
    asked = caller.field("{ categories { slug label ttlDays decayLambda retention keywords } }")
    listed = caller.get("/api/v1/categories").json()["items"]

    health = next(each for each in asked if each["slug"] == "health")
    assert health | {"keywords": []} == {
        "slug": "health",
        "label": "Health",
        "ttlDays": 365,
        "decayLambda": 0.01,
        "retention": "EBBINGHAUS",
        "keywords": [],
    }
    slugs = [each["slug"] for each in asked]
    assert [each["slug"] for each in listed] == slugs == sorted(slugs)
