from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from memory_platform.lifecycle.belief import believed_from

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def test_what_was_imported_is_believed_from_when_it_was_said():
    assert believed_from(said_at=NOW - timedelta(days=400), heard_at=NOW) == NOW - timedelta(days=400)


@given(st.datetimes(timezones=st.just(UTC)), st.datetimes(timezones=st.just(UTC)))
def test_nothing_is_believed_before_it_was_said_unless_it_was_heard_before(said_at, heard_at):
    since = believed_from(said_at=said_at, heard_at=heard_at)

    assert since <= said_at
    assert since <= heard_at
    assert since in {said_at, heard_at}
