"""What the relator said of a pair of claims, remembered in Valkey: a night asks again about what was judged by day, and
one recall after another about the same hits.

A judgement rests on both texts, the time between them and the relator's version alone, so that one that is remembered
is the one that would be given. Without Valkey everything is judged anew.
"""

import struct
from collections.abc import Sequence
from dataclasses import astuple
from typing import Final
from uuid import UUID

from django.core.cache import cache
from django.utils.crypto import salted_hmac

from apps.core import limiter, signing
from memory_platform.model import ClaimRelation
from memory_platform.ports import ClaimPair, Relator

REMEMBERED_SECONDS: Final = 3 * 86_400
"""A night looks at what came in since the start of yesterday."""
_SHARES: Final = struct.Struct("<6d")


def judged(relator: Relator, pairs: Sequence[ClaimPair], *, tenant_id: UUID) -> tuple[ClaimRelation, ...]:
    """One relation per pair, in order; asks the relator for those that the tenant's were not asked about lately.

    Raises ProviderRetryable or ProviderRefused.
    """
    keys = [_key(pair, relator.version, tenant_id) for pair in pairs]
    relations = _remembered(keys)
    missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in relations}
    if missing:
        new = dict(zip(missing, relator.relate(list(missing.values())), strict=True))
        _remember(new)
        relations |= new
    return tuple(relations[key] for key in keys)


def prefix(tenant_id: UUID) -> str:
    """What the names of the tenant's judgements begin with in Valkey."""
    return str(cache.make_key(_named(tenant_id)))


def _named(tenant_id: UUID) -> str:
    return f"related:{tenant_id}:"


def _key(pair: ClaimPair, version: str, tenant_id: UUID) -> str:
    """Keyed by the server's secret: nobody who reads Valkey can try what was said."""
    asked = "\0".join((version, str(pair.apart.total_seconds()), pair.older, pair.newer))
    keyed = salted_hmac(f"related {tenant_id}", asked, secret=signing.secret(), algorithm="sha256")
    return _named(tenant_id) + keyed.hexdigest()[:32]


def _remembered(keys: Sequence[str]) -> dict[str, ClaimRelation]:
    held = limiter.ask(lambda: cache.get_many(keys)) if keys else None
    return {key: ClaimRelation(*_SHARES.unpack(shares)) for key, shares in (held or {}).items()}


def _remember(relations: dict[str, ClaimRelation]) -> None:
    packed = {key: _SHARES.pack(*astuple(relation)) for key, relation in relations.items()}
    limiter.ask(lambda: cache.set_many(packed, timeout=REMEMBERED_SECONDS))
