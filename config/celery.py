"""Celery: messages are hints that a job row waits; one static beat tick sweeps up whatever a lost hint left."""

import os
from typing import Any

from celery import Celery, bootsteps
from celery.beat import EmbeddedService, Scheduler
from celery.loaders.app import AppLoader
from click import Option
from typing_extensions import override

from apps.core import signing

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# Django's system checks import the URLs, hence every API; a worker serves none and would only grow by it.
os.environ.setdefault("CELERY_SKIP_CHECKS", "1")


class Loader(AppLoader):
    """What a worker process, and the tick, is made ready by before it reads a setting. Without a secret it is none."""

    @override
    def init_worker(self) -> None:
        # What serves may not act as the tables' owner, even where commands of the same environment may.
        os.environ.pop("MEMORY_MIGRATION_URL", None)
        super().init_worker()
        signing.secret()


app = Celery("memory", loader="config.celery:Loader")
app.config_from_object(
    {
        "broker_connection_retry_on_startup": True,
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "worker_prefetch_multiplier": 1,
        "task_serializer": "json",
        "accept_content": ["json"],
        "worker_hijack_root_logger": False,
        "worker_redirect_stdouts": False,
        "task_default_queue": "memory",
        "broker_transport_options": {"visibility_timeout": 300, "socket_keepalive": True},
        "beat_schedule": {"sweep": {"task": "jobs.sweep", "schedule": 5.0, "options": {"expires": 5.0}}},
    }
)
app.conf.update(broker_url=os.environ.get("MEMORY_REDIS_URL", "redis://127.0.0.1:6379/0"))
app.autodiscover_tasks(["apps.jobs"])


class Tick(bootsteps.StartStopStep):
    """`celery worker --tick`: beat as a thread of the worker. `--beat` would fork a process of another 60 MB."""

    requires = ("celery.worker.components:Pool",)

    def __init__(self, parent: Any, *, tick: bool = False, **options: Any) -> None:
        super().__init__(parent, **options)
        self.enabled = tick
        self.beat: Any = None

    @override
    def start(self, parent: Any) -> None:
        # Its one entry is kept in memory: the default would persist it in a file of the working directory.
        self.beat = EmbeddedService(parent.app, scheduler_cls=Scheduler, thread=True)
        self.beat.start()

    @override
    def stop(self, parent: Any) -> None:
        if self.beat is not None:
            self.beat.stop()


app.user_options["worker"].add(Option(("--tick",), is_flag=True, help="Run beat in a thread of this worker."))
app.steps["worker"].add(Tick)
