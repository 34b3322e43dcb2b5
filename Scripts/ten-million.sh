#!/usr/bin/env bash
# Imports ten million resources, which Scripts/observations.py makes meanwhile, and measures what can be asked of them. Needs 25 GB of disk in the
# temporary folder, and leaves nothing there.
#
# Usage: Scripts/ten-million.sh FOLDER [number of resources] [ids: uuids (default) or numbers]
# FOLDER has the programs firelite and Benchmarks.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
count=${2:-10000000}
ids=${3:-uuids}
tool="$folder/firelite"

work=$(mktemp -d)
generator=""
finish() {
    if [ -n "$generator" ]; then kill "$generator" 2>/dev/null || true; fi
    rm -rf "$work"
}
trap finish EXIT
free=$(df -Pk "$work" | awk 'NR == 2 {print $4}')
if [ "$free" -lt $((count * 5 / 2)) ]; then
    echo "ten-million: $work has $((free / 1000000)) GB of free disk, and $((count * 5 / 2000000)) GB are needed" >&2
    exit 1
fi
store="$work/store.sqlite"
TIMEFORMAT='  %R s, CPU %U s + %S s'

measure() { # name, command…
    echo "$1:"
    time "${@:2}"
}

# A hundred pipes, each one a file and so a transaction.
pipes=()
for number in $(seq 100); do
    pipes+=("$work/$(printf %03d "$number").ndjson")
    mkfifo "${pipes[-1]}"
done
python3 Scripts/observations.py "$count" "$ids" "${pipes[@]}" &
generator=$!
measure "import" "$tool" import --database "$store" "${pipes[@]}"
wait "$generator"
generator=""

size() {
    ls -l "$store" | awk '{print "file: " $5 / 1e6 " MB"}'
}
size
measure "open and get one" "$tool" get --database "$store" "Observation/$("$tool" sql --database "$store" --format csv 'SELECT id FROM Observation LIMIT 1' | tail -n 1 | tr -d '\r')" | cut -c 1-60
measure "index on codes" "$tool" index --database "$store" create Observation code.coding.code
measure "index on subjects" "$tool" index --database "$store" create Observation subject.reference
measure "index on dates" "$tool" index --database "$store" create Observation effectiveDateTime
size
"$folder/Benchmarks" --store "$store"
measure "check" "$tool" check --database "$store"
