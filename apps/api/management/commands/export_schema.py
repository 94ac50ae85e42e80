"""Write schema.graphql and openapi.json anew, or say whether they are current."""

from argparse import ArgumentParser

from django.core.management.base import BaseCommand, CommandError
from typing_extensions import override

from apps.api import contracts


class Command(BaseCommand):
    help = "Write schema.graphql and openapi.json; commit them with the change that altered them."
    requires_system_checks = ()

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="Write nothing; fail when a file differs.")

    @override
    def handle(self, *_args: str, **options: object) -> None:
        for path, text in contracts.texts().items():
            if options["check"]:
                if not path.exists() or path.read_text(encoding="utf-8") != text:
                    raise CommandError(f"{path.name} differs from the code; run: make schema")
                continue
            path.write_text(text, encoding="utf-8")
            self.stdout.write(path.name)
