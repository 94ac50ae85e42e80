"""Work to do later: a row written in the caller's transaction is the outbox; Celery messages are only hints."""
