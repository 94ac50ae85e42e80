"""What can be said about the container files without a container engine."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from django.core.management import get_commands
from redis import Redis
from redis.exceptions import AuthenticationError, ConnectionError  # noqa: A004  the client's own

from apps.environment import Environment
from apps.stack import valkey
from apps.stack.network import free_port
from apps.stack.process import wait_until
from tests.apps.cli import commands

PROJECT = Path(__file__).resolve().parents[3]
DEPLOY = PROJECT / "deploy"
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
OURS = ("migrate", "web", "worker", "tick")


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


# What containers have no use for: the image says where to write and how to log, granian where to listen.
SET_BY_THE_IMAGE = {"MEMORY_HOME", "MEMORY_LOG_FORMAT", "MEMORY_HOST", "MEMORY_PORT"}
# Said to one command of `migrate`, whose others and whose fellow containers must not have it.
SET_BY_MIGRATE = {"MEMORY_DATABASE_ROLE", "MEMORY_MIGRATION_URL"}


@pytest.mark.parametrize("name", OURS)
def test_every_setting_of_the_platform_can_be_passed_and_no_other(name: str) -> None:
    known = {f"MEMORY_{field.upper()}" for field in Environment.model_fields}
    example = (DEPLOY / "memory.env.example").read_text()
    offered = set(re.findall(r"^#?(MEMORY_\w+)=", example, flags=re.MULTILINE))
    service = COMPOSE["services"][name]
    set_here = set(service["environment"]) - {"MEMORY_DATABASE_ADMIN_URL"}

    assert service["env_file"] == ["memory.env"]
    assert offered | set_here | SET_BY_THE_IMAGE | SET_BY_MIGRATE == known
    assert not offered & (set_here | SET_BY_THE_IMAGE | SET_BY_MIGRATE)


@pytest.mark.parametrize("password", ["POSTGRES_PASSWORD", "MEMORY_MIGRATION_PASSWORD"])
def test_only_migrate_knows_the_superuser_and_the_tables_owner(password: str) -> None:
    knowing = {name for name in OURS if password in str(COMPOSE["services"][name])}

    assert knowing == {"migrate"}
    assert "memory database prepare\n" in COMPOSE["services"]["migrate"]["command"][-1]


def test_workers_can_be_many_and_the_tick_is_one() -> None:
    services = COMPOSE["services"]

    assert "beat" in services["tick"]["command"]
    assert not {"--tick", "--beat", "-B"} & set(services["worker"]["command"])
    for scaled in ("worker", "web"):
        assert not {"container_name", "hostname"} & services[scaled].keys()
    assert "ports" not in services["worker"]


def test_neo4j_starts_when_it_is_asked_for_only() -> None:
    profiles = {name: service["profiles"] for name, service in COMPOSE["services"].items() if "profiles" in service}

    assert profiles == {"neo4j": ["neo4j"]}
    assert not any("neo4j" in service.get("depends_on", {}) for service in COMPOSE["services"].values())


def test_images_are_named_by_exact_version_and_digest() -> None:
    images = {service["image"] for service in COMPOSE["services"].values()} - {"memory-platform:local"}
    base = re.findall(r"^ARG PYTHON_IMAGE=(.*)$", (PROJECT / "Dockerfile").read_text(), re.MULTILINE)

    assert len(base) == 1
    assert all(re.search(r":\d+\.\d+\.\d+\S*@sha256:[0-9a-f]{64}\Z", image) for image in [*images, *base])


def test_no_secret_is_written_down_and_the_examples_name_every_one() -> None:
    required = set(re.findall(r"\$\{(\w+):\?", (DEPLOY / "compose.yaml").read_text()))

    assert required == {
        "POSTGRES_PASSWORD",
        "MEMORY_DATABASE_PASSWORD",
        "MEMORY_MIGRATION_PASSWORD",
        "VALKEY_PASSWORD",
    }
    for name in required:
        assert f"\n{name}=\n" in (DEPLOY / ".env.example").read_text()
    assert "\nMEMORY_SECRET_KEY=\n" in (DEPLOY / "memory.env.example").read_text()
    assert set((DEPLOY / ".gitignore").read_text().split()) == {".env", "memory.env"}


def test_valkey_takes_the_settings_of_its_command(tmp_path: Path) -> None:
    """The shell of the container's command with the server we have: it asks for the password and keeps nothing."""
    script = COMPOSE["services"]["valkey"]["command"][-1].replace("$$", "$")
    port = free_port()
    script = script.replace("valkey-server -", f"{valkey.binary()} -").replace("save", f"port {port}\nsave", 1)
    process = subprocess.Popen(
        ["sh", "-ec", script], env={"VALKEY_PASSWORD": "own-password"}, cwd=tmp_path, stdout=subprocess.DEVNULL
    )
    try:
        with Redis(port=port, password="own-password") as client:
            assert wait_until(lambda: _answers(client), seconds=10)
            assert client.config_get("maxmemory-policy", "save") == {"maxmemory-policy": "volatile-lru", "save": ""}
        with Redis(port=port) as stranger, pytest.raises(AuthenticationError):
            stranger.ping()
    finally:
        process.terminate()
        assert process.wait(10) == 0


def _answers(client: Redis) -> bool:
    try:
        return bool(client.ping())
    except ConnectionError:
        return False


def test_the_image_runs_as_an_ordinary_user_from_files_the_context_lets_in() -> None:
    dockerfile = (PROJECT / "Dockerfile").read_text()
    allowed = {line[1:] for line in (PROJECT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        name
        for line in re.findall(r"^COPY (?!--from)(.+)$", dockerfile, flags=re.MULTILINE)
        for name in line.split()[:-1]
    }

    assert re.findall(r"^USER (.+)$", dockerfile, flags=re.MULTILINE) == ["10001"]
    assert {name.split("/")[0] for name in copied} == allowed
    assert all((PROJECT / name).exists() for name in copied)


def test_the_commands_that_the_containers_run_exist() -> None:
    script = COMPOSE["services"]["migrate"]["command"][-1]
    ours = {" ".join(words.split()) for words in re.findall(r"\bmemory ([a-z ]+)$", script, flags=re.MULTILINE)}
    django = re.findall(r"python -m django (\w+)", script)

    assert ours == {"database prepare"}
    assert ours <= set(commands.examples())
    assert django == ["migrate", "create_first_tenant"]
    assert set(django) <= set(get_commands())


def test_the_image_can_make_and_take_back_a_backup_of_the_server_beside_it() -> None:
    (major,) = re.findall(r"^ARG POSTGRES_MAJOR=(\d+)$", (PROJECT / "Dockerfile").read_text(), flags=re.MULTILINE)

    assert f"-pg{major}-" in COMPOSE["services"]["postgres"]["image"]
    assert "postgresql-client-${POSTGRES_MAJOR}" in (PROJECT / "Dockerfile").read_text()


def test_the_image_has_the_pages_where_the_first_page_looks_for_them() -> None:
    assert re.findall(r"^COPY docs (.+)$", (PROJECT / "Dockerfile").read_text(), flags=re.MULTILINE) == ["/app/docs"]
