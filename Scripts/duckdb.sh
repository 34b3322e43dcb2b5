#!/usr/bin/env bash
# Reads a store with DuckDB and its sqlite extension, and compares the results of the queries in BeyondOneMachine.md with those of
# `firelite sql` on the same file: closed, held open by an import with commits in the write-ahead log, and after that import.
#
# DuckDB and the extension come from PyPI into a folder of their own, unless BEYOND_PYTHON names an interpreter that has them.
#
# Usage: Scripts/duckdb.sh [path of the tool firelite]
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/part.sh
begin duckdb "${1:-}"
# The extension is built for one version of DuckDB.
need_python duckdb==1.5.5 duckdb-extension-sqlite-scanner==1.5.5

"$tool" demo --database "$work/store.sqlite" --patients 500 >"$work/demo.log"
cat >"$work/odd.ndjson" <<'NDJSON'
{"resourceType":"Observation","id":"odd-1","status":"final","code":{"text":"odd"},"effectiveDateTime":"2020-01-01T10:00:00+02:00","valueQuantity":{"value":1.50}}
{"resourceType":"Observation","id":"odd-2","status":"final","code":{"text":"odd"},"effectiveDateTime":"2020-01-01T10:00:00-00:00","valueQuantity":{"value":1e400}}
{"resourceType":"Patient","id":"odd-3","name":[{"family":"Zoë, \"the\nGreat\" 日本"}]}
NDJSON
"$tool" import --database "$work/store.sqlite" "$work/odd.ndjson"
"$tool" index --database "$work/store.sqlite" create --full-text Patient name.family >/dev/null
summary=$("$python" Scripts/compare-duckdb.py "$tool" "$work" Sources/FireLite/FireLite.docc/BeyondOneMachine.md)
passed "$summary"
