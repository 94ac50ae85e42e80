"""The ASGI entry: Django with synchronous views."""

import os

from django.core.asgi import get_asgi_application
from django.core.exceptions import ImproperlyConfigured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_asgi_application()

from django.conf import settings  # noqa: E402  settings exist only once Django is set up

if not settings.SECRET_KEY_IS_SET:
    raise ImproperlyConfigured("Set MEMORY_SECRET_KEY (at least 50 random characters) before serving.")
