"""What management commands of every tenant share."""

from abc import abstractmethod
from typing import Any

from django.core.management.base import BaseCommand
from typing_extensions import override

from apps.core import scope
from apps.core.context import acting_as
from apps.tenants.selectors import tenant_slugs


class EveryTenant(BaseCommand):
    """A command that does the same in the scope of each tenant, and says of each what came of it."""

    @abstractmethod
    def work(self) -> str:
        """Do it for the tenant whose scope is open; returns what to say of it."""

    @override
    def handle(self, *_args: Any, **_options: Any) -> None:
        with scope.unscoped("list tenants for maintenance"):
            tenants = tenant_slugs()
        for slug, tenant_id in tenants:
            with acting_as("command"), scope.tenant_scope(tenant_id):
                said = self.work()
            self.stdout.write(f"{slug}: {said}")
