from django.apps import AppConfig


class SummariesConfig(AppConfig):
    name = "apps.summaries"
    label = "summaries"
