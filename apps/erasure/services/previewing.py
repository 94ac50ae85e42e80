"""Previewing by a job, while a page waits: what much is held of takes seconds to count.

Whom or what it is about and how much was found lie in Valkey for as long as it may be asked for, without the words that
would go. An erasure takes from there what names what it erases; what is lost is previewed again.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final
from uuid import UUID

from django.core.cache import cache
from pydantic import TypeAdapter
from redis import RedisError

from apps.core import scope
from apps.core.ids import new_id
from apps.core.scope import Reach, Scope
from apps.erasure.models import ErasureKind
from apps.erasure.requests import Subject
from apps.erasure.results import Preview
from apps.erasure.services import requesting, sampling, selecting
from apps.erasure.tables import RULES
from apps.jobs.services import enqueue
from apps.journal.services import record
from memory_platform.errors import NotFound, Unavailable
from memory_platform.model import JournalLine

JOB: Final = "erasure.preview"


@dataclass(frozen=True, slots=True)
class PreviewRun:
    """A preview that is counted: `about` is its subject as JSON, `typed` what its page goes on with, `tables` how many
    of those with RULES are counted. `preview` once all are, `truncated` as it is to be.
    """

    kind: ErasureKind
    about: Mapping[str, Any]
    typed: Mapping[str, str]
    tables: int = 0
    preview: Preview | None = None
    truncated: bool = False

    @property
    def subject(self) -> Subject:
        return Subject.of_json(self.kind, self.about)


_KEPT: Final = TypeAdapter(PreviewRun)


def begin_preview(subject: Subject, *, typed: Mapping[str, str], truncated: bool = False) -> UUID:
    """Have a job preview it; the id by which `previewed` finds it. Needs an open scope of the whole tenant.

    Raises NotFound for an entity or memory that is not there, Unavailable while Valkey is down.
    """
    selecting.require(subject)
    preview_id = new_id()
    _keep(preview_id, PreviewRun(subject.kind, subject.as_json(), typed, truncated=truncated))
    record(JournalLine("erasure.previewed", "erasure", data={"kind": subject.kind.value}))
    enqueue(JOB, {"preview": str(preview_id)}, serial_key=JOB)
    return preview_id


def previewed(preview_id: UUID) -> PreviewRun | None:
    """How far it is, and then what would go; None once it is over. Needs an open scope of the whole tenant.

    Raises Unavailable while Valkey is down.
    """
    run = _held(preview_id)
    return run if run is None or run.preview is None else replace(run, preview=_worded(run.preview))


def drop_preview(preview_id: UUID) -> None:
    """End it. Needs an open scope of the whole tenant. Raises Unavailable while Valkey is down."""
    with _asking_valkey():
        cache.delete(_key(preview_id))


def count(preview_id: UUID, *, tenant_id: UUID) -> Mapping[str, int | str]:
    """Count what one that was begun asks for; called without an open scope."""
    with scope.enter(Scope(tenant_id, None, Reach.TENANT)):
        run = _held(preview_id)
        if run is None:
            return {"done": 0}
        try:
            preview = requesting.looked(run.subject, counted=partial(_note, preview_id, run))
        except NotFound:
            drop_preview(preview_id)
            return {"done": 0}
        _note(preview_id, run, len(RULES), preview=_wordless(replace(preview, truncated=run.truncated)))
    return {"done": 1, "memories": preview.memories, "messages": preview.messages}


def _wordless(preview: Preview) -> Preview:
    return replace(preview, samples=tuple(replace(each, text="") for each in preview.samples))


def _worded(preview: Preview) -> Preview:
    """With the samples that are still there."""
    return replace(preview, samples=sampling.again(preview.samples))


def _note(preview_id: UUID, run: PreviewRun, tables: int, *, preview: Preview | None = None) -> None:
    """An erasure may have taken it meanwhile: then it is not stored again."""
    if _held(preview_id) is not None:
        _keep(preview_id, replace(run, tables=tables, preview=preview))


def _keep(preview_id: UUID, run: PreviewRun) -> None:
    with _asking_valkey():
        cache.set(_key(preview_id), _KEPT.dump_json(run).decode(), timeout=requesting.shown_seconds())


def _held(preview_id: UUID) -> PreviewRun | None:
    with _asking_valkey():
        held = cache.get(_key(preview_id))
    return None if held is None else _KEPT.validate_json(held)


def _key(preview_id: UUID) -> str:
    return f"erasure:preview:{scope.current().tenant_id}:{preview_id}"


@contextmanager
def _asking_valkey() -> Iterator[None]:
    try:
        yield
    except (RedisError, OSError) as error:
        raise Unavailable("Valkey, where previews are kept, does not answer.", hint="Try again in a moment.") from error
