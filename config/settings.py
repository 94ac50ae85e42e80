"""Django settings, derived from apps.environment; nothing here is a behaviour knob."""

from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from django.templatetags.static import static

from apps.environment import PROJECT_ROOT, environment
from config.logs import logging_settings

ENVIRONMENT = environment()

BASE_DIR = PROJECT_ROOT
DEBUG = ENVIRONMENT.debug
# Commands that never sign anything (help, schema export, checks) work without a key. Whoever asks for one that is empty
# is refused by Django, and who serves or works off jobs does not start (apps.core.signing).
SECRET_KEY = ENVIRONMENT.secret_key.get_secret_value() if ENVIRONMENT.secret_key else ""
ALLOWED_HOSTS = ENVIRONMENT.allowed_hosts
CSRF_TRUSTED_ORIGINS = ENVIRONMENT.csrf_trusted_origins
CSRF_FAILURE_VIEW = "apps.api.front.outdated"
ROOT_URLCONF = "config.urls"
ASGI_APPLICATION = "config.asgi.application"
CELERY_APP = "config.celery.app"
USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = "en-us"
USE_I18N = False
FORMAT_MODULE_PATH = "config.formats"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGGING_CONFIG = None
logging_settings(ENVIRONMENT.log_format, ENVIRONMENT.log_level)

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.postgres",
    "ninja",
    "apps.core",
    "apps.journal",
    "apps.jobs",
    "apps.tenants",
    "apps.budgets",
    "apps.index",
    "apps.resources",
    "apps.memory",
    "apps.graph",
    "apps.retrieval",
    "apps.maintenance",
    "apps.summaries",
    "apps.lessons",
    "apps.curation",
    "apps.triggers",
    "apps.erasure",
    "apps.api",
    "apps.console",
    # After ours, whose templates go before its own, and before Django's.
    "unfold.apps.BasicAppConfig",
    "apps.tenants.admin_apps.MemoryAdminConfig",
]

MIDDLEWARE = [
    "apps.api.middleware.RequestMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "apps.core.pages.ContentSecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "apps.console.idling.IdleSessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]


def database_settings(url: str | None, *, role: str | None, pool_size: int) -> dict[str, Any]:
    """Django's DATABASES entry for a postgresql:// URL; its query parameters become libpq options."""
    parts = urlsplit(url or "postgresql://memory@127.0.0.1:5432/memory")
    options: dict[str, Any] = dict(parse_qsl(parts.query))
    host = options.pop("host", None) or parts.hostname or ""
    # Server-side parameters hide the tenant's literal from the planner; the pool forbids persistent connections.
    options["server_side_binding"] = False
    options["prepare_threshold"] = None
    if role is None:
        options["pool"] = {"min_size": 1, "max_size": pool_size, "timeout": 10.0, "max_idle": 120.0}
    else:
        options["options"] = f"-c role={role}"
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": parts.path.lstrip("/") or "memory",
        "USER": unquote(parts.username or "memory"),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": host,
        "PORT": str(parts.port or ""),
        "CONN_MAX_AGE": 0,
        "OPTIONS": options,
    }


DATABASES = {
    "default": database_settings(
        ENVIRONMENT.migration_url or ENVIRONMENT.database_url,
        role=ENVIRONMENT.database_role,
        pool_size=ENVIRONMENT.database_pool_size,
    )
}

REDIS_URL = ENVIRONMENT.redis_url or "redis://127.0.0.1:6379/0"
CACHES = {
    "default": {
        "BACKEND": "apps.core.cache.PooledRedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "memory",
        "OPTIONS": {"socket_timeout": 0.5, "socket_connect_timeout": 0.5},
    }
}
# django-ratelimit does not know Django's own Redis backend; tests/api pins that its counters are shared and atomic.
SILENCED_SYSTEM_CHECKS = ["django_ratelimit.E003", "django_ratelimit.W001"]

PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENVIRONMENT.is_behind_tls
SESSION_COOKIE_HTTPONLY = True
LOGIN_REDIRECT_URL = "admin:index"
# Since the last request: each one begins the time anew.
SESSION_COOKIE_AGE = ENVIRONMENT.admin_idle_minutes * 60
SESSION_SAVE_EVERY_REQUEST = True
if ENVIRONMENT.is_behind_tls:
    SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = ENVIRONMENT.max_body_bytes
BODY_TIMEOUT_SECONDS = ENVIRONMENT.body_timeout_seconds
EVENT_STREAMS = ENVIRONMENT.event_streams
FAILED_KEYS_PER_MINUTE = ENVIRONMENT.failed_keys_per_minute
PROXIES = ENVIRONMENT.proxies

STATIC_URL = "/static/"
# Files are served from the packages they come in (finders): nothing has to be collected.
STATIC_ROOT = None
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

UNFOLD = {
    "SITE_TITLE": "Memory Platform",
    "SITE_HEADER": "Memory Platform",
    "SITE_URL": "/console/",
    "SITE_ICON": lambda _request: static("api/favicon.svg"),
    "SITE_FAVICONS": [
        {"rel": "icon", "type": "image/svg+xml", "href": lambda _request: static("api/favicon.svg")},
    ],
    "SHOW_HISTORY": "apps.tenants.admin_site.may_review",
    "SHOW_VIEW_ON_SITE": False,
    "DASHBOARD_CALLBACK": "apps.api.overview.page",
    "STYLES": [lambda _request: static("tenants/admin.css")],
    "SCRIPTS": [lambda _request: static("tenants/admin.js"), lambda _request: static("api/once.js")],
    "BORDER_RADIUS": "8px",
    "COLORS": {
        "base": {
            "50": "#f8faf9",
            "100": "#f1f4f3",
            "200": "#e1e7e5",
            "300": "#c9d3d0",
            "400": "#9aaaa5",
            "500": "#5c6a67",
            "600": "#46534f",
            "700": "#34403c",
            "800": "#22302c",
            "900": "#141c1a",
            "950": "#0c1211",
        },
        "primary": {
            "50": "#f0f8f6",
            "100": "#d9eeea",
            "200": "#b3ddd5",
            "300": "#84c6ba",
            "400": "#52b0a0",
            "500": "#4fb5a5",
            "600": "#1f6f64",
            "700": "#1a5d54",
            "800": "#164a43",
            "900": "#123f39",
            "950": "#0a2723",
        },
    },
}
