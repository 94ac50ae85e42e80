"""Structured logs: one line an event, with tenant, request and job ids bound by apps.core.context."""

import logging
import sys
import traceback
from collections.abc import Iterator

import psycopg
import structlog
from django.http import HttpRequest

# Keys whose values never reach a log, whoever binds them.
SECRET_KEYS = frozenset({"authorization", "password", "secret", "token", "api_key", "key", "content", "text", "query"})

# Libraries that report what is normal; `celery.worker.request` warns of every sweep that a busy worker skipped,
# `django.request` of every request a caller got wrong, which the metrics count.
NOISY = (
    "httpx",
    "httpx2",
    "httpcore",
    "mcp",
    "openai",
    "celery.app.trace",
    "celery.beat",
    "celery.worker.request",
    "celery.worker.strategy",
    "django.request",
)


def _redact(_logger: object, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    for name in SECRET_KEYS & event.keys():
        event[name] = "[redacted]"
    return event


def _without_path(_logger: object, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Name a request by its route: callers' own ids and words stand in its path."""
    request = getattr(event.get("_record"), "request", None)
    if isinstance(request, HttpRequest):
        route = request.resolver_match.route if request.resolver_match else "an unknown path"
        # Django escapes what it logs.
        for path in (request.path.encode("unicode_escape").decode("ascii"), request.path):
            event["event"] = str(event["event"]).replace(path, route)
    return event


def _without_words(_logger: object, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Name what Django refused for safety by its kind alone: it quotes the header that it did not like."""
    logger = getattr(event.get("_record"), "name", "")
    if logger.startswith(_REFUSALS):
        event["event"] = f"refused: {logger.removeprefix(_REFUSALS)}"
        event.pop("exc_info", None)
    return event


_REFUSALS = "django.security."
# Their messages name parts of programs; others' may quote what a caller said.
_OF_PROGRAMS = (AttributeError, ImportError, NameError, NotImplementedError)


def _frames(exc_info: structlog.typing.ExcInfo) -> str:
    """Where something failed and what it is called, the cause first."""
    return "".join(
        line
        for error in reversed([*_causes(exc_info[1])])
        for line in (*traceback.format_tb(error.__traceback__), _named(error), "\n")
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _named(error: BaseException) -> str:
    if isinstance(error, psycopg.Error):
        detail = error.sqlstate
    elif isinstance(error, OSError):
        detail = error.strerror
    else:
        detail = str(error) if isinstance(error, _OF_PROGRAMS) else None
    name = f"{type(error).__module__}.{type(error).__qualname__}"
    return f"{name}: {detail}" if detail else name


def logging_settings(form: str, level: str) -> None:
    """Route the standard library and structlog through one handler on standard error."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _redact,
    ]
    renderer: structlog.typing.Processor = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(
            colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
        )
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[_without_path, _without_words, *shared],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.ExceptionRenderer(_frames),
                renderer,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for noisy in NOISY:
        logging.getLogger(noisy).setLevel(max(logging.ERROR, logging.getLevelNamesMapping()[level]))
