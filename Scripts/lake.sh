#!/usr/bin/env bash
# Publishes a lake of two stores, changes them, publishes again, and asks it the questions of Packages/Lake/examples with DuckDB, chDB, Polars,
# DataFusion and Spark, one of whose two executors is killed. Every answer must be the sum of what SQLite says of the stores.
#
# The engines come from PyPI into a folder of their own, unless BEYOND_PYTHON names an interpreter that has them. Spark needs Java 17.
#
# Usage: Scripts/lake.sh [path of the tool firelite]
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/part.sh
begin lake "${1:-}"
need_python "$PWD/Packages/Lake[engines]"
engines="duckdb chdb polars datafusion"
if java -version >"$work/java.log" 2>&1; then engines="$engines spark"; fi

export FIRELITE_LAKE="$(dirname "$python")/firelite-lake"
stores=()
for ward in 1 2; do
    "$tool" demo --database "$work/ward-$ward.sqlite" --patients $((ward * 40)) >"$work/demo.log"
    "$tool" track --database "$work/ward-$ward.sqlite" on changes
    stores+=(--database "$work/ward-$ward.sqlite")
done
"$tool" publish "${stores[@]}" --to "$work/lake" >"$work/first.log"
cat >"$work/changed.ndjson" <<'NDJSON'
{"resourceType":"Patient","id":"new","gender":"other","birthDate":"1970-03"}
{"resourceType":"Observation","id":"new","status":"final","code":{"coding":[{"code":"29463-7"}]},"subject":{"reference":"Patient/new"},"valueQuantity":{"value":70.50,"unit":"kg"}}
NDJSON
"$tool" import --quiet --database "$work/ward-1.sqlite" "$work/changed.ndjson"
"$tool" delete --database "$work/ward-1.sqlite" "Patient/$("$tool" sql --database "$work/ward-1.sqlite" --csv 'SELECT id FROM Patient LIMIT 1' | tail -n 1 | tr -d '\r')" >"$work/delete.log"
"$tool" publish "${stores[@]}" --to "$work/lake" --since-last >"$work/second.log"
"$tool" publish "${stores[@]}" --to "$work/lake" --plan >"$work/plan.json"
cd "$work"
if ! timeout 900 "$python" "$OLDPWD/Packages/Lake/examples/engines.py" lake $engines --stores plan.json --kill-executor >summary 2>engines.log; then
    tail -n 20 summary engines.log >&2
    fail "an engine gave another answer, or ended with an error"
fi
passed "$(grep -c 'all as expected' summary) engines, $(grep -m 1 -o '[0-9]* questions, [0-9]* answers' summary)"
