"""The deployment's Ed25519 key, which follows from its secret: whoever has its public half can check what it signed."""

import base64
import hashlib
from typing import Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured

SECRET_BYTES: Final = 32
KEY_ID_CHARACTERS: Final = 16
# The first thing it signed: another name would make another key, and strand the receipts there are.
_SIGNING: Final = b"memory-platform erasure receipt"


def key() -> Ed25519PrivateKey:
    return Ed25519PrivateKey.from_private_bytes(derived(_SIGNING))


def public_key() -> str:
    """The public half of `key`, in base64."""
    return text(public_bytes(key().public_key()))


def public_bytes(public: Ed25519PublicKey) -> bytes:
    return public.public_bytes(Encoding.Raw, PublicFormat.Raw)


def key_id(public: bytes) -> str:
    """What a public key is called."""
    return hashlib.sha256(public).hexdigest()[:KEY_ID_CHARACTERS]


def derived(purpose: bytes) -> bytes:
    """SECRET_BYTES that follow from the deployment's secret, others for each purpose."""
    return HKDF(SHA256(), SECRET_BYTES, salt=None, info=purpose).derive(secret())


def secret() -> bytes:
    """The deployment's secret. Raises ImproperlyConfigured where there is none."""
    try:
        return settings.SECRET_KEY.encode()
    except ImproperlyConfigured:
        raise ImproperlyConfigured("Set MEMORY_SECRET_KEY (at least 50 random characters).") from None


def text(data: bytes) -> str:
    """As base64."""
    return base64.b64encode(data).decode()
