"""Create the tenant `default` once; later runs change nothing and print no secret."""

import io
import json
from argparse import ArgumentParser
from dataclasses import asdict

from django.core.management import call_command
from django.core.management.base import BaseCommand
from typing_extensions import override

from apps.core.context import acting_as
from apps.tenants import onboarding


class Command(BaseCommand):
    help = "Create the first tenant, agent, API key and administrator; print their secrets once."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")
        parser.add_argument("--migrate", action="store_true", help="Apply what migrations lack first; say how many.")

    @override
    def handle(self, *_args: str, **options: bool) -> None:
        applied: dict[str, object] = {"migrations": _migrate()} if options["migrate"] else {}
        answer = applied | _first_tenant()
        self.stdout.write(json.dumps(answer) if options["json"] else _lines(answer))


def _migrate() -> int:
    said = io.StringIO()
    call_command("migrate", interactive=False, no_color=True, skip_checks=True, stdout=said)
    return said.getvalue().count("  Applying ")


def _first_tenant() -> dict[str, object]:
    if onboarding.exists(onboarding.FIRST_TENANT):
        return {"created": False, "tenant": onboarding.FIRST_TENANT}
    with acting_as("command"):
        return {"created": True, **asdict(onboarding.onboard())}


def _lines(answer: dict[str, object]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in answer.items())
