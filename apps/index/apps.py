from django.apps import AppConfig


class IndexConfig(AppConfig):
    name = "apps.index"
    label = "index"
