from pathlib import Path

from apps.stack import logs
from apps.stack.logs import LogFollower, last_lines, open_log


def test_new_lines_reach_the_console_with_their_name_and_routine_ones_do_not(tmp_path: Path) -> None:
    path = tmp_path / "postgres.log"
    path.write_text("before\n")
    lines: list[str] = []
    follower = LogFollower({"postgres": path}, write=lines.append, colour=False)
    follower.start()

    with open_log(path) as log:
        log.write(b"1 LOG: ready\n2 ERROR: broken\nhalf a li")
    follower.stop()

    assert lines == ["postgres | 2 ERROR: broken"]


def test_the_name_is_coloured_on_a_terminal() -> None:
    assert logs.prefixed("web", "up", colour=True) == "\x1b[32mweb      | \x1b[0mup"


def test_a_followed_log_starts_over_past_its_bound(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(logs, "MAX_LOG_BYTES", 10)
    path = tmp_path / "web.log"
    lines: list[str] = []
    follower = LogFollower({"web": path}, write=lines.append, colour=False)
    follower.start()

    with open_log(path) as log:
        log.write(b"a long enough line\n")
    follower.stop()

    assert lines == ["web      | a long enough line"]
    assert path.stat().st_size == 0


def test_a_large_log_is_set_aside_before_a_start(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(logs, "MAX_LOG_BYTES", 10)
    path = tmp_path / "web.log"
    path.write_text("a long enough line\n")

    with open_log(path) as log:
        log.write(b"new\n")

    assert path.read_text() == "new\n"
    assert (tmp_path / "web.log.1").read_text() == "a long enough line\n"


def test_the_last_lines_of_a_log(tmp_path: Path) -> None:
    path = tmp_path / "web.log"
    path.write_text("".join(f"{number}\n" for number in range(20)))

    assert last_lines(path, count=2) == "18\n19"
    assert last_lines(tmp_path / "absent") == ""
