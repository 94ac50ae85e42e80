"""`manage.py export_schema`."""
