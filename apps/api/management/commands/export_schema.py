"""Write schema.graphql and openapi.json anew."""

from django.core.management.base import BaseCommand
from typing_extensions import override

from apps.api import contracts


class Command(BaseCommand):
    help = "Write schema.graphql and openapi.json; commit them with the change that altered them."
    requires_system_checks = ()

    @override
    def handle(self, *_args: str, **_options: object) -> None:
        for path, text in contracts.texts().items():
            path.write_text(text, encoding="utf-8")
            self.stdout.write(path.name)
