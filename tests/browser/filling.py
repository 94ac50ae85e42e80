"""What the console's pages are shown with: the demo's conversation, some recalls, and a past."""

from datetime import UTC, datetime, timedelta
from typing import Final

from apps.cli import demo, transcripts, writing
from apps.cli.server import Server
from apps.stack.supervisor import Stack
from tests.stacks import in_shell

# What is to be remembered, in how many days, and what became of it; `past` puts back what ended.
REMINDERS: Final = (
    ("Send the weekly report to the harbour office.", 1, "complete"),
    ("Renew the certificate of the booking system.", 3, "complete"),
    ("Call Tom about the summer timetable.", 5, "dismiss"),
    ("Review the crew roster.", 1, ""),
    ("Harbor goes live: freeze the old booking system.", 2, ""),
    ("Ask the port authority for the new berth plan.", 2, ""),
    ("Send the quarterly numbers to Lisbon.", 4, ""),
    ("Mara's review with the board.", 6, ""),
)
RULES: Final = (
    "Harbor is deployed with `make deploy`, never by hand.",
    "The timetable of the ferries lies in docs/timetable.md, see ADR-007.",
    "The harbour office answers the phone until six o'clock.",
)


def fill(stack: Stack) -> None:
    tenant = str(stack.first_tenant["tenant"])
    # Summaries are there at once; the pages show the policy as it starts.
    stack.manage("set_policy", tenant, "summary_debounce_seconds=0")
    with Server(stack.url, str(stack.first_tenant["api_key"])) as server:
        demo._remember(server, transcripts.read(demo.BUNDLED))
        demo._tell(server)
        for question in demo.BUNDLED_QUESTIONS:
            server.post("recall", query=question)
        mark_the_calendar(server)
        curate(server)
        # So large that it presses on no day of a month: what is asked is searched for.
        server.post("budgets", period="month", soft_usd=120, hard_usd=150)
        server.post("budgets", period="day", agent_id="assistant", hard_usd=5)
    stack.manage("set_policy", tenant, "summary_debounce_seconds=60")
    in_shell(stack, "from tests.browser import past; past.write()")


def mark_the_calendar(server: Server) -> None:
    """Triggers around today: waiting, done and dropped."""
    for text, days, ending in REMINDERS:
        day = (datetime.now(UTC) + timedelta(days=days)).date().isoformat()
        made = server.post("triggers", text=text, day=day)
        if ending:
            server.post(f"triggers/{made['id']}/{ending}")


def curate(server: Server) -> None:
    """Lines of MEMORY.md, and a rule that users taught."""
    for text in RULES:
        server.post("memories", text=text, category="operations", visibility="shared")
    server.post("capture", session_id="lessons", user_input="Never book a meeting for me before ten.")
    server.post("reflect")
    writing.wait_until_idle(server)
    (taught,) = (each for each in server.get("lessons")["items"] if "before ten" in each["text"])
    server.post(f"memories/{taught['item_id']}/correct", text="Never book a meeting for me before half past nine.")
    writing.wait_until_idle(server)
