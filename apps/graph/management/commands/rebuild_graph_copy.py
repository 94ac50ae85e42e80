"""Copy the graph of every tenant to Neo4j anew, as after a restore."""

from typing import Any

from typing_extensions import override

from apps.graph import stores
from apps.graph.services import exporting
from apps.tenants.commands import EveryTenant


class Command(EveryTenant):
    help = "Have jobs copy the graph of every tenant to Neo4j anew; nothing where no Neo4j is configured."

    @override
    def handle(self, *_args: Any, **_options: Any) -> None:
        if stores.breaker_state() is None:
            self.stdout.write("No Neo4j is configured: there is no copy.")
            return
        super().handle()

    @override
    def work(self) -> str:
        exporting.rebuild_projection()
        return "its graph is copied anew"
