"""What can be said about the container files without a container engine."""

import re
from pathlib import Path

import pytest
import yaml

from apps.environment import Environment

PROJECT = Path(__file__).resolve().parents[3]
COMPOSE = yaml.safe_load((PROJECT / "deploy" / "compose.yaml").read_text())
OURS = ("migrate", "web", "worker")


def test_services_depend_on_services_that_exist_and_report_health() -> None:
    services = COMPOSE["services"]
    for service in services.values():
        for name, dependency in service.get("depends_on", {}).items():
            if dependency["condition"] == "service_healthy":
                assert services[name]["healthcheck"]["test"]
            else:
                assert dependency == {"condition": "service_completed_successfully"}
                assert name == "migrate"


@pytest.mark.parametrize("name", OURS)
def test_our_containers_have_a_read_only_root_and_no_capabilities(name: str) -> None:
    service = COMPOSE["services"][name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert service["tmpfs"] == ["/tmp"]


@pytest.mark.parametrize("name", OURS)
def test_every_variable_is_a_setting_of_the_platform(name: str) -> None:
    known = {f"MEMORY_{field.upper()}" for field in Environment.model_fields}

    assert set(COMPOSE["services"][name]["environment"]) <= known


def test_no_secret_is_written_down_and_the_example_names_every_one() -> None:
    text = (PROJECT / "deploy" / "compose.yaml").read_text()
    required = set(re.findall(r"\$\{(\w+):\?", text))
    example = (PROJECT / "deploy" / ".env.example").read_text()

    assert required == {"POSTGRES_PASSWORD", "MEMORY_DATABASE_PASSWORD", "NEO4J_PASSWORD", "MEMORY_SECRET_KEY"}
    for name in required:
        assert f"\n{name}=\n" in example


def test_the_database_is_prepared_by_the_same_file_as_the_embedded_one() -> None:
    mounts = [volume.split(":") for volume in COMPOSE["services"]["postgres"]["volumes"]]
    source, target, mode = next(mount for mount in mounts if mount[0].startswith(".."))

    assert (PROJECT / "deploy" / source).resolve() == PROJECT / "apps" / "stack" / "bootstrap.sql"
    assert target.startswith("/docker-entrypoint-initdb.d/")
    assert mode == "ro"


def test_the_image_runs_as_an_ordinary_user_from_files_the_context_lets_in() -> None:
    dockerfile = (PROJECT / "Dockerfile").read_text()
    allowed = {line[1:] for line in (PROJECT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        name
        for line in re.findall(r"^COPY (?!--from)(.+)$", dockerfile, flags=re.MULTILINE)
        for name in line.split()[:-1]
    }

    assert re.findall(r"^USER (.+)$", dockerfile, flags=re.MULTILINE) == ["10001"]
    assert copied == allowed
    assert all((PROJECT / name).exists() for name in copied)
