"""What /metrics counts. Labels are routes, verbs and codes: never tenants, whose number is unbounded."""

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, multiprocess

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)

REQUESTS = Counter("memory_http_requests", "HTTP requests answered.", ["method", "route", "status"])
REQUEST_SECONDS = Histogram("memory_http_request_seconds", "Seconds to answer.", ["method", "route"], buckets=_BUCKETS)
VERBS = Counter("memory_verbs", "Calls of the API's verbs.", ["verb", "code"])
VERB_SECONDS = Histogram("memory_verb_seconds", "Seconds a verb took.", ["verb"], buckets=_BUCKETS)
JOBS_WAITING = Gauge("memory_jobs_waiting", "Jobs due and not yet taken.", multiprocess_mode="mostrecent")
JOBS_LAG_SECONDS = Gauge("memory_jobs_lag_seconds", "Age of the oldest due job.", multiprocess_mode="mostrecent")


def registry(directory: str | None) -> CollectorRegistry:
    """The numbers of this process, or those of every process that shares PROMETHEUS_MULTIPROC_DIR."""
    if directory is None:
        return REGISTRY
    shared = CollectorRegistry()
    multiprocess.MultiProcessCollector(shared, path=directory)  # type: ignore[no-untyped-call]
    return shared
