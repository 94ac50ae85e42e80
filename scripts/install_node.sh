#!/bin/sh
# Installs Debian's Node.js for the tests of the TypeScript client; does nothing when one is there that is new enough.
set -eu

oldest=20

major() {
    sed 's/^v//; s/[^0-9].*//'
}

is_recent() {
    command -v node >/dev/null 2>&1 && [ "$(node --version | major)" -ge $oldest ] 2>/dev/null
}

if is_recent; then
    echo "node: $(command -v node) $(node --version) is there"
    exit 0
fi
command -v apt-get >/dev/null 2>&1 || {
    echo "node: install Node.js $oldest or newer with the package manager of this system (there is no apt-get)" >&2
    exit 1
}

run=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "node: run as root: apt-get update && apt-get install --yes --no-install-recommends nodejs" >&2
        exit 1
    fi
    run=sudo
fi
$run apt-get update -qq
# Debian 12 has version 18, which the client does not name.
offered=$(apt-cache policy nodejs | sed -n 's/^ *Candidate: //p' | major)
if [ "${offered:-0}" -lt $oldest ]; then
    echo "node: this system offers version ${offered:-none}; install $oldest or newer from https://nodejs.org" >&2
    exit 1
fi
echo "node: installing nodejs with apt-get"
$run env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends nodejs >/dev/null
echo "node: $(command -v node) $(node --version) installed"
