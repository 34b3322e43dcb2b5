#!/usr/bin/env bash
# Publishes a lake of two stores, changes them, publishes again, and asks it the questions of Packages/Lake/examples with DuckDB, chDB, Polars,
# DataFusion and Spark, one of whose two executors is killed. Every answer must be the sum of what SQLite says of the stores.
#
# The engines come from PyPI into a folder of their own, unless BEYOND_PYTHON names an interpreter that has them. Spark needs Java 17. LAKE_LIMIT is
# how many seconds they may take.
#
# Usage: Scripts/lake.sh [path of the tool firelite]
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/part.sh
begin lake "${1:-}"
need_python "$PWD/Packages/Lake[engines]"
engines="duckdb chdb polars datafusion"
limit=${LAKE_LIMIT:-1800}
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
"$tool" delete --database "$work/ward-1.sqlite" "Patient/$("$tool" sql --database "$work/ward-1.sqlite" --format csv 'SELECT id FROM Patient LIMIT 1' | tail -n 1 | tr -d '\r')" >"$work/delete.log"
"$tool" publish "${stores[@]}" --to "$work/lake" --since-last >"$work/second.log"
"$tool" publish "${stores[@]}" --to "$work/lake" --plan >"$work/plan.json"
cd "$work"
status=0
timeout "$limit" "$python" "$OLDPWD/Packages/Lake/examples/engines.py" lake $engines --stores plan.json --kill-executor >summary 2>engines.log || status=$?
if [ $status -ne 0 ]; then
    tail -n 20 summary engines.log >&2
    # A signal ends Spark amid its work: its log then says that executors could not be started.
    if [ $status -eq 124 ]; then fail "the engines did not answer within $limit s: LAKE_LIMIT gives them longer on a busy machine"; fi
    fail "an engine gave another answer, or ended with an error"
fi
passed "$(grep -c 'all as expected' summary) engines, $(grep -m 1 -o '[0-9]* questions, [0-9]* answers' summary)"
