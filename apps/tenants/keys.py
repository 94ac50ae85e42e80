"""API key tokens, `mp_<prefix>_<secret>`.

The prefix finds the row; the secret is 256 random bits, so one SHA-256 is enough to store it safely (a slow hash only
protects what people choose), and it is compared in constant time.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass

from typing_extensions import override

from apps.tenants.access import AgentKey as Principal

__all__ = ["KeyToken", "Principal", "matches", "new_token", "parse"]

MARK = "mp"
PREFIX_BYTES = 6
SECRET_BYTES = 32
# Compared when no row was found, so that an unknown prefix takes as long as a wrong secret.
NO_HASH = bytes(32)


@dataclass(frozen=True, slots=True)
class KeyToken:
    prefix: str
    secret: str

    @override
    def __str__(self) -> str:
        return f"{MARK}_{self.prefix}_{self.secret}"

    @property
    def secret_hash(self) -> bytes:
        return hashlib.sha256(self.secret.encode()).digest()


def new_token() -> KeyToken:
    return KeyToken(prefix=secrets.token_hex(PREFIX_BYTES), secret=secrets.token_urlsafe(SECRET_BYTES))


def parse(text: str) -> KeyToken | None:
    """Split a token; None when it cannot be one."""
    parts = text.split("_", 2)
    if len(parts) != 3 or parts[0] != MARK or len(parts[1]) != 2 * PREFIX_BYTES or not text.isascii():
        return None
    return KeyToken(prefix=parts[1], secret=parts[2])


def matches(token: KeyToken, secret_hash: bytes | None) -> bool:
    return hmac.compare_digest(token.secret_hash, secret_hash or NO_HASH) and secret_hash is not None
