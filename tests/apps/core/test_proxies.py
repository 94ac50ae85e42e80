import pytest

from apps.core.proxies import client_address

PEER, CLIENT, LIED = "10.0.0.2", "203.0.113.7", "198.51.100.1"


@pytest.mark.parametrize(
    ("proxies", "forwarded_for", "address"),
    [
        (0, CLIENT, PEER),
        (1, CLIENT, CLIENT),
        (1, f"{LIED}, {CLIENT}", CLIENT),
        (2, f"{LIED}, {CLIENT}, 10.0.0.1", CLIENT),
        (1, "2001:DB8::7", "2001:db8::7"),
        (2, CLIENT, PEER),
        (1, "", PEER),
        (1, "unknown", PEER),
        (1, f"{CLIENT}:443", PEER),
        (1, "\ud800, \0", PEER),
        (1, "," * 100_000, PEER),
    ],
)
def test_the_address_is_the_one_that_the_outermost_proxy_saw(proxies, forwarded_for, address):
    assert client_address(PEER, forwarded_for, proxies=proxies) == address
