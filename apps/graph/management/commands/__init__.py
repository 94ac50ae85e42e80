"""`manage.py rebuild_graph_copy`."""
