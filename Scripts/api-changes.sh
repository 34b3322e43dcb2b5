#!/usr/bin/env bash
# Prints, as Markdown, what a branch changes in the list of public symbols since a commit, and the end of a log of `make check-api` if that failed.
#
# Usage: Scripts/api-changes.sh COMMIT [log of make check-api]
set -euo pipefail
cd "$(dirname "$0")/.."

base=$(git merge-base "$1" HEAD)
changes=$(git diff --unified=0 "$base" HEAD -- Documentation/API.txt | grep -E '^[-+][^-+]' || true)

echo "## Public symbols"
echo
if [ -z "$changes" ]; then
    echo "This branch changes no public symbol in \`Documentation/API.txt\`."
else
    removed=$(grep -c '^-' <<<"$changes" || true)
    echo "\`Documentation/API.txt\` changes (lines removed: $removed, added: $(grep -c "^+" <<<"$changes" || true)). A removed or changed line breaks users' code; see \`Documentation/Stability.md\`."
    echo
    printf '```diff\n%s\n```\n' "$changes"
fi

# The log ends with this message if the list is not what the code declares.
if [ -n "${2:-}" ] && [ -f "$2" ] && grep -q "differ from Documentation/API.txt" "$2"; then
    echo
    echo "**The list is not what the code declares.** Run \`make api\` and commit the result."
    echo
    printf '```diff\n%s\n```\n' "$(grep -E "^[-+][^-+]" "$2")"
fi
