#!/bin/sh
# Builds .venv from uv.lock with a pinned uv of its own in .uv. Quick when nothing has changed since the last time.
set -eu

UV_VERSION=0.13.8
cd "$(dirname "$0")/.."

fail() {
    printf '\nbootstrap: %s\n' "$1" >&2
    shift
    for line in "$@"; do printf '           %s\n' "$line" >&2; done
    exit 1
}

say() { printf 'bootstrap: %s\n' "$1"; }

is_recent() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

# Versions for which every locked package has a built wheel come first.
find_python() {
    for candidate in "${PYTHON:-}" python3.13 python3.12 python3.11 python3 python3.14 python; do
        if [ -n "$candidate" ] && command -v "$candidate" >/dev/null 2>&1 && is_recent "$candidate"; then
            "$candidate" -c 'import sys; print(sys.executable)'
            return
        fi
    done
    found=$(python3 --version 2>&1 || echo "no python3")
    fail "Python 3.11 or newer is needed; found: $found." \
        "Install one (Debian 12, Ubuntu 24.04: apt-get install python3 python3-venv; macOS: brew install python@3.13)," \
        "or name one: make PYTHON=/path/to/python3.12 run"
}

# Without ensurepip (Debian splits it off) an installed pip can fill the environment from outside.
make_uv() {
    python=$1
    say "installing uv $UV_VERSION into .uv"
    rm -rf .uv
    if "$python" -c 'import venv, ensurepip' >/dev/null 2>&1; then
        "$python" -m venv .uv
        .uv/bin/python -m pip install --quiet --disable-pip-version-check "uv==$UV_VERSION"
    elif "$python" -m pip --version >/dev/null 2>&1 && "$python" -c 'import venv' >/dev/null 2>&1; then
        "$python" -m venv --without-pip .uv
        "$python" -m pip --python .uv/bin/python install --quiet --disable-pip-version-check "uv==$UV_VERSION"
    else
        version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        fail "$python can make no virtual environment: its module ensurepip is missing." \
            "Install it (Debian and Ubuntu: apt-get install python$version-venv) and run make again."
    fi
}

stamp=.venv/.bootstrapped
wanted=$(cksum uv.lock pyproject.toml scripts/bootstrap.sh)
if [ -x .venv/bin/python ] && [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
    exit 0
fi

# An environment that is there keeps its Python, unless PYTHON asks for another.
if [ -z "${PYTHON:-}" ] && [ -x .venv/bin/python ] && is_recent .venv/bin/python; then
    python=$(.venv/bin/python -c 'import sys; print(sys._base_executable)')
else
    python=$(find_python)
fi
say "using $("$python" --version) at $python"

if ! [ -x .uv/bin/uv ] || [ "$(.uv/bin/uv --version | cut -d' ' -f2)" != "$UV_VERSION" ]; then
    make_uv "$python"
fi

say "installing the locked packages into .venv (the first time this takes a minute or two)"
UV_PYTHON_DOWNLOADS=never .uv/bin/uv sync --quiet --frozen --extra embedded --extra multilingual --python "$python"
printf '%s\n' "$wanted" >"$stamp"
say "ready"
