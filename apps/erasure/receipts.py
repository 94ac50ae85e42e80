"""Signed receipts: Ed25519 over canonical JSON, with the deployment's key.

The public keys that signed a tenant's receipts are kept beside them, so that changing the secret breaks no receipt.
"""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from apps.core import scope, signing
from apps.erasure.models import ReceiptKey
from apps.erasure.results import Verified

VERSION: Final = 1
ALGORITHM: Final = "Ed25519"
_KEY_ID: Final = re.compile(rf"[0-9a-f]{{{signing.KEY_ID_CHARACTERS}}}")
_NAMING: Final = b"memory-platform erasure digest"


def digest_of(tenant_id: UUID, kind: str, about: Mapping[str, Any]) -> str:
    """What stands for whom or what an erasure is about: whoever knows the name can ask for it, nobody can guess it."""
    named = canonical({"tenant": str(tenant_id), "kind": kind, "about": dict(about)})
    return hmac.new(signing.derived(_NAMING), named, hashlib.sha256).hexdigest()


def digest_of_ids(ids: list[UUID]) -> str:
    """SHA-256 of the sorted ids, a line each."""
    return hashlib.sha256("\n".join(sorted(map(str, ids))).encode()).hexdigest()


def sign(content: Mapping[str, Any]) -> dict[str, Any]:
    """The content with its signature; notes the public key for the open scope's tenant."""
    key = signing.key()
    public = signing.public_bytes(key.public_key())
    key_id, text = signing.key_id(public), signing.text(public)
    ReceiptKey.objects.get_or_create(tenant_id=scope.current().tenant_id, key_id=key_id, defaults={"public_key": text})
    signed = {**content, "version": VERSION, "algorithm": ALGORITHM, "key_id": key_id, "public_key": text}
    return {**signed, "signature": signing.text(key.sign(canonical(signed)))}


def verify(receipt: Mapping[str, Any]) -> Verified:
    """Whether a receipt was signed for the open scope's tenant and says what it said then.

    The key it carries proves nothing: it must be one that signed receipts here.
    """
    content = {name: value for name, value in receipt.items() if name != "signature"}
    key_id = str(content.get("key_id", ""))
    if not _KEY_ID.fullmatch(key_id):
        return Verified(valid=False, problem="it names no key")
    if content.get("tenant_id") != str(scope.current().tenant_id):
        return Verified(valid=False, problem="it is of another tenant", key_id=key_id)
    public = _known(key_id)
    if public is None:
        return Verified(valid=False, problem="no key of this tenant has signed it", key_id=key_id)
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(_bytes(receipt.get("signature")), canonical(content))
    except InvalidSignature:
        return Verified(valid=False, problem="it is not what was signed", key_id=key_id)
    return Verified(valid=True, erasure_id=UUID(str(content["erasure_id"])), key_id=key_id)


def canonical(content: Mapping[str, Any]) -> bytes:
    """JSON in one form: sorted names, no blanks, UTF-8; half of a surrogate pair, which somebody may send, passes."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode(errors="surrogatepass")


def _known(key_id: str) -> bytes | None:
    row = ReceiptKey.objects.filter(tenant_id=scope.current().tenant_id, key_id=key_id).first()
    return None if row is None else _bytes(row.public_key)


def _bytes(text: object) -> bytes:
    """Nothing for what is no base64."""
    try:
        return base64.b64decode(str(text), validate=True)
    except ValueError:
        return b""
