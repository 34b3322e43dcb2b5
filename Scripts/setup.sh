#!/usr/bin/env bash
# Installs what the build needs beside Swift: the headers of SQLite, and pkg-config. Says what to install where it may not.
# With the argument sqlcipher, the headers of SQLCipher in their place.
set -euo pipefail

if ! command -v swift >/dev/null 2>&1; then
    echo "FireLite needs Swift 6.1 or newer: install it (https://www.swift.org/install) and put it on the PATH" >&2
    exit 1
fi
library=sqlite3
name=SQLite
package=libsqlite3-dev
if [ "${1:-}" = sqlcipher ]; then
    library=sqlcipher
    name=SQLCipher
    package=libsqlcipher-dev
fi
if pkg-config --exists "$library" 2>/dev/null; then exit 0; fi

remedy="FireLite needs the headers of $name: install the packages $package and pkg-config (Debian, Ubuntu: apt-get install $package pkg-config)"
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
echo "installing $package and pkg-config"
if ! { $as_root apt-get update -qq && $as_root apt-get install -y -qq "$package" pkg-config >/dev/null; }; then
    echo "$remedy" >&2
    exit 1
fi
if ! pkg-config --exists "$library"; then
    echo "$remedy" >&2
    exit 1
fi
