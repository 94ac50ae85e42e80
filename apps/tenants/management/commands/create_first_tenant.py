"""Create the tenant `default` once; later runs change nothing and print no secret."""

import json
from argparse import ArgumentParser
from dataclasses import asdict

from django.core.management.base import BaseCommand
from typing_extensions import override

from apps.core.context import acting_as
from apps.tenants import onboarding


class Command(BaseCommand):
    help = "Create the first tenant, agent, API key and administrator; print their secrets once."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    @override
    def handle(self, *_args: str, **options: bool) -> None:
        if onboarding.exists(onboarding.FIRST_TENANT):
            answer: dict[str, object] = {"created": False, "tenant": onboarding.FIRST_TENANT}
        else:
            with acting_as("command"):
                answer = {"created": True, **asdict(onboarding.onboard())}
        self.stdout.write(json.dumps(answer) if options["json"] else _lines(answer))


def _lines(answer: dict[str, object]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in answer.items())
