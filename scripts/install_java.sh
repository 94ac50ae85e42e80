#!/bin/sh
# Installs Debian's Java 17 and Maven, which fetch and run Neo4j; does nothing when both are there.
set -eu

java_version() {
    java -version 2>&1 | sed -n 's/.*version "\(1\.\)\{0,1\}\([0-9]*\).*/\2/p'
}

is_recent() {
    command -v java >/dev/null 2>&1 && [ "$(java_version)" -ge 17 ] 2>/dev/null
}

missing=
# Debian 13 has no version 17; what it has by default is newer, and serves as well.
is_recent || missing="openjdk-17-jre-headless"
command -v mvn >/dev/null 2>&1 || missing="$missing maven"
if [ -z "$missing" ]; then
    echo "java: version $(java_version) and Maven are there"
    exit 0
fi
command -v apt-get >/dev/null 2>&1 || {
    echo "java: install Java 17 and Maven with the package manager of this system (there is no apt-get)" >&2
    exit 1
}

run=
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
        echo "java: run as root: apt-get update && apt-get install --yes --no-install-recommends $missing" >&2
        exit 1
    fi
    run=sudo
fi
echo "java: installing $missing with apt-get"
$run apt-get update -qq
case $missing in
*openjdk*) apt-cache show openjdk-17-jre-headless >/dev/null 2>&1 || missing="default-jre-headless${missing#openjdk-17-jre-headless}" ;;
esac
# shellcheck disable=SC2086  a list of packages
$run env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends $missing >/dev/null
echo "java: version $(java_version) and Maven installed"
