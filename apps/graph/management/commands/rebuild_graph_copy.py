"""Copy the graph of every tenant to Neo4j anew, as after a restore."""

from typing import Any

from django.core.management.base import BaseCommand
from typing_extensions import override

from apps.core import scope
from apps.core.context import acting_as
from apps.graph import stores
from apps.graph.services import exporting
from apps.tenants.models import Tenant


class Command(BaseCommand):
    help = "Have jobs copy the graph of every tenant to Neo4j anew; nothing where no Neo4j is configured."

    @override
    def handle(self, *_args: Any, **_options: Any) -> None:
        if stores.breaker_state() is None:
            self.stdout.write("No Neo4j is configured: there is no copy.")
            return
        with scope.unscoped("list tenants for maintenance"):
            tenants = list(Tenant.objects.order_by("slug").values_list("slug", "id"))
        for slug, tenant_id in tenants:
            with acting_as("command"), scope.tenant_scope(tenant_id):
                exporting.rebuild_projection()
            self.stdout.write(f"{slug}: its graph is copied anew")
