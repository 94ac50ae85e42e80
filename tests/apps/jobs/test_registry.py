"""Handlers are known by name."""

import pytest

from apps.jobs import registry
from apps.jobs.registry import JobContext, UnknownJob


def test_a_name_nobody_registered_is_unknown():
    with pytest.raises(UnknownJob, match=r"test\.nobody"):
        registry.find("test.nobody")


def test_a_name_belongs_to_one_module():
    def ours(job: JobContext):
        return {}

    def theirs(job: JobContext):
        return {}

    theirs.__module__ = "elsewhere"
    registry.handler("test.owned")(ours)

    with pytest.raises(ValueError, match=r"test\.owned is already registered"):
        registry.handler("test.owned")(theirs)


def test_arguments_are_read_as_ids():
    uuid = "01890a5d-ac96-774b-bcce-b302099a8057"
    job = JobContext(
        id=None, tenant_id=None, arguments={"a": [uuid], "b": ["7", "8"], "c": "9"}, attempt=1, request_id=""
    )

    assert [str(value) for value in job.uuids("a")] == [uuid]
    assert job.numbers("b") == [7, 8]
    assert job.numbers("c") == [9]
