"""Curation over the APIs and over git: what an agent is told first, deciding, cloning, and coming back from a clone."""

import base64
import shutil
import subprocess
from datetime import UTC, datetime, time, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from itertools import pairwise
from pathlib import Path
from threading import Thread
from uuid import UUID, uuid4

import pytest
import time_machine
from django.db import connection
from django.test import Client
from dulwich.repo import Repo

from apps.api.curation.contract import RestoreCuratedInput
from apps.core import clock, paging, scope, signing
from apps.core.scope import Reach, Scope
from apps.curation import projecting, services
from apps.curation.models import CuratedEntry, CuratedFile, Proposal
from apps.curation.requests import GivenNumbers
from apps.curation.services import erasing, lines
from apps.curation.services.lines import Amendment
from apps.erasure.models import ErasureKind
from apps.erasure.requests import Subject
from apps.erasure.services import preview
from apps.jobs.services import change_schedules
from apps.journal.models import Entry
from apps.tenants import services as tenants
from apps.tenants.models import Category, Policy
from memory_platform.adapters.git_markdown import (
    PART_LINES,
    GitFolder,
    NewCommit,
    json_lines,
    read_clone,
    read_log,
    signed_commits,
)
from memory_platform.errors import Conflict
from tests.restoring import LOGGED_LINE, RESTORED_LINE

pytestmark = pytest.mark.usefixtures("home")

DEPLOY, HARBOUR = "The shop is deployed with `make deploy`.", "The harbour office opens at nine."
SHARE = """mutation($text: String!) {
  remember(input: {text: $text, category: "operations", visibility: SHARED}) { outcome } }"""
LIST = "{ proposals { edges { node { id text task version state evidence { text } } } } }"
DECIDE = "mutation($id: ID!, $input: DecisionInput!) { decideProposal(id: $id, input: $input) { state version } }"
START = 'mutation { startSession(input: {sessionId: "chat-1"}) { text sections { name text } } }'


@pytest.fixture
def worker(tenant):
    return Scope(tenant.id, None, Reach.TENANT)


@pytest.fixture
def curated(caller, worker):
    """A line that was promoted by rule, and a proposal that waits."""
    caller.field(SHARE, text=DEPLOY)
    caller.field(SHARE, text=HARBOUR)
    services.reflect(within=worker)


@pytest.fixture
def served(database):
    """The platform's own view of the repository behind a real socket; its address."""

    class Handler(BaseHTTPRequestHandler):
        def _answer(self):
            length = int(self.headers.get("Content-Length") or 0)
            given = {name: value for name, value in self.headers.items() if name not in {"Content-Length", "Host"}}
            response = Client().generic(
                self.command, self.path, self.rfile.read(length), self.headers.get("Content-Type", ""), headers=given
            )
            connection.close()
            self.send_response(response.status_code)
            for name, value in response.headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(response.content)

        do_GET = do_POST = _answer  # noqa: N815  the library's names

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def git(*words, cwd=None, check=True):
    done = subprocess.run(
        ["git", "-c", "credential.helper=", *words],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env={"GIT_TERMINAL_PROMPT": "0", "PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(Path.cwd())},
    )
    assert not check or done.returncode == 0, done.stderr
    return done.stdout if check else done


def texts(folder):
    """What lies in a clone, by path."""
    files = [each for each in folder.rglob("*") if each.is_file() and ".git" not in each.parts]
    return {str(each.relative_to(folder)): each.read_text() for each in files}


def test_a_reviewer_sees_and_decides_and_a_session_begins_with_it(caller, make_caller, curated):
    (edge,) = caller.field(LIST)["edges"]
    proposal = edge["node"]
    assert (proposal["text"], proposal["task"], proposal["state"]) == (
        HARBOUR,
        "Shall every agent know this?",
        "WAITING",
    )
    given = {"decision": "APPROVE", "version": proposal["version"]}

    assert make_caller("read", "write").code(DECIDE, id=proposal["id"], input=given) == "FORBIDDEN"
    assert caller.field(DECIDE, id=proposal["id"], input=given) == {"state": "APPROVED", "version": 2}
    assert caller.code(DECIDE, id=proposal["id"], input=given) == "CONFLICT"

    file = make_caller("read").get("/api/v1/memory.md")
    assert file.headers["Content-Type"] == "text/markdown; charset=utf-8"
    assert file.content.decode().startswith("# Memory\n\n## Operations\n- ")
    begun = caller.field(START)
    assert begun["sections"][0]["name"] == "curated"
    assert f"~ {HARBOUR} (curated; age: 0d; operations)" in begun["sections"][0]["text"]
    assert begun["text"].count(HARBOUR) == 1


def test_the_age_of_a_curated_line_is_by_the_tenants_days(caller, curated, worker):
    with scope.enter(worker):
        tenants.change(Policy.objects.get(tenant_id=worker.tenant_id), {"time_zone": "Pacific/Pago_Pago"})
        said_on = CuratedEntry.objects.get(tenant_id=worker.tenant_id).said_on
    # At five in the morning of UTC it is still the day before there.
    with time_machine.travel(datetime.combine(said_on + timedelta(days=3), time(5), UTC), tick=False):
        told = caller.field(START)["text"]

    assert f"~ {DEPLOY} (curated; age: 2d; operations)" in told


def test_what_became_of_a_proposal_is_asked_by_its_id(caller, curated):
    (edge,) = caller.field(LIST)["edges"]
    proposal_id = edge["node"]["id"]
    caller.field(DECIDE, id=proposal_id, input={"decision": "REJECT", "version": 1})

    by_id = "query($id: ID!) { proposals(filter: {ids: [$id]}) { edges { node { id state decidedBy decidedAt } } } }"
    (found,) = caller.field(by_id, id=proposal_id)["edges"]
    assert (found["node"]["state"], found["node"]["decidedBy"]) == ("REJECTED", "agent:assistant")
    assert found["node"]["decidedAt"] is not None
    assert [one["id"] for one in caller.get("/api/v1/proposals", id=proposal_id).json()["items"]] == [proposal_id]


def test_what_was_decided_is_listed_by_when_and_says_what_became_of_it(caller, curated):
    (edge,) = caller.field(LIST)["edges"]
    decided = (
        "{ proposals(orderBy: DECIDED) { edges { node { id made canBeUndone decidedAt } } pageInfo { endCursor } } }"
    )
    before = [one["node"]["id"] for one in caller.field(decided)["edges"]]
    assert edge["node"]["id"] not in before
    edit = {"decision": "EDIT", "version": 1, "text": "The office opens at ten."}
    caller.field(DECIDE, id=edge["node"]["id"], input=edit)

    listed = caller.field(decided)
    last, *others = [one["node"] for one in listed["edges"]]
    over_rest = caller.get("/api/v1/proposals", order_by="decided").json()["items"]

    assert (last["id"], last["made"], last["canBeUndone"]) == (edge["node"]["id"], "The office opens at ten.", True)
    assert [one["id"] for one in others] == before
    assert [one["id"] for one in over_rest] == [last["id"], *before]
    assert over_rest[0]["made"] == last["made"]
    wrong = caller.get("/api/v1/proposals", after=listed["pageInfo"]["endCursor"])
    assert (wrong.status_code, caller.get("/api/v1/proposals", order_by="maybe").status_code) == (422, 422)


def test_a_request_for_one_user_decides_nothing_for_everybody(caller, curated):
    (edge,) = caller.field(LIST)["edges"]
    path = f"/api/v1/proposals/{edge['node']['id']}/decide"

    answer = caller.post(path, {"decision": "approve", "version": 1}, **{"Memory-User": "mara"})

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "FORBIDDEN")
    assert caller.field(LIST)["edges"][0]["node"]["version"] == 1


def test_what_is_out_of_bounds_is_refused(caller, curated):
    (edge,) = caller.field(LIST)["edges"]
    path = f"/api/v1/proposals/{edge['node']['id']}/decide"

    for bad in ({"text": "x" * 1_001}, {"version": 0}, {"decision": "maybe"}, {"text": ""}, {"other": 1}):
        answer = caller.post(path, {"decision": "edit", "version": 1, **bad})
        assert answer.status_code == 422, bad
    assert caller.get("/api/v1/review-queue", after="nonsense").status_code == 422


def test_git_clones_logs_and_diffs_and_does_not_push(make_caller, caller, curated, served, tmp_path, worker):
    (edge,) = caller.field(LIST)["edges"]
    token = make_caller("read").token
    clone = tmp_path / "clone"
    git("clone", "-q", f"http://agent:{token}@{served}/git/memory.git", str(clone))
    caller.field(DECIDE, id=edge["node"]["id"], input={"decision": "APPROVE", "version": 1, "asDecision": True})

    git("pull", "-q", cwd=clone)

    assert (clone / "MEMORY.md").read_text() == caller.get("/api/v1/memory.md").content.decode()
    assert git("log", "--format=%an|%ae|%s", cwd=clone).splitlines() == [
        "agent:assistant||Add to operations",
        "rules||Add to operations",
    ]
    assert f"+- {clock.now().date()}: {HARBOUR} (decision 0001)" in git("diff", "HEAD~1", "--", "MEMORY.md", cwd=clone)
    (record,) = (clone / "decisions").iterdir()
    assert record.name == "0001-the-harbour-office-opens-at-nine.md"
    assert git("fsck", "--strict", cwd=clone, check=False).returncode == 0
    assert "Deployment-Signature: ed25519:" in git("log", "-1", "--format=%B", cwd=clone)
    assert signed_commits(clone, base64.b64decode(projecting.check(within=worker).public_key)) == (2, 2)
    assert git("push", "-q", "origin", "HEAD:other", cwd=clone, check=False).returncode != 0
    standing = projecting.check(within=worker)
    assert (standing.commits, standing.signed, standing.drifted, standing.behind) == (2, 2, False, 0)


def test_the_repository_opens_to_keys_alone_and_to_its_tenants(stranger, curated, make_caller):
    path = "/git/memory.git/info/refs?service=git-upload-pack"

    def asked(token):
        given = base64.b64encode(f"x:{token}".encode()).decode()
        return Client().get(path, headers={"Authorization": f"Basic {given}"})

    unknown = Client().get(path)
    assert (unknown.status_code, unknown["WWW-Authenticate"]) == (401, 'Basic realm="memory"')
    assert asked("mp_nonsense").status_code == 401
    assert Client().get(path, headers={"Authorization": "Basic %%%"}).status_code == 401
    assert asked(make_caller("write").token).status_code == 403
    assert b"refs/heads/main" in asked(make_caller("read").token).content
    assert b"refs/heads/main" not in asked(stranger.token).content
    for other in ("../../secret_key", "config", "objects/info/packs", "info/refs"):
        answer = make_caller("read").get(f"/git/memory.git/{other}")
        assert answer.status_code == 403, other


def test_the_history_tells_each_commit_with_what_it_changed(caller, curated, stranger):
    (proposal,) = [edge["node"] for edge in caller.field(LIST)["edges"]]
    caller.field(DECIDE, id=proposal["id"], input={"decision": "APPROVE", "version": proposal["version"]})

    last = caller.get("/api/v1/curated-memory/history", first=1).json()
    first = caller.get("/api/v1/curated-memory/history", first=1, after=last["next"]).json()

    (added,), (begun,) = last["items"], first["items"]
    assert [line for line in added["diff"].splitlines() if line[0] == "+" and HARBOUR in line]
    assert added["message"].startswith("Add to operations")
    assert (added["signed"], "MEMORY.md" in added["files"]) == (True, True)
    assert [line for line in begun["diff"].splitlines() if line[0] == "+" and DEPLOY in line]
    assert HARBOUR not in begun["diff"]
    assert first["next"] is None
    assert stranger.get("/api/v1/curated-memory/history").json() == {"items": [], "next": None}


@pytest.mark.parametrize("commit", ["0" * 40, "HEAD", "../../etc/passwd", "x" * 500])
def test_the_history_opens_by_no_made_up_cursor(caller, curated, commit):
    cursor = paging.encode([commit], order=("-commit",))

    assert caller.get("/api/v1/curated-memory/history", after=cursor).status_code == 422


@pytest.mark.parametrize("body", [b"garbage", b"", b"0000", b"ffff", b"0032want " + b"0" * 40 + b"\n0000", b"\0" * 99])
def test_what_no_git_client_asks_is_refused(curated, make_caller, body):
    headers = {"Authorization": f"Bearer {make_caller('read').token}"}
    answer = Client(raise_request_exception=False).generic(
        "POST", "/git/memory.git/git-upload-pack", body, "application/x-git-upload-pack-request", headers=headers
    )

    assert answer.status_code in {200, 400, 403}


LOGGED = {**LOGGED_LINE, "data": {"change": 1, "by": "agent:scribe", "fields": ["a", "b"]}}


@pytest.mark.parametrize(
    ("line", "log"),
    [
        ({"added": 2**63}, {}),
        ({"added": 2**62}, {}),
        ({"decision": 2**31}, {}),
        ({"added_at": "9999-12-31T23:59:59Z"}, {}),
        ({"added_at": "0001-01-01T00:00:00Z"}, {}),
        ({"removed": 1, "removed_at": "2026-11-20T12:00:00Z", "removal": "removed"}, {}),
        ({"removed": 2, "removed_at": "2026-11-20T12:00:00Z"}, {}),
        ({"section": "a\nb"}, {}),
        ({"text": "x" * 10_000}, {}),
        ({}, {"at": "9999-12-31T23:59:59Z"}),
        ({}, {"operation": "memory.forgotten"}),
        ({}, {"actor": "Anna Berg of Lund"}),
        ({}, {"data": {"by": "Anna lives in Lund."}}),
        ({}, {"data": {"by": {"deep": "er"}}}),
        ({}, {"data": {"many": ["x"] * 1_000}}),
        ({}, {"data": [1]}),
    ],
)
def test_a_restore_takes_nothing_out_of_bounds(caller, line, log):
    given = {"entries": [{**RESTORED_LINE, **line}], "log": [{**LOGGED, **log}]}

    assert caller.post("/api/v1/curated-memory/restore", given).status_code == 422
    assert caller.get("/api/v1/curated-memory").json()["lines"] == []


def test_what_is_restored_is_there_and_goes_on(caller):
    restored = caller.post("/api/v1/curated-memory/restore", {"entries": [RESTORED_LINE], "log": [LOGGED]})

    assert restored.status_code == 200, restored.content
    assert [line["text"] for line in caller.get("/api/v1/curated-memory").json()["lines"]] == [RESTORED_LINE["text"]]


def test_a_number_whose_decision_was_erased_is_not_given_again(caller, tenant, worker):
    said = {**LOGGED, "id": str(uuid4()), "data": {"change": 9, "decision": 7}}
    given = {"entries": [{**RESTORED_LINE, "id": str(uuid4())}], "log": [said]}

    assert caller.post("/api/v1/curated-memory/restore", given).status_code == 200

    with scope.enter(worker):
        file = CuratedFile.objects.get(tenant_id=tenant.id)
    assert (file.changes, file.decisions) == (9, 7)


@pytest.mark.parametrize("numbers", [{"changes": -1}, {"decisions": 2**31}, {"decisions": "many"}])
def test_a_restore_takes_no_numbers_out_of_bounds(caller, numbers):
    assert caller.post("/api/v1/curated-memory/restore", {"entries": [RESTORED_LINE], **numbers}).status_code == 422


@pytest.mark.parametrize("others", [0, 1], ids=["the only line", "one of two"])
def test_the_number_of_a_decision_erased_the_same_day_is_in_git_and_never_given_again(
    caller, worker, home, tenant, make_tenant, tmp_path, others
):
    for text in (DEPLOY, HARBOUR)[1 - others :]:
        caller.field(SHARE, text=text)
    services.reflect(within=worker)
    (edge,) = caller.field(LIST)["edges"]
    approve = {"decision": "APPROVE", "version": 1, "asDecision": True}
    caller.field(DECIDE, id=edge["node"]["id"], input=approve)
    projecting.project(within=worker)
    with scope.enter(worker):
        CuratedEntry.objects.filter(tenant_id=tenant.id, decision=1).delete()
    erasing.rewrite(within=worker)
    clone = tmp_path / "clone"
    git("clone", "-q", str(home / "curated" / f"{tenant.id}.git"), str(clone))
    assert HARBOUR not in git("log", "-p", cwd=clone)

    told = read_clone(clone)
    assert (len(told.lines), list(read_log(clone)), told.decisions) == (others, [], 1)
    other = make_tenant()
    into = Scope(other.id, None, Reach.TENANT)
    given = RestoreCuratedInput.model_validate(
        {"entries": told.lines, "changes": told.changes, "decisions": told.decisions}
    )
    entries = [one.as_entry() for one in given.entries]
    erased = projecting.check(within=worker)
    with scope.enter(worker):
        CuratedEntry.objects.filter(tenant_id=tenant.id).delete()
    projecting.restore(entries, [], within=into, given=GivenNumbers(given.changes, given.decisions))
    before = projecting.check(within=into)
    assert (before.commits, before.commit) == (1, erased.commit)

    with scope.enter(into):
        file = lines.lock()
        amendment = Amendment(file, "rules")
        entry = amendment.add(lines.new("operations", "fact", DEPLOY, clock.now().date(), ()), as_decision=True)
        amendment.close()
    assert (entry.added, entry.decision) == (told.changes + 1, 2)
    after = projecting.check(within=into)
    assert (after.drifted, after.behind) == (False, 1)


def test_the_log_tells_who_changed_which_rule_and_nobodys_words(
    caller, worker, agent, home, tenant, make_tenant, tmp_path, monkeypatch
):
    personal = ("mara@lund.example", "Mara's laptop", "Mara Berg", "Where Mara keeps the boat.", "17 4 * * *")
    user, key_name, label, example, cron = personal
    caller.field(SHARE, text=DEPLOY)
    services.reflect(within=worker)
    with scope.enter(worker):
        tenants.change(Policy.objects.get(tenant_id=tenant.id), {"curation_entries": 150})
        category = Category.objects.get(tenant_id=tenant.id, slug="operations")
        tenants.edit_category(category, {"label": label, "examples": [example]})
        change_schedules({"cron": cron}, names={"triage"})
        made = tenants.create_key(agent_id=agent.id, scopes=["read"], name=key_name, user_id=user)
        tenants.rotate_key(key_id=made.key.id)
        preview(Subject(ErasureKind.USER, user_id=user))
    today = clock.now()
    monkeypatch.setattr(projecting.clock, "now", lambda: today + timedelta(days=2))
    projecting.project(within=worker)
    clone = tmp_path / "clone"
    git("clone", "-q", str(home / "curated" / f"{tenant.id}.git"), str(clone))

    (log,) = read_log(clone)
    told = {line["operation"]: line["data"] for line in log}
    assert told["policy.changed"] == {"fields": ["curation_entries"]}
    assert told["category.changed"]["fields"] == ["examples", "label"]
    assert told["schedule.changed"] == {"fields": ["cron"]}
    assert told["key.created"] == {"scopes": ["read"]}
    assert told["erasure.previewed"] == {"kind": "user", "memories": 0, "messages": 0}
    assert {"key.rotated", "key.revoked", "curated.added", "curation.reflected"} <= told.keys()
    assert not any(line["operation"].startswith(("memory.", "agent.", "turn.", "member.")) for line in log)
    everything = git("log", "-p", cwd=clone)
    assert [word for word in personal if word in everything] == []
    given = RestoreCuratedInput.model_validate({"entries": [], "log": log})
    assert [str(line.id) for line in given.log] == [line["id"] for line in log]


def test_a_log_of_any_length_comes_back_in_parts(caller, tenant, worker, tmp_path):
    days = {f"log/2026-{month:02}-01.jsonl": month for month in range(1, 4)}
    logged = [
        {
            **LOGGED,
            "id": str(uuid4()),
            "at": f"2026-{month:02}-01T12:00:00Z",
            "data": {"change": month, "decision": number},
        }
        for month in days.values()
        for number in range(1, 6_668)
    ]
    files = {name: json_lines(logged[(month - 1) * 6_667 : month * 6_667]) for name, month in days.items()}
    clone = tmp_path / "clone"
    GitFolder(clone, key=signing.key()).rewrite(
        [
            NewCommit(
                {
                    "MEMORY.md": "# Memory\n",
                    "history/000000.jsonl": json_lines([{**RESTORED_LINE, "id": str(uuid4())}]),
                    **files,
                },
                "rules",
                0,
                "x",
            )
        ]
    )

    told = read_clone(clone)
    parts = list(read_log(clone))
    for part in [*parts, parts[0]]:
        assert caller.post("/api/v1/curated-memory/restore", {"entries": [], "log": part}).status_code == 200
    answer = caller.post("/api/v1/curated-memory/restore", {"entries": list(told.lines), "log": []})

    assert (told.logged, [len(part) for part in parts]) == (20_001, [PART_LINES] * 4 + [1])
    assert (answer.status_code, answer.json()["drifted"], answer.json()["behind"]) == (200, False, 0)
    with scope.enter(worker):
        back = Entry.objects.filter(tenant_id=tenant.id, operation="curated.added")
        assert set(back.values_list("id", flat=True)) == {UUID(line["id"]) for line in logged}
        file = CuratedFile.objects.get(tenant_id=tenant.id)
    assert (file.changes, file.decisions) == (3, 6_667)


def test_a_clone_is_read_within_bounds(tmp_path):
    def clone(**files):
        path = tmp_path / "".join(files)[:40].replace("/", "-")
        GitFolder(path, key=signing.key()).rewrite([NewCommit({"MEMORY.md": "# Memory\n", **files}, "rules", 0, "x")])
        return path

    assert read_clone(clone(**{"history/000000.jsonl": '{"a": 1}\n', "log/2026-11-20.jsonl": "{}\n"})).lines == (
        {"a": 1},
    )
    for hostile in (
        {"history/a.jsonl": "{}\n" * 20_001},
        {"history/b.jsonl": " " * 9_000_000},
        {"history/c.jsonl": '{"a": "' + "x" * 100_000 + '"}'},
        {"history/d.jsonl": "[" * 90_000},
        {"log/e.jsonl": "[1]"},
        {"log/f.jsonl": "no json"},
        {"numbers.json": "[1]"},
        {"numbers.json": '{"changes": "many"}'},
    ):
        with pytest.raises(ValueError, match=r"clone|longer|more"):
            read_clone(clone(**hostile))


def test_each_change_writes_what_it_changes_and_the_whole_history_comes_out_the_same(worker, tenant, home):
    """Made anew at once, or change by change: the same commits; and no file of it grows with the history."""
    at = clock.now() - timedelta(days=30)
    rows = [
        CuratedEntry(
            tenant_id=tenant.id, section="operations", kind="fact", text=f"Step {number}.", said_on=at.date(),
            added=number, added_at=at + timedelta(hours=number), added_by="rules", decision=number // 7 or None
            if number % 7 == 0 else None,
        )
        for number in range(1, 650, 2)
    ]  # fmt: skip
    for before, row in pairwise(rows):
        before.removed, before.removed_at, before.removed_by = row.added - 1, row.added_at, "rules"
        before.removal, row.replaces_id = "replaced", before.id
    with scope.enter(worker):
        CuratedEntry.objects.bulk_create(rows[:100])
    projecting.project(within=worker)
    with scope.enter(worker):
        CuratedEntry.objects.bulk_create(rows[100:])
    projecting.project(within=worker)
    step_by_step = projecting.check(within=worker)
    projecting.rebuild(within=worker)

    at_once = projecting.check(within=worker)
    assert at_once == step_by_step
    assert (at_once.commits, at_once.drifted, at_once.behind) == (649, False, 0)
    path = home / "curated" / f"{tenant.id}.git"
    sizes = git("--git-dir", str(path), "ls-tree", "-r", "-l", "HEAD").splitlines()
    assert max(int(line.split()[3]) for line in sizes) < 60_000


def test_what_somebody_changes_in_the_repository_is_made_anew(curated, worker, home, tenant):
    projecting.project(within=worker)
    path = home / "curated" / f"{tenant.id}.git"
    before = projecting.check(within=worker)
    with Repo(str(path)) as repo:
        commit = repo[repo.refs.read_ref(b"refs/heads/main")]
        forged = commit.copy()
        forged.tree, forged.parents = repo[commit.id].tree, [commit.id]
        forged.message = b"forged\n"
        repo.object_store.add_object(forged)
        repo.refs[b"refs/heads/main"] = forged.id

    found = projecting.check(within=worker)
    assert (found.drifted, found.signed, found.commits) == (True, 1, 2)
    projecting.project(within=worker)
    assert projecting.check(within=worker) == before


def test_the_log_is_read_again_only_when_a_line_or_the_day_is_another(curated, worker, home, tenant, monkeypatch):
    projecting.project(within=worker)
    read = []
    monkeypatch.setattr(projecting.journal, "logged", lambda beginnings: read.append(beginnings) or [])

    assert (projecting.project(within=worker), len(read)) == (0, 0)
    with scope.enter(worker):
        CuratedEntry.objects.filter(tenant_id=tenant.id).update(text="Something else.")
    assert (projecting.project(within=worker), len(read)) == (1, 1)
    assert (projecting.project(within=worker), len(read)) == (0, 1)
    tomorrow = clock.now() + timedelta(days=1, minutes=5)
    monkeypatch.setattr(projecting.clock, "now", lambda: tomorrow)
    assert (projecting.project(within=worker), len(read)) == (0, 2)


def test_erased_words_are_in_no_commit_of_a_repository_made_anew(curated, worker, home, tenant):
    projecting.project(within=worker)
    with scope.enter(worker):
        CuratedEntry.objects.filter(tenant_id=tenant.id).update(text="")
    projecting.rebuild(within=worker)

    path = home / "curated" / f"{tenant.id}.git"
    told = git("--git-dir", str(path), "log", "-p", "--all")
    assert "make deploy" not in told
    assert git("--git-dir", str(path), "fsck", "--unreachable", "--no-reflogs") == ""
    assert [each.name for each in path.parent.iterdir() if each.is_dir()] == [path.name]


def test_the_database_is_lost_and_lines_decisions_and_log_come_back_from_a_clone(
    caller, curated, worker, home, tenant, make_tenant, tmp_path, monkeypatch
):
    (edge,) = caller.field(LIST)["edges"]
    caller.field(DECIDE, id=edge["node"]["id"], input={"decision": "APPROVE", "version": 1, "asDecision": True})
    today = clock.now()
    monkeypatch.setattr(projecting.clock, "now", lambda: today + timedelta(days=2))
    projecting.project(within=worker)
    path = home / "curated" / f"{tenant.id}.git"
    clone = tmp_path / "clone"
    git("clone", "-q", str(path), str(clone))
    before = texts(clone)
    with scope.enter(worker):
        logged = list(Entry.objects.filter(tenant_id=tenant.id, operation__startswith="curated.").values_list("id"))
        # The database is lost: nothing of this tenant is left but the clone.
        for model in (Proposal, CuratedEntry, CuratedFile):
            model.objects.filter(tenant_id=tenant.id).delete()
    shutil.rmtree(path)
    other = make_tenant()
    into = Scope(other.id, None, Reach.TENANT)

    told = read_clone(clone)
    (log,) = read_log(clone)
    given = RestoreCuratedInput.model_validate({"entries": told.lines, "log": log})
    projecting.restore([one.as_entry() for one in given.entries], [one.as_line() for one in given.log], within=into)

    again = tmp_path / "again"
    git("clone", "-q", str(home / "curated" / f"{other.id}.git"), str(again))
    restored = texts(again)
    assert any(name.startswith("log/") for name in before)
    assert any(name.startswith("decisions/0001-") for name in before)
    # The day of the restore is the day of the log: its line comes behind those that are back.
    assert restored.keys() == before.keys()
    assert [name for name, text in before.items() if not restored[name].startswith(text)] == []
    assert [name for name, text in before.items() if restored[name] != text and not name.startswith("log/")] == []
    with scope.enter(into):
        assert CuratedFile.objects.get(tenant_id=other.id).decisions == 1
        back = Entry.objects.filter(tenant_id=other.id, operation__startswith="curated.").values_list("id")
        assert set(logged) <= set(back)
    with pytest.raises(Conflict):
        projecting.restore([one.as_entry() for one in given.entries], [], within=into)
