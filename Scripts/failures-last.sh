#!/usr/bin/env bash
# Runs tests and, where they fail, repeats the failures at the end: thousands of lines follow a failure, and of a long log often only
# the end is kept. Tests that print nothing for FIRELITE_SILENCE seconds (default: 900) hang: what they are doing is printed, and they are ended.
#
# usage: Scripts/failures-last.sh COMMAND…     the status is the command's
set -uo pipefail

silence="${FIRELITE_SILENCE:-900}"
log="$(mktemp)"
trap 'rm -f "$log"' EXIT

# The processes that a process has begun, and theirs.
descendants() {
    local child
    for child in $(ps -e -o pid=,ppid= | awk -v parent="$1" '$2 == parent { print $1 }'); do
        echo "$child"
        descendants "$child"
    done
}

# Which tests have begun and not ended is not known, as all of them count as begun at once; where each thread waits is.
describe() {
    ps -o pid=,ppid=,stat=,etime=,args= -p "$(descendants "$1" | paste -s -d, -)" | cut -c1-200
    command -v gdb >/dev/null 2>&1 || return 0
    local process
    for process in $(descendants "$1"); do
        case "$(ps -o args= -p "$process")" in
            *xctest*) timeout 60 gdb -p "$process" -batch -ex 'thread apply all backtrace 25' 2>/dev/null | grep -E '^(#|Thread)' | cut -c1-300 ;;
        esac
    done
}

watch() {
    local size=-1 quiet=0 now
    while sleep 5 && kill -0 "$1" 2>/dev/null; do
        now="$(wc -c <"$log")"
        if [[ "$now" -ne "$size" ]]; then
            size="$now"
            quiet=0
            continue
        fi
        quiet=$((quiet + 5))
        [[ "$quiet" -lt "$silence" ]] && continue
        echo "recorded an issue: the tests hang: they have printed nothing for $quiet seconds, and are ended" >>"$log"
        describe "$1"
        # shellcheck disable=SC2046
        kill $(descendants "$1") "$1" 2>/dev/null
        return
    done
}

"$@" > >(tee "$log") 2>&1 &
command=$!
watch "$command" &
watcher=$!
wait "$command"
status=$?
kill "$watcher" 2>/dev/null
if [[ "$status" -ne 0 ]]; then
    echo "What failed:"
    # The first line of an issue, and the two after it that explain it; a crash has no issue.
    grep -A 2 -E 'recorded an issue|unexpected signal|Fatal error|Sanitizer:' "$log" | cut -c1-1000 | head -60
fi
exit "$status"
