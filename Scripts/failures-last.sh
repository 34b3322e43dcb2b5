#!/usr/bin/env bash
# Runs tests and, where they fail, repeats the failures at the end: thousands of lines follow a failure, and of a long log often only
# the end is kept.
#
# usage: Scripts/failures-last.sh COMMAND…     the status is the command's
set -uo pipefail

log="$(mktemp)"
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
status="${PIPESTATUS[0]}"
if [[ "$status" -ne 0 ]]; then
    echo "What failed:"
    # The first line of an issue, and the two after it that explain it; a crash has no issue.
    grep -A 2 -E 'recorded an issue|unexpected signal|Fatal error|Sanitizer:' "$log" | cut -c1-1000 | head -60
fi
exit "$status"
