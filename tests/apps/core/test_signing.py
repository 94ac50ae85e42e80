"""The deployment's key: none is made up where its secret is missing."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command

from apps.core import signing


@pytest.mark.parametrize("sign", [signing.key, signing.public_key, signing.secret, lambda: signing.derived(b"any")])
def test_nothing_is_signed_without_a_secret(settings, sign):
    settings.SECRET_KEY = ""

    with pytest.raises(ImproperlyConfigured, match="Set MEMORY_SECRET_KEY"):
        sign()


def test_another_secret_is_another_key(settings):
    settings.SECRET_KEY = "a" * 50
    before = signing.public_key()
    settings.SECRET_KEY = "b" * 50

    assert signing.public_key() != before


def test_a_command_that_signs_nothing_needs_no_secret(settings):
    settings.SECRET_KEY = ""

    call_command("check")
