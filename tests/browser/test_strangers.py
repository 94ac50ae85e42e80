"""The owner of another tenant in Chromium, at every address of the console and the admin, with the right ids."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import APIResponse, Browser

from apps.stack.supervisor import Stack
from tests.admin_addresses import addresses
from tests.browser.conftest import Tab, opened
from tests.browser.people import PASSWORD
from tests.browser.strangers import OWNER, STRANGER
from tests.console_addresses import NAMES, PAGES, address
from tests.console_deeds import DEEDS
from tests.policy.conftest import CURATED, NAME, SECRET
from tests.stacks import in_shell, stack_of_its_own

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.timeout(600)]

MARKS = (SECRET, NAME, CURATED)
LEAVING = {"logout"}
"""Whoever opens it is logged out."""
NOT_SHOWN = {403, 404, 405}
# Of the first tenant's own pages so many show a mark at least: fewer, and what a stranger is not shown proves little.
MARKED = {"console": 11, "admin": 8}


@dataclass(frozen=True, slots=True)
class Address:
    """Where a stranger goes, with what is sent there; `needs_row`: the path names something of the other tenant."""

    path: str
    method: str = "GET"
    needs_row: bool = False
    form: Mapping[str, str | list[str]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def shared() -> Iterator[Stack]:
    """A stack of its own: where there are more tenants, whoever runs the servers is asked to choose one."""
    with stack_of_its_own("wordllama", worker=False) as started:
        yield started


@pytest.fixture(scope="module")
def held(shared: Stack) -> Any:
    """What the one tenant holds: `ids` by kind for the console, what its forms name among them, `rows` by model for
    the admin.
    """
    made = in_shell(shared, "from tests.browser import strangers; strangers.tell()")
    rows = [made["rows"][model] for model in ("tenants.tenant", "tenants.agent")] + [made["ids"]["job"]]
    made["ids"] |= in_shell(shared, f"from tests import console_deeds; console_deeds.tell_prepared(*{rows})")
    return made


@pytest.fixture(scope="module")
def everywhere(held: Any) -> dict[str, list[Address]]:
    console = [
        Address(address(name, held["ids"]), PAGES[name].method, "_id>" in PAGES[name].path)
        if name in PAGES
        else Address(address(name, {}))
        for name in sorted(NAMES - LEAVING)
    ]
    console += [
        Address(address(deed.page, held["ids"]), "POST", form=deed.filled_in(held["ids"])) for deed in DEEDS.values()
    ]
    admin = [Address(each.of(held["rows"]), "GET", each.has_row) for each in addresses() if each.name not in LEAVING]
    return {"console": console, "admin": admin}


@pytest.fixture
def enter(shared: Stack, browser: Browser) -> Iterator[Any]:
    contexts = []

    def log_in(name: str) -> Tab:
        contexts.append(opened(browser, shared))
        tab = Tab(contexts[-1].new_page(), shared.url)
        tab.log_in(name, PASSWORD)
        return tab

    yield log_in
    for context in contexts:
        context.close()


@pytest.mark.parametrize("surface", ["console", "admin"])
def test_a_stranger_is_shown_nothing_at_any_address_and_changes_nothing(
    surface: str, shared: Stack, held: Any, everywhere: Any, enter: Any
) -> None:
    owner, stranger = enter(OWNER), enter(STRANGER)
    marked = 0
    look = f"from tests import console_deeds; console_deeds.tell_contents({held['rows']['tenants.tenant']!r})"
    before = in_shell(shared, look)

    for there in everywhere[surface]:
        answer = sent(stranger, there)
        shown = told(stranger, there, answer)
        assert [mark for mark in MARKS if mark in shown] == [], there
        assert answer.status < 500, there
        if there.needs_row and there.method == "GET":
            assert answer.status in NOT_SHOWN or answer.url != f"{stranger.url}{there.path}", there
        if there.method == "GET":
            theirs = sent(owner, there).text()
            marked += any(mark in theirs for mark in MARKS)

    assert marked >= MARKED[surface]
    assert in_shell(shared, look) == before


def sent(tab: Tab, there: Address) -> APIResponse:
    """What the browser is answered, with its cookies and, where something is to be done, with its token and form."""
    request = tab.page.context.request
    if there.method == "GET":
        return request.get(there.path)
    cookies = {each["name"]: each["value"] for each in tab.page.context.cookies()}
    form = urlencode({**there.form, "csrfmiddlewaretoken": cookies["csrftoken"]}, doseq=True)
    headers = {"Referer": f"{tab.url}/console/", "Content-Type": "application/x-www-form-urlencoded"}
    return request.post(there.path, data=form, headers=headers)


def told(tab: Tab, there: Address, answer: APIResponse) -> str:
    """What was sent and, of a page, what stands in the window once its scripts have run."""
    if there.method != "GET" or "html" not in answer.headers["content-type"]:
        return answer.text()
    tab.page.goto(there.path)
    return answer.text() + tab.page.locator("body").inner_text()
