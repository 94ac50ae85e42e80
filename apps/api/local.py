"""Whether the caller sits at this machine, and so may see what others see only while developing."""

from ipaddress import IPv6Address, ip_address
from typing import Final

from django.conf import settings
from django.http import HttpRequest
from django.http.request import split_domain_port

_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
# Whoever sends one speaks for somebody else, who may be anywhere.
_FORWARDED: Final = ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP")


def is_developing(request: HttpRequest) -> bool:
    """In development mode everybody's request; else one from this machine, to a local name, through no proxy.

    The name keeps out pages elsewhere whose own name was made to point here.
    """
    return settings.DEBUG or (
        _is_loopback(request.META.get("REMOTE_ADDR", ""))
        and split_domain_port(request.get_host())[0] in _NAMES
        and not any(name in request.headers for name in _FORWARDED)
    )


def _is_loopback(address: str) -> bool:
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return (mapped or parsed).is_loopback
