"""Look for lessons in everything that was learnt before there were any."""

from typing_extensions import override

from apps.lessons import services
from apps.tenants.commands import EveryTenant


class Command(EveryTenant):
    help = "Have jobs look for lessons in all memories of every tenant. Repeating it changes nothing."

    @override
    def work(self) -> str:
        return f"{services.backfill()} jobs"
