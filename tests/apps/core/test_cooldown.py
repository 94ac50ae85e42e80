from types import SimpleNamespace

from apps.core.cooldown import Cooldown


def test_it_lasts_its_seconds_from_the_last_start():
    clock = SimpleNamespace(now=100.0)
    cooldown = Cooldown(2.0, clock=lambda: clock.now)
    assert not cooldown.is_active

    cooldown.start()
    clock.now = 101.5
    assert cooldown.is_active
    cooldown.start()
    clock.now = 103.4
    assert cooldown.is_active
    clock.now = 103.5
    assert not cooldown.is_active


def test_it_can_be_ended_early():
    cooldown = Cooldown(2.0, clock=lambda: 100.0)
    cooldown.start()
    cooldown.end()
    assert not cooldown.is_active
