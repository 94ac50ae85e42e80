"""Curating. `reflect` and `sort` open their own scopes, for a model may be asked; all else needs an open one."""

from apps.curation.services.deciding import decide
from apps.curation.services.following import follow
from apps.curation.services.reflecting import reflect
from apps.curation.services.triaging import sort

__all__ = ["decide", "follow", "reflect", "sort"]
