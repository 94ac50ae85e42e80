"""What was made of memories: summaries by category, lessons, and MEMORY.md with its history."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Annotated, Final
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.http import content_disposition_header

from apps.api import verbs
from apps.api.admission import Admission
from apps.api.contract import Input, Name
from apps.api.curation import handlers as curation
from apps.api.curation.contract import CuratedCommit, CuratedLine
from apps.api.gateway import Gateway
from apps.api.lessons import handlers as lessons_verbs
from apps.api.lessons.contract import Lesson
from apps.api.summaries import handlers as summaries_verbs
from apps.api.summaries.contract import SummaryListed, SummaryVersion
from apps.console import differences, people, states
from apps.console.answers import done
from apps.console.asking import Asker, asker
from apps.console.differences import DiffLine
from apps.core.paging import PageRequest
from apps.lessons.models import LessonStatus
from apps.lessons.requests import LessonFilter
from memory_platform.consolidation import memory_file
from memory_platform.errors import Invalid, NotFound
from memory_platform.model import Visibility

ROWS: Final = 25
COMMITS: Final = 10
STATES: Final[Mapping[str, tuple[str, tuple[LessonStatus, ...]]]] = {
    "": ("In force", (LessonStatus.ACTIVE,)),
    "superseded": ("Replaced", (LessonStatus.SUPERSEDED,)),
    "dismissed": ("Dismissed", (LessonStatus.DISMISSED,)),
    "all": ("All", tuple(LessonStatus)),
}
"""What people call a state of lessons, and the statuses it means."""


@dataclass(frozen=True, slots=True)
class ShownVersion:
    version: SummaryVersion
    lines: Sequence[DiffLine]


@dataclass(frozen=True, slots=True)
class ShownLesson:
    """A lesson, and how it differs from those whose place it took."""

    lesson: Lesson
    lines: Sequence[DiffLine]


@dataclass(frozen=True, slots=True)
class ShownCommit:
    """A commit, by whom in words, and what it changed in the file."""

    commit: CuratedCommit
    by: str
    lines: Sequence[DiffLine]

    @property
    def subject(self) -> str:
        return self.commit.message.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A line, and by whom in words."""

    line: CuratedLine
    by: str


@dataclass(frozen=True, slots=True)
class CuratedSection:
    """A section of MEMORY.md under the heading it has there."""

    name: str
    heading: str
    lines: Sequence[ShownLine]


def summaries(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    """The categories in which an agent holds something."""
    asking = asker(gateway, request.GET)
    held = summaries_verbs.summaries(asking.gateway) if asking.gateway else []
    return render(request, "console/summaries.html", {"asking": asking, "held": _own(asking, held)})


def summary(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    """A summary as it stands, or with its versions, each with what it changed; or one of these as a file."""
    asking = asker(gateway, request.GET)
    category, visibility = request.GET.get("category", ""), _visibility(request)
    shows_versions = request.GET.get("show") == "versions"
    told: dict[str, object] = {"asking": asking, "category": category, "visibility": visibility}
    if asking.gateway is None or not category:
        return render(request, "console/summary.html", told)
    if shows_versions:
        found = summaries_verbs.summary_versions(asking.gateway, category, visibility)
        if number := request.GET.get("file"):
            return _file(category, found, number)
        told["versions"] = [ShownVersion(each, list(differences.lines(each.diff))) for each in found]
    else:
        told["summary"] = summaries_verbs.summary(asking.gateway, category, visibility)
    return render(request, "console/summary.html", {**told, "shows_versions": shows_versions})


def lessons(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    wanted = LessonsWanted.model_validate({name: value for name, value in request.GET.items() if value})
    chosen_states = states.chosen(STATES, wanted.status)
    cut = lessons_verbs.lessons(
        gateway.of(wanted.user, all_users=wanted.user is None),
        LessonFilter(chosen_states[1]),
        PageRequest(first=ROWS, after=wanted.after),
    )
    shown = [ShownLesson(each, _changed(each)) for each in cut.rows]
    told = {"cut": cut, "shown": shown, "wanted": wanted, "states": STATES, "may_write": _may_write(gateway)}
    return render(request, "console/lessons.html", told)


def dismiss_lesson(request: HttpRequest, gateway: Gateway, lesson_id: UUID) -> HttpResponse:
    lessons_verbs.dismiss_lesson(gateway, lesson_id)
    return done(request, "Dismissed: it is in no lessons file any more; the memory it stands on stays.", page="lessons")


def curated(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    """MEMORY.md by sections, and how to clone it."""
    held = curation.curated_memory(gateway)
    names = people.told(gateway, [line.added_by for line in held.lines])
    told = {
        "held": held,
        "sections": [
            CuratedSection(name, memory_file.heading(name), [ShownLine(line, names[line.added_by]) for line in lines])
            for name, lines in groupby(sorted(held.lines, key=_place), key=lambda line: line.section)
        ],
        "clone_url": _clone_url(request),
    }
    return render(request, "console/curated.html", told)


def curated_history(request: HttpRequest, gateway: Gateway) -> HttpResponse:
    """The commits of MEMORY.md's repository, each with what it changed."""
    cut = curation.curated_history(gateway, PageRequest(first=COMMITS, after=request.GET.get("after") or None))
    names = people.told(gateway, [commit.by for commit in cut.rows])
    commits = [ShownCommit(commit, names[commit.by], list(differences.lines(commit.diff))) for commit in cut.rows]
    told = {"cut": cut, "commits": commits, "clone_url": _clone_url(request)}
    return render(request, "console/curated_history.html", told)


class LessonsWanted(Input):
    """The fields of the address; an empty one is none."""

    status: str = ""
    user: Name | None = None
    after: Annotated[str | None, Admission.NOT_KEPT] = None


def _changed(lesson: Lesson) -> list[DiffLine]:
    return differences.between(lesson.replaces, lesson.text) if lesson.replaces else []


def _own(asking: Asker, held: Sequence[SummaryListed]) -> list[SummaryListed]:
    """Those of the user who was named, or of nobody in particular."""
    return [each for each in held if each.user_id == (asking.user or None)]


def _file(category: str, versions: Sequence[SummaryVersion], number: str) -> HttpResponse:
    """A version as a file to keep. Raises NotFound."""
    version = next((each for each in versions if str(each.number) == number), None)
    if version is None:
        raise NotFound("There is no such version.", field="file")
    name = f"{category}-{version.number}.md"
    kept = {"Content-Disposition": content_disposition_header(as_attachment=True, filename=name) or ""}
    return HttpResponse(version.text, content_type="text/markdown; charset=utf-8", headers=kept)


def _visibility(request: HttpRequest) -> Visibility:
    given = request.GET.get("visibility") or Visibility.PRIVATE.value
    if given not in {each.value for each in Visibility}:
        raise Invalid("There is no such visibility.", field="visibility")
    return Visibility(given)


def _place(line: CuratedLine) -> tuple[str, str, str]:
    """As the file orders its lines."""
    return line.section, line.said_on.isoformat(), line.text


def _clone_url(request: HttpRequest) -> str:
    return request.build_absolute_uri(reverse("repository", kwargs={"path": "info/refs"})).removesuffix("/info/refs")


def _may_write(gateway: Gateway) -> bool:
    return verbs.DISMISS_LESSON.scope in gateway.principal.scopes
