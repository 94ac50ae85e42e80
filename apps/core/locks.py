"""Turns that transactions take by a name, where no row stands for what they must not do at once."""

from django.db import connection


def take_turn(name: str) -> None:
    """Wait until no other transaction has the turn of this name, and have it until the open one ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
