"""A Python process of the stack, the web server or the worker: started, waited for, restarted by its supervisor."""

from collections.abc import Callable
from pathlib import Path

from apps.stack.logs import last_lines, open_log
from apps.stack.process import Program, ServerProcess, wait_until
from memory_platform.errors import Unavailable

READY_SECONDS = 60.0


def always_ready() -> bool:
    return True


class Service:
    """`is_ready` is asked until it answers yes, or the process ends, or a minute has passed."""

    def __init__(
        self, program: Program, *, run_directory: Path, log: Path, is_ready: Callable[[], bool] = always_ready
    ) -> None:
        self.name = program.name
        self.log = log
        self._is_ready = is_ready
        self._process = ServerProcess(program, run_directory=run_directory)

    @property
    def pid(self) -> int | None:
        return self._process.pid

    @property
    def is_running(self) -> bool:
        return self._process.is_running

    @property
    def exit_code(self) -> int | None:
        return self._process.exit_code

    def start(self) -> None:
        """Clear what a killed run or an earlier death left, then start; does not wait."""
        if self.is_running:
            return
        self._process.kill()
        self._process.clear_leftover()
        with open_log(self.log) as log:
            self._process.start(log)

    def wait(self) -> None:
        """Raise Unavailable, with the end of its log, when the process does not become ready."""
        wait_until(lambda: self._is_ready() or not self.is_running, seconds=READY_SECONDS)
        if not (self.is_running and self._is_ready()):
            self.stop()
            raise Unavailable(f"{self.name} did not start; its log {self.log} ends with:\n{last_lines(self.log)}")

    def clear_leftover(self) -> int | None:
        """Stop what a killed run left behind; its pid, or None when there was nothing."""
        return self._process.clear_leftover()

    def stop(self) -> None:
        self._process.stop()
