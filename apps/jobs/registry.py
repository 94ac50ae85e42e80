"""Which function runs which job. Apps register theirs in tasks.py; a name nobody registered cannot be enqueued."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

Arguments = Mapping[str, Sequence[str] | str]


@dataclass(frozen=True, slots=True)
class JobContext:
    """What a handler is told. `attempt` counts from 1. Arguments are ids as strings. `outcome` is what the parts of
    the job that ended with Unfinished counted together.
    """

    id: UUID
    tenant_id: UUID
    arguments: Arguments
    attempt: int
    request_id: str
    outcome: Mapping[str, int | str] = field(default_factory=dict)

    def uuids(self, argument: str) -> list[UUID]:
        return [UUID(value) for value in self._values(argument)]

    def numbers(self, argument: str) -> list[int]:
        return [int(value) for value in self._values(argument)]

    def _values(self, argument: str) -> Sequence[str]:
        value = self.arguments[argument]
        return [value] if isinstance(value, str) else value


Handler = Callable[[JobContext], Mapping[str, int | str]]


@dataclass(frozen=True, slots=True)
class Registration:
    """A handler and how it is to be run; see `handler` for the meaning of the numbers."""

    name: str
    run: Handler
    max_attempts: int
    timeout_seconds: float
    merge: str | None
    merge_items: int
    longest_backoff_seconds: float


class Unfinished(Exception):
    """A handler did a part of its work, which `outcome` counts, and let go of its thread.

    The job runs again with the same arguments once the tenants have taken their turns. It is no attempt.
    """

    def __init__(self, outcome: Mapping[str, int | str]) -> None:
        super().__init__()
        self.outcome = outcome


class UnknownJob(LookupError):
    """No app registered a handler of that name: a bug in the caller, or a worker older than the web server."""


@dataclass(frozen=True, slots=True)
class StartingSchedule:
    """A schedule every tenant starts with; afterwards it is a row the tenant edits. `job` is what it runs."""

    name: str
    cron: str
    job: str


_registrations: dict[str, Registration] = {}
_schedules: dict[str, StartingSchedule] = {}
_subscribers: dict[str, set[str]] = {}


def handler(
    name: str,
    *,
    max_attempts: int = 8,
    timeout_seconds: float = 300.0,
    merge: str | None = None,
    merge_items: int = 256,
    longest_backoff_seconds: float = 300.0,
) -> Callable[[Handler], Handler]:
    """Register the decorated function: it runs outside a transaction, opens its own tenant scope, may run twice.

    It returns counts and codes (services.running.CODE) for `Job.outcome`; counts add up when it raises Unfinished in
    between.
    Raising ProviderRetryable, a database or a broker error asks for another attempt, at most `max_attempts` in all and
    never longer than `longest_backoff_seconds` after the last one unless the error asks for it; any other exception
    fails the job. After `timeout_seconds` the lease is no longer renewed and another worker may start over. With
    `merge` the lists under that argument of jobs that wait with the same tenant, name and serial key are run as one, up
    to `merge_items` elements.
    """

    def register(function: Handler) -> Handler:
        known = _registrations.get(name)
        if known is not None and known.run.__module__ != function.__module__:
            raise ValueError(f"{name} is already registered by {known.run.__module__}.")
        _registrations[name] = Registration(
            name, function, max_attempts, timeout_seconds, merge, merge_items, longest_backoff_seconds
        )
        return function

    return register


def find(name: str) -> Registration:
    """Raises UnknownJob."""
    try:
        return _registrations[name]
    except KeyError:
        raise UnknownJob(f"No handler is registered for {name!r}.") from None


def subscribe(topic: str, *, job: str) -> None:
    """Have `services.publish(topic)` enqueue `job`: a lower app says what changed without knowing who listens."""
    _subscribers.setdefault(topic, set()).add(job)


def subscribers(topic: str) -> tuple[str, ...]:
    """The jobs that listen to a topic, by name."""
    return tuple(sorted(_subscribers.get(topic, ())))


def names() -> frozenset[str]:
    return frozenset(_registrations)


def schedule(*starting: StartingSchedule) -> None:
    """Give every tenant these schedules, the ones that exist too; a handler of each `job` is registered beside."""
    _schedules.update({each.name: each for each in starting})


def schedules() -> tuple[StartingSchedule, ...]:
    """What tenants start with, by name."""
    return tuple(_schedules[name] for name in sorted(_schedules))


def find_schedule(name: str) -> StartingSchedule:
    """Raises UnknownJob: the row is of an app that is no longer there."""
    try:
        return _schedules[name]
    except KeyError:
        raise UnknownJob(f"No schedule is registered as {name!r}.") from None
