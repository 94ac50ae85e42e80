from django.apps import AppConfig


class TriggersConfig(AppConfig):
    name = "apps.triggers"
    label = "triggers"
