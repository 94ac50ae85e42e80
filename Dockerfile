# The web server, the worker and the commands; PostgreSQL and Valkey run elsewhere (deploy/compose.yaml).
ARG PYTHON_IMAGE=python:3.13.9-slim-bookworm@sha256:b685a4fa58bb19d1814d78a1ec0f0208f351452724f78b20212c984d6e124a34

FROM ${PYTHON_IMAGE} AS build
ENV UV_COMPILE_BYTECODE=1 UV_LINK_MODE=copy UV_PYTHON_DOWNLOADS=never UV_NO_CACHE=1
RUN pip install --no-cache-dir --disable-pip-version-check uv==0.13.8
WORKDIR /app
# The packages change less often than the code: a layer of their own.
COPY pyproject.toml uv.lock README.md LICENSE ./
COPY sdk/python/pyproject.toml sdk/python/pyproject.toml
RUN uv sync --frozen --no-dev --extra multilingual --no-install-workspace
COPY sdk/python sdk/python
COPY memory_platform memory_platform
COPY memory_server memory_server
COPY apps apps
COPY config config
# The environment points to the code beside it, so that `apps` and `config` are found by every command.
RUN uv sync --frozen --no-dev --extra multilingual && python -m compileall -q sdk memory_platform memory_server apps config

FROM ${PYTHON_IMAGE}
# pg_dump and pg_restore, for `memory backup` and `restore`: as new as the server of deploy/compose.yaml, which Debian's
# are not. The key of PostgreSQL's own packages comes with Debian's package postgresql-common.
ARG POSTGRES_MAJOR=18
RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends postgresql-common ca-certificates \
    && /usr/share/postgresql-common/pgdg/apt.postgresql.org.sh -y \
    && DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends postgresql-client-${POSTGRES_MAJOR} \
    && rm -rf /var/lib/apt/lists/*
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin memory
COPY --from=build /app /app
# The guides of the first page.
COPY docs /app/docs
# /tmp is the only place written to, so that the root file system can be mounted read-only.
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    DJANGO_SETTINGS_MODULE=config.settings \
    MALLOC_ARENA_MAX=2 \
    MEMORY_HOME=/tmp/memory \
    MEMORY_LOG_FORMAT=json
WORKDIR /app
USER 10001
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
    CMD ["python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/livez', timeout=4)"]
CMD ["granian", "--interface", "asginl", "--no-ws", "--host", "0.0.0.0", "--port", "8000", "--workers", "1", "--workers-kill-timeout", "8", "config.asgi:application"]
