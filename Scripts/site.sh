#!/usr/bin/env bash
# Builds the documentation site from the modules of the debug build and their catalogs, with the toolchain's docc and no package.
#
# usage: Scripts/site.sh [--output DIR] [--base PATH]
#
#   --output DIR   where the site is written; it is replaced. Default: .build/site
#   --base PATH    the path at which the site will be served, without a leading slash. Default: none
#
# `make site` builds the modules first. Any warning of docc is an error. Serve the result with
# `python3 -m http.server --directory .build/site` and open /documentation/.
set -euo pipefail
cd "$(dirname "$0")/.."
export LC_ALL=C

output=.build/site
hosting=()
while [[ $# -gt 0 ]]; do
    case "$1" in
        --output) output="${2:?--output needs a folder}"; shift 2 ;;
        --base) hosting=(--hosting-base-path "${2:?--base needs a path}"); shift 2 ;;
        *) echo "usage: Scripts/site.sh [--output DIR] [--base PATH]" >&2; exit 2 ;;
    esac
done

if [[ "$(uname)" == Darwin ]]; then
    docc=(xcrun docc)
else
    compiler="$(readlink -f "$(command -v swiftc)")"
    docc=("$(dirname "$compiler")/docc")
    if [[ ! -x "${docc[0]}" ]]; then docc=(docc); fi
fi
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# A module comes after those that it links to. The modules of the releases other than R4 are left out: they read like FireLiteR4, and would
# make the site five times as large.
modules="FireLiteGenerator FireLiteCore FireLiteXML FireLiteR4 FireLiteFHIRPath FireLiteSynthetic FireLite FireLiteCrypto FireLiteSearch FireLiteProfiles FireLiteKnowledge FireLiteClient FireLiteRegistry FireLiteSync \
    FireLiteRecords FireLiteSamples FireLiteSampleSync FireLiteTrust FireLiteErasure FireLiteService FireLiteBrowser FireLiteUI FireLitePreviews FireLiteReleases FireLiteLegacy"

# Extensions of other modules' types have pages of their own.
Scripts/symbols.sh "$work/graphs" "$modules" -emit-extension-block-symbols

catalog() {
    local folder
    for folder in Sources Generator; do
        if [[ -d "$folder/$1/$1.docc" ]]; then echo "$folder/$1/$1.docc"; return; fi
    done
    echo "site.sh: $1 has no catalog" >&2
    exit 1
}

archives=()
dependencies=()
for module in $modules; do
    archive="$work/$module.doccarchive"
    start=$SECONDS
    "${docc[@]}" convert "$(catalog "$module")" --additional-symbol-graph-dir "$work/graphs/$module" \
        --fallback-display-name "$module" --fallback-bundle-identifier "$module" --fallback-default-module-kind Module \
        --default-code-listing-language swift --output-dir "$archive" --warnings-as-errors \
        --enable-experimental-external-link-support ${dependencies[@]+"${dependencies[@]}"} \
        --transform-for-static-hosting ${hosting[@]+"${hosting[@]}"} >"$work/$module.log" 2>&1 ||
        { cat "$work/$module.log" >&2; echo "site.sh: docc rejected $module" >&2; exit 1; }
    if grep -q "warning:" "$work/$module.log"; then cat "$work/$module.log" >&2; exit 1; fi
    pages="$(find "$archive/data" -name '*.json' | wc -l)"
    printf '%-18s %6d pages, %3d s\n' "$module" "$pages" $((SECONDS - start))
    archives+=("$archive")
    dependencies+=(--dependency "$archive")
done

start=$SECONDS
# The order in which the navigator lists them: what a reader wants first.
"${docc[@]}" merge "$work/FireLite.doccarchive" "$work/FireLiteR4.doccarchive" "$work/FireLiteCore.doccarchive" "$work/FireLiteXML.doccarchive" \
    "$work/FireLiteFHIRPath.doccarchive" "$work/FireLiteSearch.doccarchive" "$work/FireLiteProfiles.doccarchive" "$work/FireLiteKnowledge.doccarchive" "$work/FireLiteCrypto.doccarchive" "$work/FireLiteClient.doccarchive" "$work/FireLiteRegistry.doccarchive" "$work/FireLiteSync.doccarchive" \
    "$work/FireLiteRecords.doccarchive" "$work/FireLiteSamples.doccarchive" "$work/FireLiteSampleSync.doccarchive" "$work/FireLiteTrust.doccarchive" \
    "$work/FireLiteErasure.doccarchive" "$work/FireLiteUI.doccarchive" "$work/FireLitePreviews.doccarchive" \
    "$work/FireLiteService.doccarchive" "$work/FireLiteBrowser.doccarchive" "$work/FireLiteReleases.doccarchive" \
    "$work/FireLiteSynthetic.doccarchive" "$work/FireLiteLegacy.doccarchive" \
    "$work/FireLiteGenerator.doccarchive" \
    --synthesized-landing-page-name FireLite --synthesized-landing-page-topics-style list --output-path "$work/site"
rm -rf "$output"
mkdir -p "$(dirname "$output")"
mv "$work/site" "$output"
echo "merged in $((SECONDS - start)) s: $output, $(du -sh "$output" | cut -f1)"
