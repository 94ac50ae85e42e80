from django.apps import AppConfig
from typing_extensions import override

from apps.tenants import taxonomy


class TenantsConfig(AppConfig):
    name = "apps.tenants"
    label = "tenants"

    @override
    def ready(self) -> None:
        """What is wrong with the deployment's categories is said at the start, not when a tenant needs them."""
        taxonomy.starting_categories()
