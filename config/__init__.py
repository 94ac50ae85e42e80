"""Wiring: settings, URLs, the ASGI entry and Celery. Decisions live in memory_platform, effects in apps."""
