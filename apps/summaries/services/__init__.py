"""Writing summaries. `write` opens its own scopes, for a model may be asked; all else needs an open one."""

from apps.summaries.services.following import due, follow, rewrite
from apps.summaries.services.writing import write

__all__ = ["due", "follow", "rewrite", "write"]
