"""/livez: the process answers. /readyz: what it depends on does, and if not, what is down. /metrics.

Nobody needs a key for them, and a probe that is refused takes a healthy server out of service. So none is limited, and
what they ask other servers is asked once a second, however many want to know.
"""

import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

import structlog
from django.conf import settings
from django.db import connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from redis import Redis

from apps.api import metrics
from apps.graph import stores
from apps.jobs import selectors as jobs

log = structlog.get_logger(__name__)

Found = TypeVar("Found")

KEPT_SECONDS = 1.0
TIMEOUT_SECONDS = 1.0
# Waiting work is late, not down, up to here: an import may fill the queue for minutes.
JOBS_LAG_LIMIT_SECONDS = 600.0


# Down, they are shown as such and do not make us unready: something else answers.
REPLACEABLE = frozenset({"neo4j"})


@dataclass(frozen=True, slots=True)
class Check:
    """One thing depended on; see REPLACEABLE."""

    name: str
    ok: bool
    detail: str
    milliseconds: float


class _Throttled(Generic[Found]):
    """What `ask` finds, for KEPT_SECONDS; while one asks the others wait for it. What fails is asked again."""

    def __init__(self, ask: Callable[[], Found]) -> None:
        self._ask = ask
        self._lock = threading.Lock()
        self._found: tuple[float, Found] | None = None

    def __call__(self) -> Found:
        with self._lock:
            if self._found is None or time.monotonic() - self._found[0] >= KEPT_SECONDS:
                found = self._ask()
                self._found = time.monotonic(), found
            return self._found[1]


def livez(_request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


def readyz(_request: HttpRequest) -> HttpResponse:
    found = checks()
    ready = are_ready(found)
    body = {
        "ready": ready,
        "down": [check.name for check in found if not check.ok],
        "checks": {
            check.name: {"ok": check.ok, "detail": check.detail, "ms": round(check.milliseconds, 2)} for check in found
        },
    }
    return JsonResponse(body, status=200 if ready else 503)


def checks() -> list[Check]:
    """What this deployment depends on, asked within the last second."""
    return _checks()


def _probed() -> list[Check]:
    probes = {name: probe for name, probe in _PROBES.items() if name != "neo4j" or stores.breaker_state() is not None}
    return [_check(name, probe) for name, probe in probes.items()]


def are_ready(found: Iterable[Check]) -> bool:
    return all(check.ok or check.name in REPLACEABLE for check in found)


def metrics_view(_request: HttpRequest) -> HttpResponse:
    """Prometheus text. The queue's figures are of the last second; without a database they keep their last value."""
    try:
        _queue()
    except Exception as error:  # noqa: BLE001  metrics are most wanted when something is down
        log.warning("queue_unmeasured", error=type(error).__name__)
    registry = metrics.registry(os.environ.get("PROMETHEUS_MULTIPROC_DIR"))
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _check(name: str, probe: Callable[[], str]) -> Check:
    started = time.perf_counter()
    try:
        detail, ok = probe(), True
    except Exception as error:  # noqa: BLE001  whatever it is, this part is down
        detail, ok = str(error) if isinstance(error, _Lagging) else type(error).__name__, False
    return Check(name, ok, detail, (time.perf_counter() - started) * 1000)


class _Lagging(Exception):
    """Answering, but too far behind."""


def _postgresql() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return "answers"


def _valkey() -> str:
    with Redis.from_url(
        settings.REDIS_URL, socket_timeout=TIMEOUT_SECONDS, socket_connect_timeout=TIMEOUT_SECONDS
    ) as client:
        client.ping()
    return "answers"


def _jobs() -> str:
    lag = _lag("")
    if lag > JOBS_LAG_LIMIT_SECONDS:
        raise _Lagging(f"the oldest due job waits for {lag:.0f} s; is a worker running?")
    return f"oldest due job {lag:.1f} s"


def _index() -> str:
    """Embedding and folding lag behind without harm: what is not embedded yet is found by keyword."""
    return f"embedding lags {_lag('index.embed'):.1f} s, term statistics {_lag('index.fold'):.1f} s"


def _neo4j() -> str:
    """Asked here, whatever this process thinks of it: that is what an operator wants to know."""
    stores.require_server().ping(timeout=TIMEOUT_SECONDS)
    return f"answers; copying lags {_lag('graph.export'):.1f} s; breaker {stores.breaker_state()}"


def _lag(name: str) -> float:
    """Seconds the oldest due job whose name starts with `name` has waited, over all tenants."""
    waits = [depth.oldest_due_seconds for depth in jobs.queue_depth() if depth.name.startswith(name)]
    return max(waits, default=0.0)


def _measure_queue() -> None:
    depths = jobs.queue_depth()
    metrics.JOBS_WAITING.set(sum(depth.queued for depth in depths))
    metrics.JOBS_LAG_SECONDS.set(max((depth.oldest_due_seconds for depth in depths), default=0.0))


_PROBES: dict[str, Callable[[], str]] = {
    "postgresql": _postgresql,
    "valkey": _valkey,
    "jobs": _jobs,
    "index": _index,
    "neo4j": _neo4j,
}
_checks = _Throttled(_probed)
_queue = _Throttled(_measure_queue)
