"""The fake model server, one a test."""

from collections.abc import Iterator

import pytest

from tests import fake_openai


@pytest.fixture
def fake() -> Iterator[fake_openai.FakeOpenAi]:
    with fake_openai.running() as server:
        yield server
