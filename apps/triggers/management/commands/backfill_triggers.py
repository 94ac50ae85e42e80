"""Read the times ahead of everything that was said before there were triggers."""

from typing_extensions import override

from apps.tenants.commands import EveryTenant
from apps.triggers import services


class Command(EveryTenant):
    help = "Have jobs read the times ahead of all messages of every tenant. Repeating it changes nothing."

    @override
    def work(self) -> str:
        return f"{services.backfill()} jobs"
