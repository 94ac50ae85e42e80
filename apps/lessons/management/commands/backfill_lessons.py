"""Look for lessons in everything that was learnt before there were any."""

from typing import Any

from django.core.management.base import BaseCommand
from typing_extensions import override

from apps.core import scope
from apps.core.context import acting_as
from apps.lessons import services
from apps.tenants.models import Tenant


class Command(BaseCommand):
    help = "Have jobs look for lessons in all memories of every tenant. Repeating it changes nothing."

    @override
    def handle(self, *_args: Any, **_options: Any) -> None:
        with scope.unscoped("list tenants for maintenance"):
            tenants = list(Tenant.objects.order_by("slug").values_list("slug", "id"))
        for slug, tenant_id in tenants:
            with acting_as("command"), scope.tenant_scope(tenant_id):
                jobs = services.backfill()
            self.stdout.write(f"{slug}: {jobs} jobs")
