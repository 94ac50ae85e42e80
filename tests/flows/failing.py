"""A job that gave up: made by `manage.py shell` on a running stack's own database."""

from apps.core import scope
from apps.jobs.models import Job, JobState
from apps.tenants.models import Tenant


def fail(tenant: str, job_id: str) -> None:
    """Let the tenant's job have failed for a passing reason."""
    with scope.unscoped("find a tenant by its slug"):
        tenant_id = Tenant.objects.get(slug=tenant).id
    with scope.tenant_scope(tenant_id):
        Job.objects.filter(id=job_id).update(state=JobState.FAILED, error="attempts_exhausted:Unavailable")
