# What the scripts of `make beyond` share. A script sources it, and calls `begin` first.
#
# Its last line says what was compared, or why nothing was: "duckdb: passed: …", "duckdb: skipped: …".

# Makes a temporary folder, $work, which goes at the exit with every program in $started. Finds the tool, $tool.
begin() { # name, path of the tool or nothing
    part=$1
    tool=${2:-}
    if [ -z "$tool" ]; then
        swift build -c release --product firelite
        tool="$(swift build -c release --show-bin-path)/firelite"
    fi
    work=$(mktemp -d)
    started=()
    trap finish EXIT
}

finish() {
    for process in "${started[@]}"; do
        kill "$process" 2>/dev/null || true
        wait "$process" 2>/dev/null || true
    done
    rm -rf "$work"
}

skip() { # reason
    echo "$part: skipped: $1"
    exit 0
}

passed() { # what was compared
    echo "$part: passed: $1"
}

fail() { # what differs
    echo "$part: failed: $1" >&2
    exit 1
}

# Sets $python to an interpreter with these packages, in an environment of its own. BEYOND_PYTHON names one that has them already.
need_python() { # package==version…
    python=${BEYOND_PYTHON:-}
    if [ -n "$python" ]; then return; fi
    command -v python3 >/dev/null 2>&1 || skip "python3 is missing"
    python3 -m venv "$work/python" >"$work/pip.log" 2>&1 || skip "python3 cannot make an environment: $(tail -n 1 "$work/pip.log")"
    python="$work/python/bin/python"
    if ! timeout 500 "$python" -m pip install -q --disable-pip-version-check "$@" >"$work/pip.log" 2>&1; then
        skip "pip cannot install $*: $(grep -m 1 ERROR "$work/pip.log" || tail -n 1 "$work/pip.log")"
    fi
}

# Repeats a command until it succeeds: at most a hundred times, ten a second.
wait_for() { # command…
    for _ in $(seq 100); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.1
    done
    fail "waited ten seconds for: $*"
}
