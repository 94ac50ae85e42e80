"""A real Neo4j Community from Maven Central, for development, the embedded stack and the tests: Bolt only, loopback.

It holds a projection of what PostgreSQL knows, so its folder may be thrown away: `memory graph rebuild` fills it anew.
"""

import hashlib
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
from pathlib import Path

from typing_extensions import override

from apps.stack.data_root import remembered_secret, write_private
from apps.stack.embedded import EmbeddedServer
from apps.stack.logs import last_lines, open_log
from apps.stack.network import LOOPBACK, free_port, require_free_port
from apps.stack.process import Program, ServerProcess, wait_until
from memory_platform.errors import Unavailable

POM = Path(__file__).resolve().parents[2] / "deploy" / "neo4j" / "pom.xml"
JAVA_AT_LEAST = 17
START_SECONDS = 90.0
FETCH_SECONDS = 900.0
USER = "neo4j"
MAIN_CLASS = "org.neo4j.server.CommunityEntryPoint"
# What the official start script opens of the JDK's modules; the server does not start without them.
OPENED = (
    "java.base/java.nio",
    "java.base/java.io",
    "java.base/sun.nio.ch",
    "java.base/java.util.concurrent",
    "java.management/com.sun.jmx.mbeanserver",
)
# One collector thread: the machine's other processors are for PostgreSQL and the workers.
JAVA_OPTIONS = ("-Xms128m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError", "-Dfile.encoding=UTF-8")
# Half the time to start, for a server that will not live long enough to need the better code.
SHORT_LIVED = ("-XX:TieredStopAtLevel=1",)
SETTINGS = {
    "dbms.security.auth_enabled": "true",
    "dbms.usage_report.enabled": "false",
    "db.tx_log.preallocate": "false",
    "db.tx_log.rotation.retention_policy": "keep_none",
    "server.bolt.enabled": "true",
    "server.http.enabled": "false",
    "server.https.enabled": "false",
    "server.default_listen_address": LOOPBACK,
    "server.memory.pagecache.size": "128m",
    # Whoever stops this server is done with it: no five quiet seconds on each of its event loops.
    "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",
}
# Bolt's preamble and one version range, 5.0 to 5.8: any answer but four zero bytes is a yes.
HANDSHAKE = bytes.fromhex("6060B017" + "00080805" + "00" * 12)


def version() -> str:
    """The version the POM names; raises Unavailable where there is no checkout to read it from."""
    try:
        found = re.search(r"<neo4j\.version>([\w.-]+)</neo4j\.version>", POM.read_text())
    except OSError as error:
        raise Unavailable(
            "this installation has no deploy/neo4j/pom.xml, which names the Neo4j to fetch",
            hint="use a checkout of the project, or name a server with MEMORY_NEO4J_URL",
        ) from error
    if found is None:
        raise Unavailable(f"{POM} names no neo4j.version")
    return found[1]


def library(root: Path) -> Path:
    """Where the server's jars lie under a data root, fetched or not."""
    return root.resolve() / "neo4j" / f"lib-{version()}"


def is_fetched(root: Path) -> bool:
    return library(root).is_dir()


def fetch(root: Path) -> bool:
    """Copy the jars from Maven Central into `library(root)`; False when they are there already.

    Raises Unavailable without Java or Maven, saying what to install, or with the end of Maven's output.
    """
    target = library(root)
    if target.is_dir():
        return False
    java()
    partial = target.with_name(f"{target.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    command = [_maven(), "--batch-mode", "--file", str(POM), "dependency:copy-dependencies"]
    command += ["-DincludeScope=runtime", f"-DoutputDirectory={partial}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=FETCH_SECONDS)  # noqa: S603
    if done.returncode:
        said = "\n".join((done.stdout + done.stderr).splitlines()[-12:])
        raise Unavailable(f"Maven could not fetch Neo4j (exit {done.returncode}):\n{said}")
    partial.replace(target)
    return True


def java() -> Path:
    """A Java of version 17 or newer, from JAVA_HOME or PATH; raises Unavailable without one."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=f"{home}/bin") if home else None
    found = found or shutil.which("java")
    major = _java_version(found) if found else None
    if found is None or major is None or major < JAVA_AT_LEAST:
        had = f"found version {major}" if major else "found none"
        raise Unavailable(
            f"Neo4j needs Java {JAVA_AT_LEAST} or newer ({had})",
            hint="install one: `apt-get install openjdk-17-jre-headless` or `brew install openjdk@17`",
        )
    return Path(found)


def _java_version(command: str) -> int | None:
    """The major version; old ones call themselves 1.8."""
    said = subprocess.run([command, "-version"], capture_output=True, text=True, check=False)  # noqa: S603
    found = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    return int(found[1]) if found else None


def _maven() -> str:
    found = shutil.which("mvn")
    if found is None:
        raise Unavailable(
            "Maven, which fetches Neo4j from Maven Central, is not installed",
            hint="install it: `apt-get install maven` or `brew install maven`",
        )
    return found


class EmbeddedNeo4j(EmbeddedServer):
    """One server with a random password.

    `jars` is what `library` names; `durable=False` is for data that is thrown away.
    """

    def __init__(self, root: Path, *, jars: Path, port: int | None = None, durable: bool = True) -> None:
        super().__init__("neo4j", root, port)
        self.user = USER
        self._jars = jars
        self._java_options = JAVA_OPTIONS if durable else JAVA_OPTIONS + SHORT_LIVED

    @property
    def url(self) -> str:
        return f"bolt://{LOOPBACK}:{self.port}"

    @property
    def password(self) -> str:
        return remembered_secret(self.root, "neo4j")

    @property
    def variables(self) -> dict[str, str]:
        """The MEMORY_* variables that point the platform at this server."""
        return {
            "MEMORY_NEO4J_URL": self.url,
            "MEMORY_NEO4J_USER": self.user,
            "MEMORY_NEO4J_PASSWORD": self.password,
        }

    @override
    def _launch(self) -> None:
        if not self._jars.is_dir():
            raise Unavailable(f"there is no Neo4j in {self._jars}", hint="fetch it with `make neo4j-server`")
        process = self._server()
        if self._process is not None:
            self._process.kill()
        process.clear_leftover()
        self._configure()
        with open_log(self.log) as log:
            process.start(log)
        self._process = process
        wait_until(lambda: self._answers() or not process.is_running, seconds=START_SECONDS)
        if not (process.is_running and self._answers()):
            raise Unavailable(f"Neo4j did not start; its log {self.log} ends with:\n{last_lines(self.log)}")
        self._fixed_port = self.port

    def _server(self) -> ServerProcess:
        opened = [f"--add-opens={package}=ALL-UNNAMED" for package in OPENED]
        folders = ["--home-dir", str(self.root), "--config-dir", str(self.root / "conf"), "--console-mode"]
        command = [str(java()), *self._java_options, *opened, "-cp", f"{self._jars}/*", MAIN_CLASS, *folders]
        program = Program(name="neo4j", command=command, stop_signals=((signal.SIGTERM, 20.0),), directory=self.root)
        return ServerProcess(program, run_directory=self.root)

    def _configure(self) -> None:
        if self._fixed_port is not None:
            require_free_port(self._fixed_port, purpose="Neo4j", setting="another port")
        self.port = self._fixed_port or free_port()
        address = f"{LOOPBACK}:{self.port}"
        own = {"server.bolt.listen_address": address, "server.bolt.advertised_address": address}
        text = "".join(f"{name}={value}\n" for name, value in (SETTINGS | own).items())
        write_private(self.root / "conf" / "neo4j.conf", text)
        initial = self.root / "data" / "dbms" / "auth.ini"
        if not (self.root / "data" / "databases" / "system").exists():
            write_private(initial, _initial_password(self.password))

    def _answers(self) -> bool:
        try:
            with socket.create_connection((LOOPBACK, self.port), timeout=0.5) as connection:
                connection.sendall(HANDSHAKE)
                return connection.recv(4) not in {b"", bytes(4)}
        except OSError:
            return False


def _initial_password(password: str) -> str:
    """The line `neo4j-admin dbms set-initial-password` writes: SHA-256 over salt and password, 1024 times.

    Written here because that command takes a Java start of its own, and because the server then never runs with its
    well-known first password.
    """
    salt = secrets.token_bytes(32)
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _round in range(1023):
        digest = hashlib.sha256(digest).digest()
    return f"{USER}:SHA-256,{digest.hex()},{salt.hex()},1024:\n"
