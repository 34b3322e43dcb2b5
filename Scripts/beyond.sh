#!/usr/bin/env bash
# Tries a store with DuckDB, Spark and Litestream, and a lake with five engines: a line for each part, with what was compared or why it was skipped, and the time.
#
# Usage: Scripts/beyond.sh [path of the tool firelite]
set -euo pipefail
cd "$(dirname "$0")/.."
log=$(mktemp)
trap 'rm -f "$log"' EXIT
status=0
for part in duckdb duckdb-views lake spark litestream; do
    SECONDS=0
    if Scripts/$part.sh "$@" >"$log" 2>&1; then
        echo "$(tail -n 1 "$log") ($SECONDS s)"
    else
        echo "$part: failed ($SECONDS s)"
        tail -n 40 "$log" >&2
        status=1
    fi
done
exit $status
