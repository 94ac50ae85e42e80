#!/bin/sh
# Installs Debian's Chromium for the browser tests; does nothing when a browser is there.
set -eu

for browser in chromium chromium-browser google-chrome; do
    if command -v "$browser" >/dev/null 2>&1; then
        echo "browser: $(command -v "$browser") is there"
        exit 0
    fi
done
command -v apt-get >/dev/null 2>&1 || {
    echo "browser: install Chromium with the package manager of this system (there is no apt-get)" >&2
    exit 1
}

run=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "browser: run as root: apt-get update && apt-get install --yes --no-install-recommends chromium" >&2
        exit 1
    fi
    run=sudo
fi
echo "browser: installing Chromium with apt-get"
$run apt-get update -qq
$run env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends chromium >/dev/null
echo "browser: $(command -v chromium) installed"
