"""Change numbers of a tenant's policy from the command line, as the admin does."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from apps.core import scope
from apps.tenants import access, services
from apps.tenants.access import System
from apps.tenants.models import Policy, Tenant
from memory_platform.errors import MemoryPlatformError


class Command(BaseCommand):
    help = "Set fields of a tenant's policy: set_policy default fusion=dual lean_limit=5"

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="The tenant.")
        parser.add_argument("changes", nargs="+", metavar="field=value", help="Empty value: back to none.")

    @override
    def handle(self, *_args: str, **options: Any) -> None:
        changes = dict(_change(each) for each in options["changes"])
        with scope.unscoped("find a tenant by its slug"):
            tenant = Tenant.objects.filter(slug=options["slug"]).first()
        if tenant is None:
            raise CommandError(f"There is no tenant {options['slug']!r}.")
        try:
            with access.opened(System(tenant.id)):
                services.change(Policy.objects.get(tenant_id=tenant.id), changes)
        except MemoryPlatformError as error:
            raise CommandError(error.message) from error
        self.stdout.write(f"{options['slug']}: {', '.join(options['changes'])}")


def _change(text: str) -> tuple[str, object]:
    name, separator, value = text.partition("=")
    known = {field.name: field for field in Policy._meta.fields if field.editable and field.name != "tenant"}  # noqa: SLF001
    if not separator or name not in known:
        raise CommandError(f"{text!r} is not field=value. Fields: {', '.join(sorted(known))}.")
    return name, known[name].to_python(value or None)
