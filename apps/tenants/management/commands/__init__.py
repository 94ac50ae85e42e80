"""`manage.py create_first_tenant`, `create_tenant`."""
