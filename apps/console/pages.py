"""Every page and action of the console, once: URLs, navigation, roles and the tests come from here."""

from typing import Final

from apps.console.page import ADMINS, MEMBERS, OPERATORS, PAYERS, ConsolePage, MenuSection
from apps.console.views import (
    cost,
    decided,
    erasures,
    graph,
    jobs,
    journal,
    knowledge,
    memories,
    overview,
    recall,
    review,
    sessions,
    triggers,
)

PAGES: Final = (
    ConsolePage("overview", "overview/", "Overview", MEMBERS, overview.overview, MenuSection.NOW),
    ConsolePage("memories", "memories/", "Memories", MEMBERS, memories.memories, MenuSection.MEMORY),
    ConsolePage("memory", "memories/<uuid:memory_id>/", "Memory", MEMBERS, memories.one),
    ConsolePage("memory_row", "memories/<uuid:memory_id>/row/", "Memory", MEMBERS, memories.row),
    ConsolePage("memory_edit", "memories/<uuid:memory_id>/edit/", "Correct a memory", OPERATORS, memories.edit),
    ConsolePage(
        "memory_correct", "memories/<uuid:memory_id>/correct/", "Correct", OPERATORS, memories.correct, method="POST"
    ),
    ConsolePage(
        "memory_feedback", "memories/<uuid:memory_id>/feedback/", "Feedback", OPERATORS, memories.say, method="POST"
    ),
    ConsolePage("memories_act", "memories/act/", "Marked memories", OPERATORS, memories.act, method="POST"),
    ConsolePage("memories_give_back", "memories/give-back/", "Give back", OPERATORS, memories.give_back, method="POST"),
    ConsolePage("sessions", "sessions/", "Sessions", OPERATORS, sessions.sessions, MenuSection.MEMORY),
    ConsolePage("session", "sessions/<uuid:session_row_id>/", "Session", OPERATORS, sessions.one),
    ConsolePage("recall", "recall/", "Recall explorer", MEMBERS, recall.explorer, MenuSection.MEMORY),
    ConsolePage("recall_answer", "recall/answer/", "Recall explorer", MEMBERS, recall.answer, method="POST"),
    ConsolePage("graph", "graph/", "Graph", MEMBERS, graph.entities, MenuSection.MEMORY),
    ConsolePage("entity", "graph/<uuid:entity_id>/", "Entity", MEMBERS, graph.entity),
    ConsolePage("triggers", "triggers/", "Triggers", MEMBERS, triggers.month, MenuSection.MEMORY),
    ConsolePage("trigger", "triggers/<uuid:trigger_id>/", "Trigger", MEMBERS, triggers.one),
    ConsolePage(
        "complete_trigger", "triggers/<uuid:trigger_id>/done/", "Done", OPERATORS, triggers.complete, method="POST"
    ),
    ConsolePage(
        "snooze_trigger", "triggers/<uuid:trigger_id>/snooze/", "Later", OPERATORS, triggers.snooze, method="POST"
    ),
    ConsolePage(
        "dismiss_trigger", "triggers/<uuid:trigger_id>/drop/", "Drop", OPERATORS, triggers.dismiss, method="POST"
    ),
    ConsolePage("summaries", "summaries/", "Summaries", MEMBERS, knowledge.summaries, MenuSection.MEMORY),
    ConsolePage("summary", "summaries/text/", "Summary", MEMBERS, knowledge.summary),
    ConsolePage("lessons", "lessons/", "Lessons", MEMBERS, knowledge.lessons, MenuSection.MEMORY),
    ConsolePage(
        "dismiss_lesson",
        "lessons/<uuid:lesson_id>/dismiss/",
        "Dismiss",
        OPERATORS,
        knowledge.dismiss_lesson,
        method="POST",
    ),
    ConsolePage("review", "review/", "Review", OPERATORS, review.review, MenuSection.CURATION),
    ConsolePage("review_decided", "review/decided/", "Decided proposals", OPERATORS, decided.decided),
    ConsolePage("review_decide", "review/decide/", "Decide", OPERATORS, review.decide, method="POST"),
    ConsolePage("curated", "memory-md/", "MEMORY.md", MEMBERS, knowledge.curated, MenuSection.CURATION),
    ConsolePage("curated_history", "memory-md/history/", "History of MEMORY.md", MEMBERS, knowledge.curated_history),
    ConsolePage("erasures", "erasures/", "Erasures", ADMINS, erasures.erasures, MenuSection.CURATION),
    ConsolePage("preview_erasure", "erasures/preview/", "Erasures", ADMINS, erasures.preview, method="POST"),
    ConsolePage("previewed_erasure", "erasures/preview/<uuid:preview_id>/", "Erasures", ADMINS, erasures.previewed),
    ConsolePage("request_erasure", "erasures/request/", "Erasures", ADMINS, erasures.ask, method="POST"),
    ConsolePage("erasure", "erasures/<uuid:erasure_id>/", "Erasure", ADMINS, erasures.one),
    ConsolePage(
        "approve_erasure", "erasures/<uuid:erasure_id>/approve/", "Approve", ADMINS, erasures.approve, method="POST"
    ),
    ConsolePage(
        "reject_erasure", "erasures/<uuid:erasure_id>/reject/", "Reject", ADMINS, erasures.reject, method="POST"
    ),
    ConsolePage("erasure_receipt", "erasures/<uuid:erased_id>/receipt.json", "Receipt", ADMINS, erasures.receipt),
    ConsolePage("jobs", "jobs/", "Jobs", OPERATORS, jobs.jobs, MenuSection.OPERATIONS),
    ConsolePage("retry_job", "jobs/<uuid:job_id>/retry/", "Try again", OPERATORS, jobs.retry_job, method="POST"),
    ConsolePage("schedules", "schedules/", "Schedules", OPERATORS, jobs.schedules, MenuSection.OPERATIONS),
    ConsolePage("change_schedule", "schedules/<slug:schedule>/", "Change", ADMINS, jobs.change_schedule, method="POST"),
    ConsolePage("run_schedule", "schedules/<slug:schedule>/run/", "Run now", ADMINS, jobs.run_schedule, method="POST"),
    ConsolePage(
        "count_schedule", "schedules/<slug:schedule>/count/", "Dry run", ADMINS, jobs.count_schedule, method="POST"
    ),
    ConsolePage("journal", "journal/", "Journal", OPERATORS, journal.journal, MenuSection.OPERATIONS),
    ConsolePage("cost", "cost/", "Cost", PAYERS, cost.cost, MenuSection.OPERATIONS),
    ConsolePage("export_cost", "cost/export.csv", "Export", PAYERS, cost.export),
)


def seen_by(role: str) -> list[ConsolePage]:
    """The pages of the navigation that a role sees, section by section."""
    return [page for section in MenuSection for page in PAGES if page.section == section and role in page.roles]
