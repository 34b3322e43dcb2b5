#!/usr/bin/env bash
# Takes pictures of pages of the documentation site with headless Chromium, to look at: `make site` first.
#
# usage: Scripts/site-pictures.sh DIR [PAGE …]        PAGE is the end of an address, such as documentation/firelite/queries
set -euo pipefail
cd "$(dirname "$0")/.."

folder="${1:?usage: Scripts/site-pictures.sh DIR [PAGE …]}"
shift
pages=("$@")
if [[ ${#pages[@]} -eq 0 ]]; then
    pages=(documentation documentation/firelite documentation/firelite/gettingstarted documentation/firelite/queries
        documentation/firelite/fhirstore documentation/fireliter4/patient)
fi

browser=""
for name in chromium chromium-browser google-chrome; do
    if command -v "$name" >/dev/null 2>&1; then browser="$name"; break; fi
done
if [[ -z "$browser" ]]; then echo "site-pictures.sh: skipped, as there is no Chromium (Debian, Ubuntu: apt-get install chromium)"; exit 0; fi
if [[ ! -d .build/site/data ]]; then echo "site-pictures.sh: there is no site: make site" >&2; exit 1; fi

mkdir -p "$folder"
work="$(mktemp -d)"
# Port 0: a free one, which the server prints.
python3 -u -m http.server --directory .build/site --bind 127.0.0.1 0 >"$work/server" 2>/dev/null &
server=$!
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
port=""
for _ in $(seq 100); do
    port="$(sed -n 's/^Serving HTTP on [^ ]* port \([0-9]*\).*/\1/p' "$work/server")"
    if [[ -n "$port" ]]; then break; fi
    sleep 0.1
done
if [[ -z "$port" ]]; then echo "site-pictures.sh: the server does not start" >&2; exit 1; fi

for page in "${pages[@]}"; do
    picture="$folder/$(tr '/:()' '----' <<<"$page").png"
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$work/profile" \
        --virtual-time-budget=20000 --window-size=1280,2000 --screenshot="$picture" "http://127.0.0.1:$port/$page/" >"$work/log" 2>&1 ||
        { cat "$work/log" >&2; exit 1; }
    echo "$picture"
done
