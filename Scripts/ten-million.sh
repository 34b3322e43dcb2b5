#!/usr/bin/env bash
# Imports ten million resources, which Scripts/observations.py makes meanwhile, and measures what can be asked of them beside the same of a tenth as many.
# Needs 25 GB of disk in the temporary folder, and leaves nothing there.
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
TIMEFORMAT='  %R s, CPU %U s + %S s'

measure() { # name, command…
    echo "$1:"
    time "${@:2}"
}

size() { # store
    ls -l "$1" | awk '{print "file: " $5 / 1e6 " MB"}'
}

# A store with indexes, of resources from a hundred pipes, each one a file and so a transaction.
fill() { # store, number of resources
    local store=$1 pipes=() number any
    for number in $(seq 100); do
        pipes+=("$work/$(printf %03d "$number").ndjson")
        mkfifo "${pipes[-1]}"
    done
    python3 Scripts/observations.py "$2" "$ids" "${pipes[@]}" &
    generator=$!
    measure "import of $2" "$tool" import --database "$store" "${pipes[@]}"
    wait "$generator"
    generator=""
    rm "${pipes[@]}"
    size "$store"
    any=$("$tool" sql --database "$store" --format csv 'SELECT id FROM Observation LIMIT 1' | tail -n 1 | tr -d '\r')
    measure "open and get one" "$tool" get --database "$store" "Observation/$any" | cut -c 1-60
    measure "index on codes" "$tool" index --database "$store" create Observation code.coding.code
    measure "index on subjects" "$tool" index --database "$store" create Observation subject.reference
    measure "index on dates" "$tool" index --database "$store" create Observation effectiveDateTime
    size "$store"
}

fill "$work/tenth.sqlite" $((count / 10))
fill "$work/store.sqlite" "$count"
"$folder/Benchmarks" --store "$work/tenth.sqlite" --store "$work/store.sqlite" --changes
measure "check" "$tool" check --database "$work/store.sqlite"
