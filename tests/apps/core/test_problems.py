import json

import pytest
from django.db import OperationalError
from redis.exceptions import ConnectionError as RedisConnectionError

from apps.core import problems
from memory_platform import errors


def test_the_platforms_own_errors_speak_for_themselves():
    told = problems.of(errors.RateLimited("Slow down.", retry_after=2.5, field="input", hint="Wait."))

    assert told.status == 429
    assert told.extensions == {"code": "RATE_LIMITED", "retryAfter": 2.5, "field": "input", "hint": "Wait."}
    assert told.body["error"]["message"] == "Slow down."


@pytest.mark.parametrize("error", [RuntimeError("SELECT secret"), ValueError("mp_key"), KeyError("tenant")])
def test_other_errors_are_masked(error):
    told = problems.of(error)

    assert (told.code, told.status, told.message) == ("INTERNAL", 500, "Something went wrong on our side.")


@pytest.mark.parametrize("error", [OperationalError("connection to 10.0.0.3 failed"), RedisConnectionError("10.0.0.4")])
def test_a_server_that_does_not_answer_is_unavailable_and_unnamed(error):
    told = problems.of(error)

    assert (told.code, told.status, told.retry_after) == ("UNAVAILABLE", 503, 1.0)
    assert "10.0" not in told.message


def test_what_a_provider_said_is_not_passed_on():
    told = problems.of(errors.ProviderRefused("the model said: my secret"))

    assert (told.code, told.status) == ("UNAVAILABLE", 503)
    assert "secret" not in told.message


@pytest.mark.parametrize(("seconds", "said"), [(None, None), (0.2, "1"), (61.7, "62")])
def test_a_refusal_says_in_whole_seconds_when_to_come_back(seconds, said):
    refusal = problems.refusal(problems.of(errors.RateLimited("Slow down.", retry_after=seconds)))

    assert (refusal.status_code, refusal.headers.get("Retry-After")) == (429, said)
    assert json.loads(refusal.content)["error"]["message"] == "Slow down."


def test_a_refusal_in_the_words_of_another_protocol_keeps_status_and_time():
    refusal = problems.refusal(problems.of(errors.RateLimited("Slow down.", retry_after=3.0)), {"errors": []})

    assert (refusal.status_code, refusal.headers["Retry-After"], refusal.content) == (429, "3", b'{"errors": []}')


def test_every_error_of_the_tree_has_a_code_of_its_own():
    kinds = [kind for kind in errors.MemoryPlatformError.__subclasses__() if kind is not errors.ProviderError]

    assert len({kind.code for kind in kinds}) == len(kinds) == 8
