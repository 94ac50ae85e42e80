"""A marked secret goes through every field of every form of the console and the admin; no column of any table, no log
line holds it.

The fields are read from the pages themselves: a new one is tried without an entry here.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.contrib.auth.models import User
from django.urls import resolve

from apps.jobs import services as jobs
from tests.console_addresses import PAGES, address
from tests.console_deeds import DEEDS, filled_in
from tests.fuzz.admin_forms import forms, forms_in
from tests.policy import growing
from tests.policy.conftest import ask, waiting_proposal
from tests.policy.test_console import ANSWERED, OF_MARA
from tests.policy.test_secrets import MARK, WORDINGS, leaks, log, remembered, stored, without_limits  # noqa: F401  fixture

NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
# What a form that adds a row is filled in with. "$new" is new each time.
ADDED = {
    "/admin/tenants/agent/add/": {"slug": "$new", "name": "Scribe"},
    "/admin/tenants/apikey/add/": {"agent": "$agent", "name": "for the scribe", "scopes": "read"},
    "/admin/tenants/category/add/": {
        "slug": "$new",
        "label": "Pets",
        "purpose": "knowledge",
        "keywords": "cat",
        "ttl_days": "30",
        "decay_lambda": "0.01",
        "retention": "ebbinghaus",
    },
    "/admin/tenants/membership/add/": {"username": "$new", "role": "member"},
    "/admin/budgets/price/add/": {
        "model": "$new",
        "usd_per_million_in": "3",
        "usd_per_million_out": "15",
        "valid_from_0": "2026-03-01",
        "valid_from_1": "00:00:00",
    },
    "/admin/auth/user/add/": {"username": "$new", "password1": "tall-Ships-7", "password2": "tall-Ships-7"},
    "/admin/auth/group/add/": {"name": "$new"},
}


@dataclass(frozen=True)
class Filled:
    """A form as somebody sends it, but for the field that is tried."""

    path: str
    values: dict[str, str]
    field: str

    def __str__(self):
        return f"{self.path} {self.field}"


@pytest.fixture(scope="module")
def root(victim):
    """The browser of an owner who runs the servers."""
    return growing.member(victim.tenant_id, "owner", is_staff=True, is_superuser=True)


def opened(browser):
    """What a browser shows at a path."""

    def get(path):
        answer = browser.get(path, follow=True)
        return answer.content.decode() if answer.status_code == 200 and "html" in answer["Content-Type"] else ""

    return get


def held(victim):
    """The ids of what there is to act on: what can be used once is new."""
    preview = "query($user: String!) { previewErasure(input: {userId: $user}) { fingerprint } }"
    shown = ask(preview, {"user": OF_MARA["what"]}, victim.token).json()["data"]["previewErasure"]
    return {**victim.ids, **shown, "memory": remembered(victim), "proposal": waiting_proposal(victim)}


def of_the_console(victim, browser):
    """A deed of each page and what test_console posts, with the fields that pages have beside."""
    beside = fields_beside(victim, browser)
    deeds = {deed.page: deed.form for deed in reversed(DEEDS.values())}
    for name, form in [*deeds.items(), *(each[:2] for each in ANSWERED.values())]:
        for field in {**beside[name], **form}:
            ids = held(victim)
            yield Filled(address(name, ids), {**beside[name], **filled_in(form, ids)}, field)


def fields_beside(victim, browser):
    """By the page that is posted to: what its forms hold, on whatever pages they stand."""
    beside = defaultdict(dict)
    for name in (name for name, page in PAGES.items() if page.method == "GET"):
        path = address(name, victim.ids)
        for form in forms_in(path, opened(browser)(path)):
            beside[resolve(urlsplit(form.path).path).url_name].update(form.values)
    return beside


def of_the_admin(victim, browser):
    """A page that stands at two addresses once; and the login of somebody else, which a fuzzer leaves alone."""
    somebody = f"/admin/auth/user/{User.objects.create_user(f's{uuid4().hex[:12]}').pk}/change/"
    found = [*forms(opened(browser)), *forms_in(somebody, opened(browser)(somebody))]
    for form in {(_model(form.path), *form.values): form for form in found}.values():
        for field in _texts({**form.values, **ADDED.get(form.path, {})}):
            yield Filled(form.path, {**form.values, **completed(ADDED.get(form.path, {}), victim)}, field)


def _texts(values):
    """What holds a number takes no words."""
    return [name for name, value in values.items() if not NUMBER.fullmatch(value)]


def _model(path):
    return tuple(path.split("/")[2:4])


def completed(form, victim):
    made = {"$new": f"s{uuid4().hex[:12]}", "$agent": str(victim.agent_id)}
    return {name: made.get(value, value) for name, value in form.items()}


def send(browser, filled, text):
    """Of what is empty a browser sends nothing: no choice, no tick."""
    values = {name: value for name, value in filled.values.items() if value}
    return browser.post(filled.path, {**values, filled.field: text})


@pytest.mark.timeout(600)
@pytest.mark.parametrize("forms_of", [of_the_console, of_the_admin], ids=["console", "admin"])
def test_no_secret_that_was_typed_into_a_form_is_kept_anywhere(victim, root, postgres, log, forms_of):  # noqa: F811
    without_limits(victim)
    given = [(each, word) for each in forms_of(victim, root) for word in WORDINGS]
    answers = [send(root, filled, word(at)) for at, (filled, word) in enumerate(given)]
    jobs.drain(worker="test", tenant_id=victim.tenant_id)
    named = [str(filled) for filled, _ in given]

    assert [name for name, answer in zip(named, answers, strict=True) if answer.status_code >= 500] == []
    assert leaks(stored(postgres, MARK), named) == {}
    assert leaks([("log", line) for line in log.getvalue().splitlines()], named) == {}
