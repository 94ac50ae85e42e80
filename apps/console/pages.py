"""Every page and action of the console, once: URLs, navigation, roles and the tests come from here."""

from typing import Final

from apps.console.page import ADMINS, MEMBERS, OPERATORS, PAYERS, Page, Section
from apps.console.views import (
    cost,
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
    Page("overview", "overview/", "Overview", MEMBERS, overview.overview, Section.NOW),
    Page("memories", "memories/", "Memories", MEMBERS, memories.memories, Section.MEMORY),
    Page("memory", "memories/<uuid:memory_id>/", "Memory", MEMBERS, memories.one),
    Page("memory_row", "memories/<uuid:memory_id>/row/", "Memory", MEMBERS, memories.row),
    Page("memory_edit", "memories/<uuid:memory_id>/edit/", "Correct a memory", OPERATORS, memories.edit),
    Page("memory_correct", "memories/<uuid:memory_id>/correct/", "Correct", OPERATORS, memories.correct, method="POST"),
    Page("memory_feedback", "memories/<uuid:memory_id>/feedback/", "Feedback", OPERATORS, memories.say, method="POST"),
    Page("memories_act", "memories/act/", "Marked memories", OPERATORS, memories.act, method="POST"),
    Page("memories_give_back", "memories/give-back/", "Give back", OPERATORS, memories.give_back, method="POST"),
    Page("sessions", "sessions/", "Sessions", OPERATORS, sessions.sessions, Section.MEMORY),
    Page("session", "sessions/<uuid:session_row_id>/", "Session", OPERATORS, sessions.one),
    Page("recall", "recall/", "Recall explorer", MEMBERS, recall.explorer, Section.MEMORY),
    Page("recall_answer", "recall/answer/", "Recall explorer", MEMBERS, recall.answer, method="POST"),
    Page("graph", "graph/", "Graph", MEMBERS, graph.entities, Section.MEMORY),
    Page("entity", "graph/<uuid:entity_id>/", "Entity", MEMBERS, graph.entity),
    Page("triggers", "triggers/", "Triggers", MEMBERS, triggers.month, Section.MEMORY),
    Page("complete_trigger", "triggers/<uuid:trigger_id>/done/", "Done", OPERATORS, triggers.complete, method="POST"),
    Page("snooze_trigger", "triggers/<uuid:trigger_id>/snooze/", "Later", OPERATORS, triggers.snooze, method="POST"),
    Page("dismiss_trigger", "triggers/<uuid:trigger_id>/drop/", "Drop", OPERATORS, triggers.dismiss, method="POST"),
    Page("summaries", "summaries/", "Summaries", MEMBERS, knowledge.summaries, Section.MEMORY),
    Page("summary", "summaries/text/", "Summary", MEMBERS, knowledge.summary),
    Page("lessons", "lessons/", "Lessons", MEMBERS, knowledge.lessons, Section.MEMORY),
    Page(
        "dismiss_lesson",
        "lessons/<uuid:lesson_id>/dismiss/",
        "Dismiss",
        OPERATORS,
        knowledge.dismiss_lesson,
        method="POST",
    ),
    Page("review", "review/", "Review", OPERATORS, review.review, Section.CURATION),
    Page("review_decide", "review/decide/", "Decide", OPERATORS, review.decide, method="POST"),
    Page("curated", "memory-md/", "MEMORY.md", MEMBERS, knowledge.curated, Section.CURATION),
    Page("curated_history", "memory-md/history/", "History of MEMORY.md", MEMBERS, knowledge.curated_history),
    Page("jobs", "jobs/", "Jobs", OPERATORS, jobs.jobs, Section.OPERATIONS),
    Page("retry_job", "jobs/<uuid:job_id>/retry/", "Try again", OPERATORS, jobs.retry_job, method="POST"),
    Page("schedules", "schedules/", "Schedules", OPERATORS, jobs.schedules, Section.OPERATIONS),
    Page("change_schedule", "schedules/<slug:schedule>/", "Change", ADMINS, jobs.change_schedule, method="POST"),
    Page("run_schedule", "schedules/<slug:schedule>/run/", "Run now", ADMINS, jobs.run_schedule, method="POST"),
    Page("count_schedule", "schedules/<slug:schedule>/count/", "Dry run", ADMINS, jobs.count_schedule, method="POST"),
    Page("journal", "journal/", "Journal", OPERATORS, journal.journal, Section.OPERATIONS),
    Page("cost", "cost/", "Cost", PAYERS, cost.cost, Section.OPERATIONS),
    Page("export_cost", "cost/export.csv", "Export", PAYERS, cost.export),
)


def seen_by(role: str) -> list[Page]:
    """The pages of the navigation that a role sees, section by section."""
    return [page for section in Section for page in PAGES if page.section == section and role in page.roles]
