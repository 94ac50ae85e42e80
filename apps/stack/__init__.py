"""The embedded stack: PostgreSQL, Valkey, the web server and the worker, started and watched by one command.

No tables and no Django models live here; only the command line and the tests know this package.
"""
