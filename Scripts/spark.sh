#!/usr/bin/env bash
# Reads exported NDJSON and CSV with Spark, by the Python lines of BeyondOneMachine.md, and compares the results with `firelite sql`. Texts with
# commas, quotation marks, line breaks and characters of many scripts must come through unchanged.
#
# Spark comes from PyPI into a folder of its own, unless BEYOND_PYTHON names an interpreter that has it. It needs Java 17.
#
# Usage: Scripts/spark.sh [path of the tool firelite]
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/part.sh
begin spark "${1:-}"
java -version >"$work/java.log" 2>&1 || skip "java is missing"
need_python pyspark==3.5.9

"$tool" demo --database "$work/health.sqlite" --patients 200 >"$work/demo.log"
"$python" Scripts/compare-spark.py --texts >"$work/texts.ndjson"
"$tool" import --database "$work/health.sqlite" "$work/texts.ndjson"
"$tool" export --database "$work/health.sqlite" --output "$work/folder"
query='SELECT p.id, n.family FROM Patient p JOIN Patient_name n ON p._k = (n._k & ~16777215) + n._parent'
for form in csv ndjson; do
    "$tool" sql --database "$work/health.sqlite" --format $form "$query" >"$work/names.$form"
done
page="$PWD/Sources/FireLite/FireLite.docc/BeyondOneMachine.md"
script="$PWD/Scripts/compare-spark.py"
cd "$work"
# Spark listens on the loopback interface alone, and keeps its files here.
export SPARK_LOCAL_IP=127.0.0.1 SPARK_LOCAL_DIRS="$work"
if ! timeout 300 "$python" "$script" "$tool" "$page" >summary 2>spark.log; then
    tail -n 20 spark.log >&2
    fail "the results differ, or Spark ended with an error"
fi
passed "$(tail -n 1 summary)"
