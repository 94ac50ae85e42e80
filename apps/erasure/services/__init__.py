"""Erasing. All need an open scope of the whole tenant, except `run`, which opens its own."""

from apps.erasure.services.exporting import export, held
from apps.erasure.services.previewing import begin_preview, drop_preview, previewed
from apps.erasure.services.requesting import approve, needs_approval, preview, reject, request
from apps.erasure.services.retaining import due, retain, would_erase
from apps.erasure.services.running import run
from apps.erasure.services.sampling import extents_of
from apps.erasure.services.selecting import named

__all__ = [
    "approve",
    "begin_preview",
    "drop_preview",
    "due",
    "export",
    "extents_of",
    "held",
    "named",
    "needs_approval",
    "preview",
    "previewed",
    "reject",
    "request",
    "retain",
    "run",
    "would_erase",
]
