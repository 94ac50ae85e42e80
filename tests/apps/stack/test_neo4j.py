"""The fetched Neo4j: what it needs, what it listens on, and whom it lets in."""

import shutil
import stat
from pathlib import Path

import pytest
from neo4j import GraphDatabase
from neo4j.exceptions import AuthError

from apps.stack import neo4j
from apps.stack.neo4j import EmbeddedNeo4j
from memory_platform.errors import ProviderRefused, Unavailable
from tests.conftest import neo4j_graph


def test_the_pom_names_one_version_for_both_artifacts() -> None:
    assert neo4j.version() == "5.26.30"
    assert neo4j.POM.read_text().count("<version>${neo4j.version}</version>") == 2


def test_without_java_the_message_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_options: None)

    with pytest.raises(Unavailable, match="Java 17 or newer") as caught:
        neo4j.java()

    assert "apt-get install openjdk-17-jre-headless" in str(caught.value.hint)


def test_an_old_java_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old = tmp_path / "bin" / "java"
    old.parent.mkdir()
    old.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\n")
    old.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))

    with pytest.raises(Unavailable, match="found version 8"):
        neo4j.java()


def test_without_maven_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(neo4j, "java", lambda: Path("java"))
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_options: None)

    with pytest.raises(Unavailable, match="Maven") as caught:
        neo4j.fetch(tmp_path)

    assert "apt-get install maven" in str(caught.value.hint)
    assert not neo4j.is_fetched(tmp_path)


def test_what_was_fetched_is_not_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    neo4j.library(tmp_path).mkdir(parents=True)
    monkeypatch.setattr(shutil, "which", lambda *_arguments, **_options: None)

    assert neo4j.fetch(tmp_path) is False


def test_a_server_that_was_not_fetched_says_how_to(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="there is no Neo4j") as caught:
        EmbeddedNeo4j(tmp_path, jars=tmp_path / "none").start()

    assert "make neo4j-server" in str(caught.value.hint)


@pytest.mark.neo4j
def test_it_listens_on_loopback_only_and_keeps_its_password_to_itself(neo4j_server: EmbeddedNeo4j) -> None:
    settings = (neo4j_server.root / "conf" / "neo4j.conf").read_text().splitlines()

    assert f"server.bolt.listen_address=127.0.0.1:{neo4j_server.port}" in settings
    assert {"server.http.enabled=false", "dbms.usage_report.enabled=false"} <= set(settings)
    assert len(neo4j_server.password) >= 40
    assert stat.S_IMODE((neo4j_server.root / "secrets.json").stat().st_mode) == 0o600
    assert neo4j_server.password not in neo4j_server.log.read_text()


@pytest.mark.neo4j
def test_the_well_known_first_password_was_never_its_own(neo4j_server: EmbeddedNeo4j) -> None:
    with (
        pytest.raises(AuthError),
        GraphDatabase.driver(neo4j_server.url, auth=("neo4j", "neo4j")) as driver,
    ):
        driver.verify_connectivity()

    graph = neo4j_graph(neo4j_server)
    graph.ping(timeout=5)
    graph.close()


@pytest.mark.neo4j
def test_wrong_credentials_are_told_from_a_server_that_is_down(neo4j_server: EmbeddedNeo4j) -> None:
    from memory_platform.adapters.neo4j import Neo4jGraph  # noqa: PLC0415

    graph = Neo4jGraph(url=neo4j_server.url, user="neo4j", password="wrong-and-wrong")
    with pytest.raises(ProviderRefused):
        graph.ping(timeout=5)
    graph.close()
