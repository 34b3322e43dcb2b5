#!/usr/bin/env bash
# Tests the pages of firelite-server in headless Chromium by what a person does, or takes pictures of them.
#
# usage: Scripts/browser.sh FIRELITE SERVER test                    the programs firelite and firelite-server
#        Scripts/browser.sh FIRELITE SERVER pictures FOLDER         every page, light, dark and on a phone's width, to look at
#        Scripts/browser.sh FIRELITE SERVER documentation FOLDER    those of the documentation
#
# The programs from PyPI are in .build/browser. Without a Chromium of the system, Playwright installs one of its own.
set -euo pipefail

usage="usage: Scripts/browser.sh FIRELITE SERVER test|pictures|documentation [FOLDER]"
firelite="$(realpath "${1:?$usage}")"
server="$(realpath "${2:?$usage}")"
action="${3:?$usage}"
folder="${4:-}"
if [[ "$action" != test && -z "$folder" ]]; then echo "$usage" >&2; exit 2; fi
cd "$(dirname "$0")/.."

environment=.build/browser
if [[ ! -x "$environment/bin/python" ]]; then python3 -m venv "$environment"; fi
"$environment/bin/python" -m pip install -q --disable-pip-version-check playwright axe-playwright-python pillow
if [[ -z "${CHROMIUM:-}" && ! -x /usr/bin/chromium && ! -x /usr/bin/google-chrome ]]; then
    "$environment/bin/python" -m playwright install --with-deps chromium
fi

work="$(mktemp -d)"
trap 'kill "${process:-}" 2>/dev/null || true; rm -rf "$work"' EXIT
database="$work/health.sqlite"
pages=Packages/Server/Browser/pages.py
"$firelite" demo --database "$database" >/dev/null
"$firelite" track --database "$database" on history >/dev/null
if [[ "$action" == test ]]; then
    python3 "$pages" records "$work/hostile.ndjson"
    "$firelite" import --database "$database" "$work/hostile.ndjson" >/dev/null
else
    # The patient of the pictures, who has most observations, is changed and signed.
    patient="Patient/$("$firelite" sql "$database" --format csv "SELECT p.id, count(*) AS n FROM Patient p
        JOIN Observation o ON o.subject_reference = 'Patient/' || p.id WHERE p._parent IS NULL GROUP BY p.id ORDER BY n DESC LIMIT 1" |
        sed -n '2s/,.*//p')"
    "$firelite" patch --database "$database" "$patient" 'telecom[0].value=555-0142' >/dev/null
    "$firelite" sign --database "$database" --signer practice --signing-key "$work/practice.pem" "$patient" >/dev/null
fi

# The pages show the path as it is given.
: >"$work/greeting"
(cd "$work" && exec "$server" --database health.sqlite --port 0 --editing >"$work/greeting") &
process=$!
address=""
for _ in $(seq 300); do
    address="$(sed -n 's/^Pages: //p' "$work/greeting")"
    if [[ -n "$address" ]] || ! kill -0 "$process" 2>/dev/null; then break; fi
    sleep 0.1
done
if [[ -z "$address" ]]; then echo "browser.sh: the server does not start" >&2; exit 1; fi

if [[ "$action" == test ]]; then
    "$environment/bin/python" "$pages" test "$address"
else
    "$environment/bin/python" "$pages" "$action" "$address" "$folder"
fi
