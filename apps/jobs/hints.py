"""Telling workers that a job waits. Hints may be lost, late or doubled: the rows are the truth, a sweep finds them.

A hint costs the web server one SET: the key says that a hint is under way and no worker has listened since. Whoever
drains deletes the key before its first claim, so a row committed before the deletion is seen by that claim and one
committed after it publishes a hint of its own.
"""

from functools import cache

import structlog
from celery import Celery
from django.conf import settings
from django.db import connection, transaction
from django.utils.module_loading import import_string
from kombu import Connection
from kombu.exceptions import KombuError
from kombu.pools import producers
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

from apps.core.cooldown import Cooldown

HINTED = "memory:jobs:hinted"
HINTED_SECONDS = 5
EXPIRES_SECONDS = 60
# A request never waits longer than this for the broker, and not at all within the pause after a failure.
TIMEOUT_SECONDS = 0.05
PAUSE_SECONDS = 1.0

log = structlog.get_logger(__name__)

cooldown = Cooldown(PAUSE_SECONDS)


def poke_on_commit() -> None:
    """Hint once after the open transaction commits, however often this is called in it."""
    if not any(entry[1] is poke for entry in connection.run_on_commit):
        transaction.on_commit(poke, robust=True)


def poke() -> None:
    """Hint now, unless a hint is under way. Never raises; waits for the broker at most about TIMEOUT_SECONDS."""
    if cooldown.is_active:
        return
    try:
        if _redis(settings.REDIS_URL).set(HINTED, "1", nx=True, ex=HINTED_SECONDS):
            _publish()
    except (RedisError, KombuError, OSError) as error:
        _failed(error)


def heard() -> None:
    """A worker starts to look for jobs: what is committed from now on needs a new hint."""
    if cooldown.is_active:
        return
    try:
        _redis(settings.REDIS_URL).delete(HINTED)
    except (RedisError, OSError) as error:
        _failed(error)


def _failed(error: Exception) -> None:
    cooldown.start()
    log.warning("jobs.hint_failed", error_class=type(error).__name__)


def _publish() -> None:
    with producers[_broker(settings.REDIS_URL)].acquire(block=True, timeout=TIMEOUT_SECONDS) as producer:
        _celery().send_task("jobs.drain", producer=producer, retry=False, ignore_result=True, expires=EXPIRES_SECONDS)


@cache
def _celery() -> Celery:
    app: Celery = import_string(settings.CELERY_APP)
    return app


@cache
def _broker(url: str) -> Connection:
    """The broker for publishing only: a worker's own connection must be allowed to wait longer."""
    impatient = {"socket_timeout": TIMEOUT_SECONDS, "socket_connect_timeout": TIMEOUT_SECONDS}
    return Connection(url, transport_options=impatient)


@cache
def _redis(url: str) -> "Redis":
    return Redis.from_url(
        url,
        socket_timeout=TIMEOUT_SECONDS,
        socket_connect_timeout=TIMEOUT_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
