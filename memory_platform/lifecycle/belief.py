"""Since when something counts as believed (docs/adr/0017): our clock knows when we heard it, the speaker's when it was
said, and an import is heard long after.
"""

from datetime import datetime


def believed_from(*, said_at: datetime, heard_at: datetime) -> datetime:
    """When it was said, or when it was heard where that was earlier: nothing is believed before its time.

    `apps.resources.selectors.BELIEVED_FROM` is the same in SQL.
    """
    return min(said_at, heard_at)
