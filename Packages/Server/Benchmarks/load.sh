#!/usr/bin/env bash
# load.sh SERVER [CONNECTIONS] [SECONDS]: asks the program SERVER (firelite-server, built in release) with wrk, on a new store with 1,000 patients, and
# prints for each workload the requests a second, the latency, the processor time of the server for a request, and its memory. The floor is a request that
# reads nothing of the store; code and search are searches by an indexed code, and by a code and a patient.
set -euo pipefail
server=$1; connections=${2:-16}; seconds=${3:-10}
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
"$server" --database "$folder/a.sqlite" --release R4 --port 0 --index Observation.code --index Observation.patient \
    >"$folder/greeting" & process=$!
trap 'kill $process 2>/dev/null || true; wait $process 2>/dev/null || true; rm -rf "$folder"' EXIT
until grep -q Token "$folder/greeting"; do sleep 0.05; done
base=$(awk 'NR == 1 { print $NF }' "$folder/greeting")
TOKEN=$(awk 'NR == 2 { print $NF }' "$folder/greeting"); export TOKEN
export IDS="$folder/ids"; for number in $(seq 1000); do echo "p$number"; done >"$IDS"
{
    echo '{"resourceType":"Bundle","type":"transaction","entry":['
    for number in $(seq 1000); do
        [ "$number" = 1 ] || echo ,
        echo '{"resource":{"resourceType":"Patient","id":"p'"$number"'","active":true,"name":[{"family":"F'"$number"'","given":["A","B"]}],"gender":"female","birthDate":"1970-01-02","address":[{"line":["1 Street"],"city":"Town","postalCode":"12345"}]},"request":{"method":"PUT","url":"Patient/p'"$number"'"}},'
        echo '{"resource":{"resourceType":"Observation","id":"o'"$number"'","status":"final","code":{"coding":[{"system":"http://loinc.org","code":"8867-4"},{"system":"http://example.org/codes","code":"c'"$number"'"}]},"subject":{"reference":"Patient/p'"$number"'"},"effectiveDateTime":"2026-01-02T03:04:05Z","valueQuantity":{"value":70}},"request":{"method":"PUT","url":"Observation/o'"$number"'"}}'
    done
    echo ']}'
} >"$folder/bundle"
curl -sS --noproxy '*' -o /dev/null -f -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/fhir+json' --data-binary "@$folder/bundle" "$base"
ticks() { awk '{ print $14 + $15 }' /proc/$process/stat 2>/dev/null || echo 0; }
for workload in floor read code search create; do
    before=$(ticks)
    WORKLOAD=$workload wrk -t1 -c"$connections" -d"${seconds}s" -s "$here/load.lua" "$base" >"$folder/result"
    tail -1 "$folder/result"
    awk -v ticks=$(($(ticks) - before)) -v second="$(getconf CLK_TCK)" \
        '/requests in/ { printf "    processor: %.0f microseconds a request", ticks * 1e6 / second / $1 }' "$folder/result"
    echo "$(awk '/VmHWM/ { printf "; memory: %.0f MB at most", $2 / 1024 }' /proc/$process/status 2>/dev/null)"
done
