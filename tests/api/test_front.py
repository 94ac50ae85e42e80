"""What a browser meets: the first page, the pages of what is not there, and who is shown the playground."""

import html
import json
import re

import pytest
from django.contrib.auth.models import User
from django.contrib.staticfiles import finders
from django.db import OperationalError
from django.test import Client, RequestFactory
from django.urls import reverse

from apps.api import front, health
from apps.api.local import is_developing
from apps.core.scope import tenant_scope
from apps.tenants import services
from apps.tenants.access import System

pytestmark = pytest.mark.usefixtures("database")

BROWSER = {"Accept": "text/html,application/xhtml+xml"}
HERE = {"Host": "localhost:8000"}


def page_of(path, **headers):
    return Client().get(path, headers={**BROWSER, **headers})


def test_the_first_page_says_how_it_is_and_leads_to_everything(database, patient):
    page = page_of("/", **HERE)
    text = page.content.decode()
    leads = re.findall(r'href="(/[^"]*)"', text)

    assert page.status_code == 200
    assert ">Ready · version 0.1.0<" in text
    assert {
        "/graphql",
        "/api/v1/docs",
        "/admin/",
        "/docs/guides/operations.md",
        "/docs/guides/mcp.md",
        "/readyz",
    } <= set(leads)
    assert "<b>GraphiQL</b>" in text
    assert "//" not in re.sub(r"</?[a-z]+|<!DOCTYPE", "", " ".join(leads))
    for lead in leads:
        assert lead.startswith("/static/") or page_of(lead, **HERE).status_code in {200, 302}


def test_the_first_page_gives_the_entry_of_a_hosts_configuration(database, patient):
    (line,) = re.findall(r"<pre><code>(.*)</code></pre>", page_of("/", **HERE).content.decode())

    assert json.loads(f"{{{html.unescape(line)}}}") == {
        "memory": {"url": "http://localhost:8000/mcp", "headers": {"Authorization": "Bearer mp_…"}}
    }


def test_the_first_page_says_when_something_is_down_and_not_why(database, monkeypatch):
    def down():
        raise OperationalError("connection to 10.0.0.3 failed")

    monkeypatch.setitem(health._PROBES, "valkey", down)

    page = page_of("/")
    assert page.status_code == 200
    assert ">Not ready ·" in page.content.decode()
    assert '<b class="bad">✗</b> valkey' in page.content.decode()
    assert "10.0.0.3" not in page.content.decode()


def test_the_first_page_loads_nothing_from_elsewhere_and_holds_no_tenant(database, tenant):
    page = page_of("/")

    assert tenant.slug not in page.content.decode()
    assert "http" not in re.sub(r"https?://testserver\S*", "", page.content.decode())
    assert page.headers["Content-Security-Policy"].startswith("default-src 'none'; style-src 'self'; img-src 'self'")


@pytest.mark.parametrize(
    ("peer", "headers", "developing"),
    [
        ("127.0.0.1", {"Host": "localhost:8000"}, True),
        ("127.0.0.1", {"Host": "127.0.0.1:8000"}, True),
        ("::1", {"Host": "[::1]:8000"}, True),
        ("::ffff:127.0.0.1", {"Host": "localhost"}, True),
        ("192.168.1.7", {"Host": "localhost:8000"}, False),
        ("::ffff:192.168.1.7", {"Host": "localhost:8000"}, False),
        ("127.0.0.1", {"Host": "memory.example.com"}, False),
        ("127.0.0.1", {"Host": "localhost.example.com"}, False),
        ("127.0.0.1", {"Host": "localhost", "X-Forwarded-For": "203.0.113.9"}, False),
        ("127.0.0.1", {"Host": "localhost", "Forwarded": "for=203.0.113.9"}, False),
        ("127.0.0.1", {"Host": "localhost", "X-Real-IP": "203.0.113.9"}, False),
        ("", {"Host": "localhost"}, False),
    ],
)
def test_only_a_browser_on_this_machine_is_shown_the_playground(settings, peer, headers, developing):
    settings.ALLOWED_HOSTS = ["*"]
    request = RequestFactory().get("/graphql", headers=headers, REMOTE_ADDR=peer)

    assert is_developing(request) is developing
    settings.DEBUG = True
    assert is_developing(request) is True


def test_the_playground_reads_the_schema_without_a_key_from_this_machine_only():
    def schema(host):
        body = {"query": "{ __schema { queryType { name } } viewer: __typename }"}
        return Client().post("/graphql", body, content_type="application/json", headers={"Host": host}).json()

    assert schema("localhost")["data"]["__schema"] == {"queryType": {"name": "Query"}}
    assert schema("testserver")["errors"][0]["extensions"]["code"] == "UNAUTHENTICATED"


def test_without_the_playground_a_browser_is_told_what_to_do_and_a_program_in_json():
    page, told = page_of("/graphql"), Client().get("/graphql")

    assert (page.status_code, page.headers["Allow"]) == (405, "POST")
    assert "GraphQL is asked by POST" in page.content.decode()
    assert "http://testserver/graphql" in page.content.decode()
    assert (told.status_code, told.headers["Allow"], told.json()["error"]["code"]) == (405, "POST", "INVALID")


def test_what_the_admin_does_not_open_is_told_as_a_page_and_to_a_program_in_json(tenant):
    login = User.objects.create_user(f"payer-{tenant.slug}", is_staff=True)
    with tenant_scope(tenant.id):
        services.add_member(user_id=login.pk, role="billing", by=System(tenant.id))
    browser = Client()
    browser.force_login(login)
    there = reverse("admin:tenants_agent_add")

    page, told = browser.get(there, headers={"Accept": "text/html"}), browser.get(there)

    assert (page.status_code, told.status_code) == (403, 403)
    assert "This is not open to you" in page.content.decode()
    assert "Ask an owner" in page.content.decode()
    assert told.json()["error"]["code"] == "FORBIDDEN"


def test_a_form_that_is_older_than_the_login_is_refused_in_words():
    browser = Client(enforce_csrf_checks=True)

    page = browser.post("/console/login/", headers={"Accept": "text/html"})
    told = browser.post("/console/login/")

    assert (page.status_code, told.status_code) == (403, 403)
    assert "this page is older than your login" in page.content.decode()
    assert "load the page anew" in page.content.decode()
    assert told.json()["error"]["code"] == "FORBIDDEN"


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api/v1/nothing/here", "/api/v2/recall", "/api/"])
def test_what_the_api_does_not_have_is_told_in_json_even_to_a_browser(settings, path, debug):
    settings.DEBUG = debug
    answer = page_of(path)

    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")
    assert "/api/v1/docs" in answer.json()["error"]["hint"]


def test_elsewhere_a_browser_is_shown_a_page_and_a_program_json(database):
    page = page_of("/nowhere")

    assert (page.status_code, Client().get("/nowhere").json()["error"]["code"]) == (404, "NOT_FOUND")
    assert "There is nothing at this address" in page.content.decode()
    assert Client().post("/").status_code == 404


@pytest.mark.parametrize("method", ["get", "post", "put", "patch", "delete"])
def test_a_route_that_there_is_not_is_missing_by_every_method(method: str) -> None:
    sent = getattr(Client(enforce_csrf_checks=True), method)("/api/v1/nowhere", HTTP_AUTHORIZATION="Bearer mp_a_b")

    assert (sent.status_code, sent.json()["error"]["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("path", ["/", "/api/v1/nowhere", "/admin/login/"])
def test_a_request_that_cannot_be_read_is_refused_without_repeating_it(path):
    host = "bluewhale\x0042.example"
    program = Client().get(path, headers={"Host": host})
    browser = Client().get(path, headers={"Host": host, "Accept": "text/html"})

    assert (program.status_code, browser.status_code) == (400, 400)
    assert program.json()["error"] == {"code": "INVALID", "message": "The request cannot be read."}
    assert "bluewhale" not in browser.content.decode()


def test_every_picture_of_a_guide_is_there():
    for guide in (front._DOCUMENTS / "guides").glob("*.md"):
        for picture in re.findall(r"\]\(\.\./(images/[^)]+)\)", guide.read_text()):
            shown = Client().get(f"/docs/{picture}")
            assert (shown.status_code, shown["Content-Type"]) == (200, "image/png"), f"{guide.name}: {picture}"
            shown.close()


def test_every_link_into_a_guide_leads_to_a_heading():
    guides = front._DOCUMENTS / "guides"
    shown = {guide.name: page_of(f"/docs/guides/{guide.name}").content.decode() for guide in guides.glob("*.md")}
    links = [
        (name, to or name, heading)
        for name in shown
        for to, heading in re.findall(r"\]\(([\w-]+\.md)?#([^)]+)\)", (guides / name).read_text())
    ]

    assert len(links) > 20
    assert [link for link in links if f'id="{link[2]}"' not in shown[link[1]]] == []


def test_guides_are_shown_and_no_other_file_can_be_asked_for():
    guide = page_of("/docs/guides/keys.md")

    assert '<h1 id="keys">Keys</h1>' in guide.content.decode()
    assert "<td><code>read</code></td>" in guide.content.decode()
    for path in ("/docs/../pyproject.toml", "/docs/guides/%2e%2e/%2e%2e/README.md", "/docs/guides/nothing.md"):
        assert page_of(path).status_code == 404


def test_a_browser_finds_an_icon():
    answer = Client().get("/favicon.ico")

    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/svg+xml")
    assert b"".join(answer.streaming_content).startswith(b"<svg")
    assert finders.find("api/page.css")
