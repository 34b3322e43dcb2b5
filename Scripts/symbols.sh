#!/usr/bin/env bash
# Extracts the symbol graphs of modules of the debug build, each into a folder of its own.
#
# usage: Scripts/symbols.sh DIR "MODULE …" [option of swift-symbolgraph-extract]…
set -euo pipefail
cd "$(dirname "$0")/.."
folder="$1"
modules="$2"
shift 2

built="$(swift build --show-bin-path)"
extract=(swift-symbolgraph-extract)
if [[ "$(uname)" == Darwin ]]; then extract=(xcrun swift-symbolgraph-extract -sdk "$(xcrun --show-sdk-path)"); fi
triple="$(swiftc -print-target-info | sed -n 's/^ *"triple": "\(.*\)",$/\1/p' | head -1)"
imports=(-I "$built/Modules")
for map in Sources/*/module.modulemap; do imports+=(-I "$(dirname "$map")"); done
# A folder that ends in -tool has the same module, built for a plugin.
for map in "$built"/CFireLite*.build/module.modulemap; do [ "${map/-tool.build/}" != "$map" ] || imports+=(-Xcc "-fmodule-map-file=$map"); done

# All at once: each takes one to two seconds.
pids=()
for module in $modules; do
    mkdir -p "$folder/$module"
    "${extract[@]}" -module-name "$module" "${imports[@]}" -target "$triple" -module-cache-path "$folder/cache" -output-dir "$folder/$module" \
        -minimum-access-level public -skip-synthesized-members -skip-inherited-docs "$@" >"$folder/$module.log" 2>&1 &
    pids+=($!)
done
for pid in "${pids[@]}"; do
    wait "$pid" || { cat "$folder"/*.log >&2; echo "symbols.sh: no symbol graph; build first: swift build" >&2; exit 1; }
done
