"""Jobs of erasure."""

from collections.abc import Mapping
from typing import Final

from apps.erasure import services
from apps.erasure.services import previewing
from apps.erasure.services.requesting import JOB
from apps.jobs.registry import JobContext, handler

LONGEST_SECONDS: Final = 3_600.0
ATTEMPTS: Final = 1_000
"""An erasure is not given up: a server that is away for a day costs no more attempts than this."""


@handler(JOB, max_attempts=ATTEMPTS, timeout_seconds=LONGEST_SECONDS)
def run(job: JobContext) -> Mapping[str, int | str]:
    """Do what is left of the `erasure`."""
    (erasure_id,) = job.uuids("erasure")
    return services.run(erasure_id, tenant_id=job.tenant_id)


@handler(previewing.JOB, timeout_seconds=LONGEST_SECONDS)
def preview(job: JobContext) -> Mapping[str, int | str]:
    """Count what a `preview` that was begun asks for."""
    (preview_id,) = job.uuids("preview")
    return previewing.count(preview_id, tenant_id=job.tenant_id)
