#!/usr/bin/env bash
# Reads the ready-made views of a store with DuckDB and its sqlite extension, and compares the numbers of rows with those of `firelite sql`.
#
# DuckDB and the extension come from PyPI into a folder of their own, unless BEYOND_PYTHON names an interpreter that has them.
#
# Usage: Scripts/duckdb-views.sh [path of the tool firelite]
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/part.sh
begin duckdb-views "${1:-}"
# The extension is built for one version of DuckDB.
need_python duckdb==1.5.5 duckdb-extension-sqlite-scanner==1.5.5

"$tool" demo --database "$work/store.sqlite" --patients 200 >"$work/demo.log"
views=$("$tool" view --database "$work/store.sqlite" --standard)
count=0
for view in $views; do
    sql="SELECT count(*) AS n, count(key) AS keys FROM $view"
    expected=$("$tool" sql --database "$work/store.sqlite" --format ndjson "$sql")
    found=$("$python" - "$work/store.sqlite" "$sql" <<'PYTHON'
import glob, os, sys
import duckdb, duckdb_extension_sqlite_scanner as extension

folder = os.path.join(os.path.dirname(extension.__file__), "extensions", "v" + duckdb.__version__)
connection = duckdb.connect()
connection.execute(f"LOAD '{glob.glob(folder + '/*.duckdb_extension')[0]}'")
connection.execute(f"ATTACH '{sys.argv[1]}' AS store (TYPE sqlite, READ_ONLY)")
connection.execute("USE store")
rows, keys = connection.execute(sys.argv[2]).fetchone()
print(f'{{"n":{rows},"keys":{keys}}}')
PYTHON
    )
    if [ "$expected" != "$found" ]; then
        fail "$view has $expected, and DuckDB finds $found"
    fi
    count=$((count + 1))
done
passed "DuckDB finds the same numbers of rows in $count views"
