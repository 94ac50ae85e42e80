"""Create another tenant with an agent and a key."""

import json
from argparse import ArgumentParser
from dataclasses import asdict

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from apps.core.context import acting_as
from apps.tenants import onboarding
from memory_platform.errors import MemoryPlatformError


class Command(BaseCommand):
    help = "Create a tenant with an agent and a key of every scope; print the key once, as JSON."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug")
        parser.add_argument("--name", default="")
        parser.add_argument("--agent", default=onboarding.FIRST_AGENT)

    @override
    def handle(self, *_args: str, **options: str) -> None:
        try:
            with acting_as("command"):
                made = onboarding.onboard(
                    slug=options["slug"], name=options["name"] or options["slug"], agent=options["agent"]
                )
        except MemoryPlatformError as error:
            raise CommandError(error.message) from error
        self.stdout.write(json.dumps(asdict(made)))
