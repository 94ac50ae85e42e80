"""`manage.py run_jobs`: a worker without a broker, for small installations, debugging and tests."""

import signal
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from typing_extensions import override

from apps.core import signing
from apps.jobs import services
from apps.jobs.leases import worker_name


class Command(BaseCommand):
    help = "Run queued jobs in this process; with --once until none is due, otherwise until stopped."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="stop when nothing is due")
        parser.add_argument("--interval", type=float, default=1.0, help="seconds between looks at an empty queue")

    @override
    def handle(self, *args: Any, **options: Any) -> None:
        signing.secret()
        signal.signal(signal.SIGTERM, lambda *_: services.stopping.set())
        ran = 0
        try:
            while not services.stopping.is_set():
                services.sweep()
                ran += services.drain(worker_name())
                if options["once"] or services.stopping.wait(options["interval"]):
                    break
        except KeyboardInterrupt:
            services.stopping.set()
        self.stdout.write(f"{ran} jobs")
