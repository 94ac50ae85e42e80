from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules
from typing_extensions import override


class JobsConfig(AppConfig):
    name = "apps.jobs"
    label = "jobs"

    @override
    def ready(self) -> None:
        """Load every app's tasks.py, so that `enqueue` knows all handlers and workers can run them."""
        autodiscover_modules("tasks")
