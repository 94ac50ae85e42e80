"""Whose address a request comes from where proxies stand in front."""

from ipaddress import ip_address


def client_address(peer: str, forwarded_for: str, *, proxies: int) -> str:
    """The address that the outermost of `proxies` saw, of the header X-Forwarded-For; else the peer's own.

    Each proxy adds whom it speaks to at the end: what a caller writes into the header itself stands further left.
    """
    hops = [hop.strip() for hop in forwarded_for.split(",")]
    if not 0 < proxies <= len(hops):
        return peer
    try:
        return str(ip_address(hops[-proxies]))
    except ValueError:
        return peer
