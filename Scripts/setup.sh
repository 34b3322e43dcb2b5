#!/usr/bin/env bash
# Installs what the build needs beside Swift: SQLite's headers and pkg-config. Says what to install where it may not.
set -euo pipefail

if ! command -v swift >/dev/null 2>&1; then
    echo "FireLite needs Swift 6.1 or newer: install it (https://www.swift.org/install) and put it on the PATH" >&2
    exit 1
fi
if pkg-config --exists sqlite3 2>/dev/null; then exit 0; fi

remedy="FireLite needs SQLite's headers: install the packages libsqlite3-dev and pkg-config (Debian, Ubuntu: apt-get install libsqlite3-dev pkg-config)"
if ! command -v apt-get >/dev/null 2>&1; then
    case "$(uname -s)" in
        Darwin) exit 0 ;; # SQLite comes with the system.
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
echo "installing libsqlite3-dev and pkg-config"
if ! { $as_root apt-get update -qq && $as_root apt-get install -y -qq libsqlite3-dev pkg-config >/dev/null; }; then
    echo "$remedy" >&2
    exit 1
fi
if ! pkg-config --exists sqlite3; then
    echo "$remedy" >&2
    exit 1
fi
