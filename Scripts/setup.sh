#!/usr/bin/env bash
# Installs what the build needs beside Swift: the headers of SQLite and of OpenSSL, and pkg-config. Says what to install where it may not.
# OpenSSL is for FireLiteSync and what is built on it; who depends on the product FireLite alone needs only SQLite.
# libxml2 is for FHIR XML, which loads it.
# With the argument sqlcipher, the headers of SQLCipher in their place; with the argument install, also those of libcurl, which a tool that contains the
# toolchain's libraries is linked with; with the argument server, also those of zlib. With the argument browser, only Chromium and Python's venv, for the
# tests of pages.
set -euo pipefail

if ! command -v swift >/dev/null 2>&1; then
    echo "FireLite needs Swift 6.1 or newer: install it (https://www.swift.org/install) and put it on the PATH" >&2
    exit 1
fi
if [ "${1:-}" = browser ]; then
    # Ubuntu's Chromium is a snap, which containers cannot run: there Scripts/browser.sh lets Playwright install one.
    wanted=""
    if [ "$(. /etc/os-release 2>/dev/null && echo "$ID")" = debian ] && [ ! -x /usr/bin/chromium ]; then wanted=chromium; fi
    if ! python3 -c 'import ensurepip, venv' 2>/dev/null; then wanted="$wanted python3-venv"; fi
    if [ -z "$wanted" ]; then exit 0; fi
    as_root=""
    if [ "$(id -u)" -ne 0 ]; then as_root="sudo -n"; fi
    export DEBIAN_FRONTEND=noninteractive
    if ! command -v apt-get >/dev/null 2>&1 \
        || ! { $as_root apt-get update -qq && $as_root apt-get install -y -qq $wanted >/dev/null; }; then
        echo "the tests of pages need $wanted: install it (Debian, Ubuntu: apt-get install $wanted)" >&2
        exit 1
    fi
    exit 0
fi
library=sqlite3
name=SQLite
package=libsqlite3-dev
if [ "${1:-}" = sqlcipher ]; then
    library=sqlcipher
    name=SQLCipher
    package=libsqlcipher-dev
fi
# On Apple's systems, CryptoKit does the work of libcrypto.
needed="$library >= 0"
if [ "$(uname -s)" != Darwin ]; then needed="$needed libcrypto >= 3.0"; fi
more=libssl-dev
names="OpenSSL 3"
if [ "${1:-}" = install ] && [ "$(uname -s)" != Darwin ]; then
    needed="$needed libcurl >= 7.0"
    more="libssl-dev libcurl4-openssl-dev"
    names="OpenSSL 3 and libcurl"
fi
# The server packs its answers with the system's zlib.
if [ "${1:-}" = server ] && [ "$(uname -s)" != Darwin ]; then
    needed="$needed zlib >= 1.2"
    more="libssl-dev zlib1g-dev"
    names="OpenSSL 3 and zlib"
fi
# FHIR XML loads libxml2 when it is first used, so a build goes on without it.
has_xml() {
    [ "$(uname -s)" = Darwin ] || { /sbin/ldconfig -p 2>/dev/null || true; } | grep -q 'libxml2\.so'
}
if ! has_xml; then more="$more libxml2"; fi
if pkg-config --exists "$needed" 2>/dev/null; then
    if has_xml; then exit 0; fi
    if ! command -v apt-get >/dev/null 2>&1 || { [ "$(id -u)" -ne 0 ] && ! sudo -n true 2>/dev/null; }; then
        echo "there is no libxml2, which FHIR XML needs: install the package libxml2" >&2
        exit 0
    fi
fi

remedy="FireLite needs the headers of $name, $names: install the packages $package $more pkg-config (Debian, Ubuntu: apt-get install $package $more pkg-config)"
if ! command -v apt-get >/dev/null 2>&1; then
    case "$(uname -s)" in
        Darwin)
            if [ "$library" = sqlite3 ]; then exit 0; fi # It comes with the system.
            remedy="FireLite needs SQLCipher: brew install sqlcipher pkg-config"
            ;;
    esac
    echo "$remedy" >&2
    exit 1
fi
as_root=""
if [ "$(id -u)" -ne 0 ]; then
    if ! sudo -n true 2>/dev/null; then
        echo "$remedy" >&2
        exit 1
    fi
    as_root="sudo -n"
fi
export DEBIAN_FRONTEND=noninteractive
echo "installing $package $more pkg-config"
if ! { $as_root apt-get update -qq && $as_root apt-get install -y -qq "$package" $more pkg-config >/dev/null; }; then
    echo "$remedy" >&2
    exit 1
fi
if ! pkg-config --exists "$needed"; then
    echo "$remedy" >&2
    exit 1
fi
