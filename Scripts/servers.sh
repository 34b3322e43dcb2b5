#!/usr/bin/env bash
# Installs, starts and stops the servers that FireLiteSync is tested with. All of them listen on the loopback interface only.
#
# usage: Scripts/servers.sh install           the servers of PyPI into .build/servers; without it only the faulty server starts
#        Scripts/servers.sh start | stop
#        Scripts/servers.sh run COMMAND…      installs if it can, starts, runs the command, stops; the status is the command's
#
# What cannot be installed is left out with a message, and the tests of it are skipped. FIRELITE_SERVERS=0 leaves out all of them.
set -euo pipefail
cd "$(dirname "$0")/.."
folder="$PWD/.build/servers"
python="$folder/venv/bin/python"
# With their versions, so that a new one cannot break the tests.
packages=(sekmet-fhir==0.1.1 authlib==1.9.0 flask==3.1.3 jwcrypto==1.6.1 fhir.resources==8.3.0)

install() {
    if [[ -e "$folder/installed" && "$(cat "$folder/installed")" == "${packages[*]}" ]]; then return; fi
    if ! command -v python3 >/dev/null 2>&1; then
        echo "servers.sh: no python3, so tests with servers are skipped" >&2
        return
    fi
    mkdir -p "$folder"
    echo "servers.sh: installing ${packages[*]}"
    if ! { python3 -m venv "$folder/venv" && "$python" -m pip install --quiet --disable-pip-version-check "${packages[@]}"; } \
        >"$folder/install.log" 2>&1; then
        tail -3 "$folder/install.log" >&2
        echo "servers.sh: PyPI's servers cannot be installed here, so tests with them are skipped" >&2
        return
    fi
    echo "${packages[*]}" >"$folder/installed"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# launch NAME COMMAND…
launch() {
    local name="$1"
    shift
    "$@" >"$folder/$name.log" 2>&1 </dev/null &
    echo $! >>"$folder/pids"
}

# wait_for NAME URL: until something answers, at most 30 seconds.
wait_for() {
    for _ in $(seq 300); do
        if python3 -c 'import sys, urllib.request, urllib.error
try: urllib.request.urlopen(sys.argv[1], timeout=2)
except urllib.error.HTTPError: pass' "$2" 2>/dev/null; then return 0; fi
        sleep 0.1
    done
    tail -3 "$folder/$1.log" >&2
    echo "servers.sh: $1 does not start" >&2
    return 1
}

sekmet() {
    local name="$1" port="$2" authorization="$3"
    mkdir -p "$folder/$name"
    cat >"$folder/$name.yaml" <<END
base_url: http://127.0.0.1:$port/fhir
host: 127.0.0.1
port: $port
data_dir: $folder/$name
simulator: {enabled: false}
server_auth: $authorization
END
    launch "$name" "$python" -c 'from sekmet.cli import app; app()' serve -c "$folder/$name.yaml"
    wait_for "$name" "http://127.0.0.1:$port/fhir/metadata"
}

# A key pair for each algorithm, of which the server gets the public half and the tests the private one.
make_keys() {
    mkdir -p "$folder/keys"
    "$python" - "$folder/keys" <<'END'
import sys
from cryptography.hazmat.primitives import serialization as s
from cryptography.hazmat.primitives.asymmetric import ec, rsa

for name, key in [
    ("ES256", ec.generate_private_key(ec.SECP256R1())), ("ES384", ec.generate_private_key(ec.SECP384R1())),
    ("RS256", rsa.generate_private_key(65537, 2048)), ("RS384", rsa.generate_private_key(65537, 2048)),
]:
    private = key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
    public = key.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)
    open(f"{sys.argv[1]}/{name}.pem", "wb").write(private)
    open(f"{sys.argv[1]}/{name}.pub.pem", "wb").write(public)
END
}

start() {
    stop
    if ! command -v python3 >/dev/null 2>&1; then return; fi
    mkdir -p "$folder"
    local port addresses
    port="$(free_port)"
    launch faulty python3 Scripts/servers/faulty.py "$port"
    wait_for faulty "http://127.0.0.1:$port/echo"
    addresses="\"faulty\": \"http://127.0.0.1:$port\""
    if [[ -e "$folder/installed" ]]; then
        port="$(free_port)"
        launch oauth "$python" Scripts/servers/oauth.py "$port"
        if wait_for oauth "http://127.0.0.1:$port/counts"; then addresses+=", \"oauth\": \"http://127.0.0.1:$port/fhir\""; fi
        port="$(free_port)"
        if sekmet fhir "$port" "{types: [none]}"; then addresses+=", \"fhir\": \"http://127.0.0.1:$port/fhir\""; fi
        make_keys
        local clients="" name
        for name in ES256 ES384 RS256 RS384; do
            clients+="{client_id: $name, public_key_path: $folder/keys/$name.pub.pem, scopes: 'system/*.*'}, "
        done
        port="$(free_port)"
        if sekmet smart "$port" "{types: [smart], smart_clients: [${clients%, }]}"; then
            addresses+=", \"smart\": \"http://127.0.0.1:$port/fhir\""
        fi
    fi
    echo "{$addresses}" >"$folder/running.json"
}

# Ends the processes that `start` has started, and removes their data.
stop() {
    if [[ -e "$folder/pids" ]]; then
        while read -r pid; do
            # After a restart of the machine the number may be another program's.
            if { tr '\0' ' ' <"/proc/$pid/cmdline" || ps -o args= -p "$pid"; } 2>/dev/null | grep -q -e 'Scripts/servers/' -e sekmet; then
                kill "$pid" 2>/dev/null || true
            fi
        done <"$folder/pids"
    fi
    rm -rf "$folder/pids" "$folder/running.json" "$folder/fhir" "$folder/smart" "$folder/keys"
}

case "${1:-}" in
    install) install ;;
    start) start ;;
    stop) stop ;;
    run)
        shift
        if [[ "${FIRELITE_SERVERS:-1}" == 0 ]]; then exec "$@"; fi
        trap stop EXIT
        install
        start || echo "servers.sh: tests with the servers that do not start are skipped" >&2
        "$@"
        ;;
    *)
        echo "usage: Scripts/servers.sh install | start | stop | run COMMAND…" >&2
        exit 2
        ;;
esac
