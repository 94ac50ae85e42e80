"""Everything a deployment can set: one class, read from MEMORY_* variables. Behaviour knobs live in Policy instead."""

from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

PROJECT_ROOT = Path(__file__).resolve().parent.parent


class Environment(BaseSettings):
    """Deployment settings. `docs/guides/configuration.md` is generated from these descriptions."""

    model_config = SettingsConfigDict(env_prefix="MEMORY_", extra="ignore", frozen=True)

    home: Path = Field(
        default=PROJECT_ROOT / "var",
        description="Where the embedded servers keep their data, passwords and logs, and curated memories their "
        "repositories.",
    )
    database_url: str | None = Field(
        default=None,
        description="postgresql://memory:password@host:5432/memory of the login role. Absent: `memory serve` starts "
        "its own PostgreSQL.",
    )
    migration_url: str | None = Field(
        default=None,
        description="The same database for the login memory_migrator, which may act as the tables' owner: set it for "
        "migrations and `manage.py`. The web server leaves it alone. Absent: MEMORY_DATABASE_URL.",
    )
    database_role: str | None = Field(
        default=None, description="Role assumed at connection start; `memory_owner` when running migrations."
    )
    database_pool_size: int = Field(
        default=16, ge=1, le=200, description="Connections each process may hold open at most."
    )
    redis_url: str | None = Field(
        default=None,
        description="redis://host:6379/0 of a Redis or Valkey. Absent: `memory serve` starts its own Valkey.",
    )
    secret_key: SecretStr | None = Field(
        default=None,
        description="Signs sessions, receipts of erasures and the commits of curated memories. Absent: `memory serve` "
        "makes one in MEMORY_HOME; any other web server, worker or tick refuses to start, commands refuse to sign.",
    )
    allowed_hosts: list[str] = Field(
        default=["localhost", "127.0.0.1", "[::1]"], description="Host names the web server answers to (JSON list)."
    )
    csrf_trusted_origins: list[str] = Field(
        default=[],
        description="Origins, such as https://memory.example.com, whose forms the admin accepts (JSON list).",
    )
    debug: bool = Field(default=False, description="Development mode: GraphiQL for everybody, verbose errors.")
    secure_cookies: bool | None = Field(
        default=None,
        description="Behind TLS: send the admin's cookies over HTTPS only, believe the proxy's X-Forwarded-Proto, have "
        "browsers stay on HTTPS for a year (HSTS). Absent: when MEMORY_CSRF_TRUSTED_ORIGINS names an https:// origin.",
    )
    admin_idle_minutes: int = Field(
        default=480,
        ge=1,
        description="Minutes without a request after which admin and console ask for the password again.",
    )
    host: str = Field(default="127.0.0.1", description="Address `memory serve` listens on.")
    port: int = Field(default=8000, ge=0, le=65535, description="Port `memory serve` listens on.")
    log_format: Literal["text", "json"] = Field(default="text", description="How log lines look.")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = Field(default="INFO", description="Least level logged.")
    embedder: Literal["minilm", "wordllama", "openai"] = Field(
        default="minilm",
        description="Which model turns text into vectors: minilm (local, 384 dimensions), wordllama (local, faster, "
        "256), openai (MEMORY_EMBEDDING_* at an OpenAI-compatible server).",
    )
    embedder_before: Literal["none", "minilm", "wordllama"] = Field(
        default="none",
        description="After a change of MEMORY_EMBEDDER: the local model that read what is indexed. It answers for each "
        "tenant until the new one has read everything (the monthly run or `manage.py rebuild_index` asks for that).",
    )
    multilingual_embedder: Literal["e5", "none"] = Field(
        default="e5",
        description="Which model turns texts that are not English into vectors: e5 (local, 384 dimensions, the extra "
        "`multilingual`), none (MEMORY_EMBEDDER reads them, too). The model of an OpenAI-compatible server reads all "
        "texts. After a change run `manage.py rebuild_index`.",
    )
    embedder_threads: int = Field(
        default=1, ge=1, le=64, description="Threads one local embedding call may use in this process."
    )
    embedding_base_url: str | None = Field(
        default=None,
        description="OpenAI-compatible server for embeddings. One that hangs is left alone as a model is; three missed "
        "deadlines in a row make recall do so, which answers by words meanwhile.",
    )
    embedding_api_key: SecretStr | None = Field(default=None, description="Its key.")
    embedding_model: str = Field(default="text-embedding-3-small", description="Its model.")
    embedding_dimension: Literal[256, 384] = Field(
        default=256, description="Dimensions asked of it (Matryoshka models can be shortened)."
    )
    llm_base_url: str | None = Field(
        default=None,
        description="OpenAI-compatible server that reads messages, gives a second opinion on what changed and rewrites "
        "follow-up questions. Absent: the parser, our own model and rules do.",
    )
    llm_api_key: SecretStr | None = Field(default=None, description="Its key.")
    llm_model: str | None = Field(default=None, description="Its model; required with MEMORY_LLM_BASE_URL.")
    llm_timeout_seconds: float = Field(
        default=30.0,
        gt=0,
        description="Deadline of one call in a worker. A model that misses it is left alone for 30 s, then twice as"
        " long each time, at most 10 minutes; meanwhile what reads without it does its work. A rewrite has 2 s.",
    )
    neo4j_url: str | None = Field(
        default=None,
        description="bolt://host:7687 or neo4j://host:7687 of a Neo4j that keeps a copy of the graph. Absent: there is "
        "no copy, SQL answers everything.",
    )
    neo4j_user: str = Field(default="neo4j", description="Its user.")
    neo4j_password: SecretStr | None = Field(default=None, description="Its password.")
    neo4j_database: str = Field(default="neo4j", description="Its database; the Community edition has this one only.")
    neo4j_from_depth: int = Field(
        default=5,
        ge=1,
        le=5,
        description="Walks of so many hops (1 to 4) and more are read from Neo4j, shorter ones from SQL. 5: all from "
        "SQL, the faster one at every depth on one machine; docs/benchmarks.md has both stores' times.",
    )
    neo4j_timeout_seconds: float = Field(
        default=0.15, gt=0, le=10, description="What Neo4j may take for a walk before SQL answers instead."
    )
    categories_file: Path | None = Field(
        default=None,
        description="TOML file of the categories that new tenants start with and others are shown beside their own "
        "(docs/guides/categories.md). Absent: the shipped ones.",
    )
    event_streams: int = Field(
        default=200,
        ge=0,
        description="Listeners to events that one web process serves at once, of all tenants together. 0: none.",
    )
    max_body_bytes: int = Field(
        default=8 * 1024 * 1024, ge=1024, description="Largest request body accepted, in bytes."
    )
    body_timeout_seconds: float = Field(
        default=30.0, gt=0, description="What a request body may take to arrive; a connection that is slower is closed."
    )
    failed_keys_per_minute: int = Field(
        default=60,
        ge=1,
        description="API keys that open nothing which one address may send within a minute; keys that are good are "
        "never refused for others that are not.",
    )
    proxies: int = Field(
        default=0,
        ge=0,
        le=10,
        description="Proxies in front of the web servers, each of which adds whom it speaks to to X-Forwarded-For: "
        "logins and wrong keys are counted by the address that the outermost saw. 0: the header is not believed, and "
        "behind a proxy all callers have one address.",
    )

    @property
    def is_behind_tls(self) -> bool:
        if self.secure_cookies is None:
            return any(origin.startswith("https://") for origin in self.csrf_trusted_origins)
        return self.secure_cookies


@cache
def environment() -> Environment:
    return Environment()
