"""Rebuild the search index, or only say how far it is off."""

from argparse import ArgumentParser
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from apps.core import scope
from apps.core.scope import Reach, Scope
from apps.index import rebuilding, statistics
from apps.tenants import selectors as tenants


class Command(BaseCommand):
    help = "Rebuild documents, postings and statistics of one tenant or of all; exits 1 when --check finds drift."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", help="Slug of the tenant; all without it.")
        parser.add_argument("--check", action="store_true", help="Compare only, change nothing.")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        drifted = 0
        for slug, tenant_id in self._tenants(options["tenant"]):
            drifted += self._check(slug, tenant_id) if options["check"] else self._rebuild(slug, tenant_id)
        if drifted:
            raise CommandError(f"{drifted} tenants drifted; run rebuild_index without --check.", returncode=1)

    def _tenants(self, slug: str | None) -> list[tuple[str, UUID]]:
        with scope.unscoped("rebuild the search index of every tenant"):
            found = tenants.tenant_slugs(only=slug)
        if slug and not found:
            raise CommandError(f"There is no tenant {slug}.")
        return found

    def _check(self, slug: str, tenant_id: UUID) -> int:
        with scope.tenant_scope(tenant_id):
            drift = statistics.drift()
        self.stdout.write(f"{slug}: {drift}")
        return not drift.is_zero

    def _rebuild(self, slug: str, tenant_id: UUID) -> int:
        rebuilt = rebuilding.rebuild(within=Scope(tenant_id, None, Reach.TENANT))
        self.stdout.write(f"{slug}: {rebuilt}")
        return 0
